//! Loads and stores.
//!
//! A core remembers, per base register, the range of memory that was last reached through it. As long as all lanes of an access
//! are inside (a few vector instructions tell), nothing needs to be looked up.

use super::super::code::Op;
use super::super::core::{CoreState, Window};
use super::super::layout::{CONSOLE, CONSOLE_BYTES, LOCAL};
use super::super::memory::{Chunk, Memory};
use super::super::protection::Access;
use super::super::trap::{AccessKind, TrapKind};
use super::super::warp::{Octet, Row, lane, lane_mut, lanes_of};
use super::lanes::{any, blend, each_octet, ones};
use super::{Context, Fault, lanes};
use std::array::from_fn;

/// How a warp's addresses lie.
enum Reach {
    /// All in the 64 KiB around this one, and allowed.
    Near(u32),
    /// Allowed.
    Far,
    /// Not known to be allowed.
    Unknown,
}

/// The addresses of an access, in all lanes, and what is known of those of the active lanes.
#[inline(always)]
fn addresses<const SIZE: u32>(
    cx: &Context<'_>,
    octets: usize,
    op: &Op,
    window: &Window,
    allowed: bool,
) -> (Row, Reach) {
    let base = cx.warp.registers.row(op.rs1);
    let mask = cx.warp.lane_mask();
    let near = lane(base, cx.warp.last_lane()).wrapping_add(op.imm);
    let limit = window.span.saturating_sub(SIZE - 1);
    let mut row: Row = [[0; 8]; 4];
    let (mut wrong, mut apart): (Octet, Octet) = ([0; 8], [0; 8]);
    for at in each_octet(octets) {
        let (b, m) = (&base[at], &mask[at]);
        let address: Octet = from_fn(|n| b[n].wrapping_add(op.imm));
        let outside: Octet = from_fn(|n| ones(address[n].wrapping_sub(window.first) > limit));
        wrong = from_fn(|n| wrong[n] | (outside[n] | address[n] & (SIZE - 1)) & m[n]);
        apart = from_fn(|n| apart[n] | (address[n] ^ near) >> 16 & m[n]);
        row[at] = address;
    }
    let reach = if !allowed || any(&wrong) {
        Reach::Unknown
    } else if any(&apart) {
        Reach::Far
    } else {
        Reach::Near(near)
    };
    (row, reach)
}

/// The chunk of memory at an address that is allowed, if anything was written to it.
#[inline(always)]
fn existing<'a>(core: &'a CoreState, memory: &'a Memory, address: u32) -> Option<&'a Chunk> {
    if address >= LOCAL {
        Some(&core.local)
    } else {
        memory.existing(address)
    }
}

/// The chunk of memory at an address that is allowed.
pub(super) fn chunk<'a>(cx: &'a Context<'_>, address: u32) -> &'a Chunk {
    if address >= LOCAL {
        &cx.core.local
    } else {
        cx.memory.chunk(address)
    }
}

#[inline(always)]
pub(super) fn load<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    extend: impl Fn(u32) -> u32,
) -> Result<(), Box<Fault>> {
    let window = *cx.core.window(op.rs1);
    let (addresses, reach) = addresses::<SIZE>(cx, octets, op, &window, window.reads);
    let Context {
        warp, core, memory, ..
    } = &mut *cx;
    let near = match reach {
        Reach::Near(address) => existing(core, memory, address),
        Reach::Far | Reach::Unknown => None,
    };
    let Some(chunk) = near else {
        let mut values =
            load_scattered::<SIZE>(cx, op, &addresses, matches!(reach, Reach::Unknown))?;
        for octet in &mut values {
            *octet = octet.map(&extend);
        }
        lanes::assign(cx.warp, octets, op, &values);
        return Ok(());
    };
    let (registers, mask, _) = warp.lanes();
    let rd = registers.row_mut(op.rd);
    for at in each_octet(octets) {
        // Inactive lanes read something that nobody will see.
        let values = from_fn(|n| extend(chunk.load::<SIZE>(addresses[at][n])));
        rd[at] = blend(&mask[at], &values, &rd[at]);
    }
    Ok(())
}

/// Each lane for itself.
#[inline(never)]
fn load_scattered<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    addresses: &Row,
    check: bool,
) -> Result<Row, Box<Fault>> {
    let mut values: Row = [[0; 8]; 4];
    for n in lanes_of(cx.warp.mask()) {
        let address = lane(addresses, n);
        if check {
            locate(cx, AccessKind::Load, address, SIZE, n)?;
            remember(cx, op, address);
        }
        *lane_mut(&mut values, n) = chunk(cx, address).load::<SIZE>(address);
    }
    Ok(values)
}

/// Answers an address that was written although it was decoded, if there is one.
#[inline(always)]
pub(super) fn store<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
) -> Result<Option<u32>, Box<Fault>> {
    let window = *cx.core.window(op.rs1);
    let (addresses, reach) = addresses::<SIZE>(cx, octets, op, &window, window.writes);
    let near = match reach {
        Reach::Near(address) if !cx.reservations.any() => existing(cx.core, cx.memory, address),
        _ => None,
    };
    let Some(chunk) = near else {
        return store_scattered::<SIZE>(cx, op, &addresses, matches!(reach, Reach::Unknown));
    };
    let values = cx.warp.registers.row(op.rs2);
    if cx.warp.is_full() && cx.config.threads.is_multiple_of(8) {
        for at in each_octet(octets) {
            for n in 0..8 {
                chunk.store::<SIZE>(addresses[at][n], values[at][n]);
            }
        }
    } else {
        for n in lanes_of(cx.warp.mask()) {
            chunk.store::<SIZE>(lane(&addresses, n), lane(values, n));
        }
    }
    Ok(None)
}

/// Each lane for itself, in order: of several that store to one address the highest wins.
#[inline(never)]
fn store_scattered<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    addresses: &Row,
    check: bool,
) -> Result<Option<u32>, Box<Fault>> {
    let mut code = None;
    for n in lanes_of(cx.warp.mask()) {
        let (address, value) = (lane(addresses, n), lane(cx.warp.registers.row(op.rs2), n));
        if check {
            if locate(cx, AccessKind::Store, address, SIZE, n)? == Place::Console {
                cx.console.put(cx.core.id, address - CONSOLE, value as u8);
                continue;
            }
            remember(cx, op, address);
        }
        code = write::<SIZE>(cx, address, value).or(code);
    }
    Ok(code)
}

/// A store that was found to be allowed. Answers the address if it was decoded.
pub(super) fn write<const SIZE: u32>(
    cx: &mut Context<'_>,
    address: u32,
    value: u32,
) -> Option<u32> {
    cx.reservations.written(cx.core.id, address);
    chunk(cx, address).store::<SIZE>(address, value);
    cx.code
        .overlaps(address, address + (SIZE - 1))
        .then_some(address)
}

/// What is at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Memory,
    Console,
}

/// Finds out whether `size` bytes at `address` may be accessed.
pub(super) fn locate(
    cx: &Context<'_>,
    access: AccessKind,
    address: u32,
    size: u32,
    lane: u32,
) -> Result<Place, Box<Fault>> {
    if !address.is_multiple_of(size) {
        return Err(Fault::in_lane(
            TrapKind::Misaligned {
                access,
                address,
                size,
            },
            lane,
        ));
    }
    if address.wrapping_sub(CONSOLE) < CONSOLE_BYTES {
        return match (access, size) {
            (AccessKind::Store, 1) => Ok(Place::Console),
            _ => Err(Fault::in_lane(
                TrapKind::ConsoleAccess {
                    access,
                    address,
                    size,
                },
                lane,
            )),
        };
    }
    // An access may reach from one part of an allocation into the next. It is aligned, so it does not wrap.
    let mut at = address;
    let last = address + (size - 1);
    loop {
        let Some(range) = cx.protection.range_at(at) else {
            if let Some(allocation) = cx.protection.freed_at(at) {
                let kind = TrapKind::UseAfterFree {
                    access,
                    address,
                    size,
                    allocation,
                };
                return Err(Fault::in_lane(kind, lane));
            }
            let nearest = cx.protection.nearest_allocation(address);
            return Err(Fault::in_lane(
                TrapKind::OutOfBounds {
                    access,
                    address,
                    size,
                    nearest,
                },
                lane,
            ));
        };
        if !allows(range.access, access) {
            return Err(Fault::in_lane(
                TrapKind::AccessDenied {
                    access,
                    address,
                    size,
                    allowed: range.access,
                },
                lane,
            ));
        }
        if range.last >= last {
            return Ok(Place::Memory);
        }
        at = range.last + 1;
    }
}

fn allows(rights: Access, access: AccessKind) -> bool {
    match access {
        AccessKind::Load => rights.reads(),
        AccessKind::Store => rights.writes(),
        AccessKind::Atomic => rights.reads() && rights.writes(),
    }
}

/// Makes the range around an address known to the core.
fn remember(cx: &mut Context<'_>, op: &Op, address: u32) {
    if let Some(range) = cx.protection.range_at(address)
        // Smaller ones could not hold every access that starts in them.
        && range.last - range.first >= 3
    {
        let writes = range.access.writes() && !cx.code.overlaps(range.first, range.last);
        *cx.core.window_mut(op.rs1) = Window {
            first: range.first,
            span: range.last - range.first,
            reads: range.access.reads(),
            writes,
        };
    }
}
