//! Passes over the lanes of a warp.

use super::super::code::Op;
use super::super::registers::{Octet, Row, octet_of};
use super::super::warp::Warp;

/// Numbers of the groups of eight lanes that the warp has.
///
/// To be used in plain loops: closures would not be compiled for the vectors that the loop around them is compiled for.
#[inline(always)]
pub(super) fn each_octet(octets: usize) -> std::ops::Range<usize> {
    0..octets.min(4)
}

/// `new` where `mask` is ones, `old` elsewhere.
#[inline(always)]
pub(super) fn blend(mask: &Octet, new: &Octet, old: &Octet) -> Octet {
    octet_of(|n| new[n] & mask[n] | old[n] & !mask[n])
}

/// `rd = operation(rs1)` in the active lanes.
#[inline(always)]
pub(super) fn unary(warp: &mut Warp, octets: usize, op: &Op, operation: impl Fn(u32) -> u32) {
    let (registers, mask, full) = warp.lanes();
    if full {
        for at in each_octet(octets) {
            let a = registers.row(op.rs1)[at];
            registers.row_mut(op.rd)[at] = octet_of(|n| operation(a[n]));
        }
    } else {
        for at in each_octet(octets) {
            let a = registers.row(op.rs1)[at];
            let new = octet_of(|n| operation(a[n]));
            let rd = &mut registers.row_mut(op.rd)[at];
            *rd = blend(&mask[at], &new, rd);
        }
    }
}

/// `rd = operation(rs1, immediate)` in the active lanes.
#[inline(always)]
pub(super) fn immediate(
    warp: &mut Warp,
    octets: usize,
    op: &Op,
    operation: impl Fn(u32, u32) -> u32,
) {
    let imm = op.imm;
    unary(warp, octets, op, |a| operation(a, imm));
}

/// `rd = operation(rs1, rs2)` in the active lanes.
#[inline(always)]
pub(super) fn binary(warp: &mut Warp, octets: usize, op: &Op, operation: impl Fn(u32, u32) -> u32) {
    let (registers, mask, full) = warp.lanes();
    if full {
        for at in each_octet(octets) {
            let (a, b) = (registers.row(op.rs1)[at], registers.row(op.rs2)[at]);
            registers.row_mut(op.rd)[at] = octet_of(|n| operation(a[n], b[n]));
        }
    } else {
        for at in each_octet(octets) {
            let (a, b) = (registers.row(op.rs1)[at], registers.row(op.rs2)[at]);
            let new = octet_of(|n| operation(a[n], b[n]));
            let rd = &mut registers.row_mut(op.rd)[at];
            *rd = blend(&mask[at], &new, rd);
        }
    }
}

/// `rd = value` in the active lanes.
#[inline(always)]
pub(super) fn splat(warp: &mut Warp, octets: usize, op: &Op, value: u32) {
    let (registers, mask, _) = warp.lanes();
    let rd = registers.row_mut(op.rd);
    for at in each_octet(octets) {
        rd[at] = blend(&mask[at], &[value; 8], &rd[at]);
    }
}

/// `rd = values` in the active lanes.
#[inline(always)]
pub(super) fn assign(warp: &mut Warp, octets: usize, op: &Op, values: &Row) {
    let (registers, mask, _) = warp.lanes();
    let rd = registers.row_mut(op.rd);
    for at in each_octet(octets) {
        rd[at] = blend(&mask[at], &values[at], &rd[at]);
    }
}

/// Whether any of eight lanes is not zero.
#[inline(always)]
pub(super) fn any(octet: &Octet) -> bool {
    *octet != [0; 8]
}

/// All ones for true.
#[inline(always)]
pub(super) fn ones(condition: bool) -> u32 {
    0u32.wrapping_sub(u32::from(condition))
}
