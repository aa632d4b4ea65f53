//! Several items in one iteration of the loop over items, sharing what they have in common.
//!
//! ```text
//! for k {                              for k {
//!     a = x[row * n + k]                   a0 = x[row0 * n + k];  a1 = x[row1 * n + k]
//!     b = y[k * n + column]    ==>         b = y[k * n + column]
//!     sum = a * b + sum                    sum0 = a0 * b + sum0;  sum1 = a1 * b + sum1
//! }                                    }
//! ```
//!
//! What depends on the item is done for each, the first item's before the second's; so is a branch or a loop whose
//! condition depends on it, with everything inside, and what is visible elsewhere, such as atomic operations. Each item
//! keeps its own order, and items have no order among each other; so this is exact for everything that does not make
//! lanes or items wait for each other.
//!
//! A guard around a loop (`if row < y.len() { for .. }`) is expected to hold for all items of a block, which is tested
//! before the loop over blocks. So there is one for all of them together, and in its else arm those of each:
//!
//! ```text
//! if row0 < len && row1 < len { both together } else {
//!     if row0 < len { the first }
//!     if row1 < len { the second }
//! }
//! ```

use super::loops::clone_inst;
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, Arm, BinOp, Block, CmpOp, Effect, Function, Inst, Loc, LocalId, Op, SecondaryMap, Type,
    Value, While,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an item has of its own.
#[derive(Default)]
pub(crate) struct OfItem {
    /// In the same order for each item.
    pub(crate) values: Vec<Value>,
    /// Objects in local memory, of its group alone; likewise.
    pub(crate) objects: Vec<LocalId>,
}

/// Jams a block for several items of a row or of a column, a power of two: the values and objects of each that stand in
/// the block are those of the first. Which item they are for is noted with the locations of instructions; `axis` is 0
/// for columns.
pub(crate) fn all(function: &mut Function, block: Block, items: &[OfItem], axis: usize) -> Block {
    all_or_none(function, block, items, axis, None)
}

/// The same of a block in which an `If` on a condition is one for all items, with nothing in its else arm, where it
/// does not hold for one of them.
pub(crate) fn all_or_none(
    function: &mut Function,
    mut block: Block,
    items: &[OfItem],
    axis: usize,
    cond: Option<Value>,
) -> Block {
    forget_unused(&mut block);
    let mut count = 1;
    let mut guards: FxHashSet<Value> = cond.into_iter().collect();
    while count < items.len() {
        let (done, next) = items.split_at(count);
        let mut second = Renaming::default();
        let mut first = Vec::new();
        let values = |items: &[OfItem]| {
            let values = items.iter().flat_map(|item| &item.values);
            values.copied().collect::<Vec<_>>()
        };
        for (done, next) in values(done).into_iter().zip(values(next)) {
            second.set(done, next);
            first.push(done);
        }
        let objects = |items: &[OfItem]| {
            let objects = items.iter().flat_map(|item| &item.objects);
            objects.copied().collect::<Vec<_>>()
        };
        let objects = objects(done).into_iter().zip(objects(next)).collect();
        let mut jam = Jam {
            varies: Varies::of(function, &block, &first),
            function,
            second,
            objects,
            items: first,
            depth: 0,
            guards: &mut guards,
            further: (count, axis),
            locs: FxHashMap::default(),
        };
        block = jam.block(block);
        count *= 2;
    }
    block
}

/// Takes the results from choices of which nobody uses one: what a guard changes is often needed in it alone.
fn forget_unused(block: &mut Block) {
    let mut used: FxHashSet<Value> = FxHashSet::default();
    block.uses(&mut |value| {
        used.insert(value);
    });
    for inst in &mut block.insts {
        if let Op::If { then, els, .. } = &mut inst.op
            && !inst.results.iter().any(|result| used.contains(result))
        {
            inst.results.clear();
            then.yields.clear();
            els.yields.clear();
            if els.block.insts.iter().all(|inst| inst.op.is_pure()) {
                els.block.insts.clear();
            }
        }
    }
}

/// Notes with the locations of a block's instructions that they are for the first of a lane's items.
pub(crate) fn of_first_item(function: &mut Function, block: &mut Block) {
    let mut locs: FxHashMap<Loc, Loc> = FxHashMap::default();
    block.locs_mut(&mut |loc| {
        *loc = *(locs.entry(*loc)).or_insert_with(|| function.loc_of_item(*loc, [0, 0]));
    });
}

/// Whether each item has to do it itself, even if it does what the others do.
fn is_each_items(op: &Op) -> bool {
    op.effect() == Effect::Writes && !matches!(op, Op::Store { .. } | Op::Assume(_))
}

/// Which values depend on the item.
pub(crate) struct Varies(SecondaryMap<Value, bool>);

impl Varies {
    /// Where these do.
    pub(super) fn of(function: &Function, block: &Block, items: &[Value]) -> Self {
        let mut varies = Self(function.map_values(false));
        for item in items {
            varies.0[*item] = true;
        }
        while varies.sweep(block) {}
        varies
    }

    pub(super) fn is(&self, value: Value) -> bool {
        self.0[value]
    }

    /// Whether an operation is one of each item's own.
    pub(super) fn any(&self, op: &Op) -> bool {
        let mut any = false;
        op.operands(&mut |v| any |= self.is(v));
        any || is_each_items(op)
    }

    /// Marks what depends on what is marked already; whether there was something.
    fn sweep(&mut self, block: &Block) -> bool {
        let mut changed = false;
        for inst in &block.insts {
            match &inst.op {
                Op::If { cond, then, els } => {
                    changed |= self.sweep(&then.block) | self.sweep(&els.block);
                    // Where one fails, items are not done several at once.
                    let chosen = self.is(*cond) && !els.block.is_failure();
                    let yields = then.yields.iter().zip(&els.yields);
                    for (result, (a, b)) in inst.results.iter().zip(yields) {
                        let chosen = chosen && a != b;
                        changed |= self.mark(*result, chosen || self.is(*a) || self.is(*b));
                    }
                }
                Op::While(w) => {
                    for ((param, init), next) in w.params.iter().zip(&w.init).zip(&w.next) {
                        changed |= self.mark(*param, self.is(*init) || self.is(*next));
                    }
                    changed |= self.sweep(&w.before) | self.sweep(&w.after);
                    for (result, exit) in inst.results.iter().zip(&w.exits) {
                        changed |= self.mark(*result, self.is(w.cond) || self.is(*exit));
                    }
                }
                op => {
                    let any = self.any(op);
                    for result in &inst.results {
                        changed |= self.mark(*result, any);
                    }
                }
            }
        }
        changed
    }

    fn mark(&mut self, value: Value, varies: bool) -> bool {
        let new = varies && !self.is(value);
        self.0[value] |= varies;
        new
    }
}

struct Jam<'a> {
    function: &'a mut Function,
    varies: Varies,
    /// What the second item has instead of what varies.
    second: Renaming,
    /// And instead of objects in local memory.
    objects: FxHashMap<LocalId, LocalId>,
    /// What numbers the first item.
    items: Vec<Value>,
    /// Loops and arms around what is looked at.
    depth: u32,
    /// Conditions of guards of several items.
    guards: &'a mut FxHashSet<Value>,
    /// How much further the second is than the first, and on which axis.
    further: (usize, usize),
    /// What locations of the first become.
    locs: FxHashMap<Loc, Loc>,
}

impl Jam<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(2 * block.insts.len());
        for mut inst in block.insts {
            if self.depth == 0 && self.is_guard(&inst, &out) {
                self.guard(inst, &mut out);
                continue;
            }
            match &mut inst.op {
                Op::If { cond, then, els } if !self.varies.is(*cond) => {
                    for arm in [then, els] {
                        self.arm(arm, &inst.results);
                    }
                    let second = self.second_of(&inst.results);
                    inst.results.extend(second);
                    out.push(inst);
                }
                Op::While(w) if !self.varies.is(w.cond) => {
                    self.while_loop(w, &inst.results);
                    let second = self.second_of(&inst.results);
                    inst.results.extend(second);
                    out.push(inst);
                }
                op if matches!(op, Op::While(_)) || self.varies.any(op) => {
                    let mut second = Block {
                        insts: vec![clone_inst(self.function, &inst)],
                    };
                    self.second.block(&mut second);
                    self.rename_objects(&mut second);
                    second.locs_mut(&mut |loc| *loc = self.further(*loc));
                    let results = second.insts.iter().flat_map(|copy| &copy.results);
                    for (first, second) in inst.results.iter().zip(results) {
                        if self.varies.is(*first) {
                            self.second.set(*first, *second);
                        }
                    }
                    out.push(inst);
                    out.append(&mut second.insts);
                }
                _ => out.push(inst),
            }
        }
        Block { insts: out }
    }

    /// Whether an `If` is a guard of an item, or of several, with a loop in it: a comparison of what is made of the
    /// item's ids with something that all items share. What lanes do together stays with all lanes whose item passes,
    /// whether the other item of theirs does or not.
    fn is_guard(&self, inst: &Inst, before: &[Inst]) -> bool {
        match &inst.op {
            Op::If { cond, then, els } => {
                if self.guards.contains(cond) {
                    return self.varies.is(*cond);
                }
                inst.results.is_empty()
                    && els.block.insts.is_empty()
                    && self.varies.is(*cond)
                    && then.block.any(&|op| matches!(op, Op::While(_)))
                    && !then.block.any(&Op::is_convergent)
                    && self.is_of_items(*cond, before)
            }
            _ => false,
        }
    }

    /// Whether a value is made of the item's ids and of what all items share by sums, products, comparisons and
    /// conjunctions.
    fn is_of_items(&self, value: Value, before: &[Inst]) -> bool {
        if !self.varies.is(value) || self.items.contains(&value) {
            return true;
        }
        let def = before.iter().rev().find(|inst| inst.results[..] == [value]);
        match def.map(|inst| &inst.op) {
            Some(
                Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And, a, b)
                | Op::Compare(CmpOp::Lt | CmpOp::Gt, a, b),
            ) => self.is_of_items(*a, before) && self.is_of_items(*b, before),
            _ => false,
        }
    }

    /// One guard for both items, and those of each on its other side.
    fn guard(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let mut each = Block {
            insts: vec![clone_inst(self.function, &inst)],
        };
        if let Op::If { cond, then, els } = &mut inst.op {
            // If there are several items, they have guards of their own there.
            if self.guards.contains(cond) {
                each = std::mem::take(&mut els.block);
            }
            let mut others = self.function.clone_block(&each);
            self.second.block(&mut others);
            self.rename_objects(&mut others);
            others.locs_mut(&mut |loc| *loc = self.further(*loc));
            let both = Op::Binary(BinOp::And, *cond, self.second.get(*cond));
            *cond = self.function.push(both, Type::Bool, inst.loc, out);
            self.guards.insert(*cond);
            self.arm(then, &[]);
            each.insts.append(&mut others.insts);
            els.block = each;
        }
        out.push(inst);
    }

    fn rename_objects(&self, block: &mut Block) {
        for inst in &mut block.insts {
            if let Op::Load { alias, .. } | Op::Store { alias, .. } = &mut inst.op
                && let Alias::Local(id) = alias
                && let Some(second) = self.objects.get(id)
            {
                *id = *second;
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.rename_objects(nested);
            }
        }
    }

    /// The location of an instruction for the second item.
    fn further(&mut self, loc: Loc) -> Loc {
        let Self {
            function,
            further: (count, axis),
            locs,
            ..
        } = self;
        *locs.entry(loc).or_insert_with(|| {
            let mut item = function.block_items[loc].unwrap_or_default();
            item[*axis] += *count as u8;
            function.loc_of_item(loc, item)
        })
    }

    /// What the second item has instead of those of the values defined here that vary.
    fn second_of(&mut self, defined: &[Value]) -> Vec<Value> {
        let mut second = Vec::new();
        for first in defined {
            if self.varies.is(*first) {
                let other = self.function.new_value(self.function.ty(*first));
                self.second.set(*first, other);
                second.push(other);
            }
        }
        second
    }

    /// Adds what the second item has instead of those of the values that become what varies.
    fn seconds(&self, values: &mut Vec<Value>, targets: &[Value]) {
        for n in 0..values.len() {
            if self.varies.is(targets[n]) {
                values.push(self.second.get(values[n]));
            }
        }
    }

    fn arm(&mut self, arm: &mut Arm, results: &[Value]) {
        self.depth += 1;
        arm.block = self.block(std::mem::take(&mut arm.block));
        self.depth -= 1;
        self.seconds(&mut arm.yields, results);
    }

    fn while_loop(&mut self, w: &mut While, results: &[Value]) {
        let params = w.params.clone();
        self.seconds(&mut w.init, &params);
        let second = self.second_of(&w.params);
        w.params.extend(second);
        self.depth += 1;
        w.before = self.block(std::mem::take(&mut w.before));
        w.after = self.block(std::mem::take(&mut w.after));
        self.depth -= 1;
        self.seconds(&mut w.next, &params);
        self.seconds(&mut w.exits, results);
    }
}
