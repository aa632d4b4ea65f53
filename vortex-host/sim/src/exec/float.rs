//! Floating-point instructions over the lanes.
//!
//! When rounding to nearest, the host computes the same bits. It does not report exceptions, so each pass also
//! determines whether a lane is *special* (the result could come with an exception other than inexact, or is a NaN)
//! and, while the inexact flag is not yet set, whether a lane was rounded. Warps with special lanes, and other rounding
//! modes, go through `softfloat`, which gives the same bits as the host where the host is right: a lane that is treated
//! as special needlessly only costs time.

use super::super::code::Op;
use super::super::registers::{Octet, Row, lane, lane_mut, lanes_of, octet_of};
use super::super::softfloat::{self, Flagged, NAN, flag};
use super::super::trap::TrapKind;
use super::super::warp::Warp;
use super::Fault;
use super::fused::wide_fma;
use super::lanes::{any, assign, blend, each_octet, ones};
use super::processor::Processor;
use vortex_isa::Rounding;

pub(super) use super::super::softfloat::{SIGN, classify};

/// The rounding mode an instruction runs with.
#[inline(always)]
pub(super) fn rounding(warp: &Warp, op: &Op) -> Result<Rounding, Box<Fault>> {
    if op.rm != Rounding::Dyn {
        return Ok(op.rm);
    }
    match Rounding::from_bits(warp.frm) {
        Some(rm) if rm != Rounding::Dyn => Ok(rm),
        _ => Err(Fault::new(TrapKind::InvalidRounding { frm: warp.frm })),
    }
}

/// What a pass found in a lane.
#[derive(Clone, Copy)]
struct Lane {
    value: f32,
    /// Not to be trusted: ask `softfloat`.
    special: bool,
    inexact: bool,
}

/// The exponent's bits of a number, not shifted down.
#[inline(always)]
fn exponent(value: f32) -> u32 {
    value.to_bits() & 0x7f80_0000
}

/// Infinite or not a number.
#[inline(always)]
fn is_extreme(value: f32) -> bool {
    exponent(value) == 0x7f80_0000
}

/// Zero, subnormal, or close enough for an exact result to have been so.
#[inline(always)]
fn is_tiny(value: f32) -> bool {
    exponent(value) <= 0x0080_0000
}

/// Runs `fast` over the lanes. Returns whether `rd` was written; otherwise a lane was special.
#[inline(always)]
fn pass(warp: &mut Warp, octets: usize, op: &Op, fast: impl Fn(f32, f32, f32) -> Lane) -> bool {
    let (registers, mask, _) = warp.lanes();
    let mut result: Row = [[0; 8]; 4];
    let (mut special, mut inexact): (Octet, Octet) = ([0; 8], [0; 8]);
    for at in each_octet(octets) {
        let (a, b, c) = (
            &registers.row(op.rs1)[at],
            &registers.row(op.rs2)[at],
            &registers.row(op.rs3)[at],
        );
        for n in 0..8 {
            let lane = fast(
                f32::from_bits(a[n]),
                f32::from_bits(b[n]),
                f32::from_bits(c[n]),
            );
            result[at][n] = lane.value.to_bits();
            special[n] |= ones(lane.special) & mask[at][n];
            inexact[n] |= ones(lane.inexact) & mask[at][n];
        }
    }
    if any(&special) {
        return false;
    }
    let rd = registers.row_mut(op.rd);
    for at in each_octet(octets) {
        rd[at] = blend(&mask[at], &result[at], &rd[at]);
    }
    if any(&inexact) {
        warp.fflags |= flag::NX;
    }
    true
}

/// The same with the test for inexact results only while it can make a difference.
#[inline(always)]
fn arithmetic(
    warp: &mut Warp,
    octets: usize,
    op: &Op,
    fast: impl Fn(f32, f32, f32) -> (f32, bool),
    inexact: impl Fn(f32, f32, f32, f32) -> bool,
    slow: fn(u32, u32, u32, Rounding) -> Flagged,
) -> Result<(), Box<Fault>> {
    let rm = rounding(warp, op)?;
    if rm == Rounding::Rne {
        let done = if warp.fflags & flag::NX != 0 {
            pass(warp, octets, op, |a, b, c| {
                let (value, special) = fast(a, b, c);
                Lane {
                    value,
                    special,
                    inexact: false,
                }
            })
        } else {
            pass(warp, octets, op, |a, b, c| {
                let (value, special) = fast(a, b, c);
                Lane {
                    value,
                    special,
                    inexact: inexact(a, b, c, value),
                }
            })
        };
        if done {
            return Ok(());
        }
    }
    exactly(warp, octets, op, rm, slow);
    Ok(())
}

/// Lane by lane in software.
#[cold]
#[inline(never)]
fn exactly(
    warp: &mut Warp,
    octets: usize,
    op: &Op,
    rm: Rounding,
    slow: fn(u32, u32, u32, Rounding) -> Flagged,
) {
    let mut result: Row = [[0; 8]; 4];
    let [a, b, c] = [op.rs1, op.rs2, op.rs3].map(|row| warp.registers.row(row));
    let mut flags = 0;
    for n in lanes_of(warp.mask()) {
        let (value, raised) = slow(lane(a, n), lane(b, n), lane(c, n), rm);
        *lane_mut(&mut result, n) = value;
        flags |= raised;
    }
    warp.fflags |= flags;
    assign(warp, octets, op, &result);
}

/// Whether `sum` is not exactly `a + b`: Knuth's two-sum, whose error term is exact for any finite sum.
#[inline(always)]
fn sum_is_rounded(a: f32, b: f32, sum: f32) -> bool {
    let b_used = sum - a;
    let a_used = sum - b_used;
    (a - a_used) + (b - b_used) != 0.0
}

#[inline(always)]
pub(super) fn add(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: f32, b: f32, _| (a + b, is_extreme(a + b));
    arithmetic(
        warp,
        octets,
        op,
        fast,
        |a, b, _, sum| sum_is_rounded(a, b, sum),
        |a, b, _, rm| softfloat::add(a, b, rm),
    )
}

#[inline(always)]
pub(super) fn sub(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: f32, b: f32, _| (a - b, is_extreme(a - b));
    arithmetic(
        warp,
        octets,
        op,
        fast,
        |a, b, _, sum| sum_is_rounded(a, -b, sum),
        |a, b, _, rm| softfloat::sub(a, b, rm),
    )
}

#[inline(always)]
pub(super) fn mul(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: f32, b: f32, _| {
        let product = a * b;
        (
            product,
            is_extreme(product) | (is_tiny(product) & (a != 0.0) & (b != 0.0)),
        )
    };
    // A double holds any product of floats.
    let inexact = |a, b, _, product| f64::from(a) * f64::from(b) != f64::from(product);
    arithmetic(warp, octets, op, fast, inexact, |a, b, _, rm| {
        softfloat::mul(a, b, rm)
    })
}

#[inline(always)]
pub(super) fn div(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: f32, b: f32, _| {
        let quotient = a / b;
        (
            quotient,
            is_extreme(quotient) | is_extreme(b) | (is_tiny(quotient) & (a != 0.0)),
        )
    };
    let inexact = |a, b, _, quotient| f64::from(quotient) * f64::from(b) != f64::from(a);
    arithmetic(warp, octets, op, fast, inexact, |a, b, _, rm| {
        softfloat::div(a, b, rm)
    })
}

#[inline(always)]
pub(super) fn sqrt(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: f32, _, _| (a.sqrt(), is_extreme(a.sqrt()));
    let inexact = |a, _, _, root| f64::from(root) * f64::from(root) != f64::from(a);
    arithmetic(warp, octets, op, fast, inexact, |a, _, _, rm| {
        softfloat::sqrt(a, rm)
    })
}

/// `±(a * b) ± c`: the sign of the product and the sign of the addend are flipped as requested.
#[inline(always)]
pub(super) fn fma<P: Processor>(
    warp: &mut Warp,
    octets: usize,
    op: &Op,
    product: u32,
    addend: u32,
) -> Result<(), Box<Fault>> {
    let flip = move |a: f32, c: f32| {
        (
            f32::from_bits(a.to_bits() ^ product),
            f32::from_bits(c.to_bits() ^ addend),
        )
    };
    let fast = move |a, b, c| {
        let (a, c) = flip(a, c);
        let value = P::mul_add(a, b, c);
        // An exact zero is common; it is one if the product is the addend's opposite.
        let exact_zero = f64::from(a) * f64::from(b) == -f64::from(c);
        (value, is_extreme(value) | (is_tiny(value) & !exact_zero))
    };
    let inexact = move |a, b, c, value| {
        let (a, c) = flip(a, c);
        let (sum, lost) = wide_fma(a, b, c);
        (lost != 0.0) | (sum != f64::from(value))
    };
    let slow: fn(u32, u32, u32, Rounding) -> Flagged = match (product, addend) {
        (0, 0) => softfloat::fma,
        (0, _) => |a, b, c, rm| softfloat::fma(a, b, c ^ SIGN, rm),
        (_, 0) => |a, b, c, rm| softfloat::fma(a ^ SIGN, b, c, rm),
        _ => |a, b, c, rm| softfloat::fma(a ^ SIGN, b, c ^ SIGN, rm),
    };
    arithmetic(warp, octets, op, fast, inexact, slow)
}

/// Minimum, maximum and comparisons: exact, but NaNs may raise NV.
#[inline(always)]
fn quiet(
    warp: &mut Warp,
    octets: usize,
    op: &Op,
    operation: impl Fn(u32, u32) -> u32,
    invalid: impl Fn(u32, u32) -> bool,
) {
    let (registers, mask, _) = warp.lanes();
    let mut raised: Octet = [0; 8];
    for at in each_octet(octets) {
        let (a, b) = (registers.row(op.rs1)[at], registers.row(op.rs2)[at]);
        raised = octet_of(|n| raised[n] | ones(invalid(a[n], b[n])) & mask[at][n]);
        let new = octet_of(|n| operation(a[n], b[n]));
        let rd = &mut registers.row_mut(op.rd)[at];
        *rd = blend(&mask[at], &new, rd);
    }
    if any(&raised) {
        warp.fflags |= flag::NV;
    }
}

/// A number that orders floats, -0 below +0.
#[inline(always)]
fn order(bits: u32) -> i32 {
    let bits = bits as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

#[inline(always)]
fn choose(a: u32, b: u32, a_wins: bool) -> u32 {
    let (a_nan, b_nan) = (softfloat::is_nan(a), softfloat::is_nan(b));
    let number = if a_wins { a } else { b };
    let one = if b_nan { a } else { number };
    let other = if a_nan { b } else { one };
    if a_nan & b_nan { NAN } else { other }
}

#[inline(always)]
pub(super) fn lesser(a: u32, b: u32) -> u32 {
    choose(a, b, order(a) < order(b))
}

#[inline(always)]
pub(super) fn greater(a: u32, b: u32) -> u32 {
    choose(a, b, order(a) > order(b))
}

#[inline(always)]
pub(super) fn are_equal(a: u32, b: u32) -> u32 {
    u32::from(f32::from_bits(a) == f32::from_bits(b))
}

#[inline(always)]
pub(super) fn is_less(a: u32, b: u32) -> u32 {
    u32::from(f32::from_bits(a) < f32::from_bits(b))
}

#[inline(always)]
pub(super) fn is_at_most(a: u32, b: u32) -> u32 {
    u32::from(f32::from_bits(a) <= f32::from_bits(b))
}

#[inline(always)]
pub(super) fn any_signalling(a: u32, b: u32) -> bool {
    softfloat::is_signalling(a) | softfloat::is_signalling(b)
}

#[inline(always)]
pub(super) fn any_nan(a: u32, b: u32) -> bool {
    softfloat::is_nan(a) | softfloat::is_nan(b)
}

#[inline(always)]
pub(super) fn min(warp: &mut Warp, octets: usize, op: &Op) {
    quiet(warp, octets, op, lesser, any_signalling);
}

#[inline(always)]
pub(super) fn max(warp: &mut Warp, octets: usize, op: &Op) {
    quiet(warp, octets, op, greater, any_signalling);
}

#[inline(always)]
pub(super) fn eq(warp: &mut Warp, octets: usize, op: &Op) {
    quiet(warp, octets, op, are_equal, any_signalling);
}

#[inline(always)]
pub(super) fn lt(warp: &mut Warp, octets: usize, op: &Op) {
    quiet(warp, octets, op, is_less, any_nan);
}

#[inline(always)]
pub(super) fn le(warp: &mut Warp, octets: usize, op: &Op) {
    quiet(warp, octets, op, is_at_most, any_nan);
}

/// A pass of a conversion in its most frequent rounding mode; others, and special lanes, lane by lane.
#[inline(always)]
fn convert(
    warp: &mut Warp,
    octets: usize,
    op: &Op,
    usual: Rounding,
    fast: impl Fn(u32) -> Lane,
    slow: fn(u32, u32, u32, Rounding) -> Flagged,
) -> Result<(), Box<Fault>> {
    let rm = rounding(warp, op)?;
    if rm != usual || !pass(warp, octets, op, |a, _, _| fast(a.to_bits())) {
        exactly(warp, octets, op, rm, slow);
    }
    Ok(())
}

#[inline(always)]
pub(super) fn to_signed(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: u32| {
        let a = f32::from_bits(a);
        let value = a as i32;
        let special = !(-2147483648.0..2147483648.0).contains(&a);
        Lane {
            value: f32::from_bits(value as u32),
            special,
            inexact: value as f32 != a,
        }
    };
    convert(warp, octets, op, Rounding::Rtz, fast, |a, _, _, rm| {
        softfloat::to_signed(a, rm)
    })
}

#[inline(always)]
pub(super) fn to_unsigned(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: u32| {
        let a = f32::from_bits(a);
        let value = a as u32;
        let special = !(0.0..4294967296.0).contains(&a);
        Lane {
            value: f32::from_bits(value),
            special,
            inexact: value as f32 != a,
        }
    };
    convert(warp, octets, op, Rounding::Rtz, fast, |a, _, _, rm| {
        softfloat::to_unsigned(a, rm)
    })
}

#[inline(always)]
pub(super) fn from_signed(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: u32| {
        let value = a as i32 as f32;
        Lane {
            value,
            special: false,
            inexact: f64::from(value) != f64::from(a as i32),
        }
    };
    let slow = |a, _, _, rm| softfloat::from_integer(i64::from(a as i32), rm);
    convert(warp, octets, op, Rounding::Rne, fast, slow)
}

#[inline(always)]
pub(super) fn from_unsigned(warp: &mut Warp, octets: usize, op: &Op) -> Result<(), Box<Fault>> {
    let fast = |a: u32| {
        let value = a as f32;
        Lane {
            value,
            special: false,
            inexact: f64::from(value) != f64::from(a),
        }
    };
    convert(warp, octets, op, Rounding::Rne, fast, |a, _, _, rm| {
        softfloat::from_integer(i64::from(a), rm)
    })
}
