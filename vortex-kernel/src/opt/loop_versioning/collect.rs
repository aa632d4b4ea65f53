//! The checks and guards of a loop, and how each may be tested before it.

use super::super::bounds::Bounds;
use super::super::checks::{check_of, open_check_of};
use super::super::conditions::Obligation;
use super::super::fold::largest;
use super::super::symbolic::Sym;
use crate::ir::check_note::Why;
use crate::ir::{BinOp, Block, CmpOp, Inst, Op, Type, Value, While};

/// What must be true before the loop for a condition to hold in all of its iterations.
pub(super) struct Answer(pub(super) Vec<Obligation>);

/// A check, and how to answer it before the loop, if it can be.
pub(super) struct Check {
    pub(super) site: Option<u32>,
    pub(super) in_inner_loop: bool,
    pub(super) answer: Result<Answer, Why>,
}

impl Check {
    /// Whether a loop inside of the one that is looked at has it, and it is not answered before the latter.
    pub(super) fn is_left_to_inner(&self) -> bool {
        self.in_inner_loop && self.answer.is_err()
    }
}

/// Whether an `If` is a guard: what it guards either runs or does not. That of all items of a block has those of each
/// on its other side ([`super::unroll_and_jam`]).
pub(super) fn is_guard(inst: &Inst, optional: bool) -> bool {
    is_guard_of_one(inst)
        || matches!(&inst.op, Op::If { els, .. }
            if optional && inst.results.is_empty() && els.block.insts.iter().all(is_guard_of_one))
}

fn is_guard_of_one(inst: &Inst) -> bool {
    matches!(&inst.op, Op::If { els, .. } if els.block.insts.is_empty() && inst.results.is_empty())
}

/// Finds them, in the order of the code.
pub(super) struct Collect<'a> {
    bounds: Bounds<'a>,
    /// Without the loop, another does the same: it is worth no more than one test of the few that matter.
    optional: bool,
    checks: Vec<Check>,
    /// Guards that stand in the iteration itself, not in arms or inner loops.
    guards: Vec<Option<Vec<Answer>>>,
    loops: u32,
    arms: u32,
}

impl<'a> Collect<'a> {
    /// The checks of a loop, and its guards: of each the answers to all of its comparisons, if there are any.
    pub(super) fn all(bounds: Bounds<'a>, w: &While) -> (Vec<Check>, Vec<Option<Vec<Answer>>>) {
        let mut collect = Self::new(bounds, w.optional);
        collect.while_loop(w);
        (collect.checks, collect.guards)
    }

    /// The checks of a body that is to be put into a loop.
    pub(super) fn of_body(bounds: Bounds<'a>, body: &Block) -> Vec<Check> {
        let mut collect = Self::new(bounds, false);
        collect.block(body);
        collect.checks
    }

    fn new(bounds: Bounds<'a>, optional: bool) -> Self {
        Self {
            bounds,
            optional,
            checks: Vec::new(),
            guards: Vec::new(),
            loops: 0,
            arms: 0,
        }
    }

    fn while_loop(&mut self, w: &While) {
        let learnt = self.bounds.learnt();
        self.bounds.enter(w);
        self.block(&w.before);
        self.bounds.learn(w.cond, true);
        self.block(&w.after);
        self.bounds.forget(learnt);
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            let mut holds = check_of(inst).is_some();
            if let Some((cond, site)) = open_check_of(inst, self.bounds.defs) {
                let answer = self.answer_check(cond);
                holds = answer.is_ok();
                let in_inner_loop = self.loops > 0;
                self.checks.push(Check {
                    site,
                    in_inner_loop,
                    answer,
                });
            }
            match &inst.op {
                Op::Assume(cond) => self.bounds.learn(*cond, true),
                Op::If { cond, then, els } => {
                    let mut always = false;
                    if self.loops + self.arms == 0 && is_guard(inst, self.optional) {
                        let mut answers = Vec::new();
                        always = self.answer_all(*cond, &mut answers);
                        self.guards.push(always.then_some(answers));
                    }
                    self.arms += 1;
                    // Of a guard that always holds, the other side will be gone; and in a fallback, checks stay.
                    let one = always || els.is_fallback;
                    let arms = [(true, then), (false, els)];
                    for (truth, arm) in arms.into_iter().take(if one { 1 } else { 2 }) {
                        let learnt = self.bounds.learnt();
                        self.bounds.learn(*cond, truth);
                        self.block(&arm.block);
                        self.bounds.forget(learnt);
                    }
                    self.arms -= 1;
                    self.bounds.given(&inst.results, *cond, [then, els], holds);
                    if holds {
                        self.bounds.learn_checked(*cond);
                    }
                }
                Op::While(w) => {
                    self.loops += 1;
                    self.while_loop(w);
                    self.loops -= 1;
                    self.bounds.left(&inst.results, w);
                }
                _ => {}
            }
        }
    }

    /// Answers for every comparison of a conjunction; whether there is one for each.
    fn answer_all(&self, cond: Value, answers: &mut Vec<Answer>) -> bool {
        if let Some(Op::Binary(BinOp::And, a, b)) = self.bounds.defs.get(cond) {
            return self.answer_all(*a, answers) && self.answer_all(*b, answers);
        }
        let answer = self.answer(cond).ok();
        let known = answer.is_some();
        answers.extend(answer);
        known
    }

    /// A check may also be about parts of slices, of which lengths differ from item to item.
    fn answer_check(&self, cond: Value) -> Result<Answer, Why> {
        let bounds = &self.bounds;
        match bounds.defs.get(cond) {
            // Both ends of a part.
            Some(Op::Binary(BinOp::And, a, b)) => {
                let (a, b) = (self.answer_check(*a)?, self.answer_check(*b)?);
                Ok(Answer([a.0, b.0].concat()))
            }
            Some(Op::Compare(op @ (CmpOp::Lt | CmpOp::Le), less, more))
                if bounds.function.ty(*less) == Type::U32 && bounds.known(*more).is_none() =>
            {
                let ordered = bounds.ordered(*op, *less, *more);
                ordered.map(Answer).ok_or(Why::Length)
            }
            _ => self.answer(cond),
        }
    }

    fn answer(&self, cond: Value) -> Result<Answer, Why> {
        let bounds = &self.bounds;
        if self.optional && !bounds.unknown[cond] {
            return Ok(Answer(vec![Obligation::Holds(cond)]));
        }
        if let Some(Op::Compare(CmpOp::Ne, a, b)) = bounds.defs.get(cond)
            && bounds.defs.constant(*b) == Some(0)
            // Of one bit, neither is usual.
            && largest(bounds.function, bounds.defs, *a) > 1
            && let Some(a) = bounds.known(*a)
        {
            return Ok(Answer(vec![Obligation::NotLess(a, Sym::Const(1))]));
        }
        let (op, index, len) = match bounds.defs.get(cond) {
            Some(Op::Compare(op @ (CmpOp::Lt | CmpOp::Le), index, len)) => (*op, *index, *len),
            Some(Op::Compare(CmpOp::Gt, len, index)) => (CmpOp::Lt, *index, *len),
            Some(Op::Compare(CmpOp::Ge, len, index)) => (CmpOp::Le, *index, *len),
            _ => return Err(Why::Form),
        };
        if bounds.function.ty(index) != Type::U32 {
            return Err(Why::Form);
        }
        let most = bounds.known(len).ok_or(Why::Length)?;
        let bound = bounds.upper(index);
        let (mut bound, mut obligations) = bound.ok_or_else(|| bounds.obstacle(index))?;
        // `if 3 * i < n { x[3 * i + 2] }`: of `i`, the condition does not say enough.
        if op == CmpOp::Lt && bound.is_never_less(&most) {
            let of_launch = bounds.without_facts_of(len).upper(index);
            let possible = of_launch.filter(|(bound, _)| !bound.is_never_less(&most));
            (bound, obligations) = possible.ok_or(Why::Operation)?;
        }
        obligations.push(match op {
            CmpOp::Le => Obligation::NotLess(most, bound),
            _ => Obligation::Less(bound, most),
        });
        Ok(Answer(obligations))
    }
}
