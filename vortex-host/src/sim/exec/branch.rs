//! Branches and jumps: a warp has one program counter, so its lanes must agree.

use super::super::code::Op;
use super::super::trap::TrapKind;
use super::super::warp::{lane, lanes_of};
use super::lanes::{any, each_octet};
use super::{Context, Fault};
use std::array::from_fn;

/// Whether the warp branches.
#[inline(always)]
pub(super) fn decide(
    cx: &Context<'_>,
    octets: usize,
    op: &Op,
    condition: impl Fn(u32, u32) -> bool,
) -> Result<bool, Box<Fault>> {
    let (rs1, rs2) = (cx.warp.registers.row(op.rs1), cx.warp.registers.row(op.rs2));
    let mask = cx.warp.lane_mask();
    let (mut taken, mut not_taken) = ([0; 8], [0; 8]);
    each_octet(octets, |at| {
        let (a, b, m) = (&rs1[at], &rs2[at], &mask[at]);
        let holds: [u32; 8] = from_fn(|n| 0u32.wrapping_sub(u32::from(condition(a[n], b[n]))));
        taken = from_fn(|n| taken[n] | holds[n] & m[n]);
        not_taken = from_fn(|n| not_taken[n] | !holds[n] & m[n]);
    });
    let (taken, not_taken) = (any(&taken) != 0, any(&not_taken) != 0);
    if taken && not_taken {
        let bits = lanes_of(cx.warp.mask())
            .filter(|&n| condition(lane(rs1, n), lane(rs2, n)))
            .fold(0, |bits, n| bits | 1 << n);
        return divergent(cx, bits);
    }
    Ok(taken)
}

#[cold]
fn divergent(cx: &Context<'_>, taken: u32) -> Result<bool, Box<Fault>> {
    if cx.config.checks.divergence {
        return Err(Fault::new(TrapKind::DivergentBranch {
            taken,
            not_taken: cx.warp.mask() & !taken,
        }));
    }
    Ok(taken >> cx.warp.last_lane() & 1 != 0)
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
    let mut different = 0;
    each_octet(octets, |at| {
        different |= any(&from_fn(|n| (rs1[at][n] ^ last) & mask[at][n]))
    });
    let address = |base: u32| base.wrapping_add(op.imm) & !1;
    if different != 0
        && cx.config.checks.divergence
        && let Some(lane) = lanes_of(cx.warp.mask()).find(|&n| lane(rs1, n) != last)
    {
        let kind = TrapKind::DivergentJump {
            target: address(last),
            other: address(self::lane(rs1, lane)),
        };
        return Err(Fault::in_lane(kind, lane));
    }
    target(address(last))
}
