//! What a run of the cycle model can record beyond its counters: a profile, a trace.
//!
//! Nothing is recorded unless a run has a [`Recording`] ([`Terms::recorded`](crate::debug::Terms::recorded)), and
//! recording does not change cycles. A profile is proportional to the program, plus a time line of bounded size; a
//! trace grows with each instruction, up to a limit.

mod footprint;
mod program;
mod recorder;
mod strides;
#[cfg(test)]
mod tests;
mod timeline;
mod trace;

pub use footprint::Footprint;
pub use strides::Strides;
pub use timeline::{Timeline, WarpTimeline};
pub use trace::{CacheAnswer, RegisterValues, TraceLimits, TraceRecord, Traced};

pub(super) use program::Noted;
pub(super) use recorder::{Dispatched, Recorder};

use super::config::TimingConfig;
use super::limits::Limits;
use super::memory::Memory;
use super::program::Table;
use super::stats::Stalls;
use super::{Core, RunShape};
use crate::{layout, sums};
use std::collections::BTreeMap;

/// Where a core is.
#[derive(Clone, Copy, Debug)]
struct CoreLocation {
    core: usize,
    socket: usize,
    /// Its number there.
    in_socket: usize,
    /// Warps that it has.
    warps: usize,
}

/// What a run is asked to note, and afterwards what it noted: as far as it came, if it did not end.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    wants_profile: bool,
    wants_trace: Option<TraceLimits>,
    /// The profile, if one was asked for and the run has begun.
    pub profile: Option<ProfileData>,
    /// The trace, likewise.
    pub trace: Option<Traced>,
}

impl Recording {
    /// Asks for a profile: [`Recording::profile`] has it after the run.
    #[must_use]
    pub fn of_profile() -> Recording {
        Recording {
            wants_profile: true,
            ..Recording::default()
        }
    }

    /// Asks for a trace within limits, too: [`Recording::trace`] has it after the run.
    #[must_use]
    pub fn with_trace(self, limits: TraceLimits) -> Recording {
        Recording {
            wants_trace: Some(limits),
            ..self
        }
    }

    /// A recorder for each core, or none for any.
    pub(super) fn begin(
        &self,
        cores: &mut [Core],
        config: &TimingConfig,
        shape: &RunShape,
        memory: &Memory,
    ) {
        let warps = shape.warps as usize;
        let timeline = Timeline::columns(cores.len() * warps);
        for (number, core) in cores.iter_mut().enumerate() {
            let (socket, _) = memory.locate(number);
            let per_socket = config.cores_per_socket.max(1) as usize;
            core.record(Recorder::new(
                CoreLocation {
                    core: number,
                    socket,
                    in_socket: number % per_socket,
                    warps,
                },
                self.wants_profile.then_some(timeline),
                self.wants_trace.clone(),
                stack_range(shape),
            ));
        }
    }

    /// Takes what the cores noted until a cycle.
    pub(super) fn end(
        &mut self,
        end: u64,
        cores: &mut [Core],
        table: &Table,
        memory: &Memory,
        limits: Limits,
    ) {
        let recorders: Vec<Recorder> = cores.iter_mut().filter_map(Core::recorded).collect();
        if self.wants_profile {
            let (lines_read, lines_written) = memory.lines();
            let mut profile = ProfileData {
                limits,
                lines_read,
                lines_written,
                ..ProfileData::default()
            };
            for recorder in &recorders {
                recorder.add_to(&mut profile, table);
            }
            let timelines = recorders.iter().filter_map(|recorder| {
                Some((recorder.location.core as u32, recorder.timeline.as_ref()?))
            });
            profile.timeline = Timeline::of(timelines, end);
            let lines = recorders.iter();
            let lines = lines.map(|recorder| (recorder.location.socket, &recorder.lines));
            profile.footprint = Footprint::of(lines);
            self.profile = Some(profile);
        }
        if let Some(limits) = &self.wants_trace {
            self.trace = Some(Traced::of(
                recorders.into_iter().map(Recorder::into_trace),
                limits.instructions,
            ));
        }
    }
}

/// The first address of stacks, and the first after them.
fn stack_range(shape: &RunShape) -> std::ops::Range<u32> {
    let harts = shape.cores * shape.warps * shape.threads;
    layout::stack_bottom(harts)..layout::STACK_TOP
}

/// Hands what a warp may do in a cycle to a macro: each state with what it means, and its name as that of a field and
/// in texts. It is exported for the profiles of `vortex-host`, which have the same states.
#[doc(hidden)]
#[macro_export]
macro_rules! warp_states {
    ($make:ident) => {
        $make! {
            /// It issued an instruction.
            Issued issued "issued",
            /// It could have issued one, but another warp did.
            NotChosen not_chosen "not chosen",
            /// It could have issued one, but the next stage was full.
            Busy busy "busy",
            /// It waited for a result of the integer unit.
            Alu alu "alu",
            /// It waited for a result of the float unit.
            Fpu fpu "fpu",
            /// It waited for a load.
            Memory memory "memory",
            /// It waited for a CSR, or for a result of a control instruction.
            Sfu sfu "sfu",
            /// It waited at a barrier, or to spawn others.
            Barrier barrier "barrier",
            /// It waited until a branch, mask or float CSR instruction took effect.
            Control control "control",
            /// Its next instruction was being fetched.
            Fetch fetch "fetch",
        }
    };
}

macro_rules! states {
    ($($(#[$doc:meta])* $state:ident $field:ident $name:literal,)+) => {
        /// What a warp did in a cycle, as far as issue goes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum WarpState {
            $($(#[$doc])* $state,)+
        }

        impl WarpState {
            /// All states, in the order in which [`WarpCycles`] has them.
            pub const ALL: [WarpState; 10] = [$(WarpState::$state),+];
        }
    };
}

warp_states!(states);

/// Cycles of warps by what they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpCycles([u64; WarpState::ALL.len()]);

impl WarpCycles {
    /// Cycles in a state.
    #[must_use]
    pub fn of(&self, state: WarpState) -> u64 {
        self.0[state as usize]
    }

    /// Cycles in all states together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Both added up, field by field.
    #[must_use]
    pub fn plus(&self, other: &WarpCycles) -> WarpCycles {
        WarpCycles(std::array::from_fn(|n| self.0[n] + other.0[n]))
    }

    fn add(&mut self, state: WarpState, cycles: u64) {
        self.0[state as usize] += cycles;
    }
}

sums! {
    /// What a profiled run knows of an instruction besides its [`PcStats`](super::PcStats).
    pub struct PcProfile {
        /// Issue slots that stayed empty because something waited for this instruction: for its result, for the unit
        /// that it kept busy, until it took effect or was fetched. (Those of
        /// [`PcStats::stalls`](super::PcStats::stalls) count for the instruction that waits.)
        pub awaited: Stalls,
        /// What warps did while it was their next instruction.
        pub warps: WarpCycles,
        /// Cycles from when it went to its unit until its result was written, in sum.
        pub latency: u64,
        /// Of the slots that stayed empty because it was being fetched, those in which it had taken longer than a fetch
        /// from the instruction cache does.
        pub long_fetches: u64,
        /// Times that lanes of its warp went different ways, or some went on without others.
        pub parted: u64,
        /// Turns of the coalescer for its accesses: one if all lanes are in one place that it merges.
        pub turns: u64,
        /// Times that a warp accessed local memory with it.
        pub local_accesses: u64,
        /// Turns of local memory for these, a cycle each: one if all lanes are in different banks.
        pub local_turns: u64,
        /// Times that it accessed the stack: what has no register, and arrays of a work item's own.
        pub private_accesses: u64,
        /// Lanes that accessed the same word as another lane of their access.
        pub same_word: u64,
        /// How far apart neighbouring lanes' accesses are, local memory and stacks left out.
        pub strides: Strides,
    }
}

/// What a profiled run noted besides its [`TimingStats`](super::TimingStats).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileData {
    /// The instructions of which something is known, by address.
    pub by_pc: BTreeMap<u32, PcProfile>,
    /// What warps did, over time.
    pub timeline: Timeline,
    /// The lines that were accessed.
    pub footprint: Footprint,
    /// Lines of 64 bytes that caches read from main memory.
    pub lines_read: u64,
    /// Lines of 64 bytes that they wrote there, in whole or in part.
    pub lines_written: u64,
    /// What the device can do at best.
    pub limits: Limits,
}

impl ProfileData {
    /// Cycles of all warps at all instructions, by what they did.
    #[must_use]
    pub fn warps(&self) -> WarpCycles {
        self.by_pc
            .values()
            .fold(WarpCycles::default(), |sum, pc| sum.plus(&pc.warps))
    }
}
