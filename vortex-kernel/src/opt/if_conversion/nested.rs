//! A choice in an arm of another one becomes part of that, where there is nothing to do otherwise.
//!
//! ```text
//! if k == i { continue }                          r2 = ..
//! r2 = ..                                 ==>     if k != i && r2 < limit { B }
//! if r2 < limit { B }
//! ```
//!
//! Lanes split and meet once then, instead of once for each level. What is computed between both conditions is
//! computed for all lanes, so it must be pure, and short.

use super::super::defs::{cost_if_pure, cost_of};
use super::{IfConversion, MOST_OF_USUAL};
use crate::ir::{Arm, BinOp, Block, Inst, Op, Type, UnOp, Value};
use crate::meta::count;

/// What may be computed between both conditions costs less than this.
const MOST_BETWEEN: u32 = 8;

/// What is chosen where not both conditions hold costs less than this.
const MOST_CHOSEN: u32 = 6;

/// Two choices that become one.
struct Nested {
    /// In which arm of the outer one the inner one is: where its condition holds?
    outer: bool,
    /// In which arm of the inner one there is something to do.
    inner: bool,
}

impl IfConversion<'_> {
    /// Makes one choice of one that ends an arm of another. What is computed before it is appended to `out`.
    pub(super) fn merge_nested(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) {
        let Some(nested) = self.nested(inst) else {
            return;
        };
        let Op::If { cond, then, els } = &mut inst.op else {
            return;
        };
        let (outer, other) = if nested.outer {
            (then, els)
        } else {
            (els, then)
        };
        let Some(Inst {
            results,
            op:
                Op::If {
                    cond: second,
                    then,
                    els,
                },
            ..
        }) = outer.block.insts.pop()
        else {
            return;
        };
        count!("if_conversion", "conditions merged", 1);
        self.merged = true;
        let (mut arm, rest) = if nested.inner {
            (then, els)
        } else {
            (els, then)
        };
        out.append(&mut outer.block.insts);
        let loc = inst.loc;
        let first = *cond;
        let mut holds = |value: Value, truth: bool| match truth {
            true => value,
            false => self.pure(Op::Unary(UnOp::Not, value), Type::Bool, loc, out),
        };
        let (a, b) = (holds(first, nested.outer), holds(second, nested.inner));
        let both = self.pure(Op::Binary(BinOp::And, a, b), Type::Bool, loc, out);

        arm.yields = through(&outer.yields, &results, &arm.yields);
        let mut otherwise = std::mem::take(&mut other.block.insts);
        otherwise.extend(rest.block.insts);
        let yields = through(&outer.yields, &results, &rest.yields);
        let yields = yields.into_iter().zip(&other.yields);
        let yields = yields.map(|(of_inner, of_outer)| {
            if self.defs.same(of_inner, *of_outer) {
                return of_inner;
            }
            let [x, y] = match nested.outer {
                true => [of_inner, *of_outer],
                false => [*of_outer, of_inner],
            };
            let ty = self.function.ty(x);
            self.pure(Op::Select(first, x, y), ty, loc, &mut otherwise)
        });
        let yields = yields.collect();
        inst.op = Op::If {
            cond: both,
            then: arm,
            els: Box::new(Arm::new(Block { insts: otherwise }, yields)),
        };
    }

    /// Whether there is such a choice, and merging costs little.
    fn nested(&self, inst: &Inst) -> Option<Nested> {
        let Op::If { cond, then, els } = &inst.op else {
            return None;
        };
        if self.uniformity.is_uniform(*cond) {
            return None;
        }
        [true, false].into_iter().find_map(|outer| {
            let (arm, other) = if outer { (then, els) } else { (els, then) };
            let (last, between) = arm.block.insts.split_last()?;
            let Op::If {
                cond: second,
                then,
                els,
            } = &last.op
            else {
                return None;
            };
            let has_nothing = |arm: &Arm| {
                let mut insts = arm.block.insts.iter();
                !arm.is_fallback && insts.all(|inst| matches!(inst.op, Op::Const(_)))
            };
            if self.uniformity.is_uniform(*second) || !has_nothing(other) || arm.is_fallback {
                return None;
            }
            let inner = match (has_nothing(then), has_nothing(els)) {
                (false, true) => true,
                (true, false) => false,
                _ => return None,
            };
            let (body, rest) = if inner { (then, els) } else { (els, then) };
            let stays = body.is_fallback
                || body.block.is_failure()
                || body.block.any(&Op::is_convergent)
                || self.is_long(*cond, outer, between)
                || self.choices(&last.results, arm, rest, other)? >= MOST_CHOSEN;
            (!stays).then_some(Nested { outer, inner })
        })
    }

    /// Whether too much is computed between both conditions. More may be, if nearly all lanes need it.
    fn is_long(&self, cond: Value, holds: bool, between: &[Inst]) -> bool {
        let most = match self.usually(cond) == Some(holds) {
            true => MOST_OF_USUAL,
            false => MOST_BETWEEN,
        };
        cost_of(self.function, between, cost_if_pure).is_none_or(|cost| cost >= most)
    }

    /// What it costs to choose between what the inner choice gives if there is nothing to do, and what the outer one
    /// does.
    fn choices(&self, results: &[Value], arm: &Arm, rest: &Arm, other: &Arm) -> Option<u32> {
        let of_inner = through(&arm.yields, results, &rest.yields);
        let costs = of_inner.into_iter().zip(&other.yields);
        let costs = costs.map(|(of_inner, of_outer)| match self.function.ty(of_inner) {
            _ if self.defs.same(of_inner, *of_outer) => Some(0),
            Type::Bool => Some(1),
            Type::F32 => None,
            _ => Some(self.cost_of_choice([of_inner, *of_outer])),
        });
        costs.sum()
    }
}

/// What an outer choice gives that gives `outer`, where the inner one, with these results, gives `inner`.
fn through(outer: &[Value], results: &[Value], inner: &[Value]) -> Vec<Value> {
    let of = |value: &Value| {
        let nth = results.iter().position(|result| result == value);
        nth.map_or(*value, |nth| inner[nth])
    };
    outer.iter().map(of).collect()
}
