//! Whether a run is a livelock: warps go on in single steps for a while, and an [`Observer`] looks on.
//!
//! It looks like one if nothing that happened can make a difference to what happens next:
//!
//! * each running warp has reached an atomic access with the same registers and lanes as before, and
//! * each value stored to memory was there already, or it has alternated between two values and is back, as a lock
//!   does.
//!
//! It certainly is one if all of this was the same at once: all registers of all warps, and all words of memory that
//! changed since. Then the run goes on as it went on from there before, again and again.

use super::Run;
use crate::layout::LOCAL;
use crate::registers::{lane, lanes_of};
use crate::warp::{State, Warp};
use std::collections::{HashMap, HashSet};
use vortex_isa::{Class, Inst, Opcode, csr};

/// Instructions of each warp for which it is observed, at most.
pub(super) const OBSERVED: u32 = 1 << 13;

/// The same of what looks like a livelock, to be certain. Warps that take turns with a lock need a while until all of
/// them are where they were before.
const CERTAIN: u32 = 1 << 20;

/// How often a warp must repeat itself.
const REPEATED: u32 = 2;

/// Of how many of its atomic accesses a warp's state is kept.
const STATES: usize = 64;

/// A word of memory that was stored to.
struct Word {
    first: u32,
    /// The other value that it had.
    other: Option<u32>,
    last: u32,
    /// Whether it had the first one again.
    has_returned: bool,
}

/// What a warp did while it was observed.
#[derive(Default)]
struct Seen {
    executed: u32,
    /// At its last atomic accesses: the address, and a sum of what decides what comes next.
    states: Vec<(u32, u64)>,
    repeated: u32,
}

/// Looks on while warps continue in single steps.
pub(super) struct Observer {
    /// By core of this run and warp.
    warps: Vec<Seen>,
    /// By address, and core in local memory.
    words: HashMap<(u32, u32), Word>,
    gets_on: bool,
    /// The first warp that came to an atomic access, by its core: before each of its others, the run is looked at as a
    /// whole.
    leader: Option<(usize, usize)>,
    /// Sums of what the run was then.
    wholes: HashSet<u64>,
    /// Where the leader was when the run was what it had been before.
    recurred: Option<Place>,
    /// An instruction had to do with more than what such a sum is of.
    has_more: bool,
}

/// Where a warp is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) core: usize,
    pub(super) warp: usize,
    pub(super) pc: u32,
}

/// What a step is about to store to.
pub(super) type Stored = Vec<(u32, u32)>;

impl Observer {
    /// Of so many warps.
    pub(super) fn new(warps: usize) -> Observer {
        Observer {
            warps: std::iter::repeat_with(Seen::default).take(warps).collect(),
            words: HashMap::new(),
            gets_on: false,
            leader: None,
            wholes: HashSet::new(),
            recurred: None,
            has_more: false,
        }
    }

    /// A warp is about to execute an instruction. Returns the words that it may store to.
    pub(super) fn before(&mut self, run: &Run<'_>, core: usize, warp: usize) -> Stored {
        let state = &run.cores[core].warps[warp];
        let number = core * run.config.warps as usize + warp;
        self.warps[number].executed += 1;
        let Some(inst) = run.word(state.pc).and_then(Inst::decode) else {
            return Stored::new();
        };
        self.has_more |= has_more(&inst);
        let offset = match inst.opcode.info().class {
            Class::Atomic => {
                self.warps[number].note(state);
                let pc = state.pc;
                self.compare(run, Place { core, warp, pc });
                0
            }
            Class::Store => inst.imm.cast_unsigned(),
            _ => return Stored::new(),
        };
        let base = state.registers.row(inst.rs1);
        let mut stored = Stored::new();
        for n in lanes_of(state.mask()) {
            let address = lane(base, n).wrapping_add(offset) & !3;
            let place = match address {
                LOCAL.. => (address, core as u32),
                _ => (address, 0),
            };
            if !stored.contains(&place) {
                stored.push(place);
                let value = held(run, place);
                self.words.entry(place).or_insert(Word {
                    first: value,
                    other: None,
                    last: value,
                    has_returned: false,
                });
            }
        }
        stored
    }

    /// It has.
    pub(super) fn after(&mut self, run: &Run<'_>, core: usize, warp: usize, stored: &Stored) {
        // Another group may be next.
        self.gets_on |= run.cores[core].warps[warp].state == State::Idle;
        for &place in stored {
            let value = held(run, place);
            if let Some(word) = self.words.get_mut(&place) {
                self.gets_on |= !word.takes(value);
            }
        }
    }

    /// Whether there is nothing more to determine than what [`Observer::is_livelock`] answers, or what
    /// [`Observer::never_ends`] does.
    pub(super) fn is_done(&self, run: &Run<'_>, for_certain: bool) -> bool {
        if self.gets_on || self.never_ends().is_some() {
            return true;
        }
        let has_executed = |most: u32| self.running(run).all(|seen| seen.executed >= most);
        match for_certain {
            true => has_executed(OBSERVED) && (!self.is_livelock(run) || has_executed(CERTAIN)),
            false => {
                let done = |seen: &Seen| seen.executed >= OBSERVED || seen.repeated >= REPEATED;
                self.running(run).all(done)
            }
        }
    }

    /// Looks whether the run is what it was before, as the leader is about to access memory.
    fn compare(&mut self, run: &Run<'_>, place: Place) {
        let leader = *self.leader.get_or_insert((place.core, place.warp));
        if leader == (place.core, place.warp) && !self.wholes.insert(self.whole(run)) {
            self.recurred.get_or_insert(place);
        }
    }

    /// A sum of all that what comes next depends on: warps, and words of memory that are not what they were.
    fn whole(&self, run: &Run<'_>) -> u64 {
        let lanes = u32::MAX >> (32 - run.config.threads);
        let warps = run.cores.iter().flat_map(|core| &core.warps);
        let warps = warps.zip(0u64..).map(|(warp, number)| match warp.state {
            State::Idle => 0,
            state => {
                let start = add(add(number, warp.pc), u32::from(state == State::Ready));
                start.wrapping_add(sum(warp, lanes)).wrapping_mul(ODD)
            }
        });
        let words = self.words.iter();
        let words = words
            .filter(|(_, word)| word.last != word.first)
            .map(|(&(address, core), word)| add(add(add(1, address), core), word.last));
        warps.chain(words).fold(0, u64::wrapping_add)
    }

    /// Where a warp is, if the run has come back to what it was before: it does so again and again, for nothing else
    /// is part of it.
    pub(super) fn never_ends(&self) -> Option<Place> {
        self.recurred.filter(|_| !self.has_more)
    }

    /// What the warps did that run.
    fn running<'a>(&'a self, run: &'a Run<'_>) -> impl Iterator<Item = &'a Seen> {
        let warps = run.cores.iter().flat_map(|core| &core.warps);
        let seen = warps.zip(&self.warps);
        seen.filter(|(warp, _)| warp.state == State::Ready)
            .map(|(_, seen)| seen)
    }

    /// Whether it looks as if nothing that happened could make a difference.
    pub(super) fn is_livelock(&self, run: &Run<'_>) -> bool {
        let repeats = |seen: &Seen| seen.repeated >= REPEATED;
        self.never_ends().is_some()
            || !self.gets_on
                && self.words.values().all(Word::makes_no_difference)
                && self.running(run).next().is_some()
                && self.running(run).all(repeats)
    }
}

impl Word {
    /// Records the value that it has now. `false`: it is a third one.
    fn takes(&mut self, value: u32) -> bool {
        self.last = value;
        if value == self.first {
            self.has_returned |= self.other.is_some();
            return true;
        }
        *self.other.get_or_insert(value) == value
    }

    fn makes_no_difference(&self) -> bool {
        self.last == self.first || self.has_returned
    }
}

impl Seen {
    /// Records an atomic access to come.
    fn note(&mut self, warp: &Warp) {
        let state = (warp.pc, sum(warp, warp.mask()));
        if self.states.contains(&state) {
            self.repeated += 1;
        } else if self.states.len() < STATES {
            self.states.push(state);
        } else {
            self.states[self.executed as usize % STATES] = state;
        }
    }
}

/// An odd number, for sums.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

fn add(sum: u64, word: u32) -> u64 {
    (sum ^ u64::from(word)).wrapping_mul(ODD).rotate_left(23)
}

/// Of what a warp's next steps in some lanes depend on.
fn sum(warp: &Warp, lanes: u32) -> u64 {
    let splits = warp
        .splits
        .iter()
        .flat_map(|split| [split.whole, split.other, split.pc]);
    let start = splits.fold(u64::from(warp.mask()), add);
    (0..crate::registers::SINK).fold(start, |sum, row| {
        let row = warp.registers.row(row).as_flattened();
        lanes_of(lanes).fold(sum, |sum, n| add(sum, row[n as usize]))
    })
}

/// Whether an instruction depends on more than registers, lanes and words of memory, or changes more: counters, phases
/// of barriers, reservations.
fn has_more(inst: &Inst) -> bool {
    match inst.opcode {
        Opcode::LrW | Opcode::ScW => true,
        Opcode::Tmc | Opcode::Split | Opcode::Join | Opcode::Pred => false,
        opcode => match opcode.info().class {
            Class::Simt | Class::System => true,
            // The others are the same for as long as a warp runs.
            Class::Csr => inst.csr() < csr::THREAD_ID,
            _ => false,
        },
    }
}

/// The word at an address, of a core of the run.
fn held(run: &Run<'_>, (address, core): (u32, u32)) -> u32 {
    match address {
        LOCAL.. => run.cores[core as usize].state.local.load::<4>(address),
        _ => run.memory.word(address),
    }
}
