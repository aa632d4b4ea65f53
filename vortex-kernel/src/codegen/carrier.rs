//! Carriers: how instructions that CLIF cannot express travel through Cranelift.
//!
//! For each of them an ordinary CLIF operation of the same register shape is emitted, under a [`Tag`](super::tags::Tag)
//! of its own. After emission the tag's code is searched for the one word that the operation becomes, and that word is
//! replaced by the real instruction with the registers the allocator chose. To add an instruction, add a row.

use crate::ir::Csr;
use crate::isa::{Format, Inst, Opcode, Rounding, csr, x};

/// The register shape of a carrier, which is also the CLIF operation that plays its part. None of these operations is
/// otherwise emitted under a carrier's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CarrierShape {
    /// Two words in, one out, never moved, merged or dropped: `atomic_rmw xchg`, one `amoswap.d.aqrl`.
    Convergent,
    /// One word out that is not an address, pure: `get_stack_pointer`, one `mv rd, sp`.
    Nullary,
    /// Two words in, one out, pure: `umulhi`, one `mulhu`.
    IntPair,
    /// Two floats in, one out, pure: `fdiv`, one `fdiv.d`.
    FloatPair,
    /// One float in, one word out, pure: `bitcast`, one `fmv.x.d`.
    FloatToInt,
}

impl CarrierShape {
    /// Mask and value of the word that the operation becomes.
    const fn word(self) -> (u32, u32) {
        const R_TYPE: u32 = 0xfe00_707f;
        const ALL_BUT_RD: u32 = 0xffff_f07f;
        const ALL_BUT_RD_RS1: u32 = 0xfff0_707f;
        match self {
            Self::Convergent => (R_TYPE, 0x0e00_302f),
            Self::Nullary => (ALL_BUT_RD, (x::SP as u32) << 15 | 0x13),
            Self::IntPair => (R_TYPE, 0x0200_3033),
            Self::FloatPair => (R_TYPE, 0x1a00_0053),
            Self::FloatToInt => (ALL_BUT_RD_RS1, 0xe200_0053),
        }
    }
}

/// An instruction that travels in another's clothes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carrier {
    /// How it travels.
    pub(super) shape: CarrierShape,
    /// What it is: opcode, rounding mode, flags; register operands are filled in where it has x0.
    real: Inst,
}

pub(super) const fn row(shape: CarrierShape, real: Inst) -> Carrier {
    Carrier { shape, real }
}

pub(super) const SPLIT: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::Split));
pub(super) const JOIN: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::Join));
pub(super) const PRED: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::Pred));
pub(super) const PRED_NOT: Carrier = row(
    CarrierShape::Convergent,
    Inst {
        rd: 1,
        ..Inst::of(Opcode::Pred)
    },
);
pub(super) const SET_MASK: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::Tmc));
pub(super) const BARRIER: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::Bar));
pub(super) const ARRIVE: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::BarArrive));
pub(super) const AWAIT: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::BarWait));
pub(super) const READ_MASK: Carrier =
    row(CarrierShape::Convergent, Inst::csrr(0, csr::ACTIVE_THREADS));
/// The mask as a number. The verifier takes a `csrrs` of it for the beginning of a divergent loop, so this is not one.
pub(super) const ACTIVE: Carrier = row(
    CarrierShape::Convergent,
    Inst::csr_op(Opcode::Csrrc, 0, csr::ACTIVE_THREADS, 0),
);
pub(super) const VOTE_ALL: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::VoteAll));
pub(super) const VOTE_ANY: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::VoteAny));
pub(super) const VOTE_UNIFORM: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::VoteUni));
pub(super) const BALLOT: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::VoteBallot));
pub(super) const SHUFFLE: Carrier = row(CarrierShape::Convergent, Inst::of(Opcode::ShflIdx));
pub(super) const CLOCK: Carrier = row(CarrierShape::Convergent, Inst::csrr(0, csr::MCYCLE));
pub(super) const LAUNCH_BLOCK: Carrier =
    row(CarrierShape::Convergent, Inst::csrr(0, csr::MSCRATCH));
pub(super) const ADD: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::Add));
pub(super) const DIV: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::Div));
pub(super) const DIVU: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::Divu));
pub(super) const REM: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::Rem));
pub(super) const REMU: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::Remu));
pub(super) const CZERO_EQZ: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::CzeroEqz));
pub(super) const CZERO_NEZ: Carrier = row(CarrierShape::IntPair, Inst::of(Opcode::CzeroNez));
pub(super) const FMIN: Carrier = row(CarrierShape::FloatPair, Inst::of(Opcode::Fmin));
pub(super) const FMAX: Carrier = row(CarrierShape::FloatPair, Inst::of(Opcode::Fmax));
pub(super) const FSGNJX: Carrier = row(CarrierShape::FloatPair, Inst::of(Opcode::Fsgnjx));
pub(super) const FSGNJ: Carrier = row(CarrierShape::FloatPair, Inst::of(Opcode::Fsgnj));
pub(super) const FLOAT_TO_U32: Carrier = row(
    CarrierShape::FloatToInt,
    Inst::of(Opcode::FcvtWuS).rounded(Rounding::Rtz),
);

/// A float as an integer: saturating, the largest for NaN.
pub(super) const fn float_to_i32(rounding: Rounding) -> Carrier {
    row(
        CarrierShape::FloatToInt,
        Inst::of(Opcode::FcvtWS).rounded(rounding),
    )
}

/// One indivisible step on a word in memory: address, operand; the word from before.
pub(super) const fn amo(opcode: Opcode) -> Carrier {
    row(CarrierShape::Convergent, Inst::of(opcode))
}

/// Reads a fact about the hart.
pub(super) const fn read_csr(which: Csr) -> Carrier {
    let number = match which {
        Csr::LaunchBlock => csr::MSCRATCH,
        Csr::HartId => csr::MHARTID,
        Csr::LaneId => csr::THREAD_ID,
        Csr::WarpId => csr::WARP_ID,
        Csr::CoreId => csr::CORE_ID,
        Csr::NumLanes => csr::NUM_THREADS,
        Csr::NumWarps => csr::NUM_WARPS,
        Csr::NumCores => csr::NUM_CORES,
        Csr::LocalBase => csr::LOCAL_MEM_BASE,
        // Groups are launched in a row.
        Csr::HandedGroup => csr::CTA_BLOCK_ID_X,
        Csr::HandedSlot => csr::CTA_ID,
        Csr::HandedWarps => csr::CTA_SIZE,
        Csr::HandedRank => csr::CTA_RANK,
        Csr::HandedLocal => csr::CTA_LMEM_ADDR,
    };
    let shape = match which {
        // As the base of an access, Cranelift would take it for its own frame. That of the core's local memory is none:
        // the memory of the group's slot is computed from it.
        Csr::HandedLocal => CarrierShape::Convergent,
        _ => CarrierShape::Nullary,
    };
    row(shape, Inst::csrr(0, number))
}

impl Carrier {
    /// Whether `word` (as Cranelift emitted it) is what this carrier travels as.
    pub(super) fn is_carried_by(&self, word: u32) -> bool {
        let (mask, value) = self.shape.word();
        word & mask == value
    }

    /// The real instruction, with the registers of the word that carried it.
    pub(super) fn unpack(&self, word: u32) -> Inst {
        let field = |shift: u32| (word >> shift & 31) as u8;
        let info = self.real.opcode.info();
        let mut inst = self.real;
        if info.rd.is_some() && inst.rd == x::ZERO {
            inst.rd = field(7);
        }
        // Nullary words name sp as rs1, and the first operand of a mask read stands for nothing.
        let has_sources = self.shape != CarrierShape::Nullary && info.format != Format::Csr;
        if has_sources && info.rs[0].is_some() && inst.rs1 == x::ZERO {
            inst.rs1 = field(15);
        }
        if has_sources && info.rs[1].is_some() {
            inst.rs2 = field(20);
        }
        inst
    }
}
