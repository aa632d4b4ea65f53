//! What can be set in the cycle model.

use vortex_isa::Generation;

/// Bytes in a line, as a power of two.
pub(super) const LINE_BITS: u32 = 6;

/// The hardware behind the instruction set: units, latencies, caches and memory. Cycles are cycles of the core's clock.
///
/// The default is Vortex 2 as its hardware description is configured by default and simulated under Verilator, which
/// is what the model can be held against; [`TimingConfig::of`] has each generation's. On an FPGA or a chip integers are
/// divided one bit per cycle: see [`Divider`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimingConfig {
    /// The generation whose pipeline this is: its stages, and what nobody sets.
    pub generation: Generation,
    /// Warps per issue slice: a core issues `max(1, warps / this)` instructions per cycle
    /// ([`TimingConfig::issue_slices`]), warp `w` in slice `w % slices`.
    pub warps_per_slice: u32,
    /// Decoded instructions that a warp keeps in its buffer.
    pub instruction_buffer: u32,
    /// Banks of a slice's register file; operands in the same bank are read one after the other.
    pub register_banks: u32,
    /// Stages of the multiplier.
    pub multiply: u32,
    /// How integers are divided.
    pub divider: Divider,
    /// Stages of float add, subtract, multiply and fused multiply-add.
    pub float_multiply_add: u32,
    /// Stages of float division.
    pub float_divide: u32,
    /// Stages of the square root.
    pub float_square_root: u32,
    /// Stages of conversions between float and integer.
    pub float_convert: u32,
    /// Stages of float compare, classify, move, sign injection, min and max.
    pub float_misc: u32,
    /// Float instructions that a slice's unit works on at once.
    pub float_queue: u32,
    /// Loads that a core has under way before the coalescer; on Vortex 2 also the length of its request queue. Vortex 3
    /// has two for each warp at least, up to 32.
    pub load_queue: u32,
    /// Bytes that the coalescer merges at most, a power of two from 4 to 64: it makes requests of
    /// `min(4 * lanes, this)` bytes, at most eight at a time. `None`: 64 on Vortex 2; on Vortex 3 what makes about as
    /// many requests as words in each, 8 bytes for 4 lanes.
    pub coalesced: Option<u32>,
    /// Cores that share a socket: its caches and its way to memory.
    pub cores_per_socket: u32,
    /// The instruction cache of a socket.
    pub icache: CacheConfig,
    /// The data cache of a socket: write-through, no allocation on writes; but on a device of Vortex 3 with one core
    /// and no cache behind, lines are written back when their place is needed. Its banks are one per request that a
    /// core can make in a cycle (a request is a line of up to 64 bytes), at most 16.
    pub dcache: CacheConfig,
    /// The cache behind all sockets. Off by default.
    pub l2: Option<CacheConfig>,
    /// The cache between L2 and memory. Off by default.
    pub l3: Option<CacheConfig>,
    /// Main memory.
    pub dram: DramConfig,
}

/// An integer divider. The hardware description has two: which one is there depends on what it is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// As in simulations, where the host divides: results leave a pipeline of this many stages.
    Pipelined {
        /// Its stages.
        stages: u32,
    },
    /// As in hardware: one division at a time, which takes this many cycles.
    Serial {
        /// One per bit, and one to load the operands.
        cycles: u32,
    },
}

impl Divider {
    /// What simulations of Vortex divide with: as fast as they multiply.
    #[must_use]
    pub const fn simulated() -> Divider {
        Divider::Pipelined { stages: 4 }
    }

    /// What Vortex on an FPGA or a chip divides with.
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

/// A cache. Lines are 64 bytes, the oldest line of a set is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// Bytes.
    pub size: u32,
    /// Lines per set.
    pub ways: u32,
    /// Requests per bank that wait for memory.
    pub misses: u32,
    /// Requests to memory that a bank queues: 3 at least, as what is on its way through the bank may need a place; as
    /// many as misses where lines are written back.
    pub memory_queue: u32,
}

/// Main memory. Times are in cycles, which are the memory's too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DramConfig {
    /// Channels, interleaved by line.
    pub channels: u32,
    /// Data transfer of a burst.
    pub burst: u32,
    /// From read command to data.
    pub read_latency: u32,
    /// From write command to data.
    pub write_latency: u32,
    /// From opening a row to reading or writing it.
    pub activate_to_access: u32,
    /// From opening a row to closing it.
    pub activate_to_precharge: u32,
    /// From closing a row to opening one.
    pub precharge: u32,
    /// Between openings in one bank.
    pub row_cycle: u32,
    /// Between openings in one pseudo channel.
    pub activate_to_activate: u32,
    /// Between openings in one bank group.
    pub activate_to_activate_group: u32,
    /// In which at most four rows of a pseudo channel are opened.
    pub four_activations: u32,
    /// Between accesses in one bank group.
    pub access_to_access_group: u32,
    /// From a read to closing its row.
    pub read_to_precharge: u32,
    /// From the data of a write to closing its row.
    pub write_recovery: u32,
    /// From the data of a write to a read.
    pub write_to_read: u32,
    /// The same within a bank group.
    pub write_to_read_group: u32,
}

impl TimingConfig {
    /// The hardware of a generation as it is by default.
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

    /// Issue slices of a core with so many warps: instructions that it issues in a cycle.
    #[must_use]
    pub fn issue_slices(&self, warps: u32) -> u32 {
        (warps / self.warps_per_slice.max(1)).max(1)
    }

    /// This hardware on a device of a generation, if it can be: what is a generation's default but for its divider and
    /// the caches behind its cores is another's with those.
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
    /// 16 KiB, 4 ways.
    #[must_use]
    pub const fn l1() -> CacheConfig {
        CacheConfig {
            size: 16 << 10,
            ways: 4,
            misses: 16,
            memory_queue: 4,
        }
    }

    /// 1 MiB, 8 ways.
    #[must_use]
    pub const fn l2() -> CacheConfig {
        CacheConfig {
            size: 1 << 20,
            ways: 8,
            misses: 16,
            memory_queue: 4,
        }
    }

    /// 2 MiB, 8 ways.
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
    /// Two channels of HBM2 at 2 Gb/s per pin.
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
