//! Atomic memory operations: lane after lane, lowest first.

use super::super::code::Op;
use super::super::layout::LOCAL;
use super::super::registers::{Row, lane, lane_mut, lanes_of};
use super::super::trap::{AccessKind, UninitialisedUse};
use super::place::Wish;
use super::{Context, Fault, lanes, memory, undefined};
use std::sync::PoisonError;
use vortex_isa::Opcode;

/// Returns whether something was written that was decoded.
pub(super) fn execute(
    cx: &mut Context<'_>,
    opcode: Opcode,
    op: &Op,
    pc: u32,
) -> Result<bool, Box<Fault>> {
    let (addresses, operands) = (
        *cx.warp.registers.row(op.rs1),
        *cx.warp.registers.row(op.rs2),
    );
    let mut results: Row = [[0; 8]; 4];
    let (mut code, mut bits, mut any): (_, Row, _) = (false, [[0; 8]; 4], 0);
    for n in lanes_of(cx.warp.mask()) {
        let (address, operand) = (lane(&addresses, n), lane(&operands, n));
        let access = match opcode {
            Opcode::LrW => AccessKind::Load,
            Opcode::ScW => AccessKind::Store,
            _ => AccessKind::Atomic,
        };
        let wish = Wish {
            access,
            address,
            size: 4,
            lane: n,
        };
        // Most lanes are where the one before was.
        let window = *cx.core.window(op.rs1);
        let place = if window.reads && window.writes && window.holds(address, 4) {
            (window.host, window.defined)
        } else {
            // In pieces it would not be atomic.
            wish.aligned()?;
            wish.locate(cx)?;
            memory::remember(cx, op, address);
            memory::kept(cx, address)
        };
        // A word and its shadow, as one.
        let shared = cx.shared.filter(|_| cx.shadow.is_some());
        let _alone = shared.map(|atomics| atomics.lock().unwrap_or_else(PoisonError::into_inner));
        if cx.shared.is_some() {
            end_reservation(cx, address);
        }
        let unknown = shadow(cx, opcode, op, place, (address, n))?;
        *lane_mut(&mut bits, n) = unknown;
        any |= unknown;
        if unknown != 0 && opcode != Opcode::LrW {
            undefined::changed(cx, address, pc, n);
        }
        let result = lane_mut(&mut results, n);
        match opcode {
            Opcode::LrW => {
                *result = memory::chunk(cx, address).load::<4>(address);
                // Local memory has no reservations.
                if address < LOCAL {
                    cx.reservations.reserve(cx.core.id, address, *result);
                }
            }
            Opcode::ScW => {
                *result = 1;
                if let Some(word) = cx.reservations.held(cx.core.id, address) {
                    let (done, written) = memory::exchange(cx, address, word, operand);
                    *result = u32::from(!done);
                    code |= written;
                }
            }
            _ => {
                let (old, written) =
                    memory::update(cx, address, |old| combine(opcode, old, operand));
                *result = old;
                code |= written;
            }
        }
    }
    lanes::assign(
        cx.warp,
        cx.config.threads.div_ceil(8) as usize,
        op,
        &results,
    );
    if any != 0 {
        undefined::loaded(cx, op, pc, &addresses, &bits);
    }
    Ok(code)
}

/// Ends the reservation of a word that another thread has changed. What it has not changed it may have written.
fn end_reservation(cx: &mut Context<'_>, address: u32) {
    let held = cx.reservations.held(cx.core.id, address);
    if held.is_some_and(|word| memory::chunk(cx, address).load::<4>(address) != word) {
        cx.reservations.written(cx.core.id, address);
    }
}

/// Keeps the shadow of the word that an access is about to change, in memory of which it is known whether the host
/// reads it, and whether all of it holds values; answers that of the result.
fn shadow(
    cx: &Context<'_>,
    opcode: Opcode,
    op: &Op,
    (host, defined): (bool, bool),
    (address, n): (u32, u32),
) -> Result<u32, Box<Fault>> {
    if cx.shadow.is_none() {
        return Ok(0);
    }
    if opcode == Opcode::ScW && !cx.reservations.holds(cx.core.id, address) {
        return Ok(0);
    }
    let old = if defined {
        0
    } else {
        memory::shadow_of_word(cx, address)
    };
    let operand = cx.warp.shadow_of(op.rs2, n);
    let new = match opcode {
        Opcode::LrW => return Ok(old),
        Opcode::ScW | Opcode::AmoswapW => operand,
        Opcode::AmoxorW | Opcode::AmoandW | Opcode::AmoorW => old | operand,
        _ if old | operand != 0 => u32::MAX,
        _ => 0,
    };
    if operand != 0 && host {
        let what = UninitialisedUse::Store { address, size: 4 };
        return Err(undefined::fault(cx, op.rs2, operand, what, n));
    }
    if !defined {
        memory::set_shadow::<4>(cx, address, new);
    }
    Ok(if opcode == Opcode::ScW { 0 } else { old })
}

/// What an operation leaves where `old` was, if it gets to it.
pub(super) fn leaves(opcode: Opcode, old: u32, operand: u32) -> u32 {
    match opcode {
        Opcode::LrW => old,
        _ => combine(opcode, old, operand),
    }
}

fn combine(opcode: Opcode, old: u32, operand: u32) -> u32 {
    match opcode {
        Opcode::AmoaddW => old.wrapping_add(operand),
        Opcode::AmoxorW => old ^ operand,
        Opcode::AmoandW => old & operand,
        Opcode::AmoorW => old | operand,
        Opcode::AmominW => (old as i32).min(operand as i32) as u32,
        Opcode::AmomaxW => (old as i32).max(operand as i32) as u32,
        Opcode::AmominuW => old.min(operand),
        Opcode::AmomaxuW => old.max(operand),
        _ => operand,
    }
}
