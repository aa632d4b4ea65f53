//! What a condition has computed before it was found to hold, for global value numbering.
//!
//! ```text
//! r := if 0 < j { v := load p + (j - 1); yield v > x } else { yield false };  if r { w := load p + (j - 1); .. }
//! ```
//!
//! Where `r` holds its arm has run, so `w` is `v`, which the `if` then gives as one more result. Only a load is worth
//! that, with a check in front of it if there is one; what else is the same is computed again, but known to be so.

use super::equal::{Key, key};
use super::repeated_checks::Check;
use crate::ir::{Alias, Block, Const, Function, Inst, Loc, Op, Results, Type, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an arm of an `if` computes in any case.
pub(super) struct Computed {
    /// Whether it is the arm where the condition of the `if` holds.
    pub(super) of_then: bool,
    pub(super) values: FxHashMap<Key, Value>,
    pub(super) checks: Vec<Check>,
}

/// A value of an arm, and what its `if` is to give for it.
struct Export {
    inside: Value,
    outside: Value,
}

/// Conditions with what has been computed for them.
#[derive(Default)]
pub(super) struct Behind {
    /// By condition, which is the result of an `if`: what is there where it is true, if that is so in the first arm,
    /// else where it is false.
    computed: FxHashMap<Value, Rc<Computed>>,
    /// Of the conditions that are known where the walk is.
    known: Vec<(Value, Rc<Computed>)>,
    /// What is the same as a value in an arm.
    same: FxHashMap<Value, Value>,
    exports: FxHashMap<Value, Vec<Export>>,
}

impl Behind {
    /// Takes note of what has been computed for `condition`, the result of an `if`.
    pub(super) fn note(&mut self, condition: Value, computed: Rc<Computed>) {
        self.computed.insert(condition, computed);
    }

    /// How many conditions are known that something has been computed for.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// From here to the end of the scope, `condition` is `truth`.
    pub(super) fn enter(&mut self, condition: Value, truth: bool) {
        let computed = self.computed.get(&condition);
        if let Some(computed) = computed.filter(|computed| computed.of_then == truth) {
            self.known.push((condition, Rc::clone(computed)));
        }
    }

    /// Forgets all but the first so many.
    pub(super) fn forget(&mut self, count: usize) {
        self.known.truncate(count);
    }

    /// The value of an arm that an instruction computes again, if that can be given by the arm. Else it is noted as the
    /// same.
    pub(super) fn computed(
        &mut self,
        function: &mut Function,
        inst: &Inst,
        result: Value,
        seen_by: impl FnOnce(Alias) -> Option<u32>,
    ) -> Option<Value> {
        if self.known.is_empty() {
            return None;
        }
        let mut as_inside = inst.clone();
        as_inside
            .op
            .operands_mut(&mut |value| *value = self.inside(*value));
        let key = key(function, &as_inside, seen_by)?;
        let (condition, value) = self.known.iter().rev().find_map(|(condition, computed)| {
            let value = computed.values.get(&key)?;
            Some((*condition, *value))
        })?;
        if matches!(inst.op, Op::Load { .. }) && can_be_given(function, value) {
            return Some(self.given(function, condition, value));
        }
        self.same.insert(result, value);
        None
    }

    /// What a check of an arm gives that is this one again, if the arm can give it, too.
    pub(super) fn checked(&mut self, function: &mut Function, check: &Check) -> Option<Results> {
        if self.known.is_empty() {
            return None;
        }
        let as_inside = check.renamed(|value| self.inside(value));
        let (condition, results) = self.known.iter().rev().find_map(|(condition, computed)| {
            let mut checks = computed.checks.iter();
            let earlier = checks.find(|earlier| earlier.gives_as(&as_inside))?;
            Some((*condition, earlier.results.clone()))
        })?;
        if !results.iter().all(|value| can_be_given(function, *value)) {
            return None;
        }
        let given = results
            .iter()
            .map(|value| self.given(function, condition, *value));
        Some(given.collect())
    }

    /// What a value is called in the arm that has computed it.
    fn inside(&self, value: Value) -> Value {
        self.same.get(&value).copied().unwrap_or(value)
    }

    /// What stands for a value of an arm where it is known to have run.
    fn given(&mut self, function: &mut Function, condition: Value, inside: Value) -> Value {
        let exports = self.exports.entry(condition).or_default();
        if let Some(export) = exports.iter().find(|export| export.inside == inside) {
            return export.outside;
        }
        let outside = function.new_value(function.ty(inside));
        exports.push(Export { inside, outside });
        outside
    }

    /// Lets each `if` give what is asked of it. Where its other arm has run, that is 0.
    pub(super) fn finish(mut self, function: &mut Function, body: &mut Block) {
        if self.exports.is_empty() {
            return;
        }
        body.rewrite(&mut |mut inst, out| {
            for condition in inst.results.clone() {
                if let Some(exports) = self.exports.remove(&condition)
                    && let Some(computed) = self.computed.get(&condition)
                {
                    give(function, &mut inst, computed.of_then, &exports);
                }
            }
            out.push(inst);
        });
    }
}

/// There is no pointer to say for one that is not loaded.
fn can_be_given(function: &Function, value: Value) -> bool {
    !matches!(function.ty(value), Type::Ptr(_))
}

/// Adds to the results of an `if` what one of its arms has.
fn give(function: &mut Function, inst: &mut Inst, of_then: bool, exports: &[Export]) {
    let Op::If { then, els, .. } = &mut inst.op else {
        return;
    };
    let (arm, other) = match of_then {
        true => (then, els),
        false => (els, then),
    };
    for export in exports {
        let (zero, ty) = (Op::Const(Const(0)), function.ty(export.inside));
        let nothing = function.push(zero, ty, Loc::NONE, &mut other.block.insts);
        arm.yields.push(export.inside);
        other.yields.push(nothing);
        inst.results.push(export.outside);
    }
}
