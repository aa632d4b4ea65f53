//! The differences between generations of the hardware, as data. What only Vortex 3 has, groups handed out by the
//! hardware, is in `dispatch`.

use super::config::Config;
use vortex_isa::{GLOBAL_BARRIER, Generation};

/// How a device behaves where generations differ.
#[derive(Debug)]
pub(crate) struct Hardware {
    /// Of the sides of a split, the larger one goes first, or else the smaller one; of equal ones that where the
    /// predicate holds.
    pub(crate) larger_side_first: bool,
    /// The first `join` continues with the lanes of the split that do not reach it, or else with the side that the
    /// split has put off.
    pub(crate) join_takes_rest: bool,
    /// Each warp has an `mscratch` of its own, which it hands to those that it spawns; or else the warps of a core
    /// share one.
    pub(crate) scratch_of_warps: bool,
    /// `minstret` counts active lanes, or else instructions of warps.
    pub(crate) counts_lanes: bool,
    /// Programs print by storing bytes to the console, and leave their counters in memory after it when they end; or
    /// else they print into rings in memory.
    pub(crate) has_dump: bool,
    /// `ecall` and `ebreak` end the core, or else go to the warp's trap handler.
    pub(crate) system_calls_halt: bool,
    /// It hands out the work groups of a grid; or else programs start their warps themselves.
    pub(crate) hands_out_groups: bool,
    /// Shuffles read lanes that are not active; or else such a source is as good as none.
    pub(crate) shuffles_read_inactive: bool,
    /// Barriers that a work group has, on each of the slots that a core has for groups. Where there are no slots, the
    /// barriers are all the core's.
    barriers_of_slot: Option<u32>,
}

impl Hardware {
    /// Whether barriers have phases that warps can arrive in and wait for.
    pub(crate) const fn has_phases(&self) -> bool {
        self.barriers_of_slot.is_some()
    }
}

static V2: Hardware = Hardware {
    larger_side_first: true,
    join_takes_rest: false,
    scratch_of_warps: false,
    counts_lanes: true,
    has_dump: true,
    system_calls_halt: true,
    hands_out_groups: false,
    shuffles_read_inactive: true,
    barriers_of_slot: None,
};

static V3: Hardware = Hardware {
    larger_side_first: false,
    join_takes_rest: true,
    scratch_of_warps: true,
    counts_lanes: false,
    has_dump: false,
    system_calls_halt: false,
    hands_out_groups: true,
    shuffles_read_inactive: false,
    barriers_of_slot: Some(8),
};

/// A barrier's number on Vortex 3: the slot in the lowest byte, and which of the slot's above it.
const SLOT_BITS: u32 = 8;

impl Config {
    /// How this device behaves where generations differ.
    pub(crate) fn hardware(&self) -> &'static Hardware {
        match self.generation {
            Generation::V2 => &V2,
            Generation::V3 => &V3,
        }
    }

    /// Barriers per core, or on Vortex 3 per work group.
    #[must_use]
    pub fn barriers(&self) -> u32 {
        match self.hardware().barriers_of_slot {
            Some(barriers) => barriers,
            None => (self.warps / 2).max(1),
        }
    }

    /// As many barriers have a state in each core.
    pub(crate) fn barrier_states(&self) -> u32 {
        match self.hardware().barriers_of_slot {
            Some(barriers) => barriers * self.warps,
            None => self.barriers(),
        }
    }

    /// As many places there are where cores wait for those of their cluster.
    pub(crate) fn meeting_places(&self) -> usize {
        (self.clusters * self.barrier_states()) as usize
    }

    /// Where a core waits at the barrier that has this state.
    pub(crate) fn meeting_place(&self, core: u32, state: usize) -> usize {
        (self.cluster(core) * self.barrier_states()) as usize + state
    }

    /// Which of these states is that of the barrier with this number, if there is one.
    pub(crate) fn barrier_state(&self, id: u32) -> Option<u32> {
        let id = id & !GLOBAL_BARRIER;
        match self.hardware().barriers_of_slot {
            Some(barriers) => {
                let (slot, number) = (id & ((1 << SLOT_BITS) - 1), id >> SLOT_BITS);
                (slot < self.warps && number < barriers).then_some(slot * barriers + number)
            }
            None => (id < self.barriers()).then_some(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_have_states_of_their_own() {
        for generation in Generation::ALL {
            for warps in [1, 2, 4, 32] {
                let config = Config {
                    generation,
                    ..Config::with_shape(1, warps, 4)
                };
                let mut states: Vec<u32> = (0..1 << 12)
                    .filter_map(|id| config.barrier_state(id))
                    .collect();
                states.sort_unstable();
                let all: Vec<u32> = (0..config.barrier_states()).collect();
                assert_eq!(states, all, "{generation}, {warps}");
            }
        }
    }
}
