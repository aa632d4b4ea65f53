//! Performance counters of Vortex 3: their classes, and the counts of a device's last run.
//!
//! Classes and numbers are those of Vortex 3's `VX_types.toml`, their meaning is in its `VX_csr_data.sv` and the
//! modules that feed it. The host asks for a counter by class and number; programs read zeros from these CSRs.

use super::config::Config;
use super::core::CoreState;
use super::timing::{CacheStats, TimingStats};
use vortex_isa::Generation;

/// A class of performance counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PerfClass {
    /// A core's pipeline: stalls by stage, instructions by unit, branches, accesses to memory.
    Core,
    /// A core's instruction cache.
    InstructionCache,
    /// A core's data cache.
    DataCache,
    /// The second level of cache, which the cores of a cluster share.
    SecondLevel,
    /// The third level of cache, which the device's clusters share.
    ThirdLevel,
    /// Main memory, which all cores share; and a core's local memory and coalescer.
    Memory,
    /// A core's tensor units.
    TensorUnits,
    /// The engines for asynchronous copies, which the cores of a cluster share.
    AsyncCopies,
}

/// A counter of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PerfCounter {
    /// Its number, that of a CSR: 0xB03 to 0xB1F.
    pub number: u32,
    /// What it counts, in a few words.
    pub name: &'static str,
    /// Cores share what it counts, so that all of them have the same value, and adding these up means nothing.
    pub is_shared: bool,
}

const fn own(number: u32, name: &'static str) -> PerfCounter {
    PerfCounter {
        number,
        name,
        is_shared: false,
    }
}

const fn shared(number: u32, name: &'static str) -> PerfCounter {
    PerfCounter {
        number,
        name,
        is_shared: true,
    }
}

const CORE: &[PerfCounter] = &[
    own(0xb03, "cycles without a warp to schedule"),
    own(0xb04, "active warps, over all cycles"),
    own(0xb05, "stalled warps, over all cycles"),
    own(0xb06, "instructions scheduled"),
    own(0xb07, "lanes of these"),
    own(0xb08, "cycles that fetch stalls"),
    own(0xb09, "cycles of full instruction buffers"),
    own(0xb0a, "cycles of waiting for results"),
    own(0xb0b, "cycles of register bank conflicts"),
    own(0xb0c, "cycles of waiting for the integer unit"),
    own(0xb0d, "cycles of waiting for the float unit"),
    own(0xb0e, "cycles of waiting for the load-store unit"),
    own(0xb0f, "cycles of waiting for the control unit"),
    own(0xb10, "cycles of waiting for the tensor unit"),
    own(0xb11, "branches and jumps"),
    own(0xb12, "splits on which lanes disagree"),
    own(0xb13, "integer instructions"),
    own(0xb14, "float instructions"),
    own(0xb15, "load-store instructions"),
    own(0xb16, "control instructions"),
    own(0xb17, "tensor instructions"),
    own(0xb1a, "fetches"),
    own(0xb1b, "cycles of these in sum"),
    own(0xb1c, "lanes that load"),
    own(0xb1d, "cycles of these in sum"),
    own(0xb1e, "lanes that store"),
];

const INSTRUCTION_CACHE: &[PerfCounter] = &[
    own(0xb03, "reads"),
    own(0xb04, "misses"),
    own(0xb05, "cycles of too many misses"),
];

const DATA_CACHE: &[PerfCounter] = &[
    own(0xb03, "reads"),
    own(0xb04, "writes"),
    own(0xb05, "read misses"),
    own(0xb06, "write misses"),
    own(0xb07, "evicted lines"),
    own(0xb08, "cycles of bank conflicts"),
    own(0xb09, "cycles of too many misses"),
];

const LEVEL: &[PerfCounter] = &[
    shared(0xb03, "reads"),
    shared(0xb04, "writes"),
    shared(0xb05, "read misses"),
    shared(0xb06, "write misses"),
    shared(0xb07, "evicted lines"),
    shared(0xb08, "cycles of bank conflicts"),
    shared(0xb09, "cycles of too many misses"),
];

const MEMORY: &[PerfCounter] = &[
    shared(0xb03, "reads of main memory"),
    shared(0xb04, "writes of main memory"),
    shared(0xb05, "cycles of these reads in sum"),
    shared(0xb06, "cycles of bank conflicts"),
    own(0xb07, "reads of local memory"),
    own(0xb08, "writes of local memory"),
    own(0xb09, "cycles of its bank conflicts"),
    own(0xb0a, "accesses that do not coalesce"),
];

const TENSOR_UNITS: &[PerfCounter] = &[
    own(0xb03, "cycles of waiting for tiles"),
    own(0xb04, "tiles used again"),
    own(0xb05, "reads of local memory"),
];

const ASYNC_COPIES: &[PerfCounter] = &[
    shared(0xb03, "copies"),
    shared(0xb04, "reads of memory"),
    shared(0xb05, "reads of memory saved"),
    shared(0xb06, "writes of local memory"),
    shared(0xb07, "cycles of the reads in sum"),
];

impl PerfClass {
    /// All classes that are known here, by number.
    pub const ALL: [PerfClass; 8] = [
        PerfClass::Core,
        PerfClass::InstructionCache,
        PerfClass::DataCache,
        PerfClass::SecondLevel,
        PerfClass::ThirdLevel,
        PerfClass::Memory,
        PerfClass::TensorUnits,
        PerfClass::AsyncCopies,
    ];

    /// Its number, as `VORTEX_PROFILING` and `vx_mpm_query` have it (`VX_types.toml`).
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            PerfClass::Core => 1,
            PerfClass::InstructionCache => 3,
            PerfClass::DataCache => 4,
            PerfClass::SecondLevel => 5,
            PerfClass::ThirdLevel => 6,
            PerfClass::Memory => 7,
            PerfClass::TensorUnits => 11,
            PerfClass::AsyncCopies => 16,
        }
    }

    /// The class of a number of [`PerfClass::number`], if it is known here.
    #[must_use]
    pub fn numbered(number: u32) -> Option<PerfClass> {
        Self::ALL.into_iter().find(|class| class.number() == number)
    }

    /// What it is about, in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PerfClass::Core => "the cores",
            PerfClass::InstructionCache => "instruction caches",
            PerfClass::DataCache => "data caches",
            PerfClass::SecondLevel => "the second level of cache",
            PerfClass::ThirdLevel => "the third level of cache",
            PerfClass::Memory => "memory",
            PerfClass::TensorUnits => "tensor units",
            PerfClass::AsyncCopies => "asynchronous copies",
        }
    }

    /// Its counters, by number.
    #[must_use]
    pub const fn counters(self) -> &'static [PerfCounter] {
        match self {
            PerfClass::Core => CORE,
            PerfClass::InstructionCache => INSTRUCTION_CACHE,
            PerfClass::DataCache => DATA_CACHE,
            PerfClass::SecondLevel | PerfClass::ThirdLevel => LEVEL,
            PerfClass::Memory => MEMORY,
            PerfClass::TensorUnits => TENSOR_UNITS,
            PerfClass::AsyncCopies => ASYNC_COPIES,
        }
    }
}

/// What is kept of the cycle model's figures for counters.
#[derive(Clone, Debug)]
pub(crate) struct LastRun {
    /// Without what instructions have cost.
    timing: TimingStats,
}

impl LastRun {
    pub(crate) fn of(timing: &TimingStats) -> Self {
        let timing = TimingStats {
            by_pc: Default::default(),
            busy_cycles: timing.busy_cycles.clone(),
            levels: timing.levels.clone(),
            ..*timing
        };
        Self { timing }
    }

    /// Cycles in which a core was busy.
    pub(crate) fn cycles(&self, core: u32) -> Option<u64> {
        self.timing.busy_cycles.get(core as usize).copied()
    }
}

/// A counter of a core, if it is known. Caches and local memory of one core among several are not: the cycle model
/// tells what they did together.
pub(crate) fn counter(
    config: &Config,
    core: &CoreState,
    last: Option<&LastRun>,
    class: PerfClass,
    number: u32,
) -> Option<u64> {
    if !config.generation.has(Generation::V3) {
        return None;
    }
    let executed = &core.executed;
    let known_now = match (class, number) {
        (PerfClass::Core, 0xb06) => Some(core.instructions),
        (PerfClass::Core, 0xb07) => Some(core.lane_instructions),
        _ => None,
    };
    let Some(LastRun { timing }) = last else {
        return known_now;
    };
    let alone = (config.cores == 1).then_some(timing);
    match class {
        PerfClass::Core => known_now.or(match number {
            0xb11 => Some(executed.branches),
            0xb12 => Some(executed.divergent),
            0xb13 => Some(executed.integer),
            0xb14 => Some(executed.float),
            0xb15 => Some(executed.memory),
            0xb16 => Some(executed.control),
            0xb1a => alone.map(|timing| timing.icache.reads),
            0xb1c => Some(executed.loading),
            0xb1e => Some(executed.storing),
            _ => None,
        }),
        PerfClass::InstructionCache => alone.and_then(|timing| match number {
            0xb03 => Some(timing.icache.reads),
            0xb04 => Some(timing.icache.read_misses),
            _ => None,
        }),
        PerfClass::DataCache => alone.and_then(|timing| of_cache(&timing.dcache, number)),
        PerfClass::SecondLevel => of_cache(timing.levels.first()?, number),
        PerfClass::ThirdLevel => of_cache(timing.levels.get(1)?, number),
        PerfClass::Memory => alone.and_then(|timing| match number {
            0xb07 => Some(timing.memory.local_reads),
            0xb08 => Some(timing.memory.local_writes),
            0xb0a => Some(timing.memory.more_turns),
            _ => None,
        }),
        PerfClass::TensorUnits | PerfClass::AsyncCopies => None,
    }
}

fn of_cache(cache: &CacheStats, number: u32) -> Option<u64> {
    match number {
        0xb03 => Some(cache.reads),
        0xb04 => Some(cache.writes),
        0xb05 => Some(cache.read_misses),
        0xb06 => Some(cache.write_misses),
        // Its cycles of stalls are not counted as the hardware counts them.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_numbers_of_their_own() {
        for class in PerfClass::ALL {
            assert_eq!(PerfClass::numbered(class.number()), Some(class));
            let numbers: Vec<u32> = class.counters().iter().map(|c| c.number).collect();
            assert!(
                numbers.is_sorted_by(|a, b| a < b),
                "{class:?}: {numbers:x?}"
            );
            // The tag of a register read has 5 bits for them.
            assert!(numbers.iter().all(|number| (0xb03..0xb20).contains(number)));
        }
        // Cycles and instructions are there in any class.
        assert_eq!(PerfClass::numbered(0), None);
    }
}
