//! Vortex's performance counters: what software reads from CSR 0xB03 on.

use super::lsu::Lsu;
use super::memory::Memory;
use super::stats::{CacheStats, Stalls};
use vortex_isa::csr;

/// The counters of a core, by number from `mcycle` on: the first three count in any class, elsewhere.
pub(crate) type Counters = [u64; csr::COUNTERS as usize];

/// What the performance counters of a device count. Programs read them from CSRs 0xB03 to 0xB1F (high halves 0x80
/// higher), and Vortex's own leave them where [`Machine::dumped`](crate::Machine::dumped) finds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CounterClass {
    /// Nothing: all are zero.
    #[default]
    None,
    /// Class 1 of Vortex 2's `VX_types.vh`, the core: cycles of stalls by stage, and by what the next instruction waits
    /// for; fetches, loads and stores, and cycles that they took in sum.
    Core,
    /// Class 2, the memory system: what caches, main memory, local memory and the coalescer did, and cycles that they
    /// held requests back.
    Memory,
}

impl CounterClass {
    /// The class that Vortex 2's device configuration register 5 (`VX_DCR_BASE_MPM_CLASS`) selects with a value: 1 and
    /// 2 are classes; other numbers are not.
    #[must_use]
    pub const fn from_register(value: u32) -> CounterClass {
        match value {
            1 => CounterClass::Core,
            2 => CounterClass::Memory,
            _ => CounterClass::None,
        }
    }
}

/// What a core counts besides its stalls.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CoreCounts {
    /// Cycles in which no warp could be chosen, and in which the chosen one could not be fetched.
    pub(super) scheduler_idle: u64,
    pub(super) scheduler_stalls: u64,
    /// Cycles in which a fetched instruction found its warp's buffer full.
    pub(super) buffer_stalls: u64,
    /// Of the stalls for a control unit's result, those for a CSR's.
    pub(super) csr_stalls: u64,
    pub(super) fetches: u64,
    /// Fetches under way, and the sum of that over all cycles.
    pub(super) fetching: u64,
    pub(super) fetch_latency: u64,
}

/// The counters of class 1, from 0xB03 on, by the numbers of Vortex 2's `VX_types.vh`.
pub(super) fn of_core(
    counts: &CoreCounts,
    stalls: &Stalls,
    register_conflicts: u64,
    lsu: &Lsu,
) -> Counters {
    let traffic = &lsu.traffic;
    from_third([
        counts.scheduler_idle,
        counts.scheduler_stalls,
        counts.buffer_stalls,
        stalls.alu + stalls.fpu + stalls.memory + stalls.sfu,
        register_conflicts,
        stalls.alu,
        stalls.fpu,
        stalls.memory,
        stalls.sfu,
        counts.csr_stalls,
        stalls.sfu - counts.csr_stalls,
        counts.fetches,
        traffic.loads,
        traffic.stores,
        counts.fetch_latency,
        traffic.latency,
    ])
}

/// The counters of class 2, from 0xB03 on: as a core sees them, with what it shares with others. Numbers are those of
/// Vortex 2's `VX_types.vh`, where the last two stand before local memory's and have higher numbers.
pub(super) fn of_memory(memory: &Memory, socket: usize, lsu: &Lsu) -> Counters {
    let (icache, dcache) = memory.of_socket(socket);
    let cache = |stats: &CacheStats| {
        [
            stats.reads,
            stats.writes,
            stats.read_misses,
            stats.write_misses,
            stats.bank_stalls,
            stats.miss_stalls,
        ]
    };
    let level = |level: usize| memory.level(level).map_or([0; 6], cache);
    let dram = memory.dram();
    let mut all = [0; 29];
    all[..3].copy_from_slice(&[icache.reads, icache.read_misses, icache.miss_stalls]);
    all[3..9].copy_from_slice(&cache(dcache));
    all[9..15].copy_from_slice(&level(0));
    all[15..21].copy_from_slice(&level(1));
    all[21..].copy_from_slice(&[
        dram.reads,
        dram.writes,
        dram.latency,
        lsu.stats.local_reads,
        lsu.stats.local_writes,
        lsu.stats.local_conflicts,
        dram.full,
        lsu.stats.more_turns,
    ]);
    from_third(all)
}

fn from_third<const N: usize>(values: [u64; N]) -> Counters {
    let mut counters = Counters::default();
    for (counter, value) in counters[3..].iter_mut().zip(values) {
        *counter = value;
    }
    counters
}
