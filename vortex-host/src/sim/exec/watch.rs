//! What the race detector is told of each instruction, before it is executed.

use super::super::code::Op;
use super::super::layout::{LOCAL, USER};
use super::super::race::{Access, Entry, Kind};
use super::super::trap::{AccessKind, RacingAccess, TrapKind};
use super::super::warp::{Row, lane, lanes_of};
use super::{Context, Fault};
use vortex_kernel::isa::{Class, Opcode};

/// Looks at loads, stores, atomic accesses and fences. Accesses that will fail are left to what executes them.
#[inline(always)]
pub(super) fn observe(
    cx: &mut Context<'_>,
    opcode: Opcode,
    op: &Op,
    pc: u32,
) -> Result<(), Box<Fault>> {
    use Opcode as O;
    let (kind, size) = match opcode {
        O::Lw | O::Flw => (Kind::Load, 4),
        O::Sw | O::Fsw => (Kind::Store, 4),
        O::Lb | O::Lbu => (Kind::Load, 1),
        O::Lh | O::Lhu => (Kind::Load, 2),
        O::Sb => (Kind::Store, 1),
        O::Sh => (Kind::Store, 2),
        O::Fence => {
            if let Some(races) = &mut cx.races {
                races.fence(cx.core.id, cx.warp_id);
            }
            return Ok(());
        }
        _ if opcode.info().class == Class::Atomic => (Kind::Atomic, 4),
        _ => return Ok(()),
    };
    access(cx, op, pc, kind, size)
}

#[inline(never)]
fn access(cx: &mut Context<'_>, op: &Op, pc: u32, kind: Kind, size: u32) -> Result<(), Box<Fault>> {
    let Some(races) = cx.races.as_deref_mut() else {
        return Ok(());
    };
    // Of atomic operations, the immediate holds the ordering bits.
    let (offset, acquire, release) = match kind {
        Kind::Atomic => (0, op.imm & 1 != 0, op.imm & 2 != 0),
        _ => (op.imm, false, false),
    };
    let (core, warp) = (cx.core.id, cx.warp_id);
    if release {
        races.release(core, warp);
    }
    let (base, values) = (cx.warp.registers.row(op.rs1), cx.warp.registers.row(op.rs2));
    let addresses: Row = base.map(|octet| octet.map(|base| base.wrapping_add(offset)));
    if kind == Kind::Store && !rising(cx.warp.mask(), &addresses) {
        collisions(cx.warp.mask(), &addresses, values, size)?;
    }
    // Memory below user memory has never been accessed in these terms.
    if size == 4
        && kind != Kind::Atomic
        && races.all_repeated((core, warp), kind, cx.warp.mask(), &addresses)
    {
        return Ok(());
    }
    for n in lanes_of(cx.warp.mask()) {
        let address = lane(&addresses, n);
        if address < USER || address & (size - 1) != 0 {
            continue;
        }
        let mut kind = kind;
        if kind == Kind::Store {
            let chunk = if address >= LOCAL {
                Some(&cx.core.local)
            } else {
                cx.memory.existing(address)
            };
            let (new, bits) = (lane(values, n), u32::MAX >> (32 - 8 * size));
            let old = chunk.map(|chunk| chunk.load::<4>(address) >> (address % 4 * 8));
            if old.is_some_and(|old| (old ^ new) & bits == 0) {
                kind = Kind::SameStore;
            }
        }
        let access = Access {
            core,
            warp,
            lane: n,
            pc,
            kind,
            address,
            size,
        };
        if let Some(first) = races.access(&access) {
            let word = cx.memory.word(first.pc());
            return Err(Fault::in_lane(race(&access, first, word), n));
        }
        if kind == Kind::Atomic {
            races.exchange(core, warp, address);
        }
    }
    if acquire {
        races.acquire(core, warp);
    }
    Ok(())
}

/// Whether each lane's address is above those of the lanes before it.
fn rising(mask: u32, addresses: &Row) -> bool {
    let addresses = addresses.as_flattened();
    if mask == u32::MAX {
        let pairs = addresses.iter().zip(&addresses[1..]);
        return pairs.fold(true, |rising, (a, b)| rising & (a < b));
    }
    let mut previous = None;
    lanes_of(mask).all(|n| previous.replace(addresses[n as usize]) < Some(addresses[n as usize]))
}

/// Lanes of one store that write different values to the same address.
fn collisions(mask: u32, addresses: &Row, values: &Row, size: u32) -> Result<(), Box<Fault>> {
    let bits = u32::MAX >> (32 - 8 * size);
    for second in lanes_of(mask) {
        for first in lanes_of(mask & ((1 << second) - 1)) {
            let address = lane(addresses, second);
            let different = (lane(values, first) ^ lane(values, second)) & bits != 0;
            if different && address >= USER && lane(addresses, first) == address {
                let kind = TrapKind::StoreCollision {
                    address,
                    size,
                    other: first,
                };
                return Err(Fault::in_lane(kind, second));
            }
        }
    }
    Ok(())
}

#[cold]
fn race(access: &Access, first: Entry, word: u32) -> TrapKind {
    TrapKind::DataRace {
        access: plain(access.kind),
        address: access.address,
        size: access.size,
        first: RacingAccess {
            access: plain(first.kind()),
            pc: first.pc(),
            word,
            core: first.core(),
            warp: first.warp(),
            lane: first.lane(),
        },
    }
}

fn plain(kind: Kind) -> AccessKind {
    match kind {
        Kind::Load => AccessKind::Load,
        Kind::Store | Kind::SameStore => AccessKind::Store,
        Kind::Atomic => AccessKind::Atomic,
    }
}
