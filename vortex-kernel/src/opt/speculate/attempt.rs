//! The loop that is tried: without the branches of checks, but with whether all of them held.

use super::super::checks::check_of;
use super::super::defs::{cost_if_pure, cost_of};
use super::super::loops::Limit;
use super::{Plan, counted, first_unless};
use crate::ir::visit::Renaming;
use crate::ir::{Arm, BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, Type, Value, While};
use rustc_hash::FxHashSet;

/// Appends to `out`, for a loop that can be tried by this plan, one without the checks that are not answered: those
/// whose condition is not `truth`. Gives what that loop gives, and whether it was `tried` and all of them held. Unless
/// it is tried, nothing is loaded for them.
pub(in super::super) fn attempt(
    function: &mut Function,
    plan: &Plan,
    mut inst: Inst,
    (tried, truth): (Value, Value),
    out: &mut Vec<Inst>,
) -> (Vec<Value>, Value) {
    let loc = inst.loc;
    let zero = function.push(Op::Const(Const(0)), Type::U32, loc, out);
    if let Op::While(w) = &mut inst.op {
        if !plan.at_once && !plan.ends {
            forbid(function, w, (tried, zero), loc, out);
        }
        let mut attempt = Attempt {
            function: &mut *function,
            truth,
            zero,
            ends: plan.ends,
            comparisons: Vec::new(),
            renaming: Renaming::default(),
            of_elements: FxHashSet::default(),
        };
        attempt.repeat(w, (!plan.at_once).then_some(tried), loc);
    }
    let mut yields = inst.results.to_vec();
    let mut fine = function.new_value(Type::Bool);
    inst.results.push(fine);
    if plan.at_once {
        inst = only_if(function, tried, inst);
        yields = inst.results.to_vec();
        fine = yields.pop().unwrap_or(fine);
    }
    out.push(inst);
    (yields, fine)
}

/// A loop that runs only if it is tried; otherwise all of its results are 0.
fn only_if(function: &mut Function, tried: Value, inst: Inst) -> Inst {
    let loc = inst.loc;
    let mut nothing = Vec::new();
    let mut results = inst.results.clone();
    let mut yields = Vec::new();
    for result in &mut results {
        let ty = function.ty(*result);
        yields.push(function.push(Op::Const(Const(0)), ty, loc, &mut nothing));
        *result = function.new_value(ty);
    }
    let given = inst.results.to_vec();
    let then = Arm::new(Block { insts: vec![inst] }, given);
    let els = Arm {
        is_fallback: true,
        ..Arm::new(Block { insts: nothing }, yields)
    };
    Inst {
        results,
        op: Op::branch(tried, then, els),
        loc,
    }
}

struct Attempt<'a> {
    function: &'a mut Function,
    truth: Value,
    zero: Value,
    ends: bool,
    /// Conditions, and the indices that they are about.
    comparisons: Vec<(Value, Value)>,
    renaming: Renaming,
    /// Where some element is, whether its index is that of one or not.
    of_elements: FxHashSet<Value>,
}

/// What a load costs, and what it costs less to do both arms of a choice than to part and meet again.
const LOAD: u32 = 4;
const MOST: u32 = 14;

impl Attempt<'_> {
    /// Changes a loop that runs where all checks held `so_far`, if there were any. Whether it has one more result: that
    /// and whether its own held.
    fn repeat(&mut self, w: &mut While, so_far: Option<Value>, loc: Loc) -> bool {
        let fine = self.function.new_value(Type::Bool);
        let before = self.block(&mut w.before, None);
        self.renaming.list(&mut w.exits);
        w.cond = self.renaming.get(w.cond);
        let after = self.block(&mut w.after, None);
        self.renaming.list(&mut w.next);

        // A loop that ends needs not carry what its test asks.
        let is_carried = so_far.is_some() || after.is_some() || before.is_some() && !self.ends;
        let carried = is_carried.then_some(fine);
        let Some(all) = self.both(carried, before, loc, &mut w.before.insts) else {
            return false;
        };
        w.exits.push(all);
        let mut next = after;
        if self.ends {
            let cond = Op::Binary(BinOp::And, w.cond, all);
            w.cond = self
                .function
                .push(cond, Type::Bool, loc, &mut w.before.insts);
        } else {
            next = self.both(Some(all), after, loc, &mut w.after.insts);
        }
        if is_carried {
            w.params.push(fine);
            w.init.push(so_far.unwrap_or(self.truth));
            w.next.push(next.unwrap_or(self.truth));
        }
        true
    }

    /// Changes what runs where all checks held `so_far`. Gives whether its own hold, if it has any.
    fn block(&mut self, block: &mut Block, so_far: Option<Value>) -> Option<Value> {
        let mut held = None;
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            let loc = inst.loc;
            self.renaming.operands(&mut inst.op);
            self.comparisons.extend(index_of(&inst));
            let cond = check_of(&inst).map(|(cond, _)| cond);
            let mut comparisons = self.comparisons.iter();
            let compared = comparisons.find(|(compared, _)| Some(*compared) == cond);
            if let (Some(&(cond, index)), Op::If { then, .. }) = (compared, &mut inst.op) {
                self.renaming.block(&mut then.block);
                self.renaming.list(&mut then.yields);
                let guarded = &mut then.block;
                let addresses = guarded.insts.iter().filter_map(|inst| match inst.op {
                    Op::PtrAdd { index: at, .. } if at == index => inst.results.first(),
                    _ => None,
                });
                self.of_elements.extend(addresses.copied());
                first_unless(self.function, guarded, (index, cond, self.zero), &mut out);
                for (result, value) in inst.results.iter().zip(&then.yields) {
                    self.renaming.set(*result, *value);
                }
                held = self.both(held, Some(cond), loc, &mut out);
                continue;
            }
            let has_blocks = matches!(inst.op, Op::If { .. } | Op::While(_));
            let held_before = match self.ends && has_blocks {
                true => self.both(so_far, held, loc, &mut out),
                false => None,
            };
            let has_more = match &mut inst.op {
                Op::If { then, els, .. } => {
                    let arms = [&mut **then, &mut **els];
                    let held_in = arms.map(|arm| {
                        let held = self.block(&mut arm.block, held_before);
                        self.renaming.list(&mut arm.yields);
                        held
                    });
                    let any = held_in.iter().any(Option::is_some);
                    if any {
                        for (arm, held) in [then, els].into_iter().zip(held_in) {
                            arm.yields.push(held.unwrap_or(self.truth));
                        }
                    }
                    any
                }
                Op::While(w) => self.repeat(w, held_before, loc),
                _ => false,
            };
            let more = has_more.then(|| self.function.new_value(Type::Bool));
            inst.results.extend(more);
            match self.is_choice(&inst) {
                true => choose(inst, &mut out),
                false => out.push(inst),
            }
            held = self.both(held, more, loc, &mut out);
        }
        block.insts = out;
        held
    }

    /// Whether an instruction is an `&&` or `||` of what can be loaded in any case, now that it is of some element.
    fn is_choice(&self, inst: &Inst) -> bool {
        let Op::If { then, els, .. } = &inst.op else {
            return false;
        };
        let costs = [then, els].map(|arm| {
            cost_of(self.function, &arm.block.insts, |op, ty| match op {
                Op::Load { ptr, .. } => self.of_elements.contains(ptr).then_some(LOAD),
                op => cost_if_pure(op, ty),
            })
        });
        let costs: Option<u32> = costs.into_iter().sum();
        (inst.results.iter()).all(|value| self.function.ty(*value) == Type::Bool)
            && costs.is_some_and(|cost| (LOAD..MOST).contains(&cost))
    }

    fn both(
        &mut self,
        one: Option<Value>,
        other: Option<Value>,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Option<Value> {
        match (one, other) {
            (Some(one), Some(other)) => {
                let both = Op::Binary(BinOp::And, one, other);
                Some(self.function.push(both, Type::Bool, loc, out))
            }
            (one, other) => one.or(other),
        }
    }
}

/// Does both arms of an `If`, and chooses between what they give.
fn choose(inst: Inst, out: &mut Vec<Inst>) {
    let Op::If { cond, then, els } = inst.op else {
        return;
    };
    out.extend(then.block.insts.into_iter().chain(els.block.insts));
    let yields = then.yields.into_iter().zip(els.yields);
    for (result, (a, b)) in inst.results.into_iter().zip(yields) {
        out.push(Inst {
            results: [result].into_iter().collect(),
            op: Op::Select(cond, a, b),
            loc: inst.loc,
        });
    }
}

/// Has a loop not run unless it is `tried`, by a limit that does not change in it. What goes before it is appended to
/// `out`.
fn forbid(
    function: &mut Function,
    w: &mut While,
    (tried, zero): (Value, Value),
    loc: Loc,
    out: &mut Vec<Inst>,
) {
    let Some(Limit { at, limit, holds }) = counted(w).next() else {
        return;
    };
    // What is signed may begin below 0. Otherwise a limit of 0 is one instruction less than another start.
    if function.ty(limit) != Type::U32 {
        let start = Op::Select(tried, w.init[at], limit);
        w.init[at] = function.push(start, function.ty(limit), loc, out);
        return;
    }
    let nothing = function.push(Op::Select(tried, limit, zero), Type::U32, loc, out);
    for inst in &mut w.before.insts {
        if inst.results[..] == [holds] {
            inst.op = Op::Compare(CmpOp::Lt, w.params[at], nothing);
        }
    }
}

/// A comparison, and the index that it is about.
fn index_of(inst: &Inst) -> Option<(Value, Value)> {
    match inst.op {
        Op::Compare(CmpOp::Lt, index, _) | Op::Compare(CmpOp::Gt, _, index) => {
            Some((*inst.results.first()?, index))
        }
        _ => None,
    }
}
