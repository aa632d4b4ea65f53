//! Votes and shuffles.

use super::super::code::Op;
use super::super::registers::{lane, lane_mut, lanes_of};
use super::super::warp::Warp;
use super::{Context, lanes};
use vortex_isa::Opcode;

pub(super) fn vote(warp: &mut Warp, octets: usize, opcode: Opcode, op: &Op) {
    let active = warp.mask();
    let row = warp.registers.row(op.rs1);
    let ballot = lanes_of(active).fold(0, |bits, n| bits | (lane(row, n) & 1) << n);
    let value = match opcode {
        Opcode::VoteAll => u32::from(ballot == active),
        Opcode::VoteAny => u32::from(ballot != 0),
        Opcode::VoteUni => u32::from(ballot == 0 || ballot == active),
        _ => ballot,
    };
    lanes::splat(warp, octets, op, value);
}

/// Lanes whose source would be out of range, or is none of `readable`, keep their own value.
pub(super) fn shuffle(warp: &mut Warp, threads: u32, readable: u32, opcode: Opcode, op: &Op) {
    let (values, control) = (*warp.registers.row(op.rs1), *warp.registers.row(op.rs2));
    let mask = warp.mask();
    let result = warp.registers.row_mut(op.rd);
    for n in lanes_of(mask) {
        let source = source(opcode, n, lane(&control, n), threads);
        let source = if readable >> source & 1 != 0 {
            source
        } else {
            n
        };
        *lane_mut(result, n) = lane(&values, source);
    }
}

/// The lanes that a shuffle of a warp may read. Registers of inactive ones are there, and some hardware reads them.
pub(super) fn readable(cx: &Context<'_>) -> u32 {
    match cx.config.hardware().shuffles_read_inactive {
        true => u32::MAX,
        false => cx.warp.mask(),
    }
}

/// The lane whose value a lane gets.
pub(super) fn source(opcode: Opcode, n: u32, control: u32, threads: u32) -> u32 {
    let (operand, clamp, segment) = (control & 63, control >> 6 & 63, control >> 12 & 63);
    let (lowest, highest) = (n & segment, n & segment | clamp & !segment);
    let source = match opcode {
        Opcode::ShflUp => n.checked_sub(operand).filter(|&source| source >= lowest),
        Opcode::ShflDown => Some(n + operand).filter(|&source| source <= highest),
        Opcode::ShflBfly => Some(n ^ operand).filter(|&source| source <= highest),
        _ => Some(lowest | operand & !segment).filter(|&source| source <= highest),
    };
    source.filter(|&source| source < threads).unwrap_or(n)
}

/// Of each four lanes, those after lane `op.imm` of them get that one's rs1, rs2 and rs3, active or not.
pub(super) fn gather(warp: &mut Warp, threads: u32, op: &Op) {
    let operands = [op.rs1, op.rs2, op.rs3].map(|row| *warp.registers.row(row));
    let (mask, last) = (warp.mask(), warp.last_lane());
    let result = warp.registers.row_mut(op.rd);
    for n in 0..threads {
        let source = n & !3 | op.imm;
        let source = match mask >> source & 1 {
            1 => source,
            _ => last,
        };
        // The distance after the source: 1 to 3 for those who get something.
        if let Some(values) = (n.wrapping_sub(op.imm) & 3).checked_sub(1) {
            *lane_mut(result, n) = lane(&operands[values as usize], source);
        }
    }
}
