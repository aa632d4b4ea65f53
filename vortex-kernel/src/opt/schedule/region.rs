//! The order of a stretch of straight code.

use super::live::{Live, Registers};
use super::{Carried, Tuning};
use crate::ir::{Alias, BinOp, CmpOp, Function, Inst, Op, Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// Values alive on both sides from which on another order must not have more of them alive between: that would only
/// choose others to go to the stack.
const NO_ROOM: Registers = [24, 29];

/// Puts straight code in order, which `live` is alive after.
pub(super) fn order(
    function: &Function,
    live: &Live,
    insts: &mut [Inst],
    carried: Carried<'_>,
    tuning: &Tuning,
) {
    put_off(function, insts, carried);
    let mut region = Region::of(function, live, insts, carried, tuning);
    let around = [region.registers, live.registers()];
    let is_full = |file: &usize| around.iter().all(|alive| alive[*file] >= NO_ROOM[*file]);
    let full: Vec<usize> = (0..2).filter(is_full).collect();
    // Most of the time there is room, and nobody asks.
    let before = (!full.is_empty()).then(|| (region.users.clone(), region.registers));
    let order = region.order();
    if let Some(before) = before {
        (region.users, region.registers) = before;
        let as_written = region.most_alive(0..insts.len());
        let ordered = region.most_alive(order.iter().copied());
        if full.iter().any(|file| ordered[*file] > as_written[*file]) {
            return;
        }
    }
    let mut places: Vec<Option<Inst>> = insts.iter_mut().map(|inst| Some(inst.take())).collect();
    for (slot, at) in insts.iter_mut().zip(order) {
        if let Some(inst) = places[at].take() {
            *slot = inst;
        }
    }
}

/// Moves what parameters become behind the last use of these, where that can be: so it takes the parameter's register,
/// and need not be copied there.
fn put_off(function: &Function, insts: &mut [Inst], Carried { params, .. }: Carried<'_>) {
    for (param, next) in params {
        let defines = |inst: &Inst| inst.results[..] == [*next] && inst.op.is_pure();
        let Some(at) = insts.iter().position(defines) else {
            continue;
        };
        let same = same_as(function, insts, *param);
        let after = &mut insts[at..];
        if let Some(last) = after.iter().rposition(|inst| uses(inst, &same))
            && !after.iter().any(|inst| uses(inst, &[*next]))
        {
            after[..=last].rotate_left(1);
        }
    }
}

/// Whether an instruction reads one of these values.
fn uses(inst: &Inst, wanted: &[Value]) -> bool {
    let mut uses = false;
    inst.op
        .operands(&mut |value| uses |= wanted.contains(&value));
    uses
}

/// A parameter, and what has its word in its register: the same number of the other sign.
fn same_as(function: &Function, insts: &[Inst], param: Value) -> SmallVec<[Value; 2]> {
    let is_word = |value: Value| matches!(function.ty(value), Type::I32 | Type::U32);
    let casts = insts
        .iter()
        .filter_map(|inst| match (&inst.op, &inst.results[..]) {
            (Op::Cast(of), [result]) if *of == param && is_word(param) && is_word(*result) => {
                Some(*result)
            }
            _ => None,
        });
    std::iter::once(param).chain(casts).collect()
}

/// What an instruction waits for and who waits for it.
#[derive(Default)]
struct Node {
    /// Instructions that go after this one, and cycles between them.
    after: SmallVec<[(u32, u32); 4]>,
    /// How many it still waits for.
    waits: u32,
    /// When the last of them that is in order is done.
    ready: u32,
    /// Cycles from its start to the end of all that depends on it.
    chain: u32,
    /// Machine instructions, roughly.
    size: u32,
    /// What it uses that takes a register, by its place among what the region uses; each once.
    uses: SmallVec<[u32; 4]>,
    /// The file of the register that its result takes.
    defines: Option<usize>,
    loads: bool,
    /// What computes it that all warps share, and for how long that is taken.
    unit: Option<(Unit, u32)>,
    /// The loads whose results it uses.
    awaits: SmallVec<[u32; 4]>,
}

/// A value that a region uses and that takes a register.
struct Used {
    value: Value,
    /// The file of that register.
    file: usize,
    /// It is alive after the region.
    is_alive_after: bool,
}

/// How many instructions that are not in order yet use each of these.
type Users = Vec<u32>;

/// What does one thing at a time for all warps of a core.
#[derive(Clone, Copy)]
enum Unit {
    Float,
    Memory,
}

impl Node {
    /// When it can start, where units are free from these times on.
    fn ready(&self, free: [u32; 2]) -> u32 {
        let unit = self.unit.map_or(0, |(unit, _)| free[unit as usize]);
        self.ready.max(unit)
    }
}

struct Region<'a> {
    tuning: &'a Tuning,
    nodes: Vec<Node>,
    used: Vec<Used>,
    users: Users,
    registers: Registers,
    /// Loads that nobody has waited for yet.
    under_way: Vec<u32>,
}

impl<'a> Region<'a> {
    fn of(
        function: &Function,
        live: &Live,
        insts: &[Inst],
        carried: Carried<'_>,
        tuning: &'a Tuning,
    ) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(insts.len());
        let mut used: Vec<Used> = Vec::new();
        let mut users = Users::new();
        let mut places: FxHashMap<Value, u32> = FxHashMap::default();
        let mut defined: FxHashMap<Value, u32> =
            FxHashMap::with_capacity_and_hasher(insts.len(), FxBuildHasher);
        let mut accesses: Vec<(u32, Access)> = Vec::new();
        for (at, inst) in insts.iter().enumerate() {
            let mut node = Node::default();
            let at = at as u32;
            inst.op.operands(&mut |value| {
                if let Some(before) = defined.get(&value) {
                    let (op, ty) = (&insts[*before as usize].op, function.ty(value));
                    edge(&mut nodes, &mut node, *before, at, latency(op, ty));
                    if matches!(op, Op::Load { .. }) {
                        node.awaits.push(*before);
                    }
                }
                let Some(file) = live.file(value) else {
                    return;
                };
                let place = *places.entry(value).or_insert_with(|| {
                    used.push(Used {
                        value,
                        file,
                        is_alive_after: live.is(value),
                    });
                    users.push(0);
                    used.len() as u32 - 1
                });
                if !node.uses.contains(&place) {
                    node.uses.push(place);
                    users[place as usize] += 1;
                }
            });
            if let Some(access) = Access::of(inst) {
                for (before, other) in &accesses {
                    if access.conflicts(other) {
                        edge(&mut nodes, &mut node, *before, at, 1);
                    }
                }
                accesses.push((at, access));
            }
            let result = inst.results.first();
            node.loads = matches!(inst.op, Op::Load { .. });
            node.unit = result.and_then(|v| unit(&inst.op, function.ty(*v), tuning));
            node.size = result.map_or(1, |v| size(&inst.op, function.ty(*v)));
            node.defines = result.and_then(|v| live.file(*v));
            defined.extend(result.map(|v| (*v, at)));
            nodes.push(node);
        }
        let mut region = Self {
            tuning,
            nodes,
            used,
            users,
            registers: [0, 0],
            under_way: Vec::new(),
        };
        region.carry(function, insts, &defined, carried);
        region.chains();
        region.registers = region.at_start(live, insts);
        region
    }

    /// What a parameter becomes takes its register, if nothing uses the parameter afterwards.
    fn carry(
        &mut self,
        function: &Function,
        insts: &[Inst],
        defined: &FxHashMap<Value, u32>,
        Carried { params, of_items }: Carried<'_>,
    ) {
        for (param, next) in params {
            let Some(last) = defined.get(next).map(|at| *at as usize) else {
                continue;
            };
            let same = same_as(function, insts, *param);
            let counts = of_items && matches!(insts[last].op, Op::Binary(BinOp::Add, ..));
            for (at, inst) in insts.iter().enumerate().take(last) {
                let may_fail = matches!(inst.op, Op::Load { .. } | Op::Store { .. });
                let mut uses = self.nodes[at].uses.iter();
                let used = uses.any(|place| same.contains(&self.used[*place as usize].value));
                let is_to_be_first = used || counts && may_fail;
                if is_to_be_first {
                    self.nodes[at].after.push((last as u32, 1));
                    self.nodes[last].waits += 1;
                }
            }
        }
    }

    fn chains(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            let after = node.after.iter();
            let longest = after.map(|(after, cycles)| cycles + self.nodes[*after as usize].chain);
            let own = node.size * self.tuning.issue;
            self.nodes[at].chain = longest.max().unwrap_or(0).max(own);
        }
    }

    /// Registers in use before the first instruction.
    fn at_start(&self, live: &Live, insts: &[Inst]) -> Registers {
        let mut registers = live.registers();
        let mut inside: Vec<Value> = Vec::new();
        for result in insts.iter().filter_map(|inst| inst.results.first()) {
            inside.push(*result);
            if let (Some(file), true) = (live.file(*result), live.is(*result)) {
                registers[file] -= 1;
            }
        }
        inside.sort_unstable();
        for used in &self.used {
            if !used.is_alive_after && inside.binary_search(&used.value).is_err() {
                registers[used.file] += 1;
            }
        }
        registers
    }

    /// The order.
    fn order(&mut self) -> Vec<usize> {
        let mut waiting: Vec<usize> = (0..self.nodes.len())
            .filter(|at| self.nodes[*at].waits == 0)
            .collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut now = 0;
        let mut free = [0; 2];
        while !waiting.is_empty() {
            let place = self.best(&waiting, now, free);
            let at = waiting.swap_remove(place);
            order.push(at);
            let start = now.max(self.nodes[at].ready(free));
            if let Some((unit, cycles)) = self.nodes[at].unit {
                free[unit as usize] = start + cycles;
            }
            now = start + self.nodes[at].size * self.tuning.issue;
            self.nodes[at].issue(&self.used, &mut self.users, &mut self.registers);
            if self.nodes[at].loads {
                self.under_way.push(at as u32);
            }
            let awaited = std::mem::take(&mut self.nodes[at].awaits);
            self.under_way.retain(|load| !awaited.contains(load));
            for (after, cycles) in std::mem::take(&mut self.nodes[at].after) {
                let node = &mut self.nodes[after as usize];
                node.ready = node.ready.max(start + cycles);
                node.waits -= 1;
                if node.waits == 0 {
                    waiting.push(after as usize);
                }
            }
        }
        order
    }

    /// How many registers of each file are in use at a time, at most, in an order.
    fn most_alive(&self, order: impl Iterator<Item = usize>) -> Registers {
        let mut users = self.users.clone();
        let mut alive = self.registers;
        let mut most = alive;
        for at in order {
            self.nodes[at].issue(&self.used, &mut users, &mut alive);
            most = [0, 1].map(|file| most[file].max(alive[file]));
        }
        most
    }

    /// Which of those that could go next does.
    fn best(&self, waiting: &[usize], now: u32, free: [u32; 2]) -> usize {
        let full = [0, 1].map(|file| self.registers[file] >= self.tuning.full[file]);
        let key = |at: usize| {
            let node = &self.nodes[at];
            let grows = node.grows(&self.used, &self.users);
            let too_much = (0..2)
                .filter(|file| full[*file] && grows[*file] > 0)
                .count();
            let wait = node.ready(free).saturating_sub(now);
            let crowd =
                u32::from(node.loads && self.under_way.len() >= self.tuning.loads_under_way);
            let chain = std::cmp::Reverse(node.chain);
            if full[0] || full[1] {
                let frees = (0..2).map(|file| if full[file] { grows[file] } else { 0 });
                let frees = frees.sum::<i32>().min(0);
                (too_much as u32, frees, crowd, wait, chain, at)
            } else {
                (0, 0, crowd, wait, chain, at)
            }
        };
        let places = 0..waiting.len();
        places.min_by_key(|place| key(waiting[*place])).unwrap_or(0)
    }
}

impl Node {
    /// By how much it changes how many registers are in use.
    fn grows(&self, used: &[Used], users: &[u32]) -> [i32; 2] {
        let mut grows = [0, 0];
        if let Some(file) = self.defines {
            grows[file] += 1;
        }
        for place in &self.uses {
            let used = &used[*place as usize];
            if users[*place as usize] == 1 && !used.is_alive_after {
                grows[used.file] -= 1;
            }
        }
        grows
    }

    /// Has it be next.
    fn issue(&self, used: &[Used], users: &mut [u32], registers: &mut Registers) {
        let grows = self.grows(used, users);
        for (registers, grows) in registers.iter_mut().zip(grows) {
            *registers = registers.saturating_add_signed(grows as isize);
        }
        for place in &self.uses {
            users[*place as usize] -= 1;
        }
    }
}

fn edge(nodes: &mut [Node], node: &mut Node, before: u32, at: u32, cycles: u32) {
    nodes[before as usize].after.push((at, cycles));
    node.waits += 1;
}

/// An access to memory.
struct Access {
    stores: bool,
    alias: Alias,
    ptr: Value,
    offset: i32,
}

/// Bytes of the largest access.
const WIDEST: u32 = 4;

impl Access {
    fn of(inst: &Inst) -> Option<Self> {
        let (stores, alias, ptr, offset) = match inst.op {
            Op::Load { ptr, offset, alias } => (false, alias, ptr, offset),
            Op::Store {
                ptr, offset, alias, ..
            } => (true, alias, ptr, offset),
            _ => return None,
        };
        let written = !matches!(alias, Alias::Launch | Alias::Shared(_) | Alias::Data(_));
        written.then_some(Self {
            stores,
            alias,
            ptr,
            offset,
        })
    }

    /// Whether the order of two accesses matters.
    fn conflicts(&self, other: &Self) -> bool {
        let apart = self.ptr == other.ptr && self.offset.abs_diff(other.offset) >= WIDEST;
        (self.stores || other.stores) && !apart && overlap(self.alias, other.alias)
    }
}

/// Whether what is reached through one may be what is reached through the other.
fn overlap(a: Alias, b: Alias) -> bool {
    match (a, b) {
        (Alias::Unknown, _) | (_, Alias::Unknown) => true,
        (Alias::Any, Alias::Any | Alias::Exclusive(_)) | (Alias::Exclusive(_), Alias::Any) => true,
        (a, b) => a == b,
    }
}

/// Cycles until a result can be used, on the cycle model.
fn latency(op: &Op, ty: Type) -> u32 {
    let float = ty == Type::F32;
    match op {
        Op::Load {
            alias: Alias::Local(_),
            ..
        } => 19,
        Op::Load { .. } => 22,
        Op::MulAdd(..) => 13,
        Op::Binary(BinOp::Div, ..) if float => 23,
        Op::Binary(BinOp::Min | BinOp::Max, ..) if float => 10,
        Op::Binary(..) if float => 12,
        Op::Binary(BinOp::Mul | BinOp::MulHigh, ..) | Op::Cast(_) => 13,
        Op::Binary(BinOp::Div | BinOp::Rem, ..) => 16,
        Op::Unary(crate::ir::UnOp::Sqrt, _) => 18,
        Op::Unary(op, _) if op.rounds() => 26,
        Op::Compare(CmpOp::Lt | CmpOp::Gt, ..) => 9,
        op => 9 * size(op, ty).min(3),
    }
}

/// What computes an operation that all warps share, and for how many cycles of one of them.
fn unit(op: &Op, ty: Type, tuning: &Tuning) -> Option<(Unit, u32)> {
    let float = ty == Type::F32;
    match op {
        Op::Load { .. } => Some((Unit::Memory, tuning.load_interval)),
        Op::MulAdd(..) | Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) if float => {
            Some((Unit::Float, tuning.float_interval))
        }
        _ => None,
    }
}

/// Machine instructions, roughly.
fn size(op: &Op, ty: Type) -> u32 {
    match op {
        Op::Const(_) | Op::PrivateAddr(_) => 0,
        Op::Binary(BinOp::Div | BinOp::Rem, ..) | Op::Unary(crate::ir::UnOp::Sqrt, _) => 1,
        op => super::super::defs::cost(op, ty).max(1),
    }
}
