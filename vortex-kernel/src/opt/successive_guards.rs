//! An `if` whose results only serve a later `if` on the same condition goes into that one.
//!
//! ```text
//! x = if i < n { load i } else { 0 }                 if i < n { x = load i; .. x .. }
//! if i >= n { return } else { .. x .. }      ==>     else { return }
//! ```
//!
//! It is what `let Some(x) = xs.get(i) else { return }` records. One guard is left, which a launch can answer, instead
//! of two and a choice of each word that is loaded. Only what computes something stands between both. Nothing
//! convergent is moved.

use super::defs::Defs;
use super::equal::agree;
use crate::ir::visit::Renaming;
use crate::ir::{Arm, Block, Function, Inst, Op, SecondaryMap, Value};
use crate::meta::count;

/// Puts such `if`s of a structured function together.
pub fn successive_guards(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut pass = SuccessiveGuards {
        defs: Defs::of(&body, function),
        uses: function.map_values(0),
        function,
    };
    body.uses(&mut |value| pass.uses[value] += 1);
    pass.block(&mut body);
    function.body = body;
}

struct SuccessiveGuards<'a> {
    function: &'a Function,
    defs: Defs,
    uses: SecondaryMap<Value, u32>,
}

impl SuccessiveGuards<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while let Some(inst) = block.insts.get(at) {
            if let Some((later, is_opposite)) = self.later_guard(inst, &block.insts[at + 1..]) {
                count!("successive_guards", "guards", 1);
                let first = block.insts.remove(at);
                self.put_into(first, &mut block.insts[at + later], is_opposite);
                continue;
            }
            for nested in block.insts[at].op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            at += 1;
        }
    }

    /// Which of the next instructions is the `if` that an `if` can go into, and whether it asks for the opposite.
    fn later_guard(&self, first: &Inst, next: &[Inst]) -> Option<(usize, bool)> {
        let Op::If { cond, then, els } = &first.op else {
            return None;
        };
        let stays = |arm: &Arm| arm.is_fallback || arm.block.any(&Op::is_convergent);
        if first.results.is_empty() || stays(then) || stays(els) {
            return None;
        }
        for (at, inst) in next.iter().enumerate() {
            let mut inside = 0;
            let is_result = |value: &Value| first.results.contains(value);
            inst.uses(&mut |value| inside += u32::from(is_result(&value)));
            if let Op::If { cond: other, .. } = &inst.op
                && let Some(same) = agree(self.function, |v| self.defs.get(v), *cond, *other)
            {
                let all: u32 = first.results.iter().map(|result| self.uses[*result]).sum();
                return (inside == all).then_some((at, !same));
            }
            if inside > 0 || !inst.op.is_pure() {
                return None;
            }
        }
        None
    }

    /// Puts the arms of an `if` in front of those of another.
    fn put_into(&mut self, first: Inst, later: &mut Inst, is_opposite: bool) {
        let (
            Op::If { then, els, .. },
            Op::If {
                then: one,
                els: other,
                ..
            },
        ) = (first.op, &mut later.op)
        else {
            return;
        };
        let arms = match is_opposite {
            false => [(then, one), (els, other)],
            true => [(then, other), (els, one)],
        };
        for (before, arm) in arms {
            let mut renaming = Renaming::default();
            for (result, value) in first.results.iter().zip(&before.yields) {
                renaming.set(*result, *value);
                // Where the result was used, it is now, and is yielded no more.
                let mut count = |used: Value| self.uses[*value] += u32::from(used == *result);
                arm.block.uses(&mut count);
                arm.yields.iter().copied().for_each(count);
                self.uses[*value] -= 1;
            }
            renaming.block(&mut arm.block);
            renaming.list(&mut arm.yields);
            let mut insts = before.block.insts;
            insts.append(&mut arm.block.insts);
            arm.block.insts = insts;
        }
    }
}
