//! Branches on one condition that become one: which earlier branch a later one can go into.

use super::Simplify;
use crate::ir::{Arm, Inst, Op, Value};
use smallvec::SmallVec;

/// How many operations a value may be of what a launch says.
const DEPTH: u32 = 3;

/// How far back a branch on the same condition is looked for.
const NEAR: usize = 12;

/// How many instructions it may have: those of a guard in a loop of several iterations that has become straight code.
const SHORT: usize = 48;

/// Where a branch on `cond` is at the end of `insts` that can as well be done behind what follows it: nothing there
/// needs it, and it is pure, or neither of them does more than read.
pub(super) fn earlier_on(cond: Value, insts: &[Inst]) -> Option<usize> {
    let first = insts.len().saturating_sub(NEAR + 1);
    let is_it = |inst: &Inst| matches!(inst.op, Op::If { cond: earlier, .. } if earlier == cond);
    let at = first + insts[first..].iter().rposition(is_it)?;
    let (branch, between) = (&insts[at], &insts[at + 1..]);
    let (mut size, mut convergent) = (0, false);
    for block in branch.op.blocks().into_iter().flatten() {
        block.visit(&mut |_| size += 1);
        convergent |= block.any(&Op::is_convergent);
    }
    if convergent || size > SHORT {
        return None;
    }
    let is_reading = only_reads(&branch.op);
    let mut needed = false;
    for inst in between {
        if !(inst.op.is_pure() || is_reading && only_reads(&inst.op)) {
            return None;
        }
        inst.uses(&mut |value| needed |= branch.results.contains(&value));
    }
    (!needed).then_some(at)
}

/// Whether an operation, with what is nested in it, loads at most. It may trade places with another one that does.
fn only_reads(op: &Op) -> bool {
    let is_so = |op: &Op| {
        let loads = matches!(op, Op::Load { .. }) && !op.is_convergent();
        op.is_pure() || loads || matches!(op, Op::If { .. })
    };
    let mut nested = op.blocks().into_iter().flatten();
    is_so(op) && nested.all(|block| !block.any(&|op| !is_so(op)))
}

impl Simplify<'_> {
    /// Whether a check of what is the same in a whole launch, as `len / width` is, would become one with a check of
    /// what is not: it would no longer be done once.
    pub(super) fn hides(&self, earlier: &Op, [then, els]: [&Arm; 2]) -> bool {
        let is_of_launch = |arm: &Arm| {
            let mut inside: SmallVec<[Value; 4]> = SmallVec::new();
            arm.block.insts.iter().all(|inst| {
                let mut is_so = inst.op.is_pure();
                let is_known = |value| inside.contains(&value) || self.is_of_launch(value, DEPTH);
                inst.op.operands(&mut |value| is_so &= is_known(value));
                inside.extend_from_slice(&inst.results);
                is_so
            })
        };
        match earlier {
            Op::If { then: before, .. } if els.block.is_failure() => {
                !then.yields.is_empty() && is_of_launch(before) != is_of_launch(then)
            }
            _ => false,
        }
    }

    /// Whether a value is computed of constants and of words of the launch alone, in that many operations.
    fn is_of_launch(&self, value: Value, depth: u32) -> bool {
        if self
            .function
            .params
            .iter()
            .any(|param| param.value == value)
            || self.launch_words.contains(&value)
        {
            return true;
        }
        match (self.defs.get(value), depth.checked_sub(1)) {
            (Some(Op::Const(_)), _) => true,
            (Some(op @ (Op::Binary(..) | Op::Unary(..) | Op::Cast(_))), Some(depth)) => {
                let mut is_so = true;
                op.operands(&mut |value| is_so &= self.is_of_launch(value, depth));
                is_so
            }
            _ => false,
        }
    }
}
