//! What the race detector is told of accesses, before they are executed.
//!
//! Most of them are repeated: the warp has accessed these words before, and nothing has happened since that would make a
//! difference. Where lanes access the same word, or each the next one, a few vector instructions tell; all else is out of line.

use super::super::code::Op;
use super::super::layout::{LOCAL, USER};
use super::super::race::{Access, Entry, Kind};
use super::super::trap::{AccessKind, RacingAccess, TrapKind};
use super::super::warp::{Octet, Row, Warp, lane, lanes_of};
use super::lanes::{any, each_octet};
use super::{Context, Fault, atomic};
use std::array::from_fn;

/// Looks at an access. Those that will fail are left to what executes them.
#[inline(always)]
pub(super) fn access<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    pc: u32,
    kind: Kind,
) -> Result<(), Box<Fault>> {
    if SIZE == 4 && kind != Kind::Atomic && is_repeated(cx, octets, op, kind) {
        return Ok(());
    }
    note(cx, op, pc, kind, SIZE)
}

/// Whether an access to words is known to be a repeated one. If not, it may be all the same.
#[inline(always)]
fn is_repeated(cx: &Context<'_>, octets: usize, op: &Op, kind: Kind) -> bool {
    let Some(races) = cx.races.as_deref() else {
        return true;
    };
    let (base, mask) = (cx.warp.registers.row(op.rs1), cx.warp.lane_mask());
    let last_lane = cx.warp.last_lane();
    let last = lane(base, last_lane).wrapping_add(op.imm);
    let first = last.wrapping_sub(4 * last_lane);
    let (mut apart, mut away): (Octet, Octet) = ([0; 8], [0; 8]);
    for at in each_octet(octets) {
        let (b, m) = (&base[at], &mask[at]);
        let address: Octet = from_fn(|n| b[n].wrapping_add(op.imm));
        apart = from_fn(|n| apart[n] | (address[n] ^ last) & m[n]);
        let next: Octet = from_fn(|n| first.wrapping_add((4 * (8 * at + n)) as u32));
        away = from_fn(|n| away[n] | (address[n] ^ next[n]) & m[n]);
    }
    if kind == Kind::Load && !any(&apart) && races.is_still(last, 4) {
        return true;
    }
    let seen = races.tags((cx.core.id, cx.warp_id), kind, last);
    let Some(seen) = seen.filter(|_| last.is_multiple_of(4)) else {
        return false;
    };
    if kind == Kind::Load && !any(&apart) {
        return seen.is_known(last);
    }
    let Some(words) = seen.words_from(first, 8 * octets).filter(|_| !any(&away)) else {
        return false;
    };
    let mut new: Octet = [0; 8];
    for (words, m) in words.as_chunks::<8>().0.iter().zip(mask) {
        new = from_fn(|n| new[n] | seen.difference(words[n]) & m[n]);
    }
    !any(&new)
}

/// Looks at `fence`.
pub(super) fn fence(cx: &mut Context<'_>) {
    if let Some(races) = &mut cx.races {
        races.fence(cx.core.id, cx.warp_id);
    }
}

#[inline(never)]
fn note(cx: &mut Context<'_>, op: &Op, pc: u32, kind: Kind, size: u32) -> Result<(), Box<Fault>> {
    let Some(races) = cx.races.as_deref_mut() else {
        return Ok(());
    };
    // Of atomic operations, the immediate holds the ordering bits.
    let (offset, acquire, release) = match kind {
        Kind::Atomic => (0, op.imm & 1 != 0, op.imm & 2 != 0),
        _ => (op.imm, false, false),
    };
    let (core, warp) = (cx.core.id, cx.warp_id);
    let counted = cx.notes.and_then(|notes| notes.at(pc).work);
    if release {
        races.release(core, warp);
    }
    let (base, values) = (cx.warp.registers.row(op.rs1), cx.warp.registers.row(op.rs2));
    let addresses: Row = base.map(|octet| octet.map(|base| base.wrapping_add(offset)));
    if kind == Kind::Load && cx.config.checks.rights {
        let last = lane(&addresses, cx.warp.last_lane());
        if !races.is_still(last, size)
            && let Some(range) = cx.protection.range_at(last)
            && !range.access.writes()
        {
            races.still = (range.first, range.last);
        }
        let still = |n| races.is_still(lane(&addresses, n), size);
        if lanes_of(cx.warp.mask()).all(still) {
            return Ok(());
        }
    }
    let bytewise = kind != Kind::Atomic && !cx.config.checks.alignment;
    let odd = |n| !lane(&addresses, n).is_multiple_of(size);
    let overlapping =
        !rising(cx.warp.mask(), &addresses) || bytewise && lanes_of(cx.warp.mask()).any(odd);
    if kind == Kind::Store && overlapping {
        let watched = |address| address >= USER && !races.is_open(address);
        collisions(cx.warp.mask(), &addresses, values, size, watched)?;
    }
    // Memory where nothing is a race has never been accessed in these terms.
    if size == 4
        && kind != Kind::Atomic
        && races.all_repeated((core, warp), kind, cx.warp.mask(), &addresses)
    {
        return Ok(());
    }
    let mut lanes = cx.warp.mask();
    if kind == Kind::Load && is_one(cx.warp, &addresses) {
        lanes &= lanes.wrapping_neg();
    }
    for n in lanes_of(lanes) {
        let address = lane(&addresses, n);
        let (parts, size) = match address.is_multiple_of(size) {
            true => (1, size),
            false if bytewise => (size, 1),
            false => continue,
        };
        let work = counted.and_then(|place| place.word(cx.warp, cx.memory, n));
        for part in 0..parts {
            let address = address.wrapping_add(part);
            if address < USER || races.is_open(address) {
                continue;
            }
            let mut kind = kind;
            if kind != Kind::Load {
                let chunk = if address >= LOCAL {
                    Some(&cx.core.local)
                } else {
                    cx.memory.existing(address)
                };
                let (value, bits) = (lane(values, n) >> (8 * part), u32::MAX >> (32 - 8 * size));
                let same = |old: u32| match (kind, op.opcode) {
                    (Kind::Atomic, Some(opcode)) => atomic::leaves(opcode, old, value) == old,
                    _ => (old >> (address % 4 * 8) ^ value) & bits == 0,
                };
                if chunk.is_some_and(|chunk| same(chunk.load::<4>(address))) {
                    kind = match kind {
                        Kind::Atomic => Kind::SameAtomic,
                        _ => Kind::SameStore,
                    };
                }
            }
            let access = Access {
                core,
                warp,
                lane: n,
                pc,
                work: work.unwrap_or_default(),
                kind,
                address,
                size,
            };
            if let Some(first) = races.access(&access) {
                return Err(Fault::in_lane(race(cx, &access, first), n));
            }
            if matches!(kind, Kind::Atomic | Kind::SameAtomic) {
                races.exchange(core, warp, address, kind == Kind::Atomic);
            }
        }
    }
    if acquire {
        races.acquire(core, warp);
    }
    Ok(())
}

/// Whether all active lanes have the same address.
fn is_one(warp: &Warp, addresses: &Row) -> bool {
    let last = lane(addresses, warp.last_lane());
    let mut apart: Octet = [0; 8];
    for (addresses, mask) in addresses.iter().zip(warp.lane_mask()) {
        apart = from_fn(|n| apart[n] | (addresses[n] ^ last) & mask[n]);
    }
    !any(&apart)
}

/// Whether each lane's address is above those of the lanes before it.
fn rising(mask: u32, addresses: &Row) -> bool {
    let addresses = addresses.as_flattened();
    let count = mask.trailing_ones() as usize;
    if count == mask.count_ones() as usize {
        let pairs = addresses.iter().zip(&addresses[1..]).take(count.max(1) - 1);
        return pairs.fold(true, |rising, (a, b)| rising & (a < b));
    }
    let mut previous = None;
    lanes_of(mask).all(|n| previous.replace(addresses[n as usize]) < Some(addresses[n as usize]))
}

/// Lanes of one store that write different values to the same bytes.
fn collisions(
    mask: u32,
    addresses: &Row,
    values: &Row,
    size: u32,
    watched: impl Fn(u32) -> bool,
) -> Result<(), Box<Fault>> {
    for second in lanes_of(mask) {
        for first in lanes_of(mask & ((1 << second) - 1)) {
            let address = lane(addresses, second);
            // Those of aligned accesses overlap entirely or not at all.
            let apart = address.wrapping_sub(lane(addresses, first)).cast_signed();
            let common = size.saturating_sub(apart.unsigned_abs());
            if common == 0 || !watched(address) {
                continue;
            }
            let [ahead, behind] = [apart, -apart].map(|bytes| 8 * bytes.max(0));
            let (first_value, second_value) = (lane(values, first), lane(values, second));
            let bits = u32::MAX >> (32 - 8 * common);
            if (first_value >> ahead ^ second_value >> behind) & bits != 0 {
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
fn race(cx: &Context<'_>, access: &Access, first: Entry) -> TrapKind {
    let counted = cx.notes.and_then(|notes| notes.at(first.pc()).work);
    TrapKind::DataRace {
        access: plain(access.kind),
        address: access.address,
        size: access.size,
        first: RacingAccess {
            access: plain(first.kind()),
            pc: first.pc(),
            word: cx.memory.word(first.pc()),
            core: first.core(),
            warp: first.warp(),
            lane: first.lane(),
            work: counted.map(|_| first.work()),
        },
    }
}

fn plain(kind: Kind) -> AccessKind {
    match kind {
        Kind::Load => AccessKind::Load,
        Kind::Store | Kind::SameStore => AccessKind::Store,
        Kind::Atomic | Kind::SameAtomic => AccessKind::Atomic,
    }
}
