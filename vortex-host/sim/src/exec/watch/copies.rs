//! Reports accesses that are not races to the record of what the caches of cores may hold that others have stored to.

use super::super::super::code::Op;
use super::super::super::layout::{LOCAL, USER};
use super::super::super::race::{Access, Kind};
use super::super::super::registers::{lane, lanes_of};
use super::super::super::trap::TrapKind;
use super::{Context, Fault, addresses_from, racing};

/// Looks at an access.
#[cold]
pub(super) fn look<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    pc: u32,
    kind: Kind,
) -> Result<(), Box<Fault>> {
    let offset = if kind == Kind::Atomic { 0 } else { op.imm };
    let addresses = addresses_from(cx.warp.registers.row(op.rs1), offset);
    for n in lanes_of(cx.warp.mask()) {
        let address = lane(&addresses, n);
        let stays = kind == Kind::Store && is_there::<SIZE>(cx, address, op, n);
        let kind = if stays { Kind::SameStore } else { kind };
        // Over the end of a word it goes byte by byte.
        let size = if address.is_multiple_of(SIZE) {
            SIZE
        } else {
            1
        };
        for part in (0..SIZE).step_by(size as usize) {
            let access = Access {
                core: cx.core.id,
                warp: cx.warp_id,
                lane: n,
                lanes: 1,
                pc,
                work: 0,
                counts: false,
                kind,
                address: address.wrapping_add(part),
                size,
            };
            note(cx, &access)?;
        }
    }
    Ok(())
}

fn note(cx: &mut Context<'_>, access: &Access) -> Result<(), Box<Fault>> {
    let Some(races) = cx.races.as_deref_mut() else {
        return Ok(());
    };
    let Access { address, size, .. } = *access;
    // Local memory is a core's own, and nothing is cached that is below user memory.
    if !(USER..LOCAL).contains(&address) || races.is_open(address) {
        return Ok(());
    }
    match races.copy(access) {
        None => Ok(()),
        Some(first) => {
            let first = racing(cx, first, first.bytes().trailing_zeros());
            let kind = TrapKind::StaleRead {
                address,
                size,
                first,
            };
            Err(Fault::in_lane(kind, access.lane))
        }
    }
}

/// Whether a lane stores what is there already.
fn is_there<const SIZE: u32>(cx: &Context<'_>, address: u32, op: &Op, n: u32) -> bool {
    let value = lane(cx.warp.registers.row(op.rs2), n);
    let bits = u32::MAX >> (32 - 8 * SIZE);
    address.is_multiple_of(SIZE)
        && cx
            .memory
            .existing(address)
            .is_some_and(|chunk| chunk.load::<SIZE>(address) & bits == value & bits)
}
