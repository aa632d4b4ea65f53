//! Branches and jumps: a warp has one program counter, so its lanes must agree.

use super::super::code::Op;
use super::super::registers::{Octet, lane, lanes_of, octet_of};
use super::super::trap::TrapKind;
use super::lanes::{any, each_octet, ones};
use super::{Context, Fault};

/// Whether the warp branches: as its last active lane does, which the others must agree with.
#[inline(always)]
pub(super) fn decide(
    cx: &Context<'_>,
    octets: usize,
    op: &Op,
    condition: impl Fn(u32, u32) -> bool,
) -> Result<bool, Box<Fault>> {
    let (rs1, rs2) = (cx.warp.registers.row(op.rs1), cx.warp.registers.row(op.rs2));
    let mask = cx.warp.lane_mask();
    let last = cx.warp.last_lane();
    let taken = condition(lane(rs1, last), lane(rs2, last));
    let mut different: Octet = [0; 8];
    for at in each_octet(octets) {
        let (a, b, m) = (&rs1[at], &rs2[at], &mask[at]);
        different = octet_of(|n| different[n] | ones(condition(a[n], b[n]) != taken) & m[n]);
    }
    if any(&different) && cx.config.checks.divergence {
        let bits = lanes_of(cx.warp.mask())
            .filter(|&n| condition(lane(rs1, n), lane(rs2, n)))
            .fold(0, |bits, n| bits | 1 << n);
        return Err(Fault::new(TrapKind::DivergentBranch {
            taken: bits,
            not_taken: cx.warp.mask() & !bits,
        }));
    }
    Ok(taken)
}

/// A target that can be jumped to.
#[inline(always)]
pub(super) fn target(target: u32) -> Result<u32, Box<Fault>> {
    if target.is_multiple_of(4) {
        Ok(target)
    } else {
        Err(Fault::new(TrapKind::MisalignedJump { target }))
    }
}

/// Where `jalr` goes.
pub(super) fn indirect(cx: &Context<'_>, octets: usize, op: &Op) -> Result<u32, Box<Fault>> {
    let rs1 = cx.warp.registers.row(op.rs1);
    let last = lane(rs1, cx.warp.last_lane());
    let mask = cx.warp.lane_mask();
    let address = |base: u32| base.wrapping_add(op.imm) & !1;
    let mut different: Octet = [0; 8];
    for at in each_octet(octets) {
        different =
            octet_of(|n| different[n] | (address(rs1[at][n]) ^ address(last)) & mask[at][n]);
    }
    if any(&different)
        && cx.config.checks.divergence
        && let Some(lane) =
            lanes_of(cx.warp.mask()).find(|&n| address(lane(rs1, n)) != address(last))
    {
        let kind = TrapKind::DivergentJump {
            target: address(last),
            other: address(self::lane(rs1, lane)),
        };
        return Err(Fault::in_lane(kind, lane));
    }
    target(address(last))
}
