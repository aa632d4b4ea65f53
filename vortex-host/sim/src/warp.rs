//! A warp: its registers, mask and divergence stack.

use super::config::Config;
use super::grid::GroupOfWarp;
use super::registers::{self, Registers, Row, Rubbish, SINK, octet_of};
use super::shadow::{Doubts, Shadow};
use super::trap::Origin;

/// An open split whose lanes disagreed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divergence {
    /// The mask before the split.
    pub(crate) whole: u32,
    /// The side that waits.
    pub(crate) other: u32,
    /// Where it starts.
    pub(crate) pc: u32,
    /// Whether it has started.
    pub(crate) switched: bool,
}

/// Why a warp does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It does.
    Ready,
    /// Ended, or not started.
    Idle,
    /// At a barrier of the core.
    Barrier { id: u32, expected: u32 },
    /// At a barrier of the core, until a phase is over.
    Phase { id: u32, phase: u32 },
    /// At a barrier of the device.
    GlobalBarrier { id: u32, expected: u32 },
    /// In `wspawn`, until the other warps have ended.
    Spawn { warps: u32, pc: u32 },
}

/// What a warp does at `ecall` and `ebreak`, where it has a choice: the CSRs of the same names without their m.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handler {
    pub(crate) status: u32,
    pub(crate) tvec: u32,
    pub(crate) epc: u32,
    pub(crate) cause: u32,
    pub(crate) tval: u32,
}

/// A warp and its lanes.
#[derive(Clone)]
pub(crate) struct Warp {
    pub(crate) pc: u32,
    pub(crate) state: State,
    pub(crate) registers: Registers,
    /// Active lanes, one bit each.
    mask: u32,
    /// Active lanes, all ones in each. Zero in lanes that the warp does not have.
    lane_mask: Row,
    /// Whether all lanes are active.
    full: bool,
    pub(crate) splits: Vec<Divergence>,
    /// Floating-point exceptions raised so far.
    pub(crate) fflags: u32,
    /// Those that may be, because operands had no value.
    pub(crate) doubts: Doubts,
    /// The dynamic rounding mode, as written: may be none.
    pub(crate) frm: u32,
    /// `mscratch`, where each warp has one.
    pub(crate) scratch: u32,
    /// Where it is in a grid, if it was handed a group.
    pub(crate) group: GroupOfWarp,
    pub(crate) handler: Handler,
    /// Whether the registers were scrambled in this run.
    touched: bool,
    /// The registers that nothing was put into in this run, and that do not hold the rubbish yet that they should: most
    /// are written before they are read. None where it does not matter which registers hold values.
    unfilled: u64,
    rubbish: Rubbish,
    /// What is not known about the registers, if that matters.
    shadow: Option<Box<Shadow>>,
    /// The registers of which the shadow names bits in active lanes.
    undefined: u64,
}

impl Warp {
    pub(crate) fn new(config: &Config) -> Warp {
        let watched = config.checks.uninitialised;
        Warp {
            shadow: watched.then(|| Box::new(Shadow::new())),
            undefined: 0,
            pc: 0,
            state: State::Idle,
            registers: Registers::new(),
            mask: 0,
            lane_mask: [[0; 8]; 4],
            full: false,
            splits: Vec::new(),
            fflags: 0,
            doubts: Doubts::NONE,
            frm: 0,
            scratch: 0,
            group: GroupOfWarp::NONE,
            handler: Handler::default(),
            touched: false,
            unfilled: 0,
            rubbish: Rubbish(0),
        }
    }

    /// As after a reset.
    pub(crate) fn reset(&mut self) {
        self.state = State::Idle;
        self.mask = 0;
        self.splits.clear();
        self.fflags = 0;
        self.doubts = Doubts::NONE;
        self.frm = 0;
        self.group = GroupOfWarp::NONE;
        self.handler = Handler::default();
        self.touched = false;
    }

    /// Starts lane 0 at `pc`. Registers keep what they held, which is rubbish for a warp that never ran.
    pub(crate) fn start(&mut self, pc: u32, hart: u32, config: &Config) {
        if !self.touched {
            self.touched = true;
            self.rubbish = Rubbish(hart << 16 | 0x5a5a);
            match &mut self.shadow {
                Some(shadow) => {
                    shadow.forget();
                    self.unfilled = !1;
                }
                None => {
                    let octets = config.threads.div_ceil(8) as usize;
                    self.registers.scramble(self.rubbish, octets);
                }
            }
        }
        self.pc = pc;
        self.state = State::Ready;
        self.splits.clear();
        self.set_mask(1, config.all_lanes());
    }

    /// What a lane holds in a register.
    #[inline]
    pub(crate) fn held(&self, register: u8, lane: u32) -> u32 {
        let is_unfilled = self.unfilled >> (register % SINK) & 1 != 0;
        match is_unfilled {
            true => registers::lane(&self.rubbish.row(register), lane),
            false => registers::lane(self.registers.row(register), lane),
        }
    }

    /// Before these registers are read, or written in some lanes only: gives those their rubbish that still lack it.
    #[inline]
    pub(crate) fn fill(&mut self, registers: u64) {
        if self.unfilled & registers != 0 {
            self.fill_now(registers);
        }
    }

    #[cold]
    fn fill_now(&mut self, registers: u64) {
        let mut left = self.unfilled & registers;
        self.unfilled &= !registers;
        while left != 0 {
            let register = left.trailing_zeros() as u8;
            *self.registers.row_mut(register) = self.rubbish.row(register);
            left &= left - 1;
        }
    }

    /// Active lanes, one bit each.
    #[inline(always)]
    pub(crate) fn mask(&self) -> u32 {
        self.mask
    }

    /// Active lanes as a row of ones and zeros, and whether that is all there are.
    #[inline(always)]
    pub(crate) fn lanes(&mut self) -> (&mut Registers, &Row, bool) {
        (&mut self.registers, &self.lane_mask, self.full)
    }

    /// Whether all lanes are active.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Active lanes as a row of ones and zeros.
    #[inline(always)]
    pub(crate) fn lane_mask(&self) -> &Row {
        &self.lane_mask
    }

    /// The highest active lane: the one that speaks for the warp.
    #[inline(always)]
    pub(crate) fn last_lane(&self) -> u32 {
        31 - (self.mask | 1).leading_zeros()
    }

    /// The registers that hold bits without a value in active lanes, one bit each.
    #[inline(always)]
    pub(crate) fn undefined(&self) -> u64 {
        self.undefined
    }

    /// What is not known about the registers, if that matters.
    #[inline(always)]
    pub(crate) fn shadow(&self) -> Option<&Shadow> {
        self.shadow.as_deref()
    }

    /// The bits of a register that have no value in a lane.
    #[inline]
    pub(crate) fn shadow_of(&self, register: u8, lane: u32) -> u32 {
        self.shadow
            .as_ref()
            .map_or(0, |shadow| shadow.lane(register, lane))
    }

    /// How a register came to hold bits without a value.
    pub(crate) fn origin(&self, register: u8) -> Origin {
        let shadow = self.shadow.as_ref();
        shadow.map_or(Origin::Register, |shadow| shadow.origin(register))
    }

    /// Says which bits of a register have no value in active lanes.
    pub(crate) fn set_shadow(&mut self, register: u8, bits: &Row, origin: Origin) {
        if let Some(shadow) = &mut self.shadow {
            let unknown = shadow.set(register, &self.lane_mask, bits, origin);
            self.undefined = self.undefined & !(1 << register) | u64::from(unknown) << register;
        }
    }

    /// Before a register is written in the active lanes: says that all its bits will have a value there.
    #[inline]
    pub(crate) fn define(&mut self, register: u8) {
        let bit = 1 << register;
        let lanes = if self.full {
            self.unfilled &= !bit;
            // Lanes that the warp does not have need none.
            u32::MAX
        } else {
            self.fill(bit);
            self.mask
        };
        if let Some(shadow) = &mut self.shadow {
            shadow.define(register, lanes);
            self.undefined &= !bit;
        }
    }

    /// Before a register is written in a lane: says that all its bits will have a value there.
    pub(crate) fn define_lane(&mut self, register: u8, lane: u32) {
        self.fill(1 << register);
        if let Some(shadow) = &mut self.shadow {
            shadow.define(register, 1 << lane);
            self.undefined = shadow.rows(self.mask);
        }
    }

    /// About how much host memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let files = 1 + usize::from(self.shadow.is_some());
        files * Registers::BYTES
    }

    pub(crate) fn set_mask(&mut self, mask: u32, all: u32) {
        let mask = mask & all;
        self.mask = mask;
        self.full = mask == all;
        if let Some(shadow) = &mut self.shadow {
            self.undefined = shadow.rows(mask);
        }
        // Bits where they are: vectors of older processors cannot be shifted by different numbers of bits.
        for (at, lanes) in self.lane_mask.iter_mut().enumerate() {
            let active = |n: usize| mask & 1 << (8 * at + n) != 0;
            *lanes = octet_of(|n| if active(n) { u32::MAX } else { 0 });
        }
    }
}
