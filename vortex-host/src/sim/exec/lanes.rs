//! Passes over the lanes of a warp.

use super::super::code::Op;
use super::super::warp::{Octet, Row, Warp};
use std::array::from_fn;

/// Calls `body` for each group of eight lanes that the warp has.
#[inline(always)]
pub(super) fn each_octet(octets: usize, mut body: impl FnMut(usize)) {
    for octet in 0..4 {
        if octet >= octets {
            break;
        }
        body(octet);
    }
}

/// `new` where `mask` is ones, `old` elsewhere.
#[inline(always)]
pub(super) fn blend(mask: &Octet, new: &Octet, old: &Octet) -> Octet {
    from_fn(|n| new[n] & mask[n] | old[n] & !mask[n])
}

/// `rd = operation(rs1)` in the active lanes.
#[inline(always)]
pub(super) fn unary(warp: &mut Warp, octets: usize, op: &Op, operation: impl Fn(u32) -> u32) {
    let (registers, mask, full) = warp.lanes();
    if full {
        each_octet(octets, |at| {
            let a = registers.row(op.rs1)[at];
            registers.row_mut(op.rd)[at] = from_fn(|n| operation(a[n]));
        });
    } else {
        each_octet(octets, |at| {
            let a = registers.row(op.rs1)[at];
            let new = from_fn(|n| operation(a[n]));
            let rd = &mut registers.row_mut(op.rd)[at];
            *rd = blend(&mask[at], &new, rd);
        });
    }
}

/// `rd = operation(rs1, rs2)` in the active lanes.
#[inline(always)]
pub(super) fn binary(warp: &mut Warp, octets: usize, op: &Op, operation: impl Fn(u32, u32) -> u32) {
    let (registers, mask, full) = warp.lanes();
    if full {
        each_octet(octets, |at| {
            let (a, b) = (registers.row(op.rs1)[at], registers.row(op.rs2)[at]);
            registers.row_mut(op.rd)[at] = from_fn(|n| operation(a[n], b[n]));
        });
    } else {
        each_octet(octets, |at| {
            let (a, b) = (registers.row(op.rs1)[at], registers.row(op.rs2)[at]);
            let new = from_fn(|n| operation(a[n], b[n]));
            let rd = &mut registers.row_mut(op.rd)[at];
            *rd = blend(&mask[at], &new, rd);
        });
    }
}

/// `rd = value` in the active lanes.
#[inline(always)]
pub(super) fn splat(warp: &mut Warp, octets: usize, op: &Op, value: u32) {
    let (registers, mask, _) = warp.lanes();
    let rd = registers.row_mut(op.rd);
    each_octet(octets, |at| rd[at] = blend(&mask[at], &[value; 8], &rd[at]));
}

/// `rd = values` in the active lanes.
#[inline(always)]
pub(super) fn assign(warp: &mut Warp, octets: usize, op: &Op, values: &Row) {
    let (registers, mask, _) = warp.lanes();
    let rd = registers.row_mut(op.rd);
    each_octet(octets, |at| rd[at] = blend(&mask[at], &values[at], &rd[at]));
}

/// The bitwise or of eight lanes.
#[inline(always)]
pub(super) fn any(octet: &Octet) -> u32 {
    octet.iter().fold(0, |all, lane| all | lane)
}
