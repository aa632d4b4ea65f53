//! Checks whose indices only the item itself knows, tested together before the item's first effect.
//!
//! ```text
//! c = if i < at.len() { at[i] } else { fail; 0 }        c = at[i < at.len() ? i : 0]
//! v = if c < x.len() { x[c] } else { fail; 0 }    ==>   if i < at.len() & c < x.len() { v = x[c]; y[i] = v }
//! y[i] = v                                              else { the item as it was }
//! ```
//!
//! It is for items that a lane does at once: they share the branch, and their loads are under way together. Until then
//! nothing has happened that would show, so those of a lane of which one fails are done once more, one after the other.
//!
//! A check in an arm, as in `if inside { x[c] } else { 0 }`, is one of `!inside | c < x.len()`; what its index is
//! computed of is then computed before the branch, too, whichever arm is taken.
//!
//! What no condition is made of waits for all of them. What one is made of cannot: a load among that reads the first
//! element if its own check fails. So its slice must have one: that is a check of its own, which is answered before the
//! loop. [`super::speculate`] does the same for the iterations of a loop inside of an item.

use super::bounds::Bounds;
use super::checks::check_of;
use super::coarsening::first_that;
use super::defs::Defs;
use super::loop_versioning::answers;
use super::speculate::{Trial, first_unless, is_at, trial};
use crate::ir::visit::Renaming;
use crate::ir::{
    Arm, BinOp, Block, CmpOp, Const, FaultKind, Function, Inst, Loc, Op, SecondaryMap, Type, UnOp,
    Value,
};
use crate::meta::count;
use rustc_hash::FxHashSet;

/// A body, its ids still in it, with the checks deferred that cannot be answered before the loop over items.
pub(crate) struct Deferred {
    /// Its last instruction is an `If` around everything that has an effect.
    pub(crate) body: Block,
    /// Whether all of these checks hold, the condition of that.
    pub(crate) all_hold: Value,
    /// The body as it was.
    pub(crate) original: Block,
}

/// Defers the checks of a body; gives it back if there is nothing to defer, or if that cannot be done.
pub(crate) fn deferred_checks(function: &mut Function, body: Block) -> Result<Deferred, Block> {
    if !body.any(&|op| matches!(op, Op::If { els, .. } if els.block.is_failure())) {
        return Err(body);
    }
    let original = function.clone_block(&body);
    let body = where_guards_hold(function, body);
    let defs = Defs::of(&body, function);
    let invariant = Invariant::of(function, &body);
    let Some(left) = left(function, &defs, &invariant, &body) else {
        return Err(original);
    };
    // That guards hold is to be known before the loop: what follows takes it to be so.
    let is_open = |inst: &Inst| matches!(inst.op, Op::Assume(cond) if left.contains(&cond));
    if body.insts.iter().any(is_open) {
        return Err(original);
    }
    let asked = asked(function, &body, &left);
    let mut pass = Defer {
        defs,
        function,
        invariant,
        left,
        asked,
        renaming: Renaming::default(),
        before: Vec::new(),
        after: Vec::new(),
        has_effects: false,
        all: None,
    };
    let are_deferred = (body.insts.into_iter()).try_for_each(|inst| pass.inst(inst));
    match are_deferred.and_then(|()| pass.finish()) {
        Some((body, all_hold)) => Ok(Deferred {
            body,
            all_hold,
            original,
        }),
        None => Err(original),
    }
}

/// What a body does where its guards hold (`if i < y.len() { .. }` around all that it does): these are checks, to be
/// answered before the loop.
fn where_guards_hold(function: &mut Function, mut body: Block) -> Block {
    while let Some((kind, loc)) = body.insts.last().and_then(behind_guard)
        && let Some(Inst {
            op: Op::If { cond, then, .. },
            ..
        }) = body.insts.pop()
    {
        let mut parts = Vec::new();
        let mut renaming = Renaming::default();
        parts_of(cond, &mut body, &mut renaming, &mut parts);
        for cond in parts {
            let mut failure = Block::default();
            let zero = function.push(Op::Const(Const(0)), Type::U32, loc, &mut failure.insts);
            let operands = [zero, zero].into();
            (failure.insts).push(Inst::effect(Op::Fault { kind, operands }, loc));
            let check = Op::branch(cond, Arm::default(), Arm::new(failure, Vec::new()));
            body.insts.push(Inst::effect(check, loc));
            body.insts.push(Inst::effect(Op::Assume(cond), loc));
        }
        body.insts.extend(then.block.insts);
        renaming.block(&mut body);
    }
    body
}

/// `a` and `b` of a condition `a && b`, of which `b` is computed in any case then.
fn parts_of(cond: Value, body: &mut Block, renaming: &mut Renaming, parts: &mut Vec<Value>) {
    let is_it = |inst: &Inst| inst.results[..] == [cond] && second_of_two(inst).is_some();
    let Some(at) = body.insts.iter().position(is_it) else {
        parts.push(cond);
        return;
    };
    let both = body.insts.remove(at);
    if let (
        Some(second),
        Op::If {
            cond: first, then, ..
        },
    ) = (second_of_two(&both), both.op)
    {
        renaming.set(cond, second);
        body.insts.splice(at..at, then.block.insts);
        parts_of(first, body, renaming, parts);
        parts_of(second, body, renaming, parts);
    }
}

/// The `b` of `if a { b } else { false }`.
fn second_of_two(inst: &Inst) -> Option<Value> {
    let Op::If { then, els, .. } = &inst.op else {
        return None;
    };
    let ([second], [constant]) = (&then.yields[..], &els.block.insts[..]) else {
        return None;
    };
    let is_false = constant.op == Op::Const(Const(0)) && els.yields[..] == constant.results[..];
    let is_pure = then.block.insts.iter().all(|inst| inst.op.is_pure());
    (is_false && is_pure).then_some(*second)
}

/// The first failure behind a guard, if an instruction is one.
fn behind_guard(inst: &Inst) -> Option<(FaultKind, Loc)> {
    let Op::If { then, els, .. } = &inst.op else {
        return None;
    };
    if !inst.results.is_empty() || !els.block.insts.is_empty() {
        return None;
    }
    let fault = first_that(&then.block, &|op| matches!(op, Op::Fault { .. }))?;
    match fault.op {
        Op::Fault { kind, .. } => Some((kind, fault.loc)),
        _ => None,
    }
}

/// Which values are the same for all items, and can be asked for before the loop.
struct Invariant(SecondaryMap<Value, bool>);

impl Invariant {
    fn of(function: &Function, body: &Block) -> Self {
        let mut invariant = Self(function.map_values(true));
        body.visit(&mut |inst| {
            let mut known = inst.op.is_pure() && !matches!(inst.op, Op::Id(_));
            inst.op.operands(&mut |v| known &= invariant.0[v]);
            let params = match &inst.op {
                Op::While(w) => w.params.as_slice(),
                _ => &[],
            };
            for value in inst.results.iter().chain(params) {
                invariant.0[*value] = known;
            }
        });
        invariant
    }
}

/// The conditions of checks that cannot be answered before the loop. Nothing if there is none, or if one stands inside
/// of something else than an arm.
fn left(
    function: &Function,
    defs: &Defs,
    Invariant(invariant): &Invariant,
    body: &Block,
) -> Option<FxHashSet<Value>> {
    // How large ids are is known before the loop.
    let mut unknown = function.map_values(false);
    for (value, unknown) in unknown.iter_mut() {
        *unknown = !invariant[value];
    }
    body.visit(&mut |inst| {
        if let (Op::Id(_), [id]) = (&inst.op, &inst.results[..]) {
            unknown[*id] = false;
        }
    });
    let mut left = FxHashSet::default();
    let mut answers = answers(Bounds::new(function, defs, &unknown), body).into_iter();
    for inst in &body.insts {
        left_of(inst, 0, &mut answers, &mut left)?;
    }
    (!left.is_empty()).then_some(left)
}

/// The same of an instruction with so many arms around it.
fn left_of(
    inst: &Inst,
    arms: u32,
    answers: &mut impl Iterator<Item = bool>,
    left: &mut FxHashSet<Value>,
) -> Option<()> {
    let check = check_of(inst);
    if let Some((cond, _)) = check
        && !answers.next()?
    {
        if arms > 1 {
            return None;
        }
        left.insert(cond);
    }
    let is_choice = check.is_none() && matches!(inst.op, Op::If { .. });
    let inner = if is_choice { arms + 1 } else { 2 };
    let mut nested = inst.op.blocks().into_iter().flatten();
    nested.try_for_each(|block| {
        let mut insts = block.insts.iter();
        insts.try_for_each(|inst| left_of(inst, inner, answers, left))
    })
}

/// Whether checks that are left stand in the arms of an instruction.
fn has_in_arms(inst: &Inst, left: &FxHashSet<Value>) -> bool {
    let mut nested = inst.op.blocks().into_iter().flatten();
    nested.any(|block| block.insts.iter().any(|inst| is_left(inst, left)))
}

fn is_left(inst: &Inst, left: &FxHashSet<Value>) -> bool {
    check_of(inst).is_some_and(|(cond, _)| left.contains(&cond))
}

/// What the conditions of checks that are left are made of. What is assumed is known to all of them.
fn asked(function: &Function, body: &Block, left: &FxHashSet<Value>) -> SecondaryMap<Value, bool> {
    let mut values = function.map_values(false);
    for inst in body.insts.iter().rev() {
        if let Op::If { cond, then, els } = &inst.op
            && has_in_arms(inst, left)
        {
            values[*cond] = true;
            for arm in [then, els] {
                arm.block
                    .insts
                    .iter()
                    .rev()
                    .for_each(|inst| ask(inst, left, &mut values));
            }
        }
        if let Op::Assume(cond) = inst.op {
            values[cond] = true;
        }
        ask(inst, left, &mut values);
    }
    values
}

fn ask(inst: &Inst, left: &FxHashSet<Value>, values: &mut SecondaryMap<Value, bool>) {
    let is_asked = is_asked(inst, values);
    if let (Some((cond, _)), true) = (check_of(inst), is_left(inst, left)) {
        values[cond] = true;
    }
    if is_asked {
        inst.uses(&mut |value| values[value] = true);
    }
}

/// Whether a condition is made of what an instruction results in.
fn is_asked(inst: &Inst, asked: &SecondaryMap<Value, bool>) -> bool {
    inst.results.iter().any(|result| asked[*result])
}

/// What is computed whichever arm is taken, at most.
const HOISTED: usize = 16;

struct Defer<'a> {
    function: &'a mut Function,
    defs: Defs,
    invariant: Invariant,
    left: FxHashSet<Value>,
    asked: SecondaryMap<Value, bool>,
    /// What the results of checks are now.
    renaming: Renaming,
    /// What the conditions of checks are made of, and all else.
    before: Vec<Inst>,
    after: Vec<Inst>,
    /// Whether there are effects among that.
    has_effects: bool,
    /// Whether the checks so far hold.
    all: Option<Value>,
}

impl Defer<'_> {
    /// Nothing if it is a check that cannot be deferred.
    fn inst(&mut self, mut inst: Inst) -> Option<()> {
        let is_left = is_left(&inst, &self.left);
        let is_asked = matches!(inst.op, Op::Assume(_)) || is_asked(&inst, &self.asked);
        let has_in_arms = has_in_arms(&inst, &self.left);
        self.renaming.inst(&mut inst);
        let is_guard = self.is_guard(&inst);
        match is_left {
            true => self.check(inst, is_asked)?,
            false if has_in_arms && is_asked => return None,
            false if has_in_arms => self.checks_in_arms(inst)?,
            false if (is_asked || is_guard) && !self.has_effects && computes(&inst) => {
                self.before.push(inst);
            }
            false => self.wait(inst),
        }
        Some(())
    }

    fn checks_in_arms(&mut self, mut inst: Inst) -> Option<()> {
        let Op::If { cond, then, els } = &mut inst.op else {
            return None;
        };
        let cond = self.computed(*cond)?;
        let otherwise = Op::Unary(UnOp::Not, cond);
        let otherwise = (self.function).push(otherwise, Type::Bool, inst.loc, &mut self.before);
        for (arm, unless) in [(then, otherwise), (els, cond)] {
            self.arm(arm, unless)?;
        }
        self.wait(inst);
        Some(())
    }

    /// The checks of an arm, which is not taken if `unless` holds.
    fn arm(&mut self, arm: &mut Arm, unless: Value) -> Option<()> {
        let mut hoisted = 0;
        for mut inst in std::mem::take(&mut arm.block.insts) {
            let (is_left, is_asked) = (is_left(&inst, &self.left), is_asked(&inst, &self.asked));
            self.renaming.inst(&mut inst);
            match &mut inst.op {
                Op::If { cond, then, .. } if is_left && !is_asked => {
                    let cond = self.computed(*cond)?;
                    let holds = Op::Binary(BinOp::Or, unless, cond);
                    let holds = (self.function).push(holds, Type::Bool, inst.loc, &mut self.before);
                    self.also(holds, inst.loc);
                    arm.block.insts.append(&mut then.block.insts);
                    for (result, value) in inst.results.iter().zip(&then.yields) {
                        self.renaming.set(*result, *value);
                    }
                }
                _ if is_left => return None,
                op if is_asked => {
                    hoisted += 1;
                    // Behind an effect, not all that it needs is computed before.
                    if !op.is_pure() || self.has_effects || hoisted > HOISTED {
                        return None;
                    }
                    self.before.push(inst);
                }
                _ => arm.block.insts.push(inst),
            }
        }
        self.renaming.list(&mut arm.yields);
        Some(())
    }

    /// Whether this is a check by itself that needs no more than a condition, as those of guards do, and that is
    /// computed before all effects.
    fn is_guard(&self, inst: &Inst) -> bool {
        let Op::If { cond, then, els } = &inst.op else {
            return false;
        };
        let failure = &els.block;
        let defined = |value: Value| {
            let mut insts = failure.insts.iter();
            insts.any(|inst| inst.results.contains(&value))
        };
        let mut needs_more = false;
        failure.uses(&mut |value| needs_more |= !defined(value));
        let is_alone = inst.results.is_empty() && then.block.insts.is_empty();
        is_alone && failure.is_failure() && !needs_more && self.computed(*cond).is_some()
    }

    /// A condition, if it is computed before all effects.
    fn computed(&self, cond: Value) -> Option<Value> {
        let mut before = self.before.iter();
        before
            .any(|inst| inst.results.contains(&cond))
            .then_some(cond)
    }

    /// One more condition that has to hold.
    fn also(&mut self, cond: Value, loc: Loc) {
        let all = match self.all {
            Some(all) => {
                let both = Op::Binary(BinOp::And, all, cond);
                (self.function).push(both, Type::Bool, loc, &mut self.before)
            }
            None => cond,
        };
        self.all = Some(all);
    }

    fn wait(&mut self, inst: Inst) {
        self.has_effects |= !computes(&inst);
        self.after.push(inst);
    }

    fn check(&mut self, mut inst: Inst, is_asked: bool) -> Option<()> {
        let Op::If { cond, then, els } = &mut inst.op else {
            return None;
        };
        let cond = self.computed(*cond)?;
        let mut guarded = std::mem::take(&mut then.block);
        let is_before = is_asked && !self.has_effects && guarded.insts.iter().all(computes);
        if is_before && guarded.any(&|op| matches!(op, Op::Load { .. })) {
            let Trial { index, len } = trial(cond, &self.defs)?;
            let is_at = |inst| is_at(inst, index, &guarded);
            if !self.invariant.0[len] || !guarded.insts.iter().all(is_at) {
                return None;
            }
            self.first_exists(len, els, inst.loc);
            let zero = Op::Const(Const(0));
            let zero = (self.function).push(zero, Type::U32, inst.loc, &mut self.before);
            let choice = (index, cond, zero);
            first_unless(self.function, &mut guarded, choice, &mut self.before);
        } else if is_before {
            self.before.extend(guarded.insts);
        } else {
            guarded.insts.into_iter().for_each(|inst| self.wait(inst));
        }
        for (result, value) in inst.results.iter().zip(&then.yields) {
            self.renaming.set(*result, *value);
        }
        self.also(cond, inst.loc);
        Some(())
    }

    /// A check that there is a first element, which fails as one of an index does: it will not.
    fn first_exists(&mut self, len: Value, failure: &Arm, loc: Loc) {
        let zero = Op::Const(Const(0));
        let zero = self.function.push(zero, Type::U32, loc, &mut self.before);
        let exists = Op::Compare(CmpOp::Lt, zero, len);
        let exists = (self.function).push(exists, Type::Bool, loc, &mut self.before);
        let block = self.function.clone_block(&failure.block);
        let op = Op::branch(exists, Arm::default(), Arm::new(block, Vec::new()));
        self.before.push(Inst::effect(op, loc));
    }

    fn finish(mut self) -> Option<(Block, Value)> {
        let first_effect = self.after.iter().find(|inst| !computes(inst))?;
        let (all, loc) = (self.all?, first_effect.loc);
        count!(
            "deferred_checks",
            "items with checks before their effects",
            1
        );
        let effects = Block { insts: self.after };
        let op = Op::branch(all, Arm::new(effects, Vec::new()), Arm::default());
        self.before.push(Inst::effect(op, loc));
        Some((Block { insts: self.before }, all))
    }
}

/// Whether an instruction changes nothing, failures aside, which will not occur, and can be executed again.
fn computes(inst: &Inst) -> bool {
    let all = |block: &Block| block.is_failure() || block.insts.iter().all(computes);
    match &inst.op {
        Op::Load { .. } | Op::Assume(_) => true,
        Op::If { .. } | Op::While(_) => inst.op.blocks().into_iter().flatten().all(all),
        op => op.is_pure(),
    }
}
