//! What the cycle model reports.

use crate::sums;
use std::collections::BTreeMap;
use std::fmt;

sums! {
    /// What a cache did in a run, or several caches together. It counts requests, which are fetches, what the coalescer
    /// made of a load or store, or come from the level before: not lanes.
    pub struct CacheStats {
        /// Requests that load.
        pub reads: u64,
        /// Those of [`CacheStats::reads`] that did not find their line, or found it under way.
        pub read_misses: u64,
        /// Requests that store.
        pub writes: u64,
        /// Those of [`CacheStats::writes`] that did not find their line.
        pub write_misses: u64,
        /// Cycles in which a request was held back because too many misses were under way, summed over the banks.
        pub miss_stalls: u64,
        /// Cycles in which a request was held back because the queue towards memory was full, likewise.
        pub memory_stalls: u64,
        /// Requests held back in a cycle because another went to the same bank, summed over the cycles.
        pub bank_stalls: u64,
        /// Accesses that went before an earlier one to the same word that waited for its line, if one of both stores:
        /// the hardware gives other results then, unless they are of different bytes of the word. Version 3 of Vortex
        /// can do so, as of d76b7f24e.
        pub overtaken: u64,
    }
}

sums! {
    /// Accesses to memory as the load-store units saw them.
    pub struct MemoryStats {
        /// Loads, stores and atomics (of warps) with lanes outside of local memory.
        pub accesses: u64,
        /// Lanes of those.
        pub lanes: u64,
        /// Requests that the coalescer made of them.
        pub requests: u64,
        /// Turns of the coalescer beyond an access's first, because its lanes were in several lines.
        pub more_turns: u64,
        /// Lanes that read local memory.
        pub local_reads: u64,
        /// Lanes that wrote local memory.
        pub local_writes: u64,
        /// Times that a lane waited for another's access to the same bank of local memory.
        pub local_conflicts: u64,
    }
}

/// Hands the causes for which an issue slot stays empty to a macro, each with what it means. They are tried in this
/// order, so that each cycle counts once. It is exported for the profiles of `vortex-host`, which have the same causes.
#[doc(hidden)]
#[macro_export]
macro_rules! stall_causes {
    ($make:ident) => {
        $make! {
            /// An instruction could issue, but the next stage was full: register banks, dispatch, or a busy unit.
            busy,
            /// All instructions at hand waited for a result of the integer unit.
            alu,
            /// As above, of the float unit.
            fpu,
            /// As above, of a load.
            memory,
            /// As above, of a CSR or control instruction.
            sfu,
            /// No instruction at hand, warps at a barrier or waiting to spawn others.
            barrier,
            /// No instruction at hand, warps waiting for a branch, mask or float CSR instruction to take effect.
            control,
            /// No instruction at hand, instructions being fetched.
            fetch,
            /// All warps had ended or were not started.
            idle,
        }
    };
}

macro_rules! stalls {
    ($($(#[$doc:meta])* $cause:ident,)+) => {
        sums! {
            /// Cycles in which an issue slice issued nothing, by cause. The causes are tried in this order, so that
            /// each cycle counts once.
            pub struct Stalls {
                $($(#[$doc])* pub $cause: u64,)+
            }
        }

        impl Stalls {
            /// Cycles of all causes together.
            #[must_use]
            pub fn total(&self) -> u64 {
                self.by_cause().iter().map(|(_, cycles)| cycles).sum()
            }

            /// Cycles by the names of their causes, which are those of the fields, in their order.
            #[must_use]
            pub fn by_cause(&self) -> [(&'static str, u64); 9] {
                [$((stringify!($cause), self.$cause)),+]
            }
        }
    };
}

stall_causes!(stalls);

sums! {
    /// What happened at an instruction of the program, in all warps of all cores.
    pub struct PcStats {
        /// Times that a warp executed it.
        pub executed: u64,
        /// Lanes that executed it.
        pub lanes: u64,
        /// Cycles in which a slice issued nothing because of it: it was the next to issue, or being fetched, or its
        /// warp could not go on before it took effect.
        pub stalls: Stalls,
        /// Times that it accessed memory outside of local memory.
        pub accesses: u64,
        /// Requests to the data cache that the coalescer made of those.
        pub requests: u64,
        /// Of these requests, those that load and were answered by the data cache.
        pub loads: u64,
        /// Those of [`PcStats::loads`] whose line was not there.
        pub load_misses: u64,
        /// Those of [`PcStats::loads`] of [`CacheStats::overtaken`].
        pub overtaking: u64,
    }
}

impl PcStats {
    /// Active lanes each time it was executed, on average; 0 if it never was.
    #[must_use]
    pub fn active_lanes(&self) -> f64 {
        self.lanes as f64 / self.executed.max(1) as f64
    }

    /// Requests to the data cache per access; 1 when all lanes are in one line.
    #[must_use]
    pub fn requests_per_access(&self) -> f64 {
        self.requests as f64 / self.accesses.max(1) as f64
    }

    /// Loads that found their line in the data cache, of all: 0 to 1; `None` without loads.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.loads > 0).then(|| 1.0 - self.load_misses as f64 / self.loads as f64)
    }
}

/// Counters of a run of the cycle model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimingStats {
    /// Cycles from the start of the run until all warps had ended.
    pub cycles: u64,
    /// Cycles in which each core was busy, by number; on Vortex 2, where cores do not say, all of the run's.
    pub busy_cycles: Vec<u64>,
    /// Instructions executed, of warps.
    pub instructions: u64,
    /// Instructions executed, of lanes.
    pub lane_instructions: u64,
    /// Cycles without issue, summed over all slices of all cores.
    pub stalls: Stalls,
    /// Cycles in which an operand had to wait for another in the same register bank, summed over the slices.
    pub register_conflicts: u64,
    /// The instruction caches of all sockets together.
    pub icache: CacheStats,
    /// The data caches of all sockets together.
    pub dcache: CacheStats,
    /// The second and third level of cache, as far as there are any, in this order.
    pub levels: Vec<CacheStats>,
    /// Coalescing and local memory, of all cores together.
    pub memory: MemoryStats,
    /// The instructions that were executed or waited for, by address.
    pub by_pc: BTreeMap<u32, PcStats>,
}

impl TimingStats {
    /// The caches, by their names: those of sockets, then the levels that there are after them.
    pub fn caches(&self) -> impl Iterator<Item = (&'static str, &CacheStats)> {
        let first = [
            ("instruction cache", &self.icache),
            ("data cache", &self.dcache),
        ];
        let names = ["second level", "third level"];
        first.into_iter().chain(names.into_iter().zip(&self.levels))
    }

    /// Instructions of warps per cycle of the device, over all cores.
    #[must_use]
    pub fn ipc(&self) -> f64 {
        self.instructions as f64 / self.cycles.max(1) as f64
    }

    /// Active lanes per instruction of a warp, on average.
    #[must_use]
    pub fn active_lanes(&self) -> f64 {
        self.lane_instructions as f64 / self.instructions.max(1) as f64
    }

    /// Requests to the data cache per access of a warp; 1 when all accesses coalesce.
    #[must_use]
    pub fn requests_per_access(&self) -> f64 {
        self.memory.requests as f64 / self.memory.accesses.max(1) as f64
    }
}

/// A part of a whole, in percent.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl CacheStats {
    /// Loads that found their line, of all: 0 to 1, and 1 without loads.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        1.0 - self.read_misses as f64 / self.reads.max(1) as f64
    }
}

impl fmt::Display for TimingStats {
    /// A few lines for people: where the cycles went, not how many there were.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slices = self.stalls.total() + self.instructions;
        write!(
            out,
            "IPC {:.2}, active lanes per instruction {:.1}",
            self.ipc(),
            self.active_lanes()
        )?;
        write!(
            out,
            "\nissue slots: {:.1}% used",
            percent(self.instructions, slices)
        )?;
        let mut causes = self.stalls.by_cause();
        causes.sort_by_key(|&(_, cycles)| std::cmp::Reverse(cycles));
        for (cause, cycles) in causes
            .into_iter()
            .filter(|&(_, cycles)| percent(cycles, slices) >= 0.05)
        {
            write!(out, ", {cause} {:.1}%", percent(cycles, slices))?;
        }
        for (name, cache) in self
            .caches()
            .filter(|(_, cache)| cache.reads + cache.writes > 0)
        {
            write!(
                out,
                "\n{name}: {} reads, {:.1}% hits, {} writes",
                cache.reads,
                100.0 * cache.hit_rate(),
                cache.writes
            )?;
        }
        if self.dcache.overtaken > 0 {
            write!(
                out,
                "\nhazards: {} accesses go before an earlier one to the same word in the data cache, and hardware \
                 gives other results there (docs/hardware.md)",
                self.dcache.overtaken
            )?;
        }
        let memory = &self.memory;
        if memory.accesses > 0 {
            write!(
                out,
                "\naccesses: {}, {:.2} requests each",
                memory.accesses,
                self.requests_per_access()
            )?;
        }
        if memory.local_reads + memory.local_writes > 0 {
            let MemoryStats {
                local_reads,
                local_writes,
                local_conflicts,
                ..
            } = memory;
            write!(
                out,
                "\nlocal memory: {local_reads} reads, {local_writes} writes, {local_conflicts} bank conflicts"
            )?;
        }
        Ok(())
    }
}
