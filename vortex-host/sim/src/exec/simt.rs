//! Thread masks, divergence, barriers and warps.

use super::super::code::Op;
use super::super::config::Config;
use super::super::core::MOST_COPIES;
use super::super::registers::{LANES, lane};
use super::super::trap::TrapKind;
use super::super::warp::Divergence;
use super::{Context, Exit, Fault, branch, lanes};
use std::cmp::Ordering;
use vortex_isa::GLOBAL_BARRIER;

/// Bit 0 of a register in each active lane, as a mask; the rest of the active lanes as the second mask.
fn predicate(cx: &Context<'_>, row: u8, negate: bool) -> (u32, u32) {
    let row = cx.warp.registers.row(row);
    let bits = (0..LANES as u32).fold(0, |bits, n| bits | (lane(row, n) & 1) << n);
    let active = cx.warp.mask();
    let holds = if negate { !bits } else { bits } & active;
    (holds, active & !holds)
}

/// A register's value in the lane that speaks for the warp.
fn uniform(cx: &Context<'_>, row: u8) -> u32 {
    lane(cx.warp.registers.row(row), cx.warp.last_lane())
}

pub(super) fn tmc(cx: &mut Context<'_>, op: &Op) {
    let mask = uniform(cx, op.rs1);
    cx.warp.set_mask(mask, cx.config.all_lanes());
}

pub(super) fn split(cx: &mut Context<'_>, op: &Op, next: u32) -> Result<(), Box<Fault>> {
    let (holds, fails) = predicate(cx, op.rs1, op.rs2 != 0);
    let depth = cx.warp.splits.len() as u32;
    let diverges = holds != 0 && fails != 0;
    let limit = cx.config.threads - 1;
    let room = depth < limit;
    if diverges && !room && cx.config.checks.reconvergence {
        return Err(Fault::new(TrapKind::SplitOverflow { limit }));
    }
    lanes::splat(cx.warp, cx.config.threads.div_ceil(8) as usize, op, depth);
    if diverges {
        let (larger, smaller) = match holds.count_ones().cmp(&fails.count_ones()) {
            Ordering::Greater => (holds, fails),
            Ordering::Less => (fails, holds),
            // Where the predicate holds goes first anyway.
            Ordering::Equal if cx.config.hardware().larger_side_first => (holds, fails),
            Ordering::Equal => (fails, holds),
        };
        let (first, other) = match cx.config.hardware().larger_side_first {
            true => (larger, smaller),
            false => (smaller, larger),
        };
        if room {
            cx.warp.splits.push(Divergence {
                whole: cx.warp.mask(),
                other,
                pc: next,
                switched: false,
            });
            cx.core.split_depth = cx.core.split_depth.max(depth + 1);
        }
        cx.warp.set_mask(first, cx.config.all_lanes());
    }
    Ok(())
}

/// Returns where to continue.
pub(super) fn join(cx: &mut Context<'_>, op: &Op, next: u32) -> Result<u32, Box<Fault>> {
    let depth = uniform(cx, op.rs1);
    let open = cx.warp.splits.len() as u32;
    if depth == open {
        return Ok(next);
    }
    if cx.config.checks.reconvergence && open != 0 && depth.wrapping_add(1) != open {
        return Err(Fault::new(TrapKind::JoinMismatch { depth, open }));
    }
    let current = cx.warp.mask();
    let Some(top) = cx.warp.splits.last_mut() else {
        if cx.config.checks.reconvergence {
            return Err(Fault::new(TrapKind::JoinUnderflow));
        }
        return Ok(next);
    };
    if top.switched {
        let whole = top.whole;
        cx.warp.splits.pop();
        cx.warp.set_mask(whole, cx.config.all_lanes());
        return Ok(next);
    }
    top.switched = true;
    let other = match cx.config.hardware().join_takes_rest {
        true => top.whole & !current,
        false => top.other,
    };
    let pc = top.pc;
    cx.warp.set_mask(other, cx.config.all_lanes());
    Ok(pc)
}

pub(super) fn pred(cx: &mut Context<'_>, op: &Op) {
    let (stay, _) = predicate(cx, op.rs1, op.rd != 0);
    let mask = if stay != 0 { stay } else { uniform(cx, op.rs2) };
    cx.warp.set_mask(mask, cx.config.all_lanes());
}

/// Whether a warp may end here.
#[cold]
pub(super) fn end(cx: &Context<'_>) -> Result<(), Box<Fault>> {
    let splits = &cx.warp.splits;
    if splits.is_empty() || !cx.config.checks.reconvergence {
        return Ok(());
    }
    let lanes = splits.iter().fold(0, |lanes, split| lanes | split.whole);
    Err(Fault::new(TrapKind::OpenSplits {
        open: splits.len() as u32,
        lanes,
    }))
}

/// The number of a barrier that there is.
fn barrier_id(cx: &Context<'_>, op: &Op) -> Result<u32, Box<Fault>> {
    let id = uniform(cx, op.rs1);
    if cx.config.barrier_state(id).is_none() {
        let (id, limit) = (id & !GLOBAL_BARRIER, cx.config.barriers());
        return Err(Fault::new(match cx.config.hardware().has_phases() {
            true => TrapKind::InvalidGroupBarrier {
                id,
                slots: cx.config.warps,
                limit,
            },
            false => TrapKind::InvalidBarrier { id, limit },
        }));
    }
    Ok(id)
}

/// Number and count of a barrier, if it is to be waited at.
pub(super) fn barrier(cx: &Context<'_>, op: &Op) -> Result<Option<(u32, u32)>, Box<Fault>> {
    let (id, expected) = meeting(cx, op)?;
    // Of one there is nobody to wait for; but where there are phases, one is over.
    let matters = expected >= 2 || cx.config.hardware().has_phases();
    Ok(matters.then_some((id, expected)))
}

/// Number and count of a barrier.
pub(super) fn meeting(cx: &Context<'_>, op: &Op) -> Result<(u32, u32), Box<Fault>> {
    let (id, expected) = (barrier_id(cx, op)?, uniform(cx, op.rs2));
    if cx.config.checks.barriers {
        let most = match id & GLOBAL_BARRIER {
            0 => cx.config.warps,
            _ => cx.config.cores_of_cluster(),
        };
        if expected == 0 || expected > most {
            return Err(Fault::new(TrapKind::BarrierCount { id, expected, most }));
        }
        let lanes = cx.warp.mask();
        let splits = &cx.warp.splits;
        let others = splits.iter().fold(0, |all, split| all | split.whole) & !lanes;
        if others != 0 && expected >= 2 {
            return Err(Fault::new(TrapKind::DivergentBarrier { id, lanes, others }));
        }
    }
    Ok((id, expected))
}

/// An arrival that does not wait; or that a barrier is to wait for copies, which the highest bit of the count says.
pub(super) fn arrival(cx: &Context<'_>, op: &Op) -> Result<Exit, Box<Fault>> {
    const EXPECTS: u32 = 1 << 31;
    let rd = op.rd;
    let count = uniform(cx, op.rs2);
    if count & EXPECTS == 0 {
        let (id, expected) = meeting(cx, op)?;
        return Ok(Exit::Arrived { id, expected, rd });
    }
    let (id, copies) = (barrier_id(cx, op)?, expected_copies(cx.config, count));
    // No copy will ever end here: nothing makes one.
    match cx.config.checks.barriers {
        true => Err(Fault::new(TrapKind::ExpectsCopies { id, copies })),
        false => Ok(Exit::Expects { id, copies, rd }),
    }
}

/// How many copies an operand means: the hardware takes 1 off, keeps as many bits as it has for the size of a barrier,
/// and adds 1 again (`BAR_SIZE_W` in Vortex 3's `VX_gpu_pkg.sv`, and `VX_wctl_unit.sv`).
fn expected_copies(config: &Config, count: u32) -> u32 {
    let bits = |most: u32| most.next_power_of_two().trailing_zeros();
    let width = bits(config.warps)
        .max(bits(config.cores_of_cluster()))
        .max(bits(MOST_COPIES));
    (count.wrapping_sub(1) & ((1 << width) - 1)) + 1
}

/// Number and phase of a barrier whose phase is to be waited for.
pub(super) fn phase(cx: &Context<'_>, op: &Op) -> Result<(u32, u32), Box<Fault>> {
    Ok((barrier_id(cx, op)?, uniform(cx, op.rs2) & 1))
}

/// How many warps there shall be, and where the new ones start.
pub(super) fn spawn(cx: &Context<'_>, op: &Op) -> Result<(u32, u32), Box<Fault>> {
    let (warps, pc) = (uniform(cx, op.rs1), uniform(cx, op.rs2));
    if cx.warp_id != 0 {
        return Err(Fault::new(TrapKind::SpawnOutsideWarpZero));
    }
    // With nobody to start, the address means nothing.
    if warps >= 2 {
        branch::target(pc)?;
    }
    Ok((warps.min(cx.config.warps), pc))
}
