//! Long runs: reports once, and detects livelock.
//!
//! Between slices, the run looks at the host's clock now and then. When it is time, or when nearly all of the budget is
//! spent, warps continue in single steps for a while under an [`Observer`]. It reports a livelock if nothing that
//! happened can make a difference to what happens next:
//!
//! * each running warp has reached an atomic access with the same registers and lanes as before, and
//! * each value stored to memory was there already, or it has alternated between two values and is back, as a lock
//!   does.
//!
//! On host threads, a thread only sees its own cores, so livelocks are not detected there.

use super::Run;
use super::meeting::Meeting;
use crate::layout::LOCAL;
use crate::registers::{lane, lanes_of};
use crate::trap::{Trap, WaitReason};
use crate::warp::{State, Warp};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use vortex_isa::{Class, Inst};

/// Instructions of warps after which the clock is looked at.
const LOOK: u64 = 1 << 16;

/// Instructions of each warp for which it is observed, at most.
const OBSERVED: u32 = 1 << 13;

/// How often a warp must repeat itself.
const REPEATED: u32 = 2;

/// Of how many of its atomic accesses a warp's state is kept.
const STATES: usize = 64;

/// Where a warp is.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    /// Address of the instruction at which it waits, or else of the next one.
    pub pc: u32,
    /// For what it waits, if it does.
    pub waits: Option<WaitReason>,
}

/// A run that has not ended.
#[derive(Clone, Debug)]
pub struct Running {
    /// For how long it has been running on the host, at least: [`Config::patience`](crate::Config::patience).
    pub after: Duration,
    /// Instructions of warps so far, of these cores.
    pub instructions: u64,
    /// After how many instructions of warps it is stopped; `None`: never.
    pub budget: Option<u64>,
    /// Its warps that have not ended.
    pub warps: Vec<Whereabouts>,
    /// Other host threads run more cores.
    pub has_others: bool,
    /// All warps that run repeat atomic accesses that change nothing.
    pub livelock: bool,
}

/// The callback for a long run.
pub type Tell<'a> = &'a (dyn Fn(&Running) + Sync);

/// What is known about a run's time.
pub(crate) struct Watch<'a> {
    tell: Tell<'a>,
    after: Duration,
    /// When to tell, unless that has been done.
    due: Option<Instant>,
    /// Instructions until the clock is looked at.
    until_look: u64,
    /// The part of the budget that is kept for observing what it was spent on.
    reserve: u64,
    observer: Option<Box<Observer>>,
    /// What was determined when the budget was nearly spent.
    pub(super) livelock: bool,
}

impl<'a> Watch<'a> {
    /// That of a run that begins now.
    pub(crate) fn new(after: Option<Duration>, tell: Tell<'a>) -> Watch<'a> {
        Watch {
            tell,
            after: after.unwrap_or_default(),
            due: after.and_then(|after| Instant::now().checked_add(after)),
            until_look: LOOK,
            reserve: 0,
            observer: None,
            livelock: false,
        }
    }

    /// The same of part of its cores.
    pub(super) fn of_part(&self) -> Watch<'a> {
        Watch {
            observer: None,
            ..*self
        }
    }

    /// Keeps part of a budget for a run of this many warps; returns what is left of it.
    pub(crate) fn reserve(&mut self, budget: u64, warps: u32) -> u64 {
        if budget < u64::MAX {
            self.reserve = (u64::from(OBSERVED) * u64::from(warps)).min(budget / 4);
        }
        budget - self.reserve
    }

    /// Whether nothing is left of a budget of which everything else was spent.
    pub(super) fn is_last(&self) -> bool {
        self.reserve == 0
    }
}

/// Why a run is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Tell,
    Budget,
}

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
struct Observer {
    purpose: Purpose,
    /// By core of this run and warp.
    warps: Vec<Seen>,
    /// By address, and core in local memory.
    words: HashMap<(u32, u32), Word>,
    gets_on: bool,
}

/// What a step is about to store to.
type Stored = Vec<(u32, u32)>;

impl Observer {
    fn new(purpose: Purpose, warps: usize) -> Observer {
        Observer {
            purpose,
            warps: std::iter::repeat_with(Seen::default).take(warps).collect(),
            words: HashMap::new(),
            gets_on: false,
        }
    }

    /// A warp is about to execute an instruction. Returns the words that it may store to.
    fn before(&mut self, run: &Run<'_>, core: usize, warp: usize) -> Stored {
        let state = &run.cores[core].warps[warp];
        let seen = &mut self.warps[core * run.config.warps as usize + warp];
        seen.executed += 1;
        let Some(inst) = run.word(state.pc).and_then(Inst::decode) else {
            return Stored::new();
        };
        let offset = match inst.opcode.info().class {
            Class::Atomic => {
                seen.note(state);
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
    fn after(&mut self, run: &Run<'_>, stored: &Stored) {
        for &place in stored {
            let value = held(run, place);
            if let Some(word) = self.words.get_mut(&place) {
                self.gets_on |= !word.takes(value);
            }
        }
    }

    /// Whether there is nothing more to determine.
    fn is_done(&self, run: &Run<'_>) -> bool {
        let done = |seen: &Seen| seen.executed >= OBSERVED || seen.repeated >= REPEATED;
        self.gets_on || self.running(run).all(done)
    }

    /// What the warps did that run.
    fn running<'a>(&'a self, run: &'a Run<'_>) -> impl Iterator<Item = &'a Seen> {
        let warps = run.cores.iter().flat_map(|core| &core.warps);
        let seen = warps.zip(&self.warps);
        seen.filter(|(warp, _)| warp.state == State::Ready)
            .map(|(_, seen)| seen)
    }

    fn is_livelock(&self, run: &Run<'_>) -> bool {
        let repeats = |seen: &Seen| seen.repeated >= REPEATED;
        !self.gets_on
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
        let state = (warp.pc, sum(warp));
        if self.states.contains(&state) {
            self.repeated += 1;
        } else if self.states.len() < STATES {
            self.states.push(state);
        } else {
            self.states[self.executed as usize % STATES] = state;
        }
    }
}

/// Of what a warp's next steps depend on.
fn sum(warp: &Warp) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let add = |sum: u64, word: u32| (sum ^ u64::from(word)).wrapping_mul(ODD).rotate_left(23);
    let splits = warp
        .splits
        .iter()
        .flat_map(|split| [split.whole, split.other, split.pc]);
    let start = splits.fold(u64::from(warp.mask()), add);
    (0..crate::registers::SINK).fold(start, |sum, row| {
        let row = warp.registers.row(row).as_flattened();
        lanes_of(warp.mask()).fold(sum, |sum, n| add(sum, row[n as usize]))
    })
}

/// The word at an address, of a core of the run.
fn held(run: &Run<'_>, (address, core): (u32, u32)) -> u32 {
    match address {
        LOCAL.. => run.cores[core as usize].state.local.load::<4>(address),
        _ => run.memory.word(address),
    }
}

impl Run<'_> {
    /// A warp's turn, in one step while the run is observed.
    pub(crate) fn turn(&mut self, core: usize, warp: usize, most: u32) -> Result<(), Box<Trap>> {
        let Some(mut observer) = self.watch.observer.take() else {
            return self.slice(core, warp, most);
        };
        let stored = observer.before(self, core, warp);
        let result = self.slice(core, warp, 1);
        observer.after(self, &stored);
        self.watch.observer = Some(observer);
        result
    }

    /// So many instructions have been executed.
    #[inline]
    pub(crate) fn attend(&mut self, done: u64) {
        if self.budget == 0 && self.watch.reserve > 0 {
            self.budget = std::mem::take(&mut self.watch.reserve);
            self.observe(Purpose::Budget);
        }
        if self.watch.observer.is_some() {
            self.conclude();
        }
        match self.watch.until_look.checked_sub(done) {
            Some(left) => self.watch.until_look = left,
            None => self.look(),
        }
    }

    /// Looks at the clock.
    #[cold]
    fn look(&mut self) {
        self.watch.until_look = LOOK;
        if self.watch.due.is_none_or(|due| Instant::now() < due) {
            return;
        }
        self.watch.due = None;
        match &self.global {
            Meeting::Own(_) => self.observe(Purpose::Tell),
            Meeting::Shared(shared) => {
                if shared.is_first_to_tell() {
                    self.tell(false);
                }
            }
        }
    }

    fn observe(&mut self, purpose: Purpose) {
        let warps = self.cores.len() * self.config.warps as usize;
        self.watch.observer = Some(Box::new(Observer::new(purpose, warps)));
    }

    /// Ends observing, if that is done.
    #[cold]
    fn conclude(&mut self) {
        let Some(observer) = self.watch.observer.take() else {
            return;
        };
        if !observer.is_done(self) {
            self.watch.observer = Some(observer);
            return;
        }
        let livelock = observer.is_livelock(self);
        match observer.purpose {
            Purpose::Tell => self.tell(livelock),
            Purpose::Budget => self.watch.livelock = livelock,
        }
    }

    fn tell(&self, livelock: bool) {
        let warps = 0..self.config.warps as usize;
        let all =
            (0..self.cores.len()).flat_map(|core| warps.clone().map(move |warp| (core, warp)));
        let whereabouts = |(core, warp): (usize, usize)| {
            let state = &self.cores[core].warps[warp];
            let ready = state.state == State::Ready;
            let waits = self.waiting(core, warp);
            (ready || waits.is_some()).then(|| Whereabouts {
                pc: waits.as_ref().map_or(state.pc, |waits| waits.pc),
                waits: waits.map(|waits| waits.reason),
            })
        };
        (self.watch.tell)(&Running {
            after: self.watch.after,
            instructions: self.cores.iter().map(|core| core.state.instructions).sum(),
            budget: self.config.instruction_budget,
            warps: all.filter_map(whereabouts).collect(),
            has_others: matches!(self.global, Meeting::Shared(_)),
            livelock,
        });
    }
}
