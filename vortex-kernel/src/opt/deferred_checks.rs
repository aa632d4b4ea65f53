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
//! What no condition is made of waits for all of them. What one is made of cannot: a load among that reads the first
//! element if its own check fails. So its slice must have one: that is a check of its own, which is answered before the
//! loop. [`super::speculate`] does the same for the iterations of a loop inside of an item.

use super::bounds::Bounds;
use super::checks::check_of;
use super::defs::Defs;
use super::loop_versioning::answers;
use super::speculate::{Trial, first_unless, is_at, trial};
use crate::ir::visit::Renaming;
use crate::ir::{
    Arm, BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, SecondaryMap, Type, Value,
};
use crate::meta::count;

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
    if !body.insts.iter().any(|inst| check_of(inst).is_some()) {
        return Err(body);
    }
    let defs = Defs::of(&body, function);
    let invariant = Invariant::of(function, &body);
    let Some(left) = left(function, &defs, &invariant, &body) else {
        return Err(body);
    };
    let original = function.clone_block(&body);
    let asked = asked(function, &body, &left);
    let mut pass = Defer {
        defs,
        function,
        invariant,
        renaming: Renaming::default(),
        before: Vec::new(),
        after: Vec::new(),
        has_effects: false,
        all: None,
    };
    let mut insts = body.insts.into_iter().zip(left.into_iter().zip(asked));
    let are_deferred =
        insts.try_for_each(|(inst, (is_left, is_asked))| pass.inst(inst, is_left, is_asked));
    match are_deferred.and_then(|()| pass.finish()) {
        Some((body, all_hold)) => Ok(Deferred {
            body,
            all_hold,
            original,
        }),
        None => Err(original),
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

/// Of each instruction, whether it is a check that cannot be answered before the loop. Nothing if there is none, or if
/// one stands inside of something else.
fn left(
    function: &Function,
    defs: &Defs,
    Invariant(invariant): &Invariant,
    body: &Block,
) -> Option<Vec<bool>> {
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
    let mut answers = answers(Bounds::new(function, defs, &unknown), body).into_iter();
    let mut left = Vec::with_capacity(body.insts.len());
    for inst in &body.insts {
        let mut inside = 0;
        for block in inst.op.blocks().into_iter().flatten() {
            block.visit(&mut |inst| inside += usize::from(check_of(inst).is_some()));
        }
        left.push(check_of(inst).is_some() && !answers.next()?);
        if !answers.by_ref().take(inside).all(|answered| answered) {
            return None;
        }
    }
    left.contains(&true).then_some(left)
}

/// Of each instruction, whether the condition of a check that is left is made of what it results in. What is assumed is
/// known to all of them.
fn asked(function: &Function, body: &Block, left: &[bool]) -> Vec<bool> {
    let mut values = function.map_values(false);
    let asked = body.insts.iter().zip(left).rev().map(|(inst, &is_left)| {
        let is_asked =
            matches!(inst.op, Op::Assume(_)) || inst.results.iter().any(|result| values[*result]);
        if let (Some((cond, _)), true) = (check_of(inst), is_left) {
            values[cond] = true;
        }
        if is_asked {
            inst.uses(&mut |value| values[value] = true);
        }
        is_asked
    });
    let mut asked: Vec<bool> = asked.collect();
    asked.reverse();
    asked
}

struct Defer<'a> {
    function: &'a mut Function,
    defs: Defs,
    invariant: Invariant,
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
    fn inst(&mut self, inst: Inst, is_left: bool, is_asked: bool) -> Option<()> {
        let mut block = Block { insts: vec![inst] };
        self.renaming.block(&mut block);
        for inst in block.insts {
            match is_left {
                true => self.check(inst, is_asked)?,
                false if is_asked && !self.has_effects && computes(&inst) => self.before.push(inst),
                false => self.wait(inst),
            }
        }
        Some(())
    }

    fn wait(&mut self, inst: Inst) {
        self.has_effects |= !computes(&inst);
        self.after.push(inst);
    }

    fn check(&mut self, mut inst: Inst, is_asked: bool) -> Option<()> {
        let Op::If { cond, then, els } = &mut inst.op else {
            return None;
        };
        let cond = *cond;
        if !self.before.iter().any(|inst| inst.results.contains(&cond)) {
            return None;
        }
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
        let all = match self.all {
            Some(all) => {
                let both = Op::Binary(BinOp::And, all, cond);
                (self.function).push(both, Type::Bool, inst.loc, &mut self.before)
            }
            None => cond,
        };
        self.all = Some(all);
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
