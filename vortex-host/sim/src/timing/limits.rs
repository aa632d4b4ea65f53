//! What a device of the cycle model can do at best.

use super::config::{Divider, LINE_BITS, TimingConfig};

use super::stages::Stages;
use super::uop::{Decoded, Kind, Unit};
use super::{Lsu, RunShape};
use vortex_isa::Inst;

/// What a device of the cycle model can do at best. Rates are per cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Cores of the device.
    pub cores: u32,
    /// Lanes of a warp.
    pub threads: u32,
    /// Instructions that a core issues in a cycle: its issue slices.
    pub slices: u32,
    /// Bytes that main memory moves in a cycle, in whole lines.
    pub memory_bytes: f64,
    /// Bytes of a request of the coalescer, which merges lanes that access the same block of this size.
    pub coalesced_bytes: u32,
    /// Requests that the coalescer makes in one turn.
    pub coalesced_requests: u32,
    /// Bytes of the instruction cache of a socket.
    pub icache_bytes: u32,
    /// Bytes of the data cache of a socket.
    pub dcache_bytes: u32,
    units: Units,
}

/// How long instructions keep a unit busy.
#[derive(Clone, Debug, Default, PartialEq)]
struct Units {
    float_queue: u32,
    float_multiply_add: u32,
    float_divide: u32,
    float_square_root: u32,
    float_convert: u32,
    float_misc: u32,
    divide: u32,
}

/// A unit that instructions are sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExecutionUnit {
    /// Integers, branches, votes and shuffles. Its name in Vortex, as those of the others: arithmetic-logic unit.
    Alu,
    /// Floats: the floating-point unit.
    Fpu,
    /// Loads, stores, atomics and fences: the load-store unit.
    Lsu,
    /// CSRs, masks and barriers: the special function unit.
    Sfu,
}

/// Cycles between the turns of the coalescer, at least.
const COALESCER_TURN: u32 = 2;

/// Cycles that a float instruction is inside besides its stages.
const FLOAT_EXTRA: u32 = 2;

impl Limits {
    pub(super) fn new(config: &TimingConfig, stages: &Stages, shape: &RunShape) -> Limits {
        let dram = &config.dram;
        // Of the bursts of 16 bytes that make a line, one enters the controllers in a cycle, and each of two pseudo
        // channels of a channel is busy with it for so long.
        let bursts = (2.0 * f64::from(dram.channels) / f64::from(dram.burst.max(1))).min(1.0);
        Limits {
            cores: shape.cores,
            threads: shape.threads,
            slices: config.issue_slices(shape.warps),
            memory_bytes: bursts * f64::from(1u32 << LINE_BITS) / 4.0,
            coalesced_bytes: stages.coalesced,
            coalesced_requests: Lsu::channels(stages, shape.threads) as u32,
            icache_bytes: config.icache.size,
            dcache_bytes: config.dcache.size,
            units: Units {
                float_queue: config.float_queue.max(1),
                float_multiply_add: config.float_multiply_add,
                float_divide: config.float_divide,
                float_square_root: config.float_square_root,
                float_convert: config.float_convert,
                float_misc: config.float_misc,
                divide: match config.divider {
                    Divider::Pipelined { .. } => 1,
                    serial @ Divider::Serial { .. } => serial.cycles() + 1,
                },
            },
        }
    }

    /// The unit that an instruction is sent to, and for how many cycles it keeps that from other warps: at least, if
    /// accesses need one turn.
    #[must_use]
    pub fn unit(&self, inst: &Inst) -> (ExecutionUnit, f64) {
        let decoded = Decoded::new(inst, 1, false);
        let units = &self.units;
        let float = |stages: u32| f64::from(stages + FLOAT_EXTRA) / f64::from(units.float_queue);
        let unit = match decoded.unit {
            Unit::Alu => ExecutionUnit::Alu,
            Unit::Fpu => ExecutionUnit::Fpu,
            Unit::Lsu => ExecutionUnit::Lsu,
            Unit::Sfu => ExecutionUnit::Sfu,
        };
        let cycles = match decoded.kind {
            Kind::FloatMultiplyAdd => float(units.float_multiply_add),
            Kind::FloatDivide => float(units.float_divide),
            Kind::FloatSquareRoot => float(units.float_square_root),
            Kind::FloatConvert => float(units.float_convert),
            Kind::FloatMisc => float(units.float_misc),
            Kind::Divide => f64::from(units.divide),
            _ => 1.0,
        };
        (unit, cycles.max(1.0))
    }

    /// Cycles between two turns of the coalescer, at least.
    #[must_use]
    pub fn coalescer_turn(&self) -> u32 {
        COALESCER_TURN
    }

    /// Float operations that the device does in a cycle, if all lanes of all cores add, multiply or do both at once
    /// without a pause: a fused multiplication and addition counts as two.
    #[must_use]
    pub fn float_operations(&self) -> f64 {
        let stages = self.units.float_multiply_add + FLOAT_EXTRA;
        let each = (f64::from(self.units.float_queue) / f64::from(stages.max(1))).min(1.0);
        2.0 * each * f64::from(self.slices * self.cores * self.threads)
    }
}
