//! Float exceptions of operands that hold no value: instructions that have such operands, lane by lane.
//!
//! Flags that a lane without such operands raises are raised. Flags that another lane's instruction can raise are
//! unknown from then on, until they are raised for certain or a CSR write sets them. On hardware as here, all flags are
//! clear and the rounding mode is to nearest before a program begins (the register is reset), so there is no other way
//! for them to be without a value.

use super::super::code::Op;
use super::super::registers::{Row, lane, lane_mut, lanes_of};
use super::super::softfloat::{self, Flagged, SIGN, flag};
use super::super::trap::Origin;
use super::super::warp::Warp;
use super::{Fault, float, lanes};
use vortex_isa::{Opcode, Rounding};

/// What `fflags` holds, and which bits of that have no value.
pub(super) fn read(warp: &Warp) -> (u32, u32) {
    let unknown = warp.doubts.possible & !warp.fflags;
    (warp.fflags | warp.doubts.raised, unknown)
}

/// Gives the flags in `which` their values.
pub(super) fn write(warp: &mut Warp, which: u32, values: u32) {
    warp.fflags = warp.fflags & !which | values & which & 31;
    warp.doubts.possible &= !which;
    warp.doubts.raised &= !which;
}

/// The flags that an instruction can raise.
pub(super) const fn possible(opcode: Opcode) -> u32 {
    use Opcode as O;
    match opcode {
        O::Fadd | O::Fsub | O::Fmul | O::Fmadd | O::Fmsub | O::Fnmsub | O::Fnmadd => {
            flag::NV | flag::OF | flag::UF | flag::NX
        }
        O::Fdiv => flag::NV | flag::DZ | flag::OF | flag::UF | flag::NX,
        O::Fsqrt | O::FcvtWS | O::FcvtWuS => flag::NV | flag::NX,
        O::FcvtSW | O::FcvtSWu => flag::NX,
        O::Feq | O::Flt | O::Fle | O::Fmin | O::Fmax => flag::NV,
        _ => 0,
    }
}

/// An instruction that can raise flags, for one lane.
fn in_lane(opcode: Opcode, [a, b, c]: [u32; 3], rm: Rounding) -> Flagged {
    use Opcode as O;
    let invalid = |is: bool| if is { flag::NV } else { 0 };
    let quiet = invalid(float::any_signalling(a, b));
    match opcode {
        O::Fadd => softfloat::add(a, b, rm),
        O::Fsub => softfloat::sub(a, b, rm),
        O::Fmul => softfloat::mul(a, b, rm),
        O::Fdiv => softfloat::div(a, b, rm),
        O::Fsqrt => softfloat::sqrt(a, rm),
        O::Fmadd => softfloat::fma(a, b, c, rm),
        O::Fmsub => softfloat::fma(a, b, c ^ SIGN, rm),
        O::Fnmsub => softfloat::fma(a ^ SIGN, b, c, rm),
        O::Fnmadd => softfloat::fma(a ^ SIGN, b, c ^ SIGN, rm),
        O::FcvtWS => softfloat::to_signed(a, rm),
        O::FcvtWuS => softfloat::to_unsigned(a, rm),
        O::FcvtSW => softfloat::from_integer(i64::from(a as i32), rm),
        O::FcvtSWu => softfloat::from_integer(i64::from(a), rm),
        O::Fmin => (float::lesser(a, b), quiet),
        O::Fmax => (float::greater(a, b), quiet),
        O::Feq => (float::are_equal(a, b), quiet),
        O::Flt => (float::is_less(a, b), invalid(float::any_nan(a, b))),
        _ => (float::is_at_most(a, b), invalid(float::any_nan(a, b))),
    }
}

/// Executes an instruction that can raise flags, in `doubtful` lanes with operands that hold no value.
pub(super) fn execute(
    warp: &mut Warp,
    octets: usize,
    opcode: Opcode,
    op: &Op,
    doubtful: u32,
    origin: Origin,
) -> Result<(), Box<Fault>> {
    let rm = match opcode {
        // These do not round.
        Opcode::Fmin | Opcode::Fmax | Opcode::Feq | Opcode::Flt | Opcode::Fle => Rounding::Rne,
        _ => float::rounding(warp, op)?,
    };
    let mut result: Row = [[0; 8]; 4];
    let (mut certain, mut raised) = (0, 0);
    for n in lanes_of(warp.mask()) {
        let operands = [op.rs1, op.rs2, op.rs3].map(|row| lane(warp.registers.row(row), n));
        let (value, flags) = in_lane(opcode, operands, rm);
        *lane_mut(&mut result, n) = value;
        if doubtful >> n & 1 == 0 {
            certain |= flags;
        } else {
            raised |= flags;
        }
    }
    warp.fflags |= certain;
    warp.doubts.possible |= possible(opcode);
    warp.doubts.raised |= raised;
    warp.doubts.origin = origin;
    lanes::assign(warp, octets, op, &result);
    Ok(())
}
