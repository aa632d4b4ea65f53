//! Which instruction keeps a unit busy: for profiles.

use super::{Alu, DivideUnit, Fpu, Id, Pipeline};

impl Pipeline {
    /// The instruction that is furthest.
    fn first(&self) -> Option<Id> {
        let count = self.stages.len();
        let from_last = (0..count).map(|n| (self.last + count - n) % count);
        from_last.filter_map(|stage| self.stages[stage]).next()
    }
}

impl Alu {
    /// Whether it works on a division, and takes no other.
    pub(in crate::timing) fn is_dividing(&self) -> bool {
        matches!(&self.divider, DivideUnit::Serial(divider) if divider.busy.is_some())
    }

    /// What takes long there.
    pub(in crate::timing) fn holder(&self) -> Option<Id> {
        let division = match &self.divider {
            DivideUnit::Pipelined(pipeline) => pipeline.first(),
            DivideUnit::Serial(divider) => divider.busy.map(|(id, _)| id),
        };
        division.or_else(|| self.multiplier.first()).or(self.simple)
    }
}

impl Fpu {
    /// Whether it has no room.
    pub(in crate::timing) fn is_full(&self, now: u64) -> bool {
        !self.in_flight.available(now)
    }

    /// What takes longest there.
    pub(in crate::timing) fn holder(&self, now: u64) -> Option<Id> {
        let mut inside: Vec<&Pipeline> = self.pipelines.iter().collect();
        inside.sort_by_key(|pipeline| std::cmp::Reverse(pipeline.stages.len()));
        let found = inside.into_iter().find_map(Pipeline::first);
        found.or_else(|| self.out.front(now).copied())
    }
}
