//! Values that are constants where checks hold, as the length of a part of a slice is: `x[4 * i..4 * i + 4]`.

use super::course::word_of;
use super::defs::Defs;
use crate::ir::{BinOp, Function, Inst, Op, Value};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Checks that a value may depend on, at most.
const CHECKS: usize = 4;

/// What a value is where checks hold.
#[derive(Clone)]
pub(super) struct OnceChecked {
    /// The checks' conditions.
    pub(super) conds: SmallVec<[Value; 2]>,
    pub(super) word: u32,
    /// It is 0 where one of them does not hold.
    pub(super) is_else_zero: bool,
}

/// What is known of the values of a function.
#[derive(Default)]
pub(super) struct CheckedValues(FxHashMap<Value, OnceChecked>);

impl CheckedValues {
    pub(super) fn get(&self, value: Value) -> Option<&OnceChecked> {
        self.0.get(&value)
    }

    /// The conditions of all checks that these values depend on, each once.
    pub(super) fn conditions(&self, values: impl Iterator<Item = Value>) -> SmallVec<[Value; 2]> {
        let known = values.filter_map(|value| self.get(value));
        let mut conds: SmallVec<_> = known
            .flat_map(|known| known.conds.iter().copied())
            .collect();
        conds.sort_unstable();
        conds.dedup();
        conds
    }

    /// Notes what an instruction gives.
    pub(super) fn note(&mut self, function: &Function, defs: &Defs, inst: &Inst) {
        match &inst.op {
            Op::If { cond, then, els } if els.block.is_failure() => {
                let yields = then.yields.iter().zip(&els.yields);
                for (result, (value, other)) in inst.results.iter().zip(yields) {
                    if let Some(word) = defs.constant(*value) {
                        let checked = OnceChecked {
                            conds: smallvec![*cond],
                            word,
                            is_else_zero: defs.constant(*other) == Some(0),
                        };
                        self.0.insert(*result, checked);
                    }
                }
            }
            op => {
                if let [result] = inst.results[..]
                    && let Some(checked) = self.follows(function, defs, op, result)
                {
                    self.0.insert(result, checked);
                }
            }
        }
    }

    /// What is known of what an operation gives.
    fn follows(
        &self,
        function: &Function,
        defs: &Defs,
        op: &Op,
        result: Value,
    ) -> Option<OnceChecked> {
        let mut checked: SmallVec<[Value; 2]> = SmallVec::new();
        op.operands(&mut |value| checked.extend(self.get(value).map(|_| value)));
        checked.sort_unstable();
        checked.dedup();
        let conds = self.conditions(checked.iter().copied());
        if conds.is_empty() || conds.len() > CHECKS {
            return None;
        }
        let word = |value: Value| self.get(value).map(|checked| checked.word);
        let known = |value| word(value).or_else(|| defs.constant(value));
        let ty = function.ty(result);
        let or_zero = |value| match word(value) {
            Some(_) => Some(0),
            None => defs.constant(value),
        };
        let mut operands = checked.iter().filter_map(|value| self.get(*value));
        let is_else_zero = operands.all(|operand| operand.is_else_zero)
            && match op {
                Op::Binary(BinOp::Min | BinOp::Mul | BinOp::And, ..) => !ty.is_signed(),
                op => checked.len() == 1 && word_of(function, op, ty, or_zero) == Some(0),
            };
        Some(OnceChecked {
            conds,
            word: word_of(function, op, ty, known)?,
            is_else_zero,
        })
    }
}
