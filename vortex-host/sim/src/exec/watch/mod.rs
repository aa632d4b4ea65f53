//! Reports accesses to the race detector, before they are executed.
//!
//! Most of them are repeated: the warp has accessed these words before, and nothing relevant has happened since. Where
//! lanes access the same word, or consecutive words, a few vector instructions detect that; everything else is out of
//! line.

use super::super::code::Op;
use super::super::layout::{LOCAL, USER};
use super::super::memory::Chunk;
use super::super::protection::Protection;
use super::super::race::{Access, Entry, Kind, Lanes, Races};
use super::super::registers::{Octet, Row, lane, lanes_of, octet_of, row_of};
use super::super::trap::{AccessKind, RacingAccess, TrapKind};
use super::super::warp::Warp;
use super::lanes::{any, each_octet};
use super::processor::{Processor, Work};
use super::{Context, Fault};
use runs::Runs;

mod copies;
mod lockstep;
mod runs;

pub(super) use lockstep::met;

/// [`access`] of a kind.
pub(super) struct Look<const SIZE: u32>(pub(super) Kind);

impl<const SIZE: u32> Work<&mut Context<'_>, &Op, (usize, u32)> for Look<SIZE> {
    type Result = Result<(), Box<Fault>>;

    #[inline(always)]
    fn on<P: Processor>(
        self,
        _: P,
        cx: &mut Context<'_>,
        op: &Op,
        (octets, pc): (usize, u32),
    ) -> Self::Result {
        access::<SIZE>(cx, octets, op, pc, self.0)
    }
}

/// Looks at an access. Those that will fail are left to what executes them.
#[inline(always)]
pub(super) fn access<const SIZE: u32>(
    cx: &mut Context<'_>,
    octets: usize,
    op: &Op,
    pc: u32,
    kind: Kind,
) -> Result<(), Box<Fault>> {
    if cx.config.checks.lockstep && lockstep::is_all::<SIZE>(cx, op, pc, kind)? {
        return Ok(());
    }
    if kind != Kind::Atomic && is_repeated::<SIZE>(cx, octets, op, kind) {
        return Ok(());
    }
    note::<SIZE>(cx, op, pc, kind)
}

/// Whether an access is known to be a repeated one. If not, it may be all the same.
#[inline(always)]
fn is_repeated<const SIZE: u32>(cx: &Context<'_>, octets: usize, op: &Op, kind: Kind) -> bool {
    let Some(races) = cx.races.as_deref() else {
        return true;
    };
    let (base, mask) = (cx.warp.registers.row(op.rs1), cx.warp.lane_mask());
    let last_lane = cx.warp.last_lane();
    let last = lane(base, last_lane).wrapping_add(op.imm);
    if let Some((from, to)) = races.safe_around(kind, last)
        // Where a lane's first byte may be in there.
        && let Some(most) = (to - from).checked_sub(SIZE - 1)
    {
        let mut out: Octet = [0; 8];
        for at in each_octet(octets) {
            let (b, m) = (&base[at], &mask[at]);
            let place: Octet = octet_of(|n| b[n].wrapping_add(op.imm).wrapping_sub(from));
            out = octet_of(|n| out[n] | u32::from(place[n] > most) & m[n]);
        }
        if !any(&out) {
            return true;
        }
    }
    let first = last.wrapping_sub(SIZE * last_lane);
    let (mut apart, mut away): (Octet, Octet) = ([0; 8], [0; 8]);
    for at in each_octet(octets) {
        let (b, m) = (&base[at], &mask[at]);
        let address: Octet = octet_of(|n| b[n].wrapping_add(op.imm));
        apart = octet_of(|n| apart[n] | (address[n] ^ last) & m[n]);
        let next: Octet = octet_of(|n| first.wrapping_add(SIZE * (8 * at + n) as u32));
        away = octet_of(|n| away[n] | (address[n] ^ next[n]) & m[n]);
    }
    let seen = races.tags((cx.core.id, cx.warp_id), kind, last);
    let Some(seen) = seen.filter(|_| last.is_multiple_of(SIZE)) else {
        return false;
    };
    if kind == Kind::Load && !any(&apart) {
        return seen.is_known(last);
    }
    if any(&away) {
        let mut new: Octet = [0; 8];
        for at in each_octet(octets) {
            let (b, m) = (&base[at], &mask[at]);
            let address: Octet = octet_of(|n| b[n].wrapping_add(op.imm));
            let found = seen.differences(&address);
            let elsewhere: Octet =
                octet_of(|n| (address[n] ^ last) >> 16 | address[n] & (SIZE - 1));
            new = octet_of(|n| new[n] | (found[n] | elsewhere[n]) & m[n]);
        }
        // Lanes that collide do so in this instruction, whatever the warp has done before.
        return !any(&new) && (kind == Kind::Load || rising(cx.warp.mask(), &addresses(base, op)));
    }
    if SIZE < 4 {
        let first = first.wrapping_add(SIZE * (cx.warp.mask() | 1 << 31).trailing_zeros());
        let count = (last >> 2).wrapping_sub(first >> 2) as usize + 1;
        return seen.words_from(first, count).is_some_and(|words| {
            words
                .iter()
                .fold(0, |new, &word| new | seen.difference(word))
                == 0
        });
    }
    let Some(words) = seen.words_from(first, 8 * octets) else {
        return false;
    };
    let mut new: Octet = [0; 8];
    for (at, words) in words.as_chunks::<8>().0.iter().enumerate() {
        new = octet_of(|n| new[n] | seen.difference(words[n]) & mask[at % 4][n]);
    }
    !any(&new)
}

/// The addresses of a load or store.
fn addresses(base: &Row, op: &Op) -> Row {
    addresses_from(base, op.imm)
}

fn addresses_from(base: &Row, offset: u32) -> Row {
    row_of(base, |base| base.wrapping_add(offset))
}

/// Looks at `fence`.
pub(super) fn fence(cx: &mut Context<'_>) {
    if let Some(races) = &mut cx.races {
        races.fence(cx.core.id, cx.warp_id);
    }
    if cx.config.checks.lockstep {
        lockstep::fence(cx);
    }
}

#[inline(never)]
fn note<const SIZE: u32>(
    cx: &mut Context<'_>,
    op: &Op,
    pc: u32,
    kind: Kind,
) -> Result<(), Box<Fault>> {
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
    let addresses = addresses_from(base, offset);
    let rights = cx.config.checks.rights.then_some(cx.protection);
    if kind == Kind::Load
        && let Some(rights) = rights
        && nobody_stores::<SIZE>(races, rights, cx.warp, &addresses)
    {
        return Ok(());
    }
    let bytewise = kind != Kind::Atomic && !cx.config.checks.alignment;
    let mut left = cx.warp.mask();
    if kind == Kind::Store {
        let odd = |n| !lane(&addresses, n).is_multiple_of(SIZE);
        if !rising(left, &addresses) || bytewise && lanes_of(left).any(odd) {
            let watched = |address| address >= USER && !races.is_open(address);
            collisions(left, &addresses, values, SIZE, watched)?;
        }
    }
    let steps = kind != Kind::Atomic && steps::<SIZE>(cx.warp, &addresses);
    let works: Option<Row> = counted.filter(|_| steps).map(|place| {
        let work = |lane| place.word(cx.warp, cx.memory, lane).unwrap_or_default();
        let mut works: Row = [[0; 8]; 4];
        for (n, value) in (0..).zip(works.as_flattened_mut()) {
            *value = work(n);
        }
        works
    });
    let last_lane = cx.warp.last_lane();
    let last = lane(&addresses, last_lane);
    if SIZE == 4 && steps && last.is_multiple_of(4) {
        let chunk = match kind {
            Kind::Store if last >= LOCAL => Some(&cx.core.local),
            Kind::Store => cx.memory.existing(last),
            _ => None,
        };
        let same = chunk.map_or(0, |chunk| same(chunk, left, &addresses, values));
        let first = Access {
            core,
            warp,
            lane: 0,
            lanes: 1,
            pc,
            work: 0,
            counts: false,
            kind,
            address: last.wrapping_sub(4 * last_lane),
            size: 4,
        };
        let works = works.as_ref();
        let mask = left;
        left = races.access_words(&first, &Lanes { mask, same, works });
    }
    if kind == Kind::Load && is_one(cx.warp, &addresses) {
        left &= left.wrapping_neg();
    }
    let mut runs = Runs::<SIZE> {
        core,
        warp_id: warp,
        warp: cx.warp,
        memory: cx.memory,
        local: &cx.core.local,
        op,
        pc,
        kind,
        addresses: &addresses,
        values,
        counted,
        bytewise,
        left,
        done: 0,
        steady: steps
            && kind == Kind::Load
            && works
                .as_ref()
                .is_none_or(|works| self::steps::<1>(cx.warp, works)),
    };
    loop {
        if kind == Kind::Load {
            runs.leave_out(|address| races.is_repeated((core, warp), kind, address));
        }
        let Some(access) = runs.next() else {
            break;
        };
        let Access { address, kind, .. } = access;
        if address < USER || races.is_open(address) {
            continue;
        }
        if kind != Kind::Load
            && let Some(fault) = lent(races, &access)
        {
            return Err(fault);
        }
        if let Some((first, byte)) = races.access(&access) {
            return Err(race(cx, &access, first, byte));
        }
        if matches!(kind, Kind::Atomic | Kind::SameAtomic) {
            races.exchange(core, warp, address, kind == Kind::Atomic);
        }
    }
    if acquire {
        races.acquire(core, warp);
    }
    if races.has_copies() {
        return copies::look::<SIZE>(cx, op, pc, kind);
    }
    Ok(())
}

/// Whether nothing can store to what is loaded, for lack of the right to.
fn nobody_stores<const SIZE: u32>(
    races: &mut Races,
    rights: &Protection,
    warp: &Warp,
    addresses: &Row,
) -> bool {
    let last = lane(addresses, warp.last_lane());
    if !races.is_still(last, SIZE)
        && !races.may_change(last)
        && let Some(range) = rights.range_at(last)
    {
        races.found(range.first, range.last, range.access.writes());
    }
    lanes_of(warp.mask()).all(|n| races.is_still(lane(addresses, n), SIZE))
}

/// The lanes that store a word that is there already.
fn same(chunk: &Chunk, mask: u32, addresses: &Row, values: &Row) -> u32 {
    let same = |&n: &u32| chunk.load::<4>(lane(addresses, n)) == lane(values, n);
    lanes_of(mask)
        .filter(same)
        .fold(0, |lanes, n| lanes | 1 << n)
}

/// A store to what the host only lends.
fn lent(races: &Races, access: &Access) -> Option<Box<Fault>> {
    let place = |n| access.address + n * access.size;
    let first = (0..access.lanes).find(|&n| races.is_lent(place(n)))?;
    let kind = TrapKind::LentMemory {
        access: plain(access.kind),
        address: place(first),
        size: access.size,
    };
    Some(Fault::in_lane(kind, access.lane + first))
}

/// Whether all active lanes have the same address.
fn is_one(warp: &Warp, addresses: &Row) -> bool {
    let last = lane(addresses, warp.last_lane());
    let mut apart: Octet = [0; 8];
    let mask = warp.lane_mask();
    for at in 0..4 {
        apart = octet_of(|n| apart[n] | (addresses[at][n] ^ last) & mask[at][n]);
    }
    !any(&apart)
}

/// Whether active lanes' addresses go up by this many bytes from lane to lane.
fn steps<const SIZE: u32>(warp: &Warp, addresses: &Row) -> bool {
    let last_lane = warp.last_lane();
    let first = lane(addresses, last_lane).wrapping_sub(SIZE * last_lane);
    let mut away: Octet = [0; 8];
    let mask = warp.lane_mask();
    for at in 0..4 {
        let next: Octet = octet_of(|n| first.wrapping_add(SIZE * (8 * at + n) as u32));
        away = octet_of(|n| away[n] | (addresses[at][n] ^ next[n]) & mask[at][n]);
    }
    !any(&away)
}

/// Whether each lane's address is above those of the lanes before it.
pub(super) fn rising(mask: u32, addresses: &Row) -> bool {
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

/// Of an access, and an earlier one to a byte of the same word.
#[cold]
fn race(cx: &Context<'_>, access: &Access, first: Entry, byte: u32) -> Box<Fault> {
    let step = (byte - access.address % 4) / access.size;
    let kind = TrapKind::DataRace {
        access: plain(access.kind),
        address: access.address + step * access.size,
        size: access.size,
        first: racing(cx, first, byte),
    };
    Fault::in_lane(kind, access.lane + step)
}

/// The earlier of two accesses, to a byte of a word.
fn racing(cx: &Context<'_>, first: Entry, byte: u32) -> RacingAccess {
    let counted = cx.notes.and_then(|notes| notes.at(first.pc()).work);
    RacingAccess {
        access: plain(first.kind()),
        pc: first.pc(),
        word: cx.memory.word(first.pc()),
        core: first.core(),
        warp: first.warp(),
        lane: first.lane(byte),
        work: counted.map(|_| first.work(byte)),
    }
}

fn plain(kind: Kind) -> AccessKind {
    match kind {
        Kind::Load => AccessKind::Load,
        Kind::Store | Kind::SameStore => AccessKind::Store,
        Kind::Atomic | Kind::SameAtomic => AccessKind::Atomic,
    }
}
