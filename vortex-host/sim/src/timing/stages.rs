//! The differences between the pipelines of Vortex's generations, as data; they share everything else.

use super::RunShape;
use super::config::{LINE_BITS, TimingConfig};
use vortex_isa::Generation;

/// Lines that a core can ask for at once, at most.
pub(super) const CHANNELS: usize = 8;

/// Bytes that the coalescer asks for at a time, if it merges this many at most.
fn request_bytes(most: u32, threads: u32) -> u32 {
    let all = threads.next_power_of_two() * 4;
    let most = most.clamp(4, 1 << LINE_BITS).next_power_of_two();
    all.min(most).max(all / CHANNELS as u32)
}

/// A pipeline, where generations differ.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    /// Cycles from decode until a warp that it does not hold can be chosen again.
    pub(super) unlock: u64,
    /// A warp is passed over while as many of its instructions as its buffer holds are between fetch and issue, unless
    /// all warps are.
    pub(super) passes_over_full: bool,
    /// Float instructions that may set `fflags` wait for each other, and for accesses to that; or else an access to a
    /// float CSR waits for all that is under way.
    pub(super) flags_are_registers: bool,
    /// A slice continues with the warp that it issued of last, as long as that has something.
    pub(super) greedy: bool,
    /// Instructions that a slice's queue for a unit takes, if it is not the pair of registers that it was.
    pub(super) dispatch_queue: usize,
    /// An instruction is not issued while more than this are between issue and its unit.
    pub(super) credits: Option<u32>,
    /// Operand collectors of a slice, which share its warps.
    pub(super) collectors: usize,
    /// Cycles that a CSR access waits in its unit.
    pub(super) csr_wait: u8,
    /// Masks, warps and barriers change as their unit takes the instruction, and not as its result is taken.
    pub(super) control_at_once: bool,
    /// Barriers wait until the core's accesses to memory are done, and take a cycle longer to let warps continue.
    pub(super) barriers_drain: bool,
    /// The length of the load-store unit's queue, and the loads that it has under way.
    pub(super) requests: usize,
    pub(super) loads: usize,
    /// Bytes that the coalescer merges.
    pub(super) coalesced: u32,
    /// Requests of the coalescer that wait for answers.
    pub(super) coalescer: usize,
    /// A register is between the load-store unit's queue and the lanes of local memory, and none behind.
    pub(super) local_register: bool,
    pub(super) caches: CacheStages,
}

/// A level of caches, where generations differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CacheStages {
    /// There is a register before the first port of the caches of a core.
    pub(super) first_port: bool,
    /// Crossbars of one port have registers, too.
    pub(super) crossbars: bool,
    /// Loads that wait for a line are answered out of it as it comes in.
    pub(super) forwards: bool,
    /// Data caches keep what is written until they need the place.
    pub(super) write_back: bool,
    /// Caches have been emptied long before a program starts; or else they are as it does.
    pub(super) early_reset: bool,
    /// What main memory is done with goes through one queue, as it is simulated: one line in a cycle.
    pub(super) memory_queue: bool,
    /// Caches that are larger than the core's answer later; those behind the cores have two lines in a place, and the
    /// last of them keeps what is written, too.
    pub(super) large: bool,
}

impl CacheStages {
    /// How many stages later than in the shortest pipeline requests come to the data of a cache of this many bytes,
    /// which is `level` levels behind those of the cores.
    pub(super) fn deferred(&self, level: usize, size: u32) -> usize {
        let (usual, stages) = match level {
            0 => (16 << 10, 0),
            1 => (1 << 20, 2),
            _ => (2 << 20, 2),
        };
        let bits = |bytes: u32| bytes.max(1).next_power_of_two().trailing_zeros();
        match self.large {
            true => stages + bits(size).saturating_sub(bits(usual)) as usize,
            false => 0,
        }
    }
}

impl Stages {
    pub(super) fn new(config: &TimingConfig, shape: &RunShape) -> Stages {
        match config.generation {
            Generation::V2 => Stages::v2(config, shape),
            Generation::V3 => Stages::v3(config, shape),
        }
    }

    fn v2(config: &TimingConfig, shape: &RunShape) -> Stages {
        let coalesced = request_bytes(config.coalesced.unwrap_or(64), shape.threads);
        let loads = config.load_queue as usize;
        Stages {
            unlock: 1,
            passes_over_full: false,
            flags_are_registers: false,
            greedy: false,
            dispatch_queue: 2,
            credits: None,
            collectors: 1,
            csr_wait: 0,
            control_at_once: false,
            barriers_drain: false,
            requests: loads,
            loads,
            coalesced,
            coalescer: loads.max(coalesced as usize / 4),
            local_register: false,
            caches: CacheStages {
                first_port: false,
                crossbars: false,
                forwards: false,
                write_back: false,
                early_reset: false,
                memory_queue: false,
                large: false,
            },
        }
    }

    /// Of Vortex 3's `VX_config.toml`.
    fn v3(config: &TimingConfig, shape: &RunShape) -> Stages {
        let RunShape { warps, threads, .. } = *shape;
        let slices = config.issue_slices(warps);
        let threads = threads.next_power_of_two();
        let word = 4 << threads.trailing_zeros().div_ceil(2);
        let loads = config.load_queue.max((2 * warps).min(32)) as usize;
        Stages {
            unlock: 2,
            passes_over_full: true,
            flags_are_registers: true,
            greedy: true,
            dispatch_queue: 4,
            credits: Some(2),
            collectors: (warps / (4 * slices)).max(1) as usize,
            csr_wait: 1,
            control_at_once: true,
            barriers_drain: true,
            requests: 4,
            loads,
            coalesced: request_bytes(config.coalesced.unwrap_or(word), threads),
            coalescer: loads.max(threads.min(16) as usize),
            local_register: true,
            caches: CacheStages {
                first_port: true,
                crossbars: true,
                forwards: true,
                write_back: shape.cores == 1 && config.l2.is_none() && config.l3.is_none(),
                early_reset: true,
                memory_queue: true,
                large: true,
            },
        }
    }
}
