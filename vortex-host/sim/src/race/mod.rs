//! Data races: pairs of accesses to the same bytes that nothing orders, of which at least one changes them.
//!
//! Vector clocks, one per warp, record the order: a warp's own accesses by their order in the program, others' by
//! barriers, the start and end of warps, and fences around atomic accesses. Each word of memory keeps the accesses that
//! a later one could still race with, each with the bytes that it covers.
//!
//! A launch comes after all earlier ones. Clocks continue from launch to launch, so the records of memory may stay:
//! everything before [`Races::base`] is ordered before every warp.
//!
//! Of the loads (and likewise the atomic accesses) of a word, those by several cores are reduced to two by different
//! cores: whichever core stores to it later, at least one of them belongs to another core, and few things order cores.

mod cell;
mod clock;
mod copies;
mod entry;
mod groups;
mod lockstep;
#[cfg(test)]
mod tests;
mod words;

use super::registers::{Row, lane, lanes_of};
use cell::{Cell, More};
use clock::{Clock, Vector};
use copies::Copies;
use entry::WHOLE;
pub(crate) use entry::{Access, Entry, Kind};
pub(crate) use lockstep::Lockstep;
use std::collections::HashMap;
use std::ops::Range;
pub(crate) use words::Tags;
use words::{CHUNK_WORDS, Chunks, TAG, tag_of};

/// A launch that would begin later than this begins a new time instead: clocks do not get around in one.
const CLOCK_LIMIT: u32 = 1 << 31;

/// First and last byte of a part of memory.
type Part = (u32, u32);

/// Where in [`Races::still`] what was found last is, and from where on what is lent.
const FOUND: usize = 0;
const LENT: usize = 1;

/// Of no byte.
const NOWHERE: Part = (u32::MAX, 0);

/// What lanes do that access one word after the other.
pub(crate) struct Lanes<'a> {
    /// Which do, at least one.
    pub(crate) mask: u32,
    /// Those that store what is there already.
    pub(crate) same: u32,
    /// What they work on, if that is known.
    pub(crate) works: Option<&'a Row>,
}

/// All that is known.
#[derive(Clone)]
pub(crate) struct Races {
    warps: u32,
    /// What happened until then is past for all.
    base: u32,
    /// The next unused one.
    tags: u32,
    clocks: Vec<Clock>,
    /// Per core, how many of its warps may have run in this launch.
    started: Box<[u32]>,
    chunks: Chunks,
    more: More,
    /// By address, which of `left` is what atomic accesses after fences left for those who read it.
    released: HashMap<u32, u32>,
    left: Vec<Vector>,
    /// Where nothing is a race.
    open: Range<u32>,
    /// Memory without stores in this launch: the read-only range that was found last, and what the host lends.
    still: Vec<Part>,
    /// Memory with stores: the ranges that were found last, the latest first.
    changing: [Part; 4],
    /// Where each lane, or what it works on, accesses only what no other one does in this launch.
    own: Vec<Part>,
    /// What those who meet know together.
    together: Vector,
    /// What groups and phases of barriers leave for those after them.
    left_behind: groups::Left,
    /// What caches may hold, if that matters.
    copies: Option<Box<Copies>>,
    /// What only lockstep orders, if that matters.
    pub(crate) lockstep: Option<Box<Lockstep>>,
}

impl Races {
    pub(crate) fn new(cores: u32, warps: u32) -> Races {
        let warps_of = |core| (0..warps).map(move |warp| Clock::new(core, warp, warps));
        Races {
            warps,
            base: 0,
            tags: TAG,
            clocks: (0..cores).flat_map(warps_of).collect(),
            started: vec![1; cores as usize].into(),
            chunks: Chunks::new(cores),
            more: More::default(),
            released: HashMap::new(),
            left: Vec::new(),
            open: 0..0,
            still: vec![NOWHERE; LENT],
            changing: [NOWHERE; 4],
            own: Vec::new(),
            together: Vector::default(),
            left_behind: groups::Left::default(),
            copies: None,
            lockstep: None,
        }
    }

    /// From now on, what only lockstep orders matters, of warps with these lanes.
    pub(crate) fn with_lockstep(mut self, lanes: u32) -> Races {
        let cores = self.chunks.cores();
        self.lockstep = Some(Box::new(Lockstep::new(cores, self.warps, lanes)));
        self
    }

    /// About how much host memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.bytes()
    }

    /// A launch begins: all that happened before is past, and nothing is lent. `own` is where lanes only access what
    /// is their own.
    pub(crate) fn begin(&mut self, own: Option<Part>) {
        self.base = self.clocks.iter().map(|clock| clock.now).max().unwrap_or(0);
        if self.base > CLOCK_LIMIT {
            let cores = self.chunks.cores();
            *self = Races {
                open: self.open.clone(),
                still: std::mem::take(&mut self.still),
                own: std::mem::take(&mut self.own),
                lockstep: self.lockstep.take(),
                ..Races::new(cores, self.warps)
            };
        }
        for clock in &mut self.clocks {
            clock.now = self.base + 1;
            clock.fenced.clear();
            clock.heard.clear();
        }
        self.started.fill(1);
        self.still.truncate(LENT);
        self.still[FOUND] = NOWHERE;
        self.changing.fill(NOWHERE);
        self.own.clear();
        self.own.extend(own);
        if let Some(lockstep) = &mut self.lockstep {
            // Of other programs it is not known what they work on.
            lockstep.begin(own.is_some());
        }
        self.released.clear();
        self.left_behind.clear();
        for index in 0..self.clocks.len() {
            self.retag(index);
        }
    }

    /// In the launch that has begun, copies in the caches of cores matter, or do not.
    pub(crate) fn watch_copies(&mut self, matter: bool) {
        let cores = self.chunks.cores();
        self.copies = matter.then(|| Box::new(Copies::new(cores)));
    }

    /// Whether they do.
    #[inline]
    pub(crate) fn has_copies(&self) -> bool {
        self.copies.is_some()
    }

    /// What an access that is not a race does to copies. Returns the store that it does not see, if that is so.
    pub(crate) fn copy(&mut self, access: &Access) -> Option<Entry> {
        let now = self.clocks[self.index(access.core, access.warp)].now;
        let copies = self.copies.as_mut()?;
        let (core, address) = (access.core, access.address);
        let entry = || Entry::new(access, now);
        match access.kind {
            Kind::Load => return copies.load(core, address, access.bytes()),
            Kind::Store => copies.store(core, address, entry()),
            Kind::SameStore => {}
            Kind::Atomic | Kind::SameAtomic => copies.exchange(core, address, entry()),
        }
        None
    }

    /// Gives back what is kept of memory, as far as that is whole chunks. No launch is under way.
    pub(crate) fn forget(&mut self, first: u32, last: u32) {
        if self.open.start <= last && first < self.open.end {
            self.open = 0..0;
        }
        let chunks = first.div_ceil(1 << 16)..((u64::from(last) + 1) >> 16) as u32;
        for chunk in chunks {
            let Some(words) = self.chunks.take(chunk) else {
                continue;
            };
            for &packed in &words.cells {
                Cell::unpack(packed).clear(&mut self.more);
            }
        }
    }

    /// From now on, nothing is a race there, and nowhere else.
    pub(crate) fn open(&mut self, place: Range<u32>) {
        self.open = place;
    }

    /// Whether nothing is a race at an address.
    #[inline]
    pub(crate) fn is_open(&self, address: u32) -> bool {
        self.open.contains(&address)
    }

    /// The launch that has begun must not store to any byte from the first to the last: a store there is a mistake.
    pub(crate) fn lend(&mut self, first: u32, last: u32) {
        self.still.push((first, last));
    }

    /// In the launch that has begun, no two lanes, or what they work on, access the same element there.
    pub(crate) fn own(&mut self, first: u32, last: u32) {
        self.own.push((first, last));
    }

    /// Nothing can store to memory from the first byte to the last in this launch, or something can: `writes`.
    pub(crate) fn found(&mut self, first: u32, last: u32, writes: bool) {
        match writes {
            true => {
                self.changing.rotate_right(1);
                self.changing[0] = (first, last);
            }
            false => self.still[FOUND] = (first, last),
        }
    }

    /// Whether it is known that something can store to a byte.
    #[inline]
    pub(crate) fn may_change(&self, address: u32) -> bool {
        let mut changing = self.changing.iter();
        changing.any(|&(first, last)| (first..=last).contains(&address))
    }

    /// Whether the host lends a byte for this launch.
    #[inline]
    pub(crate) fn is_lent(&self, address: u32) -> bool {
        let mut lent = self.still.iter().skip(LENT);
        lent.any(|&(first, last)| (first..=last).contains(&address))
    }

    /// The range without stores in this launch around an address, as far as that is known.
    #[inline(always)]
    fn still_around(&self, address: u32) -> Option<Part> {
        let mut still = self.still.iter().copied();
        still.find(|&(first, last)| (first..=last).contains(&address))
    }

    /// Where no plain access of a kind can race in this launch, around an address, as far as that is known.
    #[inline(always)]
    pub(crate) fn safe_around(&self, kind: Kind, address: u32) -> Option<Part> {
        let mut own = self.own.iter().copied();
        let own = own.find(|&(first, last)| (first..=last).contains(&address));
        match kind {
            Kind::Load => own.or_else(|| self.still_around(address)),
            _ => own,
        }
    }

    /// Whether nothing stores in this launch to what an access loads, as far as that is known.
    #[inline]
    pub(crate) fn is_still(&self, address: u32, size: u32) -> bool {
        self.still_around(address)
            .is_some_and(|(_, last)| last - address >= size - 1)
    }

    #[inline]
    fn index(&self, core: u32, warp: u32) -> usize {
        (core * self.warps + warp) as usize
    }

    /// Another moment for a warp.
    fn tick(&mut self, core: u32, warp: u32) {
        let index = self.index(core, warp);
        let clock = &mut self.clocks[index];
        clock.now = clock.now.saturating_add(1);
        self.retag(index);
    }

    fn retag(&mut self, index: usize) {
        if self.tags == 0 {
            self.forget_tags();
        }
        self.clocks[index].tag = self.tags;
        self.tags = self.tags.wrapping_add(TAG);
    }

    /// Starts to number moments again.
    #[cold]
    fn forget_tags(&mut self) {
        self.chunks.forget_tags();
        self.tags = TAG;
        for clock in &mut self.clocks {
            clock.tag = self.tags;
            self.tags += TAG;
        }
    }

    /// What tells the accesses that a warp repeats in the 64 KiB around an address, if any of it was accessed.
    #[inline(always)]
    pub(crate) fn tags(
        &self,
        (core, warp): (u32, u32),
        kind: Kind,
        address: u32,
    ) -> Option<Tags<'_>> {
        let own = self.clocks[self.index(core, warp)].tag;
        Some(Tags::new(&self.chunks.of(core, address)?.tags, own, kind))
    }

    /// Whether a warp has accessed the word at an address as it does now, and nothing has happened since that would
    /// make a difference.
    #[inline(always)]
    pub(crate) fn is_repeated(&self, warp: (u32, u32), kind: Kind, address: u32) -> bool {
        let tags = self.tags(warp, kind, address);
        tags.is_some_and(|tags| tags.is_known(address))
    }

    /// The first warp of a core is the only one that runs, and about to start others: it is one of so many then. What
    /// those did that ended is past for it, and what it did for those that it starts.
    pub(crate) fn start(&mut self, core: u32, warps: u32) {
        let started = &mut self.started[core as usize];
        *started = warps.max(*started);
        let met = 0..*started;
        if met.end > 1 {
            self.meet(met.map(|warp| (core, warp)));
        }
    }

    /// Some warps of a core met.
    pub(crate) fn meet_core(&mut self, core: u32, warps: u32) {
        let met = (0..self.warps).filter(|warp| warps >> warp & 1 != 0);
        self.meet(met.map(|warp| (core, warp)));
    }

    /// Some warps met: what any of them did is past for all.
    pub(crate) fn meet(&mut self, warps: impl Iterator<Item = (u32, u32)> + Clone) {
        self.together.clear();
        for (core, warp) in warps.clone() {
            let index = self.index(core, warp);
            self.clocks[index].publish(&mut self.together);
        }
        for (core, warp) in warps {
            let index = self.index(core, warp);
            self.clocks[index].seen.join(&self.together);
            self.tick(core, warp);
            if let Some(lockstep) = &mut self.lockstep {
                lockstep.meet_all(core, warp);
            }
        }
    }

    /// `fence`.
    pub(crate) fn fence(&mut self, core: u32, warp: u32) {
        if let Some(copies) = &mut self.copies {
            copies.fence(core);
        }
        self.acquire(core, warp);
        self.release(core, warp);
    }

    /// What atomic accesses read until now is past.
    pub(crate) fn acquire(&mut self, core: u32, warp: u32) {
        let index = self.index(core, warp);
        let Clock { seen, heard, .. } = &mut self.clocks[index];
        seen.join(heard);
        heard.clear();
    }

    /// What was done until now is past for those who read what atomic accesses write from now on.
    pub(crate) fn release(&mut self, core: u32, warp: u32) {
        let index = self.index(core, warp);
        let clock = &mut self.clocks[index];
        let mut fenced = std::mem::take(&mut clock.fenced);
        fenced.clear();
        clock.publish(&mut fenced);
        clock.fenced = fenced;
        self.tick(core, warp);
    }

    /// What an atomic access passes from others through the word at `address`, and to them if it leaves something new.
    pub(crate) fn exchange(&mut self, core: u32, warp: u32, address: u32, leaves: bool) {
        let index = self.index(core, warp);
        let clock = &mut self.clocks[index];
        let found = self.released.get(&address).copied();
        if let Some(left) = found.and_then(|left| self.left.get(left as usize)) {
            clock.heard.join(left);
        }
        if clock.fenced.is_empty() || !leaves {
            return;
        }
        let place = found.unwrap_or_else(|| {
            let unused = self.released.len() as u32;
            self.released.insert(address, unused);
            match self.left.get_mut(unused as usize) {
                Some(left) => left.clear(),
                None => self.left.push(Vector::default()),
            }
            unused
        });
        self.left[place as usize].join(&clock.fenced);
    }

    /// Records what lanes of a warp do to whole words, each lane to the one after that of the lane before, as
    /// far as no other warp has accessed these in this launch. `first` is for lane 0, if it takes part or not.
    /// Returns the lanes that are left.
    pub(crate) fn access_words(&mut self, first: &Access, lanes: &Lanes<'_>) -> u32 {
        let last = first
            .address
            .wrapping_add(4 * (31 - lanes.mask.leading_zeros()));
        let index = (first.address >> 2) as usize % CHUNK_WORDS;
        if (first.address ^ last) >> 16 != 0 || !self.is_plain(first, last) {
            return lanes.mask;
        }
        let clock = &self.clocks[self.index(first.core, first.warp)];
        let words = self.chunks.of_mut(first.core, first.address);
        let mut left = 0;
        for lane in lanes_of(lanes.mask) {
            let kind = match lanes.same >> lane & 1 {
                0 => first.kind,
                _ => Kind::SameStore,
            };
            let access = Access {
                lane,
                kind,
                work: lanes.works.map_or(0, |works| self::lane(works, lane)),
                ..*first
            };
            let entry = Entry::new(&access, clock.now);
            let index = index + lane as usize;
            if Cell::unpack(words.cells[index]).is_replaced(entry, self.base) {
                words.cells[index] = Cell::of(entry).pack();
                words.tags[index] = tag_of(clock.tag, kind);
            } else {
                left |= 1 << lane;
            }
        }
        left
    }

    /// Whether all memory between two addresses may take part in races, and what an access does to it is not a mistake.
    fn is_plain(&self, first: &Access, last: u32) -> bool {
        let touches = |(from, to): Part| first.address <= to && from <= last;
        let lent = || self.still.iter().skip(LENT).any(|&part| touches(part));
        first.address >= super::layout::USER
            && !(first.address < self.open.end && self.open.start <= last)
            && (first.kind == Kind::Load || !lent())
    }

    /// Records an access, an aligned one. Returns an earlier one with which it races, and the byte of the word.
    pub(crate) fn access(&mut self, access: &Access) -> Option<(Entry, u32)> {
        let Access { core, warp, .. } = *access;
        let clock = &self.clocks[self.index(core, warp)];
        let words = self.chunks.of_mut(core, access.address);
        let index = (access.address >> 2) as usize % CHUNK_WORDS;
        let known = Tags::new(&words.tags, clock.tag, access.kind);
        if known.is_known(access.address) {
            return None;
        }
        let entry = Entry::new(access, clock.now);
        if entry.bytes() == WHOLE {
            words.tags[index] = tag_of(clock.tag, access.kind);
        } else if !known.is_own(access.address) {
            words.tags[index] = 0;
        }
        let mut cell = Cell::unpack(words.cells[index]);
        if cell.is_replaced(entry, self.base) {
            words.cells[index] = Cell::of(entry).pack();
            return None;
        }
        let race = cell.note(entry, self.base, &clock.seen, &mut self.more);
        words.cells[index] = cell.pack();
        let earlier = race?;
        Some((earlier, (earlier.bytes() & entry.bytes()).trailing_zeros()))
    }
}
