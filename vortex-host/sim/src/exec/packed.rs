//! Loads of several parts of a word, each a stride after the one before (Vortex 3's `packlb.f` and `packlh.f`).

use super::super::code::Op;
use super::super::race::Kind;
use super::super::registers::{Row, SPARE};
use super::{Context, Fault, lanes, memory, undefined, watch};

/// As a load of each part, lowest first.
#[inline(never)]
pub(super) fn load<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    pc: u32,
) -> Result<(), Box<Fault>> {
    let (base, stride) = (
        *cx.warp.registers.row(op.rs1),
        *cx.warp.registers.row(op.rs2),
    );
    let part_op = Op {
        rs1: SPARE,
        imm: 0,
        ..*op
    };
    let (mut values, mut bits): (Row, Row) = Default::default();
    for part in 0..4 / SIZE {
        let mut addresses = base;
        let strides = stride.as_flattened();
        for (address, stride) in addresses.as_flattened_mut().iter_mut().zip(strides) {
            *address = address.wrapping_add(part.wrapping_mul(*stride));
        }
        *cx.warp.registers.row_mut(SPARE) = addresses;
        if cx.races.is_some() {
            watch::access::<SIZE>(cx, octets, &part_op, pc, Kind::Load)?;
        }
        let loaded = memory::load_scattered::<SIZE>(cx, &part_op, &addresses, true)?;
        put::<SIZE>(&mut values, &loaded, part);
        if cx.shadow.is_some() {
            let unknown = memory::shadows_scattered::<SIZE>(cx, &part_op, &addresses, true);
            put::<SIZE>(&mut bits, &unknown, part);
        }
    }
    lanes::assign(cx.warp, octets, op, &values);
    undefined::loaded(cx, op, pc, &base, &bits);
    Ok(())
}

/// Adds a part to words.
fn put<const SIZE: u32>(words: &mut Row, parts: &Row, number: u32) {
    let words = words.as_flattened_mut().iter_mut();
    for (word, part) in words.zip(parts.as_flattened()) {
        *word |= part << (8 * SIZE * number);
    }
}
