//! What warps do over time, at a size that does not grow with the time.

use super::{WarpCycles, WarpState};

/// What warps did over time: the run is cut into intervals of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Cycles of an interval: a power of two, such that a warp has 256 intervals at most.
    pub interval: u64,
    /// The warps that ran, by core and number.
    pub warps: Vec<WarpTimeline>,
}

/// What a warp did over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpTimeline {
    /// Core of the device, from 0.
    pub core: u32,
    /// Warp of the core, from 0.
    pub warp: u32,
    /// In each interval, as far as it ran: cycles that are missing to the interval's length are those in which it had
    /// not started or had ended.
    pub intervals: Vec<WarpCycles>,
}

impl WarpTimeline {
    /// Cycles of all intervals together.
    #[must_use]
    pub fn total(&self) -> WarpCycles {
        let all = self.intervals.iter();
        all.fold(WarpCycles::default(), |sum, cycles| sum.plus(cycles))
    }
}

/// Intervals that are kept of all warps together, about.
const MOST: usize = 1 << 16;

impl Timeline {
    /// How many intervals a warp can have, of so many.
    pub(super) fn columns(warps: usize) -> usize {
        (MOST / warps.max(1)).clamp(32, 256).next_power_of_two()
    }

    /// By the number of each core and what its warps did, up to the cycle `end`.
    pub(super) fn of<'a>(
        cores: impl Iterator<Item = (u32, &'a Growing)> + Clone,
        end: u64,
    ) -> Timeline {
        let scale = cores.clone().map(|(_, own)| own.scale).max().unwrap_or(0);
        let count = ((end >> scale) + 1) as usize;
        let mut warps = Vec::new();
        for (core, own) in cores {
            let mut own = own.clone();
            while own.scale < scale {
                own.halve();
            }
            for (warp, mut intervals) in own.warps.into_iter().enumerate() {
                if intervals.iter().any(|cycles| cycles.total() > 0) {
                    intervals.resize(count.min(own.columns), WarpCycles::default());
                    warps.push(WarpTimeline {
                        core,
                        warp: warp as u32,
                        intervals,
                    });
                }
            }
        }
        Timeline {
            interval: 1 << scale,
            warps,
        }
    }
}

/// The time line of a core's warps while it grows.
#[derive(Clone, Debug)]
pub(super) struct Growing {
    columns: usize,
    /// log2 of the cycles of an interval.
    scale: u32,
    warps: Vec<Vec<WarpCycles>>,
}

impl Growing {
    pub(super) fn new(columns: usize, warps: usize) -> Growing {
        Growing {
            columns,
            scale: 0,
            warps: vec![Vec::new(); warps],
        }
    }

    /// A warp is in a state for some cycles, the last of them `last`.
    pub(super) fn add(&mut self, warp: usize, state: WarpState, last: u64, cycles: u64) {
        while last >> self.scale >= self.columns as u64 {
            self.halve();
        }
        let mut from = last + 1 - cycles;
        while from <= last {
            let column = (from >> self.scale) as usize;
            let end = ((column as u64 + 1) << self.scale).min(last + 1);
            let intervals = &mut self.warps[warp];
            if intervals.len() <= column {
                intervals.resize(column + 1, WarpCycles::default());
            }
            intervals[column].add(state, end - from);
            from = end;
        }
    }

    /// Makes intervals twice as long.
    fn halve(&mut self) {
        self.scale += 1;
        for intervals in &mut self.warps {
            let pairs = intervals.chunks(2);
            let sum = |pair: &[WarpCycles]| {
                let zero = WarpCycles::default();
                pair.iter().fold(zero, |sum, cycles| sum.plus(cycles))
            };
            *intervals = pairs.map(sum).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow_and_no_cycle_is_lost() {
        let mut growing = Growing::new(4, 2);
        growing.add(0, WarpState::Issued, 0, 1);
        growing.add(0, WarpState::Memory, 9, 9);
        growing.add(1, WarpState::Barrier, 9, 3);
        assert_eq!(growing.scale, 2, "ten cycles in at most four intervals");
        let of = |warp: usize, state| -> Vec<u64> {
            growing.warps[warp]
                .iter()
                .map(|cycles| cycles.of(state))
                .collect()
        };
        assert_eq!(of(0, WarpState::Issued), [1, 0, 0]);
        assert_eq!(of(0, WarpState::Memory), [3, 4, 2]);
        assert_eq!(of(1, WarpState::Barrier), [0, 1, 2]);
    }

    #[test]
    fn many_warps_have_few_intervals_each() {
        assert_eq!(Timeline::columns(4), 256);
        assert_eq!(Timeline::columns(255 * 32), 32);
    }
}
