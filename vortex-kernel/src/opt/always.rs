//! What holds of a value wherever it can be named, of parameters of loops and of what checks give.

use super::defs::Defs;
use super::loops::{Limited, Steps, counter_starts, falling, limited, steps};
use crate::ir::{Arm, Function, Type, Value, While};
use rustc_hash::FxHashMap;

#[derive(Clone, Default)]
pub(super) struct Always {
    /// Counters, and where they start: they are at least that.
    pub(super) least: FxHashMap<Value, Value>,
    /// What a value is at most: where a parameter starts that falls.
    pub(super) most: FxHashMap<Value, Value>,
    /// Parameters that are what they start at, or within a limit.
    pub(super) limited: FxHashMap<Value, Limited>,
    /// What checks give that may fail, and the condition: what it is where that holds; otherwise it is 0.
    pub(super) guarded: FxHashMap<Value, (Value, Value)>,
    /// What checks give that are taken to hold: what it is then.
    checked: FxHashMap<Value, Value>,
    /// Counters of ranges with steps.
    pub(super) steps: FxHashMap<Value, Steps>,
}

impl Always {
    /// Notes what is known about the parameters of a loop.
    pub(super) fn enter(&mut self, w: &While, function: &Function, defs: &Defs) {
        let is_u32 = |value: Value| function.ty(value) == Type::U32;
        self.least.extend(counter_starts(w, defs));
        let falling = falling(w, defs).into_iter();
        self.most
            .extend(falling.filter(|(param, _)| is_u32(*param)));
        let limited = limited(w, defs).filter(|limited| is_u32(limited.param));
        self.limited
            .extend(limited.map(|limited| (limited.param, limited)));
        let steps = steps(w, defs).filter(|steps| is_u32(steps.counter));
        self.steps.extend(steps.map(|steps| (steps.counter, steps)));
    }

    /// Notes what a loop gives: of its parameters, what is known of these.
    pub(super) fn left(&mut self, results: &[Value], w: &While) {
        let exits = results.iter().zip(&w.exits);
        for (result, exit) in exits.filter(|(_, exit)| w.params.contains(exit)) {
            if let Some(start) = self.most.get(exit) {
                self.most.insert(*result, *start);
            }
            if let Some(limited) = self.limited.get(exit) {
                self.limited.insert(*result, *limited);
            }
        }
    }

    /// Notes what an `If` gives: what its first arm does, if it is a check that is taken to hold.
    pub(super) fn given(
        &mut self,
        results: &[Value],
        cond: Value,
        [then, els]: [&Arm; 2],
        holds: bool,
        defs: &Defs,
    ) {
        for (result, (value, other)) in results.iter().zip(then.yields.iter().zip(&els.yields)) {
            if holds {
                self.checked.insert(*result, *value);
            } else if defs.constant(*other) == Some(0) {
                self.guarded.insert(*result, (cond, *value));
            }
        }
    }

    /// What a value is where all checks hold that are taken to.
    pub(super) fn once_checked(&self, mut value: Value) -> Value {
        while let Some(checked) = self.checked.get(&value) {
            value = *checked;
        }
        value
    }
}
