//! What can be set in the cycle model.

use vortex_isa::Generation;

/// Bytes in a line, as a power of two.
pub(super) const LINE_BITS: u32 = 6;

/// The hardware behind the instruction set: units, latencies, caches and memory. Cycles are cycles of the core's clock;
/// a unit of this many stages gives its result as many cycles after it took the operands, and takes others in each
/// cycle.
///
/// The default is Vortex 2 as its hardware description is configured by default (`hw/rtl/VX_config.vh`) and simulated
/// under Verilator, which is what the model can be compared with; [`TimingConfig::of`] has each generation's, Vortex
/// 3's from its `VX_config.toml`. On an FPGA or a chip integers are divided one bit per cycle: see [`Divider`].
///
/// A field may have the values that its row of [`KNOBS`](super::KNOBS) says; with others no device can be made
/// ([`ConfigError::Timing`](crate::ConfigError::Timing)).
///
/// ```
/// use vortex_sim::timing::TimingConfig;
/// use vortex_sim::{Config, Generation, Machine, Model};
///
/// let mut timing = TimingConfig::of(Generation::V3);
/// timing.float_multiply_add = 4;
/// timing.set("l2.size", Some("512K"))?;
/// let machine = Machine::new(Config {
///     generation: Generation::V3,
///     model: Model::Cycle(Box::new(timing)),
///     ..Config::with_shape(2, 4, 8)
/// })?;
/// assert_eq!(
///     machine.config().model.name(Generation::V3),
///     "cycle,float_multiply_add=4,l2=true,l2.size=524288"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimingConfig {
    /// The generation of this pipeline: its stages, and everything that cannot be set.
    pub generation: Generation,
    /// Warps per issue slice: a core issues `max(1, warps / this)` instructions per cycle
    /// ([`TimingConfig::issue_slices`]), warp `w` in slice `w % slices`. 8 on Vortex 2, 16 on Vortex 3 (`ISSUE_WIDTH`).
    pub warps_per_slice: u32,
    /// Decoded instructions that a warp keeps in its buffer: 4 (`IBUF_SIZE`).
    pub instruction_buffer: u32,
    /// Banks of a slice's register file: 4 (`NUM_BANKS` of `VX_operands.sv`; `NUM_GPR_BANKS`). Register n is in bank n
    /// modulo this; operands in the same bank are read one after the other, a cycle each.
    pub register_banks: u32,
    /// Stages of the multiplier: 4 on Vortex 2, 3 on Vortex 3 (`LATENCY_IMUL`).
    pub multiply: u32,
    /// How integers are divided.
    pub divider: Divider,
    /// Stages of float add, subtract, multiply and fused multiply-add: 4 on Vortex 2, 8 on Vortex 3 (`LATENCY_FMA`,
    /// `FMA_LATENCY`).
    pub float_multiply_add: u32,
    /// Stages of float division: 15, as where simulations compute it (`LATENCY_FDIV` with `FPU_DPI`).
    pub float_divide: u32,
    /// Stages of the square root: 10, likewise (`LATENCY_FSQRT`).
    pub float_square_root: u32,
    /// Stages of conversions between float and integer: 5 (`LATENCY_FCVT`).
    pub float_convert: u32,
    /// Stages of float compare, classify, move, sign injection, min and max: 2 (`LATENCY_FNCP`).
    pub float_misc: u32,
    /// Float instructions that a slice's unit works on at once: 2 (`FPUQ_SIZE`).
    pub float_queue: u32,
    /// Loads that a core has in flight before the coalescer; on Vortex 2 also the length of its request queue. 2 on
    /// Vortex 2 (`LSUQ_IN_SIZE`); Vortex 3 has 8 at least, two for each warp, up to 32 (`LSU_PENDING_SIZE`).
    pub load_queue: u32,
    /// Bytes that the coalescer merges at most, a power of two from 4 to 64: it makes requests of
    /// `min(4 * lanes, this)` bytes, at most eight at a time. `None`: 64 on Vortex 2; on Vortex 3 what makes about as
    /// many requests as words in each, 8 bytes for 4 lanes.
    pub coalesced: Option<u32>,
    /// Cores that share a socket: its caches and its way to memory. 4 at most on Vortex 2, 1 on Vortex 3
    /// (`SOCKET_SIZE`).
    pub cores_per_socket: u32,
    /// The instruction cache of a socket.
    pub icache: CacheConfig,
    /// The data cache of a socket: write-through, no allocation on writes; but on a device of Vortex 3 with one core
    /// and no further cache, lines are written back when their place is needed. It has one bank per request that a core
    /// can make in a cycle (a request is a line of up to 64 bytes), at most 16.
    pub dcache: CacheConfig,
    /// The second level: a cache between all sockets and what follows. `None`, the default: it does not exist.
    pub l2: Option<CacheConfig>,
    /// The third level: a cache between that and memory. `None`, the default: it does not exist.
    pub l3: Option<CacheConfig>,
    /// Main memory, with its timing.
    pub dram: DramConfig,
}

/// An integer divider. The hardware description has two: which one is there depends on what it is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// As in simulations, where the host divides (`IDIV_DPI`): results leave a pipeline.
    Pipelined {
        /// Its stages: a division may begin in each cycle, and is done as many later.
        stages: u32,
    },
    /// As in hardware (`VX_serial_div.sv`): one division at a time.
    Serial {
        /// Cycles that a division takes, in which no other begins: one per bit, and one to load the operands.
        cycles: u32,
    },
}

impl Divider {
    /// What simulations of Vortex 2 divide with: 4 stages, as fast as they multiply.
    #[must_use]
    pub const fn simulated() -> Divider {
        Divider::Pipelined { stages: 4 }
    }

    /// What Vortex on an FPGA or a chip divides with: 33 cycles, one after the other.
    #[must_use]
    pub const fn serial() -> Divider {
        Divider::Serial { cycles: 33 }
    }

    /// How long a division is inside.
    pub(super) const fn cycles(self) -> u32 {
        match self {
            Divider::Pipelined { stages } => stages,
            Divider::Serial { cycles } => cycles,
        }
    }
}

/// A cache. Lines are 64 bytes, the oldest line of a set is replaced. Its defaults are [`CacheConfig::l1`],
/// [`CacheConfig::l2`] and [`CacheConfig::l3`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// Bytes that it holds, in all of its banks: a power of two.
    pub size: u32,
    /// Lines of a set: how many lines with the same place it can hold. A power of two.
    pub ways: u32,
    /// Requests per bank that wait for memory (`MSHR_SIZE`).
    pub misses: u32,
    /// Requests to memory that a bank queues (`MREQ_SIZE`): 3 at least, as what is on its way through the bank may need
    /// a place; as many as misses where lines are written back.
    pub memory_queue: u32,
}

/// Main memory: HBM2, as Ramulator 2 models it for Vortex's simulators (`sim/common/dram_sim.cpp`). Times are in cycles
/// of the memory, which has the core's clock. In parentheses is what Ramulator 2 calls them (`src/dram/impl/HBM2.cpp`),
/// by whose preset `HBM2_2Gbps` the default goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DramConfig {
    /// Channels, of two pseudo channels each: neighbouring bursts of 16 bytes lie in different ones.
    pub channels: u32,
    /// Cycles in which a burst of 16 bytes moves (nBL).
    pub burst: u32,
    /// Cycles from a read command to its data (nCL).
    pub read_latency: u32,
    /// Cycles from a write command to its data (nCWL).
    pub write_latency: u32,
    /// Cycles from opening a row to reading or writing it (nRCDRD, nRCDWR).
    pub activate_to_access: u32,
    /// Cycles from opening a row to closing it, at least (nRAS).
    pub activate_to_precharge: u32,
    /// Cycles from closing a row to opening one in that bank (nRP).
    pub precharge: u32,
    /// Cycles between openings of rows in one bank, at least (nRC).
    pub row_cycle: u32,
    /// Cycles between openings in one pseudo channel, at least (nRRDS).
    pub activate_to_activate: u32,
    /// Cycles between openings in one bank group, at least (nRRDL).
    pub activate_to_activate_group: u32,
    /// Cycles in which at most four rows of a pseudo channel are opened (nFAW).
    pub four_activations: u32,
    /// Cycles between reads, and between writes, in one bank group, at least (nCCDL).
    pub access_to_access_group: u32,
    /// Cycles from a read to closing its row, at least (nRTPL).
    pub read_to_precharge: u32,
    /// Cycles from the end of a write's data to closing its row, at least (nWR).
    pub write_recovery: u32,
    /// Cycles from the end of a write's data to a read in its pseudo channel, at least (nWTRS).
    pub write_to_read: u32,
    /// The same within a bank group (nWTRL).
    pub write_to_read_group: u32,
}

impl TimingConfig {
    /// The default hardware of a generation.
    #[must_use]
    pub fn of(generation: Generation) -> TimingConfig {
        match generation {
            Generation::V2 => TimingConfig::default(),
            Generation::V3 => TimingConfig {
                generation,
                warps_per_slice: 16,
                multiply: 3,
                divider: Divider::Pipelined { stages: 3 },
                float_multiply_add: 8,
                load_queue: 8,
                cores_per_socket: 1,
                ..TimingConfig::default()
            },
        }
    }

    /// Issue slices of a core with this many warps, which are the instructions that it issues in a cycle at most. One
    /// at least.
    #[must_use]
    pub fn issue_slices(&self, warps: u32) -> u32 {
        (warps / self.warps_per_slice.max(1)).max(1)
    }

    /// This hardware on a device of a generation, if it can be: what is a generation's default except for its divider
    /// and the caches behind its cores is another's with those.
    #[must_use]
    pub fn on(&self, generation: Generation) -> Option<TimingConfig> {
        if self.generation == generation {
            return Some(self.clone());
        }
        let (mine, other) = (
            TimingConfig::of(self.generation),
            TimingConfig::of(generation),
        );
        let divider = match self.divider == mine.divider {
            true => other.divider,
            false => self.divider,
        };
        let with = |default: TimingConfig, divider| TimingConfig {
            divider,
            l2: self.l2.clone(),
            l3: self.l3.clone(),
            ..default
        };
        (*self == with(mine, self.divider)).then(|| with(other, divider))
    }
}

impl Default for TimingConfig {
    fn default() -> Self {
        TimingConfig {
            generation: Generation::V2,
            warps_per_slice: 8,
            instruction_buffer: 4,
            register_banks: 4,
            multiply: 4,
            divider: Divider::simulated(),
            float_multiply_add: 4,
            float_divide: 15,
            float_square_root: 10,
            float_convert: 5,
            float_misc: 2,
            float_queue: 2,
            load_queue: 2,
            coalesced: None,
            cores_per_socket: 4,
            icache: CacheConfig::l1(),
            dcache: CacheConfig::l1(),
            l2: None,
            l3: None,
            dram: DramConfig::default(),
        }
    }
}

impl CacheConfig {
    /// Vortex 2's first level, and except for the last number Vortex 3's: 16 KiB, 4 ways, 16 misses, 4 requests to
    /// memory.
    #[must_use]
    pub const fn l1() -> CacheConfig {
        CacheConfig {
            size: 16 << 10,
            ways: 4,
            misses: 16,
            memory_queue: 4,
        }
    }

    /// The second level where one is built in, likewise: 1 MiB, 8 ways, 16 misses, 4 requests to memory.
    #[must_use]
    pub const fn l2() -> CacheConfig {
        CacheConfig {
            size: 1 << 20,
            ways: 8,
            misses: 16,
            memory_queue: 4,
        }
    }

    /// The third level, likewise: 2 MiB, and otherwise as [`CacheConfig::l2`].
    #[must_use]
    pub const fn l3() -> CacheConfig {
        CacheConfig {
            size: 2 << 20,
            ..CacheConfig::l2()
        }
    }
}

impl DramConfig {
    /// More cycles than memory takes for a line, with everything that it may have to wait for.
    pub(super) fn slowest_line(&self) -> u64 {
        let times = [
            self.burst,
            self.read_latency,
            self.write_latency,
            self.activate_to_access,
            self.activate_to_precharge,
            self.precharge,
            self.row_cycle,
            self.activate_to_activate,
            self.activate_to_activate_group,
            self.four_activations,
            self.access_to_access_group,
            self.read_to_precharge,
            self.write_recovery,
            self.write_to_read,
            self.write_to_read_group,
        ];
        4 * times.into_iter().map(u64::from).sum::<u64>()
    }
}

impl Default for DramConfig {
    /// Two channels of HBM2 at 2 Gb/s per pin: Ramulator 2's `HBM2_2Gbps`.
    fn default() -> Self {
        DramConfig {
            channels: 2,
            burst: 4,
            read_latency: 7,
            write_latency: 2,
            activate_to_access: 7,
            activate_to_precharge: 17,
            precharge: 7,
            row_cycle: 19,
            activate_to_activate: 2,
            activate_to_activate_group: 3,
            four_activations: 15,
            access_to_access_group: 2,
            read_to_precharge: 3,
            write_recovery: 8,
            write_to_read: 3,
            write_to_read_group: 4,
        }
    }
}
