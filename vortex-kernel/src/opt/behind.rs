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
use smallvec::smallvec;
use std::rc::Rc;

/// What an arm computes in any case.
pub(super) struct Computed {
    keys: Vec<(Key, Value)>,
    checks: Vec<Check>,
}

impl Computed {
    /// What an arm has entered into the tables, if any of it is worth to be kept.
    pub(super) fn of(keys: Vec<(Key, Value)>, checks: &[Check]) -> Option<Rc<Self>> {
        let loads = keys.iter().any(|(key, _)| matches!(key, Key::Load(..)));
        let checks = checks.to_vec();
        (loads || !checks.is_empty()).then(|| Rc::new(Self { keys, checks }))
    }
}

/// A value of an arm that its `if` is to give, too.
struct Export {
    /// Whether it is the arm where the condition holds.
    of_then: bool,
    inside: Value,
    outside: Value,
}

/// A condition that is the result of an `if`, and what it is where a certain arm of that has run.
type Of = (Value, bool);

/// Conditions with what has been computed for them.
#[derive(Default)]
pub(super) struct Behind {
    computed: FxHashMap<Of, Rc<Computed>>,
    /// What is known wherever the walk is.
    table: FxHashMap<Key, (Of, Value)>,
    undo: Vec<(Key, Option<(Of, Value)>)>,
    checks: Vec<(Of, Check)>,
    /// What is the same as a value in an arm.
    same: FxHashMap<Value, Value>,
    exports: FxHashMap<Value, Vec<Export>>,
}

/// Where a scope began.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    undo: usize,
    checks: usize,
}

impl Behind {
    /// Takes note of what has been computed where `condition`, the result of an `if`, is `truth`.
    pub(super) fn note(&mut self, condition: Value, truth: bool, computed: Rc<Computed>) {
        self.computed.insert((condition, truth), computed);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            undo: self.undo.len(),
            checks: self.checks.len(),
        }
    }

    /// From here to the end of the scope, `condition` is `truth`.
    pub(super) fn enter(&mut self, condition: Value, truth: bool) {
        let of = (condition, truth);
        let Some(computed) = self.computed.get(&of) else {
            return;
        };
        for &(key, value) in &computed.keys {
            let old = self.table.insert(key, (of, value));
            self.undo.push((key, old));
        }
        let checks = computed.checks.iter().map(|check| (of, check.clone()));
        self.checks.extend(checks);
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        for (key, old) in self.undo.drain(mark.undo..).rev() {
            match old {
                Some(known) => self.table.insert(key, known),
                None => self.table.remove(&key),
            };
        }
        self.checks.truncate(mark.checks);
    }

    /// The value of an arm that an instruction computes again, if that can be given by the arm. Else it is noted as the
    /// same.
    pub(super) fn load(
        &mut self,
        function: &mut Function,
        inst: &Inst,
        result: Value,
        seen_by: impl FnOnce(Alias) -> Option<u32>,
    ) -> Option<Value> {
        if self.table.is_empty() {
            return None;
        }
        let mut as_inside = inst.clone();
        let same = &self.same;
        let inside = |value: Value| same.get(&value).copied().unwrap_or(value);
        as_inside
            .op
            .operands_mut(&mut |value| *value = inside(*value));
        let key = key(function, &as_inside, seen_by)?;
        let &(of, known) = self.table.get(&key)?;
        if matches!(inst.op, Op::Load { .. }) && can_be_given(function, known) {
            return Some(self.given(function, of, known));
        }
        self.same.insert(result, known);
        None
    }

    /// What a check of an arm gives that is this one again, if the arm can give it, too.
    pub(super) fn check(&mut self, function: &mut Function, check: &Check) -> Option<Results> {
        if self.checks.is_empty() {
            return None;
        }
        let inside = check.renamed(|value| self.same.get(&value).copied().unwrap_or(value));
        let (of, earlier) = self
            .checks
            .iter()
            .rev()
            .find(|(_, earlier)| earlier.gives_as(&inside))?;
        let (of, results) = (*of, earlier.results.clone());
        if !results.iter().all(|value| can_be_given(function, *value)) {
            return None;
        }
        let given = results.iter().map(|value| self.given(function, of, *value));
        Some(given.collect())
    }

    /// What stands for a value of an arm where it is known to have run.
    fn given(&mut self, function: &mut Function, (condition, of_then): Of, inside: Value) -> Value {
        let exports = self.exports.entry(condition).or_default();
        if let Some(export) = exports.iter().find(|export| export.inside == inside) {
            return export.outside;
        }
        let outside = function.new_value(function.ty(inside));
        exports.push(Export {
            of_then,
            inside,
            outside,
        });
        outside
    }

    /// Lets each `if` give what is asked of it. Where its other arm has run, that is 0.
    pub(super) fn finish(mut self, function: &mut Function, body: &mut Block) {
        if self.exports.is_empty() {
            return;
        }
        body.rewrite(&mut |mut inst, out| {
            for result in inst.results.clone() {
                let exports = self.exports.remove(&result).unwrap_or_default();
                for export in exports {
                    give(function, &mut inst, &export);
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

fn give(function: &mut Function, inst: &mut Inst, export: &Export) {
    let Op::If { then, els, .. } = &mut inst.op else {
        return;
    };
    let (arm, other) = match export.of_then {
        true => (then, els),
        false => (els, then),
    };
    let nothing = function.new_value(function.ty(export.inside));
    other.block.insts.push(Inst {
        results: smallvec![nothing],
        op: Op::Const(Const(0)),
        loc: Loc::NONE,
    });
    arm.yields.push(export.inside);
    other.yields.push(nothing);
    inst.results.push(export.outside);
}
