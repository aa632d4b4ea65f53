//! What instructions cost, as a profile keeps it.

use serde::{Deserialize, Serialize};
use vortex_sim::timing::{PcProfile, PcStats, Stalls, WarpCycles, WarpState};
use vortex_sim::{stall_causes, sums, warp_states};

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Counters that are left out of JSON where they are zero.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)+ }) => {
        sums! {
            $(#[$about])*
            #[derive(Serialize, Deserialize)]
            #[serde(default)]
            #[non_exhaustive]
            pub struct $name {
                $($(#[$doc])* #[serde(skip_serializing_if = "is_zero")] pub $field: u64,)+
            }
        }

        impl $name {
            /// The sum of all fields.
            #[must_use]
            pub fn total(&self) -> u64 {
                [$(self.$field),+].into_iter().fold(0, u64::saturating_add)
            }
        }
    };
}

macro_rules! slots {
    ($($(#[$doc:meta])* $cause:ident,)+) => {
        counters! {
            /// Issue slots that stayed empty, by cause. A core has so many in each cycle as it can issue instructions
            /// ([`DeviceShape::slices`](super::DeviceShape::slices)); each that is empty counts for one cause.
            /// docs/reports.md says how that is chosen.
            Slots { $($(#[$doc])* $cause,)+ }
        }

        impl Slots {
            /// Each cause with its name, in the order of the fields.
            #[must_use]
            pub fn by_cause(&self) -> [(&'static str, u64); 9] {
                [$((stringify!($cause), self.$cause)),+]
            }
        }

        impl From<&Stalls> for Slots {
            fn from(stalls: &Stalls) -> Self {
                Self { $($cause: stalls.$cause,)+ }
            }
        }
    };
}

stall_causes!(slots);

macro_rules! warp_time {
    ($($(#[$doc:meta])* $state:ident $field:ident $name:literal,)+) => {
        counters! {
            /// Cycles of warps, by what they did: each warp that runs adds one for each cycle of its core.
            WarpTime { $($(#[$doc])* $field,)+ }
        }

        impl WarpTime {
            /// Each state with its name, in the order of the fields.
            #[must_use]
            pub fn by_state(&self) -> [(&'static str, u64); 10] {
                [$(($name, self.$field)),+]
            }
        }

        impl From<&WarpCycles> for WarpTime {
            fn from(cycles: &WarpCycles) -> Self {
                Self { $($field: cycles.of(WarpState::$state),)+ }
            }
        }
    };
}

warp_states!(warp_time);

counters! {
    /// What instructions did, of all warps together.
    Work {
        /// Times that a warp executed one.
        executed,
        /// Active lanes of these, in sum: work items that executed one.
        lanes,
        /// Cycles from when they went to their unit until results were written, in sum.
        latency,
        /// Accesses of warps to memory other than local memory.
        accesses,
        /// Requests to the data cache for these: lanes whose addresses lie in one place share one.
        requests,
        /// Turns of the coalescer for these: in each, it puts together a few requests.
        turns,
        /// Answers of the data cache to what was to be read.
        loads,
        /// Those whose line was not there.
        load_misses,
        /// Accesses of warps to local memory.
        local_accesses,
        /// Turns of local memory for these: more than one where lanes share a bank.
        local_turns,
        /// Accesses of warps to the stack, where arrays and spilled values are; they are among `accesses`.
        private_accesses,
        /// Lanes of atomic operations that accessed the word of another lane.
        same_word,
        /// Issue slots that stayed empty because one was fetched that was not in the instruction cache.
        long_fetches,
        /// Times that lanes of a warp parted.
        parted,
    }
}

sums! {
    /// What instructions cost: one, those of a line, or all.
    #[derive(Serialize, Deserialize)]
    #[serde(default)]
    #[non_exhaustive]
    pub struct Costs {
        /// How often they were executed, and what that made the device do.
        pub work: Work,
        /// Slots that stayed empty where one of them was the next to be issued.
        pub stalls: Slots,
        /// Slots that stayed empty because another instruction waited for one of them.
        pub awaited: Slots,
        /// What warps did while one of them was next.
        pub warps: WarpTime,
    }
}

impl Costs {
    pub(crate) fn of(stats: &PcStats, profile: &PcProfile) -> Self {
        Self {
            work: Work {
                executed: stats.executed,
                lanes: stats.lanes,
                latency: profile.latency,
                accesses: stats.accesses,
                requests: stats.requests,
                turns: profile.turns,
                loads: stats.loads,
                load_misses: stats.load_misses,
                local_accesses: profile.local_accesses,
                local_turns: profile.local_turns,
                private_accesses: profile.private_accesses,
                same_word: profile.same_word,
                long_fetches: profile.long_fetches,
                parted: profile.parted,
            },
            stalls: (&stats.stalls).into(),
            awaited: (&profile.awaited).into(),
            warps: (&profile.warps).into(),
        }
    }

    /// Issue slots that they used or kept from being used.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.work.executed + self.stalls.total()
    }

    /// How many lanes were active each time that one was executed, on average; 0 of what was not.
    #[must_use]
    pub fn active_lanes(&self) -> f64 {
        ratio(self.work.lanes, self.work.executed)
    }

    /// Requests to the data cache per access of a warp; none without accesses.
    #[must_use]
    pub fn requests_per_access(&self) -> Option<f64> {
        (self.work.accesses > 0).then(|| ratio(self.work.requests, self.work.accesses))
    }

    /// The share of loads that found their line in the data cache, from 0 to 1; none without loads.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.work.loads > 0).then(|| 1.0 - ratio(self.work.load_misses, self.work.loads))
    }
}

/// A number with six digits after the point, as many as anybody reads; it is the same when it was JSON in between.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// A part by a whole; 0 of nothing.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}
