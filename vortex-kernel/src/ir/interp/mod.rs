//! Runs a function over a whole grid, one work item (or one hart) after the other.
//!
//! This is the reference: it executes staged and structured functions alike, so every pass can be compared with its
//! input. Before `codegen::entry` a function describes one item and runs once per item ([`run_items`]); afterwards it
//! describes a hart and runs once per lane ([`run_harts`]). Independent items run one after the other, which is one of
//! the orders that a device may choose; otherwise they run together, from one such instruction to the next
//! (`lockstep`).

mod events;
mod lockstep;
mod memory;
mod runner;
mod trap;
mod warp;

pub use events::{Events, FaultEvent, PrintEvent};
pub use memory::Memory;
pub use trap::Trap;

use super::eval::{self, wide};
use super::{
    Block, FaultKind, Function, Inst, Label, MessageId, Op, SecondaryMap, Type, Value, Var,
};
use crate::abi::header;
use runner::{Runner, coordinates, count};

/// Instructions that each item may execute, where nobody says otherwise.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

/// Runs a function before `codegen::entry` over `size[0] * size[1] * size[2]` items, each for `budget` instructions at
/// most. `args` is the argument struct, as the device has it.
///
/// # Errors
/// The [`Trap`] of an item that does something that the IR gives no meaning to. Failed checks are not among them: they
/// are in the [`Events`].
pub fn run_items(
    function: &Function,
    args: &[u8],
    size: [u32; 3],
    memory: &mut Memory,
    budget: u64,
) -> Result<Events, Trap> {
    let grid = Grid {
        groups: [1; 3],
        block: size,
        lanes: 1,
    };
    run_grid(function, args, grid, memory, budget)
}

/// First address of local memory.
const LOCAL_BASE: u32 = 0xffff_0000;

/// Where an item finds its private memory, which no other can reach.
const PRIVATE_BASE: u32 = 0xfffe_0000;

/// Where constant data is mapped.
const DATA_BASE: u32 = 0xfff0_0000;
/// As much local memory as fits there.
const LOCAL_ROOM: u32 = 0x1_0000;

/// The initial contents of local memory: arbitrary, so an easily recognised value.
const LOCAL_FILL: u8 = 0xba;

/// Which items there are, and how they share warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Groups along x, y and z. A launch that knows nothing of groups is one group.
    pub groups: [u32; 3],
    /// Items of a group along x, y and z.
    pub block: [u32; 3],
    /// Lanes of a warp: this many consecutive items of a group ask each other.
    pub lanes: u32,
}

/// Runs a function before `codegen::entry` over a grid; see [`run_items`].
///
/// # Errors
/// As [`run_items`]; and if a group needs more local memory than 64 KiB.
pub fn run_grid(
    function: &Function,
    args: &[u8],
    grid: Grid,
    memory: &mut Memory,
    budget: u64,
) -> Result<Events, Trap> {
    let Grid {
        groups,
        block,
        lanes,
    } = grid;
    let mut events = Events::default();
    let size: [u32; 3] = std::array::from_fn(|d| groups[d].saturating_mul(block[d]));
    let local_bytes = local_bytes(function, args)?;
    let together = function.body.any(&Op::is_collective);
    let (_, data) = function.data_image();
    for group in 0..count(groups) {
        let mut items = Vec::new();
        for local in 0..count(block) {
            let [x, y, z] = std::array::from_fn(|d| {
                let at = coordinates(group, groups)[d] * block[d];
                at + coordinates(local, block)[d]
            });
            let mut item = Item::new(function, (z * size[1] + y) * size[0] + x, budget);
            for param in &function.params {
                let ty = function.ty(param.value);
                let at = param.offset as usize;
                let bytes = args.get(at..at + ty.bytes() as usize);
                let bytes = bytes.ok_or(Trap::Unsupported("argument"))?;
                item.words[param.value] = wide::from_bytes(bytes, ty);
            }
            items.push(item);
        }
        memory.map(DATA_BASE, data.clone());
        memory.map(LOCAL_BASE, vec![LOCAL_FILL; local_bytes as usize]);
        let runner = Runner::Item { size, block, lanes };
        let done = if together {
            lockstep::run(function, memory, runner, items)
        } else {
            let run = |item| Run::new(function, memory, runner, item).finish();
            items.into_iter().map(run).collect()
        };
        memory.unmap_last();
        memory.unmap_last();
        for item in done? {
            events.faults.extend(item.fault);
            events.prints.extend(item.prints);
        }
    }
    Ok(events)
}

/// Bytes of a group's part of local memory, in a launch with these arguments.
fn local_bytes(function: &Function, args: &[u8]) -> Result<u32, Trap> {
    let count = |count| {
        let param = function.params.iter().find(|param| param.value == count)?;
        let bytes = args.get(param.offset as usize..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let (_, size) = function.local_layout(|value| count(value).unwrap_or(0));
    if size > LOCAL_ROOM {
        return Err(Trap::Unsupported("more local memory than any device has"));
    }
    Ok(size)
}

/// A device's shape, and where its launch block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceShape {
    /// Cores of the device.
    pub cores: u32,
    /// Warps per core.
    pub warps: u32,
    /// Lanes per warp.
    pub lanes: u32,
    /// Address of the launch block (`abi`) in memory.
    pub launch_block: u32,
}

/// Runs a function after `codegen::entry` on every hart of a device.
///
/// # Errors
/// The [`Trap`] of a hart that does something that the IR gives no meaning to.
pub fn run_harts(
    function: &Function,
    shape: DeviceShape,
    memory: &mut Memory,
    budget: u64,
) -> Result<(), Trap> {
    let at = shape.launch_block + function.args_size + header::LOCAL_BYTES;
    let of_a_group = match memory.slot(at, 4) {
        Some(bytes) if !function.locals.is_empty() => wide::from_bytes(bytes, Type::U32) as u32,
        _ => 0,
    };
    let together = function.body.any(&Op::is_collective);
    let (_, data) = function.data_image();
    let harts = shape.warps * shape.lanes;
    for core in 0..shape.cores {
        let items = core * harts..(core + 1) * harts;
        let items = items.map(|hart| Item::new(function, hart, budget));
        // At most one group for each warp.
        let local_bytes = of_a_group.saturating_mul(shape.warps).min(LOCAL_ROOM);
        memory.map(DATA_BASE, data.clone());
        memory.map(LOCAL_BASE, vec![LOCAL_FILL; local_bytes as usize]);
        let runner = Runner::Hart(shape);
        let done = if together {
            lockstep::run(function, memory, runner, items.collect()).map(drop)
        } else {
            let run = |item| Run::new(function, memory, runner, item).finish();
            items.map(run).try_for_each(|item| item.map(drop))
        };
        memory.unmap_last();
        memory.unmap_last();
        done?;
    }
    Ok(())
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    On,
    Break(Label),
    Continue(Label),
    End,
}

struct Run<'a> {
    function: &'a Function,
    memory: &'a mut Memory,
    runner: Runner,
    item: Item,
}

/// A work item or a hart, and how far it has got.
#[derive(Default)]
struct Item {
    /// Its linear number.
    number: u32,
    words: SecondaryMap<Value, u64>,
    vars: SecondaryMap<Var, u64>,
    /// Its private memory.
    private: Vec<u8>,
    fault: Option<FaultEvent>,
    prints: Vec<PrintEvent>,
    budget: u64,
}

impl Item {
    fn new(function: &Function, number: u32, budget: u64) -> Self {
        Self {
            number,
            words: function.map_values(0),
            vars: function.map_vars(0),
            private: vec![LOCAL_FILL; function.private_layout().1 as usize],
            fault: None,
            prints: Vec::new(),
            budget,
        }
    }
}

impl<'a> Run<'a> {
    fn new(function: &'a Function, memory: &'a mut Memory, runner: Runner, item: Item) -> Self {
        Self {
            function,
            memory,
            runner,
            item,
        }
    }

    fn finish(mut self) -> Result<Item, Trap> {
        let function = self.function;
        self.block(&function.body)?;
        Ok(self.item)
    }

    /// A value of any type.
    fn whole(&self, value: Value) -> u64 {
        self.item.words[value]
    }

    /// A value of one word; of others the low one.
    fn get(&self, value: Value) -> u32 {
        self.whole(value) as u32
    }

    fn words(&self, values: &[Value]) -> Vec<u32> {
        values.iter().map(|value| self.get(*value)).collect()
    }

    fn holds(&self, value: Value) -> bool {
        self.get(value) != 0
    }

    /// Assigns all of `to` at once.
    fn assign(&mut self, to: &[Value], from: &[Value]) {
        let words: Vec<u64> = from.iter().map(|v| self.whole(*v)).collect();
        for (value, word) in to.iter().zip(words) {
            self.item.words[*value] = word;
        }
    }

    fn block(&mut self, block: &Block) -> Result<Flow, Trap> {
        self.insts(&block.insts)
    }

    fn insts(&mut self, insts: &[Inst]) -> Result<Flow, Trap> {
        for inst in insts {
            let flow = self.inst(inst)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    /// Lanes per warp.
    fn lanes(&self) -> u32 {
        match self.runner {
            Runner::Hart(shape) => shape.lanes,
            Runner::Item { lanes, .. } => lanes,
        }
    }

    fn spend(&mut self) -> Result<(), Trap> {
        let item = self.item.number;
        self.item.budget = self
            .item
            .budget
            .checked_sub(1)
            .ok_or(Trap::Budget { item })?;
        Ok(())
    }

    /// Records a failure unless the item has failed before.
    fn fail(
        &mut self,
        inst: &Inst,
        kind: FaultKind,
        message: Option<MessageId>,
        operands: &[Value],
    ) {
        if self.item.fault.is_none() {
            self.item.fault = Some(FaultEvent {
                item: self.item.number,
                kind,
                message,
                operands: self.words(operands),
                loc: inst.loc,
            });
        }
    }

    fn inst(&mut self, inst: &Inst) -> Result<Flow, Trap> {
        self.spend()?;
        let word = match &inst.op {
            Op::If { cond, then, els } => {
                let arm = if self.holds(*cond) { then } else { els };
                let flow = self.block(&arm.block)?;
                if flow == Flow::On {
                    self.assign(&inst.results, &arm.yields);
                }
                return Ok(flow);
            }
            Op::While(w) => {
                self.assign(&w.params, &w.init);
                loop {
                    self.spend()?;
                    let flow = self.block(&w.before)?;
                    if flow != Flow::On {
                        return Ok(flow);
                    }
                    if !self.holds(w.cond) {
                        self.assign(&inst.results, &w.exits);
                        return Ok(Flow::On);
                    }
                    let flow = self.block(&w.after)?;
                    if flow != Flow::On {
                        return Ok(flow);
                    }
                    self.assign(&w.params, &w.next);
                }
            }
            Op::Loop { label, body, step } => loop {
                self.spend()?;
                for block in [body, step] {
                    match self.block(block)? {
                        Flow::Break(to) if to == *label => return Ok(Flow::On),
                        Flow::Continue(to) if to == *label => {}
                        Flow::On => {}
                        flow => return Ok(flow),
                    }
                }
            },
            Op::Scope { label, body } => {
                let flow = self.block(body)?;
                return Ok(if flow == Flow::Break(*label) {
                    Flow::On
                } else {
                    flow
                });
            }
            Op::VarSet(var, value) => {
                self.item.vars[*var] = self.whole(*value);
                return Ok(Flow::On);
            }
            Op::Break(label) => return Ok(Flow::Break(*label)),
            Op::Continue(label) => return Ok(Flow::Continue(*label)),
            Op::Return => return Ok(Flow::End),
            Op::Assume(cond) => {
                let item = self.item.number;
                let holds = self.holds(*cond);
                return if holds {
                    Ok(Flow::On)
                } else {
                    Err(Trap::Assumption { item })
                };
            }
            Op::NarrowMask(mask) => {
                let Runner::Hart(shape) = &self.runner else {
                    return Err(Trap::Unsupported("narrow_mask"));
                };
                let lane = self.item.number % shape.lanes;
                let stays = self.get(*mask) >> lane & 1 == 1;
                return Ok(if stays { Flow::On } else { Flow::End });
            }
            Op::Store {
                ptr, value, offset, ..
            } => {
                let size = self.function.ty(*value).bytes();
                let bytes = self.whole(*value).to_le_bytes();
                let slot = self.access(*ptr, *offset, size)?;
                slot.copy_from_slice(&bytes[..size as usize]);
                return Ok(Flow::On);
            }
            Op::Atomic {
                op,
                ptr,
                offset,
                operands,
                ..
            } => {
                let result = inst.results.first().or(operands.first());
                let ty = result.map_or(Type::U32, |v| self.function.ty(*v));
                let operands = self.words(operands);
                let slot = self.access(*ptr, *offset, 4)?;
                let old = wide::from_bytes(slot, ty);
                let new = eval::atomic(*op, ty, old as u32, &operands);
                slot.copy_from_slice(&new.to_le_bytes());
                old
            }
            // It waits for nobody, and what it wrote is seen already.
            Op::BarrierArrive => 0,
            // Whatever an item writes is seen at once.
            Op::Fence(_) => return Ok(Flow::On),
            Op::Fault { kind, operands } => {
                self.fail(inst, *kind, None, operands);
                return Ok(Flow::On);
            }
            Op::Panic { message, operands } => {
                self.fail(inst, FaultKind::Panic, Some(*message), operands);
                return Ok(Flow::On);
            }
            Op::Print { message, operands } => {
                let event = PrintEvent {
                    item: self.item.number,
                    message: *message,
                    operands: self.words(operands),
                };
                self.item.prints.push(event);
                return Ok(Flow::On);
            }
            op => {
                let ty = inst.results.first().map(|v| self.function.ty(*v));
                self.compute(op, ty.unwrap_or(Type::U32))?
            }
        };
        for result in &inst.results {
            self.item.words[*result] = word;
        }
        Ok(Flow::On)
    }

    /// Operations that define one value, of type `ty`.
    fn compute(&mut self, op: &Op, ty: Type) -> Result<u64, Trap> {
        let ty_of = |v: &Value| self.function.ty(*v);
        let word: u32 = match op {
            Op::Const(value) => return Ok(value.0),
            Op::Unary(op, a) => return Ok(wide::unary(*op, ty, self.whole(*a))),
            Op::Binary(op, a, b) => {
                return Ok(wide::binary(*op, ty, self.whole(*a), self.whole(*b)));
            }
            Op::Compare(op, a, b) => {
                wide::compare(*op, ty_of(a), self.whole(*a), self.whole(*b)).into()
            }
            Op::Select(cond, a, b) => {
                return Ok(self.whole(if self.holds(*cond) { *a } else { *b }));
            }
            Op::MulAdd(a, b, c) => eval::mul_add(self.get(*a), self.get(*b), self.get(*c)),
            Op::Cast(a) => return Ok(wide::cast(ty_of(a), ty, self.whole(*a))),
            Op::Bitcast(a) => self.get(*a),
            Op::PtrAdd { base, index, scale } => {
                let bytes = self.get(*index).wrapping_mul(*scale);
                self.get(*base).wrapping_add(bytes)
            }
            Op::Load { ptr, offset, .. } => {
                let slot = self.access(*ptr, *offset, ty.bytes())?;
                return Ok(wide::from_bytes(slot, ty));
            }
            Op::Id(id) => self.runner.id(self.item.number, *id)?,
            // One cycle for each instruction of the item.
            Op::Clock => !(self.item.budget as u32),
            Op::LocalAddr(id) => {
                let word = |value: Value| self.item.words[value] as u32;
                let (offsets, _) = self.function.local_layout(word);
                LOCAL_BASE + offsets[*id]
            }
            Op::PrivateAddr(id) => {
                let (offsets, _) = self.function.private_layout();
                PRIVATE_BASE + offsets[*id]
            }
            Op::DataAddr(id) => {
                let (offsets, _) = self.function.data_image();
                DATA_BASE + offsets[*id]
            }
            Op::Csr(csr) => self.runner.csr(self.item.number, *csr)?,
            Op::VarGet(var) => return Ok(self.item.vars[*var]),
            // The caller handles these, or the walk over the items of a warp does: none of them comes here.
            Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Barrier
            | Op::BarrierArrive
            | Op::BarrierWait(_)
            | Op::Fence(_)
            | Op::Meet { .. }
            | Op::Arrive { .. }
            | Op::Await { .. }
            | Op::Warp { .. }
            | Op::NarrowMask(_)
            | Op::Assume(_)
            | Op::Fault { .. }
            | Op::Panic { .. }
            | Op::Record { .. }
            | Op::Print { .. }
            | Op::If { .. }
            | Op::While(_)
            | Op::Loop { .. }
            | Op::Scope { .. }
            | Op::VarSet(..)
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return => return Err(Trap::Unsupported("operation without result")),
        };
        Ok(word.into())
    }

    fn access(&mut self, ptr: Value, offset: i32, size: u32) -> Result<&mut [u8], Trap> {
        let item = self.item.number;
        let address = self.get(ptr).wrapping_add_signed(offset);
        // What takes two words is aligned as a word.
        if !address.is_multiple_of(size.min(4)) {
            return Err(Trap::Misaligned {
                item,
                address,
                size,
            });
        }
        let private = address.checked_sub(PRIVATE_BASE).map(|at| at as usize);
        if let Some(at) = private
            && let Some(slot) = self
                .item
                .private
                .get_mut(at..at.saturating_add(size as usize))
        {
            return Ok(slot);
        }
        self.memory.slot(address, size).ok_or(Trap::OutOfBounds {
            item,
            address,
            size,
        })
    }
}
