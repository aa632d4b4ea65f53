//! Checks that are made again: `while parents[node] != node { node = parents[node]; }`.
//!
//! A check that fails is recorded, gives 0, and the item goes on; what it fails at later is not recorded any more. So a
//! check of the same condition with the same load behind it gives what the first one gives, whether that holds or not.

use crate::ir::{Alias, Arm, Function, Inst, Op, Results, Type, Value};
use smallvec::SmallVec;

/// What a check may guard, in instructions: an address, a load, and what is made of it.
const LONGEST: usize = 4;

/// A check with what it guards, if that only computes and loads.
#[derive(Clone)]
pub(super) struct Check {
    cond: Value,
    /// With what it gives, and, of a load, the number of the last store that it may see.
    guarded: SmallVec<[(Inst, Type, Option<u32>); LONGEST]>,
    yields: SmallVec<[Value; 2]>,
    /// The words that it gives where it fails.
    others: SmallVec<[u32; 2]>,
    pub(super) results: Results,
}

impl Check {
    /// The check that an instruction is. `word` is that of a constant.
    pub(super) fn of(
        function: &Function,
        inst: &Inst,
        word: impl Fn(Value) -> Option<u32>,
        seen_by: impl Fn(Alias) -> Option<u32>,
    ) -> Option<Self> {
        let Op::If { cond, then, els } = &inst.op else {
            return None;
        };
        let Arm { block, yields, .. } = &**then;
        if inst.results.is_empty() || !els.block.only_fails() || block.insts.len() > LONGEST {
            return None;
        }
        let guarded = block.insts.iter().map(|inst| {
            let [result] = inst.results[..] else {
                return None;
            };
            let seen = match inst.op {
                Op::Load { alias, .. } => Some(seen_by(alias)?),
                ref op if op.is_pure() => None,
                _ => return None,
            };
            Some((inst.clone(), function.ty(result), seen))
        });
        Some(Self {
            cond: *cond,
            guarded: guarded.collect::<Option<_>>()?,
            yields: yields.iter().copied().collect(),
            others: els
                .yields
                .iter()
                .map(|value| word(*value))
                .collect::<Option<_>>()?,
            results: inst.results.clone(),
        })
    }

    /// The same check, of values that are called otherwise elsewhere.
    pub(super) fn renamed(&self, name: impl Fn(Value) -> Value) -> Self {
        let mut renamed = self.clone();
        renamed.cond = name(self.cond);
        for (inst, ..) in &mut renamed.guarded {
            inst.op.operands_mut(&mut |value| *value = name(*value));
        }
        for value in &mut renamed.yields {
            *value = name(*value);
        }
        renamed
    }

    /// Whether the other check gives the same.
    pub(super) fn gives_as(&self, other: &Self) -> bool {
        if self.cond != other.cond
            || self.others != other.others
            || self.guarded.len() != other.guarded.len()
        {
            return false;
        }
        let mut same: SmallVec<[(Value, Value); LONGEST]> = SmallVec::new();
        for ((a, ty, seen), (b, other_ty, other_seen)) in self.guarded.iter().zip(&other.guarded) {
            let mut op = b.op.clone();
            op.operands_mut(&mut |value| *value = named(&same, *value));
            if a.op != op || ty != other_ty || seen != other_seen {
                return false;
            }
            same.extend(b.results.iter().copied().zip(a.results.iter().copied()));
        }
        let yields = other.yields.iter().map(|value| named(&same, *value));
        yields.eq(self.yields.iter().copied())
    }
}

/// What stands for a value in the other check.
fn named(same: &[(Value, Value)], value: Value) -> Value {
    let found = same.iter().find(|(here, _)| *here == value);
    found.map_or(value, |(_, there)| *there)
}

/// Checks that have been made wherever the walk is.
#[derive(Default)]
pub(super) struct Checked(Vec<Check>);

impl Checked {
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Those after the first so many.
    pub(super) fn since(&self, count: usize) -> &[Check] {
        &self.0[count..]
    }

    /// Forgets all but the first so many.
    pub(super) fn forget(&mut self, count: usize) {
        self.0.truncate(count);
    }

    pub(super) fn note(&mut self, check: Check) {
        self.0.push(check);
    }

    /// What the check gives that gives the same.
    pub(super) fn find(&self, check: &Check) -> Option<Results> {
        let found = self
            .0
            .iter()
            .rev()
            .find(|earlier| earlier.gives_as(check))?;
        Some(found.results.clone())
    }
}
