//! Lost updates: lanes that change one element in one instruction, each beginning with what was there before.

use super::super::code::Op;
use super::super::layout::{LOCAL, UNINITIALISED};
use super::super::notes::Update;
use super::super::registers::{Octet, Row, lane, lanes_of, octet_of, row_of};
use super::super::trap::TrapKind;
use super::watch::rising;
use super::{Context, Fault};

/// Looks at a store that is an update, before it is executed.
pub(super) fn check<const SIZE: u32>(
    cx: &Context<'_>,
    op: &Op,
    update: Update,
) -> Result<(), Box<Fault>> {
    let mask = cx.warp.mask();
    let (base, values) = (cx.warp.registers.row(op.rs1), cx.warp.registers.row(op.rs2));
    let addresses: Row = row_of(base, |base| base.wrapping_add(op.imm));
    if rising(mask, &addresses) {
        return Ok(());
    }
    let stored = |n| lane(values, n) & (u32::MAX >> (32 - 8 * SIZE));
    for n in lanes_of(mask) {
        let address = lane(&addresses, n);
        if shared(&addresses, cx.warp.lane_mask(), address) < 2 || !address.is_multiple_of(SIZE) {
            continue;
        }
        let mut lanes = lanes_of(mask);
        let first = lanes.find(|&first| lane(&addresses, first) == address);
        let Some(other) = first.filter(|&first| first != n) else {
            continue;
        };
        let is_lost = match update {
            _ if stored(n) != stored(other) => true,
            Update::Chosen => false,
            Update::Made => stored(n) != there::<SIZE>(cx, address),
        };
        if is_lost {
            let kind = TrapKind::LostUpdate {
                address,
                size: SIZE,
                other,
            };
            return Err(Fault::in_lane(kind, n));
        }
    }
    Ok(())
}

/// How many active lanes have an address.
fn shared(addresses: &Row, lanes: &Row, address: u32) -> u32 {
    let mut count: Octet = [0; 8];
    for (addresses, lanes) in addresses.iter().zip(lanes) {
        count = octet_of(|n| count[n] + (u32::from(addresses[n] == address) & lanes[n]));
    }
    count.iter().sum()
}

/// What is in memory.
fn there<const SIZE: u32>(cx: &Context<'_>, address: u32) -> u32 {
    if address >= LOCAL {
        return cx.core.local.load::<SIZE>(address);
    }
    match cx.memory.existing(address) {
        Some(chunk) => chunk.load::<SIZE>(address),
        None => UNINITIALISED >> (8 * (address % 4)) & (u32::MAX >> (32 - 8 * SIZE)),
    }
}
