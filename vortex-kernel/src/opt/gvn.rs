//! Global value numbering on structured control flow: an instruction is replaced by an equal one that dominates it.
//!
//! * Inside the then-arm of `if c`, and after the test of a loop on `c`, `c` is true; in the else-arm it is false.
//!   Where `c` compares with a constant, so are other comparisons of that value with constants ([`super::known`]).
//! * A load can be reused as long as nothing is stored where it reads: loads and stores carry the number of the last
//!   store that may overlap. The launch block and shared slices are never stored to. A load that follows a store to the
//!   same address is the stored value.
//! * So can a check with the load that it guards ([`super::repeated_checks`]), and both where they stand in an arm that
//!   surely has run ([`super::behind`]).

use super::behind::{Behind, Computed};
use super::defs::Both;
use super::equal::{Key, compare_key, key};
use super::fold::inverse;
use super::loop_ranges;
use super::ranges::Ranges;
use super::repeated_checks::{Check, Checked};
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, Block, Const, Function, Inst, Loc, LocalId, Op, PrivateId, Results, SecondaryMap, Type,
    UnOp, Value, While,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::smallvec;
use std::collections::hash_map::Entry::Occupied;
use std::rc::Rc;

/// Merges equal instructions of a structured function. Whether there were any, or anything else to replace.
pub fn gvn(function: &mut Function) -> bool {
    let mut body = std::mem::take(&mut function.body);
    let count = function.values.len();
    let mut pass = Gvn {
        renaming: Renaming::default(),
        table: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
        entered: Vec::with_capacity(count),
        scopes: vec![0],
        last_scope: 0,
        known: function.map_values(None),
        learnt: Vec::new(),
        ranges: Ranges::default(),
        pairs: FxHashMap::default(),
        opposites: FxHashMap::default(),
        checked: Checked::default(),
        behind: Behind::default(),
        stores: Stores::default(),
        truths: [None; 2],
        found: false,
        function,
    };
    pass.block(&mut body);
    let found = pass.found;
    std::mem::take(&mut pass.behind).finish(pass.function, &mut body);
    for (truth, value) in pass.truths.into_iter().enumerate() {
        body.insts.splice(0..0, value.map(|v| truth_inst(v, truth)));
    }
    function.body = body;
    found
}

fn truth_inst(value: Value, truth: usize) -> Inst {
    Inst {
        results: smallvec![value],
        op: Op::Const(Const::from(truth as u32)),
        loc: Loc::NONE,
    }
}

/// Numbers of the last stores, by what they reach through.
#[derive(Default)]
struct Stores {
    count: u32,
    any: u32,
    /// Of every store but those through `Fault`: what a load through `Any` may see.
    all: u32,
    /// The last store through `Unknown`, which any load but of what nobody writes may see.
    unknown: u32,
    /// Of every store that a load through `Unknown` may see.
    reachable: u32,
    exclusive: FxHashMap<u32, u32>,
    local: SecondaryMap<LocalId, u32>,
    private: SecondaryMap<PrivateId, u32>,
    /// Of the last barrier or atomic operation, where stores of others become visible.
    barrier: u32,
}

impl Stores {
    fn note(&mut self, alias: Alias) {
        self.count += 1;
        if !matches!(alias, Alias::Launch | Alias::Exchange) {
            self.reachable = self.count;
        }
        match alias {
            Alias::Any => self.any = self.count,
            Alias::Unknown => self.unknown = self.count,
            Alias::Exclusive(n) => {
                self.exclusive.insert(n, self.count);
            }
            Alias::Local(id) => {
                self.local[id] = self.count;
                return;
            }
            Alias::Private(id) => {
                self.private[id] = self.count;
                return;
            }
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Exchange => {
                return;
            }
        }
        self.all = self.count;
    }

    fn note_barrier(&mut self) {
        self.count += 1;
        self.barrier = self.count;
    }

    fn note_all(&mut self, block: &Block) {
        block.visit(&mut |inst| match inst.op {
            Op::Store { alias, .. } => self.note(alias),
            Op::Atomic { .. } | Op::Fence(_) => self.note_barrier(),
            ref op if op.is_barrier() => self.note_barrier(),
            _ => {}
        });
    }

    /// The last store that a load may see; `None` if the load is not to be reused.
    fn seen_by(&self, alias: Alias) -> Option<u32> {
        match alias {
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) => Some(0),
            // Nobody else can write there.
            Alias::Private(id) => {
                let own = self.private[id];
                Some(own.max(self.unknown))
            }
            Alias::Exclusive(n) => {
                let own = self.exclusive.get(&n).copied().unwrap_or(0);
                Some(own.max(self.any).max(self.unknown).max(self.barrier))
            }
            Alias::Local(id) => {
                let own = self.local[id];
                Some(own.max(self.unknown).max(self.barrier))
            }
            Alias::Any => Some(self.all.max(self.barrier)),
            Alias::Unknown => Some(self.reachable.max(self.barrier)),
            Alias::Exchange => None,
        }
    }
}

struct Gvn<'a> {
    function: &'a mut Function,
    renaming: Renaming,
    table: FxHashMap<Key, Entry>,
    /// What of that is of the scopes that the walk is in, in order.
    entered: Vec<(Key, Value)>,
    /// The numbers of these scopes, from the outermost.
    scopes: Vec<u32>,
    /// The highest number of a scope yet.
    last_scope: u32,
    /// By condition, its truth in this arm.
    known: SecondaryMap<Value, Option<Value>>,
    /// What to restore of that when the scope ends.
    learnt: Vec<(Value, Option<Value>)>,
    /// What that says about numbers.
    ranges: Ranges,
    /// Conditions made of two.
    pairs: FxHashMap<Value, Both>,
    /// The opposites of conditions.
    opposites: FxHashMap<Value, Value>,
    checked: Checked,
    behind: Behind,
    stores: Stores,
    /// `false` and `true`, to be defined at the function's start if used.
    truths: [Option<Value>; 2],
    /// Whether anything was replaced.
    found: bool,
}

/// A value that is the same as any that has its key, in a scope.
#[derive(Clone, Copy)]
struct Entry {
    value: Value,
    /// The scope's number, and how many are around it.
    scope: u32,
    depth: usize,
}

/// Where a scope began: what was to be undone then.
struct Scope {
    entered: usize,
    learnt: usize,
    ranges: usize,
    checked: usize,
    behind: usize,
}

impl Entry {
    /// Whether it is of one of these scopes.
    fn is_in(&self, scopes: &[u32]) -> bool {
        scopes.get(self.depth) == Some(&self.scope)
    }
}

impl Gvn<'_> {
    /// The entry that a value has in the table, from here to the end of the scope.
    fn entry(&self, value: Value) -> Entry {
        let depth = self.scopes.len() - 1;
        Entry {
            value,
            scope: self.scopes[depth],
            depth,
        }
    }

    /// What is the same here as all that has this key.
    fn get(&self, key: &Key) -> Option<Value> {
        let entry = self.table.get(key)?;
        entry.is_in(&self.scopes).then_some(entry.value)
    }

    fn enter_scope(&mut self) -> Scope {
        self.last_scope += 1;
        self.scopes.push(self.last_scope);
        Scope {
            entered: self.entered.len(),
            learnt: self.learnt.len(),
            ranges: self.ranges.learnt(),
            checked: self.checked.count(),
            behind: self.behind.count(),
        }
    }

    fn leave_scope(&mut self, scope: Scope) {
        self.scopes.pop();
        self.entered.truncate(scope.entered);
        for (cond, old) in self.learnt.drain(scope.learnt..).rev() {
            self.known[cond] = old;
        }
        self.ranges.forget(scope.ranges);
        self.checked.forget(scope.checked);
        self.behind.forget(scope.behind);
    }

    /// From here to the end of the scope, `cond` is `truth`.
    fn assume(&mut self, cond: Value, truth: bool) {
        self.suppose(cond, truth, true);
    }

    /// The same, also of what is not at hand, but in an arm.
    fn suppose(&mut self, cond: Value, truth: bool, is_at_hand: bool) {
        if is_at_hand {
            self.behind.enter(cond, truth);
        }
        let word = self.truth(truth);
        let old = self.known[cond].replace(word);
        self.learnt.push((cond, old));
        self.ranges.learn(cond, truth);
        if let Some(&pair) = self.pairs.get(&cond)
            && pair.is_and == truth
        {
            self.suppose(pair.first, truth, is_at_hand);
            self.suppose(pair.second, truth, is_at_hand && !pair.is_lazy);
        }
        if let Some(opposite) = self.opposites.get(&cond).copied()
            && self.known[opposite].is_none()
        {
            self.suppose(opposite, !truth, is_at_hand);
        }
    }

    fn truth(&mut self, truth: bool) -> Value {
        let function = &mut *self.function;
        let slot = &mut self.truths[usize::from(truth)];
        *slot.get_or_insert_with(|| function.new_value(Type::Bool))
    }

    /// The condition that holds just where the one does not that an operation gives, if it is there.
    fn opposite(&self, op: &Op) -> Option<Value> {
        match *op {
            Op::Unary(UnOp::Not, cond) if self.function.ty(cond) == Type::Bool => Some(cond),
            Op::Compare(op, a, b) => {
                let op = inverse(op, self.function.ty(a))?;
                self.get(&compare_key(op, a, b))
            }
            _ => None,
        }
    }

    /// What an earlier check gives that is this one again, or nothing: then this one is noted.
    fn earlier_check(&mut self, inst: &Inst) -> Option<Results> {
        let check = Check::of(
            self.function,
            inst,
            |value| self.ranges.word_of(value),
            |alias| self.stores.seen_by(alias),
        )?;
        let earlier =
            (self.checked.find(&check)).or_else(|| self.behind.checked(self.function, &check));
        if earlier.is_none() {
            self.checked.note(check);
        }
        earlier
    }

    /// Which of both truths a value is, if it is a constant.
    fn constant(&self, value: Value) -> Option<bool> {
        let assumed = self.truths.iter().position(|truth| *truth == Some(value));
        assumed
            .map(|truth| truth != 0)
            .or_else(|| self.ranges.truth(value))
    }

    /// What `value` is at this place.
    fn now(&mut self, value: Value) -> Value {
        let renamed = self.renaming.get(value);
        let now = self.known[renamed].unwrap_or(renamed);
        self.found |= now != value;
        now
    }

    /// Walks both arms, and gives what an earlier check gives if this is the same one again.
    fn branch(&mut self, inst: &mut Inst) -> Option<Results> {
        let Op::If { cond, then, els } = &mut inst.op else {
            return None;
        };
        let is_check = els.block.is_failure();
        let mut computed = [None, None];
        for (truth, arm) in [(true, &mut *then), (false, &mut *els)] {
            let scope = self.enter_scope();
            self.assume(*cond, truth);
            self.block(&mut arm.block);
            arm.yields.iter_mut().for_each(|v| *v = self.now(*v));
            if !is_check && !inst.results.is_empty() {
                computed[usize::from(truth)] = self.computed_since(&scope, truth);
            }
            self.leave_scope(scope);
        }
        let yields = then.yields.iter().zip(&els.yields);
        for (result, (then, els)) in inst.results.iter().zip(yields) {
            let pair = Both::of_arms(*cond, [*then, *els], |value| self.constant(value));
            let Some(pair) = pair else { continue };
            self.pairs.insert(*result, pair);
            if let Some(computed) = &computed[usize::from(pair.is_and)] {
                self.behind.note(*result, Rc::clone(computed));
            }
        }
        self.earlier_check(inst)
    }

    /// What has been computed since then, in an arm, if there is a load among it.
    fn computed_since(&self, scope: &Scope, of_then: bool) -> Option<Rc<Computed>> {
        let entered = &self.entered[scope.entered..];
        let checks = self.checked.since(scope.checked);
        let loads = || entered.iter().any(|(key, _)| matches!(key, Key::Load(..)));
        (!checks.is_empty() || loads()).then(|| {
            Rc::new(Computed {
                of_then,
                values: entered.iter().copied().collect(),
                checks: checks.to_vec(),
            })
        })
    }

    fn block(&mut self, block: &mut Block) {
        block.insts.retain_mut(|inst| self.keeps(inst));
    }

    /// Looks at an instruction. Whether it stays: else something stands for what it gives.
    fn keeps(&mut self, inst: &mut Inst) -> bool {
        inst.op.operands_mut(&mut |v| *v = self.now(*v));
        match &mut inst.op {
            Op::If { .. } => {
                if let Some(earlier) = self.branch(inst) {
                    for (result, value) in inst.results.iter().zip(earlier) {
                        self.renaming.set(*result, value);
                    }
                    return false;
                }
            }
            Op::While(w) => self.while_loop(w),
            Op::Assume(cond) => self.ranges.learn(*cond, true),
            // What others have written may be seen from here on.
            Op::Atomic { .. } | Op::Fence(_) => self.stores.note_barrier(),
            Op::Store {
                ptr,
                value,
                offset,
                alias,
            } => {
                self.stores.note(*alias);
                // Number 0 is of what nobody stores to.
                if let Some(number @ 1..) = self.stores.seen_by(*alias) {
                    let ty = self.function.ty(*value);
                    let key = Key::Load(*ptr, *offset, ty, number);
                    let entry = self.entry(*value);
                    self.table.insert(key, entry);
                    self.entered.push((key, *value));
                }
            }
            op if op.is_barrier() => self.stores.note_barrier(),
            _ => {
                let key = key(self.function, inst, |alias| self.stores.seen_by(alias));
                if let (Some(key), Some(result)) = (key, inst.results.first().copied())
                    && let Some(value) = self.numbered(inst, key, result)
                {
                    self.renaming.set(result, value);
                    return false;
                }
            }
        }
        true
    }

    fn while_loop(&mut self, w: &mut While) {
        self.stores.note_all(&w.before);
        self.stores.note_all(&w.after);
        let scope = self.enter_scope();
        for (param, range) in loop_ranges::of_params(w, self.function, &mut self.ranges) {
            self.ranges.set(param, range);
        }
        self.block(&mut w.before);
        w.cond = self.now(w.cond);
        w.exits.iter_mut().for_each(|v| *v = self.now(*v));
        self.assume(w.cond, true);
        self.block(&mut w.after);
        w.next.iter_mut().for_each(|v| *v = self.now(*v));
        self.leave_scope(scope);
    }

    /// What is the same as the only result of an instruction that has this key, or nothing: then it is noted.
    fn numbered(&mut self, inst: &Inst, key: Key, result: Value) -> Option<Value> {
        let ty = self.function.ty(result);
        if let Some(truth) = self.ranges.see(result, &inst.op, ty) {
            return Some(self.truth(truth));
        }
        let new = self.entry(result);
        let slot = self.table.entry(key);
        if let Occupied(slot) = &slot
            && slot.get().is_in(&self.scopes)
        {
            return Some(slot.get().value);
        }
        let stores = &self.stores;
        let seen_by = |alias| stores.seen_by(alias);
        let again = (self.behind).computed(self.function, inst, result, seen_by);
        if again.is_some() {
            return again;
        }
        slot.insert_entry(new);
        self.entered.push((key, result));
        if let Some(opposite) = self.opposite(&inst.op) {
            let word = self.known[opposite];
            if let Some(truth) = word.and_then(|word| self.constant(word)) {
                return Some(self.truth(!truth));
            }
            self.opposites.insert(opposite, result);
            self.opposites.insert(result, opposite);
        }
        if let Some(pair) = Both::of(&inst.op)
            && ty == Type::Bool
        {
            self.pairs.insert(result, pair);
        }
        None
    }
}
