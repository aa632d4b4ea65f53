//! Data races: pairs of accesses to the same bytes that nothing orders, of which at least one changes them.
//!
//! What is ordered is told by vector clocks, one per warp: a warp's own accesses by their order in the program, others' by
//! barriers, the start and end of warps, and fences around atomic accesses. Each word of memory keeps the accesses that a later one
//! could still race with. Words that are accessed in parts are kept byte by byte.
//!
//! Of the loads (and likewise the atomic accesses) of a word, those by several cores are cut down to two by different cores:
//! whatever core stores to it later, one of them is another core's, and cores are ordered by little.

use super::warp::{Row, lane, lanes_of};
use std::collections::HashMap;

/// Who accessed memory, when in terms of its warp's clock, and by which instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// What it did, core, warp and lane, packed.
    who: u32,
    /// 0: nobody.
    clock: u32,
    pc: u32,
    /// What the lane worked on, if that is known for the instruction.
    work: u32,
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Load = 0,
    Store = 1,
    /// A store of what was there already: others who only store the same, or nothing, do not notice.
    SameStore = 2,
    Atomic = 3,
}

impl Kind {
    /// Races only with what is of another class, or with a store.
    fn is_atomic(self) -> bool {
        self == Kind::Atomic
    }
}

/// One lane's access.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) core: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
    pub(crate) pc: u32,
    /// What the lane works on, if that is known.
    pub(crate) work: u32,
    pub(crate) kind: Kind,
    pub(crate) address: u32,
    pub(crate) size: u32,
}

impl Entry {
    fn new(access: &Access, clock: u32) -> Entry {
        let kind = (access.kind as u32) << 30;
        Entry {
            who: kind | access.core << 10 | access.warp << 5 | access.lane,
            clock,
            pc: access.pc,
            work: access.work,
        }
    }

    pub(crate) fn core(self) -> u32 {
        self.who >> 10 & 0xff
    }

    pub(crate) fn warp(self) -> u32 {
        self.who >> 5 & 31
    }

    pub(crate) fn lane(self) -> u32 {
        self.who & 31
    }

    pub(crate) fn pc(self) -> u32 {
        self.pc
    }

    pub(crate) fn work(self) -> u32 {
        self.work
    }

    pub(crate) fn kind(self) -> Kind {
        match self.who >> 30 {
            0 => Kind::Load,
            1 => Kind::Store,
            2 => Kind::SameStore,
            _ => Kind::Atomic,
        }
    }

    fn same_warp(self, other: Entry) -> bool {
        (self.who ^ other.who) << 2 >> 7 == 0
    }
}

/// How far the accesses of each warp are known to lie in the past: per core, and none for cores of which nothing is known.
#[derive(Clone, Debug)]
struct Vector(Vec<Vec<u32>>);

impl Vector {
    fn knows(&self, entry: Entry) -> bool {
        self.0[entry.core() as usize]
            .get(entry.warp() as usize)
            .is_some_and(|&clock| entry.clock <= clock)
    }

    fn join(&mut self, other: &Vector) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            if mine.is_empty() {
                mine.clone_from(theirs);
            } else {
                for (mine, theirs) in mine.iter_mut().zip(theirs) {
                    *mine = (*mine).max(*theirs);
                }
            }
        }
    }
}

/// Where a warp is in time.
struct Clock {
    now: u32,
    /// A number of its own for each moment of each warp, even and not 0, in the tags of words.
    tag: u32,
    seen: Vector,
    /// What was known at the last fence: what atomic accesses tell those who read what they wrote.
    fenced: Option<Vector>,
    /// What atomic accesses read since, for the next fence.
    heard: Option<Vector>,
}

/// What is kept of a word, or of a byte.
#[derive(Clone, Copy, Default)]
struct Cell {
    store: Entry,
    /// The latest other access.
    last: Entry,
    /// 1 + the number of the set of earlier ones.
    set: u32,
    /// 1 + the number of the four cells of its bytes.
    bytes: u32,
}

const CHUNK_WORDS: usize = 1 << 14;

/// What is kept of 64 KiB of memory.
struct Words {
    cells: Box<[Cell]>,
    /// Per word, who was last to access it, and whether it stored: a [`Clock::tag`]. As long as it is the same warp at the same time,
    /// there is nothing new to find out. 0 for words that are accessed in parts or atomically.
    tags: Box<[u32]>,
}

impl Words {
    fn new() -> Words {
        Words {
            cells: vec![Cell::default(); CHUNK_WORDS].into(),
            tags: vec![0; CHUNK_WORDS].into(),
        }
    }
}

type Chunk = Option<Box<Words>>;

/// What tells a warp's repeated accesses in 64 KiB of memory: those that find out nothing new.
#[derive(Clone, Copy)]
pub(crate) struct Tags<'a> {
    words: &'a [u32],
    /// Of words of which nothing is to be found out, but for bits outside of `relevant`.
    known: u32,
    relevant: u32,
}

impl<'a> Tags<'a> {
    fn new(words: &'a [u32], warp: u32, kind: Kind) -> Tags<'a> {
        let loads = matches!(kind, Kind::Load | Kind::SameStore);
        Tags {
            words,
            known: warp | 1,
            // It does not matter to them whether the warp has stored before.
            relevant: if loads { !1 } else { !0 },
        }
    }

    /// 0 for the tag of a word of which nothing is to be found out.
    #[inline(always)]
    pub(crate) fn difference(self, tag: u32) -> u32 {
        (tag ^ self.known) & self.relevant
    }

    /// Whether nothing is to be found out of the word at an address.
    #[inline(always)]
    pub(crate) fn is_known(self, address: u32) -> bool {
        let tag = self.words.get((address >> 2) as usize % CHUNK_WORDS);
        tag.is_some_and(|&tag| self.difference(tag) == 0)
    }

    /// The tags of so many words, unless that is more than there are.
    #[inline(always)]
    pub(crate) fn words_from(self, address: u32, count: usize) -> Option<&'a [u32]> {
        let first = (address >> 2) as usize % CHUNK_WORDS;
        self.words.get(first..first + count)
    }
}

/// All that is known in a run.
pub(crate) struct Races {
    warps: u32,
    /// The next unused one.
    tags: u32,
    clocks: Vec<Clock>,
    global: Vec<Chunk>,
    local: Vec<Chunk>,
    sets: Vec<Vec<Entry>>,
    bytes: Vec<[Cell; 4]>,
    /// By address, what atomic accesses after fences left for those who read it.
    released: HashMap<u32, Vector>,
}

impl Races {
    pub(crate) fn new(cores: u32, warps: u32) -> Races {
        let clock = |core: u32, warp: u32| {
            let mut seen = vec![Vec::new(); cores as usize];
            seen[core as usize] = vec![0; warps as usize];
            // A warp's own accesses are past for it.
            seen[core as usize][warp as usize] = u32::MAX;
            Clock {
                now: 1,
                tag: (core * warps + warp + 1) << 1,
                seen: Vector(seen),
                fenced: None,
                heard: None,
            }
        };
        Races {
            warps,
            tags: (cores * warps + 1) << 1,
            clocks: (0..cores)
                .flat_map(|core| (0..warps).map(move |warp| (core, warp)))
                .map(|(core, warp)| clock(core, warp))
                .collect(),
            global: (0..1 << 16).map(|_| None).collect(),
            local: (0..cores).map(|_| None).collect(),
            sets: Vec::new(),
            bytes: Vec::new(),
            released: HashMap::new(),
        }
    }

    fn index(&self, core: u32, warp: u32) -> usize {
        (core * self.warps + warp) as usize
    }

    /// What a warp knows and has done up to now.
    fn published(&self, core: u32, warp: u32) -> Vector {
        let clock = &self.clocks[self.index(core, warp)];
        let mut vector = clock.seen.clone();
        vector.0[core as usize][warp as usize] = clock.now;
        vector
    }

    /// Makes what is in `vector` past for a warp.
    fn learn(&mut self, core: u32, warp: u32, vector: &Vector) {
        let index = self.index(core, warp);
        self.clocks[index].seen.join(vector);
    }

    fn tick(&mut self, core: u32, warp: u32) {
        let index = self.index(core, warp);
        self.clocks[index].now += 1;
        self.clocks[index].tag = self.tags;
        self.tags = self.tags.wrapping_add(2);
        if self.tags == 0 {
            self.forget_tags();
        }
    }

    /// Starts to number moments anew.
    #[cold]
    fn forget_tags(&mut self) {
        for words in self.global.iter_mut().chain(&mut self.local).flatten() {
            words.tags.fill(0);
        }
        self.tags = 2;
        for clock in &mut self.clocks {
            clock.tag = self.tags;
            self.tags += 2;
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
        let chunk = if address >= super::layout::LOCAL {
            &self.local[core as usize]
        } else {
            &self.global[(address >> 16) as usize]
        };
        let own = self.clocks[(core * self.warps + warp) as usize].tag;
        Some(Tags::new(&chunk.as_ref()?.tags, own, kind))
    }

    /// Whether accesses to whole words by lanes of a warp are repeated ones, all of them.
    #[inline]
    pub(crate) fn all_repeated(
        &self,
        warp: (u32, u32),
        kind: Kind,
        mask: u32,
        addresses: &Row,
    ) -> bool {
        let near = lane(addresses, mask.trailing_zeros() % 32);
        self.tags(warp, kind, near).is_some_and(|tags| {
            lanes_of(mask).all(|n| {
                let address = lane(addresses, n);
                ((address ^ near) >> 16 | address & 3) == 0 && tags.is_known(address)
            })
        })
    }

    /// Some warps of a core met.
    pub(crate) fn meet_core(&mut self, core: u32, warps: u32) {
        let met: Vec<(u32, u32)> = (0..self.warps)
            .filter(|warp| warps >> warp & 1 != 0)
            .map(|warp| (core, warp))
            .collect();
        self.meet(&met);
    }

    /// Some warps met: what any of them did is past for all.
    pub(crate) fn meet(&mut self, warps: &[(u32, u32)]) {
        let Some((&(core, warp), others)) = warps.split_first() else {
            return;
        };
        let mut all = self.published(core, warp);
        for &(core, warp) in others {
            all.join(&self.published(core, warp));
        }
        for &(core, warp) in warps {
            self.learn(core, warp, &all);
            self.tick(core, warp);
        }
    }

    /// `fence`.
    pub(crate) fn fence(&mut self, core: u32, warp: u32) {
        self.acquire(core, warp);
        self.release(core, warp);
    }

    /// What atomic accesses read until now is past.
    pub(crate) fn acquire(&mut self, core: u32, warp: u32) {
        let index = self.index(core, warp);
        if let Some(heard) = self.clocks[index].heard.take() {
            self.learn(core, warp, &heard);
        }
    }

    /// What was done until now is past for those who read what atomic accesses write from now on.
    pub(crate) fn release(&mut self, core: u32, warp: u32) {
        let index = self.index(core, warp);
        let published = self.published(core, warp);
        self.clocks[index].fenced = Some(published);
        self.tick(core, warp);
    }

    /// What an atomic access passes from and to others through the word at `address`.
    pub(crate) fn exchange(&mut self, core: u32, warp: u32, address: u32) {
        let index = self.index(core, warp);
        if let Some(left) = self.released.get(&address) {
            match &mut self.clocks[index].heard {
                Some(heard) => heard.join(left),
                heard => *heard = Some(left.clone()),
            }
        }
        if let Some(fenced) = &self.clocks[index].fenced {
            match self.released.get_mut(&address) {
                Some(left) => left.join(fenced),
                None => drop(self.released.insert(address, fenced.clone())),
            }
        }
    }

    /// Takes note of an access, an aligned one. Answers an earlier one with which it races.
    pub(crate) fn access(&mut self, access: &Access) -> Option<Entry> {
        let Access { core, warp, .. } = *access;
        let chunk = if access.address >= super::layout::LOCAL {
            &mut self.local[core as usize]
        } else {
            &mut self.global[(access.address >> 16) as usize]
        };
        let words = chunk.get_or_insert_with(|| Box::new(Words::new()));
        let index = (access.address >> 2) as usize % CHUNK_WORDS;
        let clock = &self.clocks[(core * self.warps + warp) as usize];
        let repeated = Tags::new(&words.tags, clock.tag, access.kind).is_known(access.address);
        if access.size == 4 && repeated {
            return None;
        }
        let tag = &mut words.tags[index];
        *tag = 0;
        let cell = &mut words.cells[index];
        let entry = Entry::new(access, clock.now);
        if access.size == 4 && cell.bytes == 0 {
            *tag = match access.kind {
                Kind::Load | Kind::SameStore => clock.tag,
                Kind::Store => clock.tag | 1,
                Kind::Atomic => 0,
            };
            return note(cell, entry, &clock.seen, &mut self.sets);
        }
        if cell.bytes == 0 {
            let mut bytes = [*cell; 4];
            for byte in &mut bytes[1..] {
                if cell.set != 0 {
                    let copy = self.sets[cell.set as usize - 1].clone();
                    self.sets.push(copy);
                    byte.set = self.sets.len() as u32;
                }
            }
            self.bytes.push(bytes);
            cell.bytes = self.bytes.len() as u32;
        }
        let first = (access.address & 3) as usize;
        let bytes = &mut self.bytes[cell.bytes as usize - 1];
        for byte in &mut bytes[first..first + access.size as usize] {
            let race = note(byte, entry, &clock.seen, &mut self.sets);
            if race.is_some() {
                return race;
            }
        }
        None
    }
}

#[inline(always)]
fn note(cell: &mut Cell, entry: Entry, seen: &Vector, sets: &mut Vec<Vec<Entry>>) -> Option<Entry> {
    let unordered = |other: Entry| other.clock != 0 && !seen.knows(other);
    if entry.kind() != Kind::SameStore && unordered(cell.store) {
        return Some(cell.store);
    }
    let earlier: &[Entry] = match cell.set {
        0 => &[],
        set => &sets[set as usize - 1],
    };
    let harms = |other: Entry| match entry.kind() {
        Kind::Load => other.kind().is_atomic(),
        Kind::Store => true,
        Kind::Atomic => !other.kind().is_atomic(),
        Kind::SameStore => false,
    };
    let last = cell.last;
    let race = std::iter::once(&last)
        .chain(earlier)
        .find(|&&other| harms(other) && unordered(other));
    if let Some(&race) = race {
        return Some(race);
    }
    if entry.kind() == Kind::Store {
        cell.store = entry;
        cell.last = Entry::default();
        if cell.set != 0 {
            sets[cell.set as usize - 1].clear();
        }
        return None;
    }
    let old = std::mem::replace(&mut cell.last, entry);
    let same_class = |other: Entry| other.kind().is_atomic() == entry.kind().is_atomic();
    if old.clock == 0 || old.same_warp(entry) && same_class(old) {
        return None;
    }
    if cell.set == 0 {
        sets.push(Vec::new());
        cell.set = sets.len() as u32;
    }
    keep(&mut sets[cell.set as usize - 1], old, entry, seen);
    None
}

/// Adds `old` to the earlier accesses, of which only those stay that a later access could race with and not with `entry`.
fn keep(set: &mut Vec<Entry>, old: Entry, entry: Entry, seen: &Vector) {
    set.push(old);
    let class = entry.kind().is_atomic();
    set.retain(|other| other.kind().is_atomic() != class || !seen.knows(*other));
    let foreign = |other: &Entry| other.kind().is_atomic() == class && other.core() != entry.core();
    if let Some(one) = set.iter().copied().rfind(foreign) {
        set.retain(|other| other.kind().is_atomic() != class);
        set.push(one);
    }
}
