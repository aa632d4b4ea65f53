//! Long runs: reports once, and ends those that will never end.
//!
//! Between slices, the run looks at the host's clock now and then. When it is time, or when nearly all of the budget is
//! spent, warps continue in single steps for a while under an [`Observer`], which tells livelocks from long loops.
//!
//! On host threads, a thread only sees its own cores, so livelocks are not detected there.

use super::Run;
use super::meeting::Meeting;
use super::observer::{OBSERVED, Observer, Place};
use crate::notes::WordLocation;
use crate::trap::{Trap, TrapKind, WaitReason};
use crate::warp::State;
use std::fmt;
use std::time::{Duration, Instant};

/// Instructions of warps after which the clock is looked at.
const LOOK: u64 = 1 << 16;

/// When it is looked for the first time whether a run will end; the next time, after twice as long.
const EXAMINED: Duration = Duration::from_secs(1);

/// Where a warp is.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    /// The core of the device.
    pub core: u32,
    /// The warp of the core.
    pub warp: u32,
    /// Its first active lane.
    pub lane: u32,
    /// The group it was handed last, by its place in the grid, and its number in it; zeros if it was handed none.
    pub handed: ([u32; 3], u32),
    /// Address of the instruction at which it waits, or else of the next one.
    pub pc: u32,
    /// For what it waits, if it does.
    pub waits: Option<WaitReason>,
}

/// A run that has not ended.
#[derive(Clone, Debug)]
pub struct Running<'a> {
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
    /// What they hold.
    pub held: HeldNow<'a>,
}

/// What the lane of [`Whereabouts`] holds in a place.
#[derive(Clone, Copy)]
pub struct HeldNow<'a>(&'a dyn Fn(&Whereabouts, WordLocation) -> Option<u32>);

impl HeldNow<'_> {
    /// That word, if there is such a place.
    #[must_use]
    pub fn by(self, lane: &Whereabouts, place: WordLocation) -> Option<u32> {
        self.0(lane, place)
    }
}

impl fmt::Debug for HeldNow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldNow(..)")
    }
}

/// The callback for a long run.
pub type Tell<'a> = &'a (dyn Fn(&Running<'_>) + Sync);

/// What is known about a run's time.
pub(crate) struct Watch<'a> {
    tell: Tell<'a>,
    after: Duration,
    /// When to tell, unless that has been done.
    due: Option<Instant>,
    /// When to look whether it will end, and after how long that is.
    examined: (Instant, Duration),
    /// Instructions until the clock is looked at.
    until_look: u64,
    /// The part of the budget that is kept for observing what it was spent on.
    reserve: u64,
    observer: Option<(Purpose, Box<Observer>)>,
    /// What was determined when the budget was nearly spent.
    pub(super) livelock: bool,
}

impl<'a> Watch<'a> {
    /// That of a run that begins now.
    pub(crate) fn new(after: Option<Duration>, tell: Tell<'a>) -> Watch<'a> {
        let now = Instant::now();
        Watch {
            tell,
            after: after.unwrap_or_default(),
            due: after.and_then(|after| now.checked_add(after)),
            examined: (now + EXAMINED, EXAMINED),
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
    /// To end it if it will never end.
    Examine,
    /// To tell of it, too.
    Tell,
    /// To say why its budget is spent.
    Budget,
}

impl Run<'_> {
    /// A warp's turn, in one step while the run is observed.
    pub(crate) fn turn(&mut self, core: usize, warp: usize, most: u32) -> Result<(), Box<Trap>> {
        let Some((purpose, mut observer)) = self.watch.observer.take() else {
            return self.slice(core, warp, most);
        };
        let stored = observer.before(self, core, warp);
        let result = self.slice(core, warp, 1);
        observer.after(self, core, warp, &stored);
        self.watch.observer = Some((purpose, observer));
        result
    }

    /// So many instructions have been executed.
    #[inline]
    pub(crate) fn attend(&mut self, done: u64) -> Result<(), Box<Trap>> {
        if self.budget == 0 && self.watch.reserve > 0 {
            self.budget = std::mem::take(&mut self.watch.reserve);
            self.observe(Purpose::Budget);
        }
        if self.watch.observer.is_some() {
            return self.conclude();
        }
        match self.watch.until_look.checked_sub(done) {
            Some(left) => self.watch.until_look = left,
            None => self.look(),
        }
        Ok(())
    }

    /// Looks at the clock.
    #[cold]
    fn look(&mut self) {
        self.watch.until_look = LOOK;
        let now = Instant::now();
        let is_due = self.watch.due.is_some_and(|due| due <= now);
        match &self.global {
            Meeting::Own(_) if is_due => self.observe(Purpose::Tell),
            Meeting::Own(_) => self.examine(now),
            Meeting::Shared(shared) if is_due && shared.is_first_to_tell() => self.tell(false),
            Meeting::Shared(_) => {}
        }
        if is_due {
            self.watch.due = None;
        }
    }

    /// Begins to look whether the run will end, if it is time.
    fn examine(&mut self, now: Instant) {
        let (at, after) = self.watch.examined;
        if at <= now {
            self.watch.examined = (now + after, 2 * after);
            self.observe(Purpose::Examine);
        }
    }

    fn observe(&mut self, purpose: Purpose) {
        let warps = self.cores.len() * self.config.warps as usize;
        self.watch.observer = Some((purpose, Box::new(Observer::new(warps))));
    }

    /// Ends observing, if that is done, and the run, if that would never end.
    #[cold]
    fn conclude(&mut self) -> Result<(), Box<Trap>> {
        let Some((purpose, observer)) = self.watch.observer.take() else {
            return Ok(());
        };
        if !observer.is_done(self, purpose != Purpose::Budget) {
            self.watch.observer = Some((purpose, observer));
            return Ok(());
        }
        // On the cycle model, when a warp's turn comes depends on more than is observed.
        let is_timed = |place: &Place| self.cores[place.core].state.clock.is_some();
        let endless = observer.never_ends().filter(|place| !is_timed(place));
        let livelock = observer.is_livelock(self);
        match (purpose, endless) {
            (Purpose::Budget, _) => self.watch.livelock = livelock,
            (_, Some(Place { core, warp, pc })) => {
                return Err(self.trap_at(pc, core, warp, TrapKind::Livelock, None));
            }
            (Purpose::Tell, None) => self.tell(livelock),
            (Purpose::Examine, None) => {}
        }
        Ok(())
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
                core: self.cores[core].state.id,
                warp: warp as u32,
                lane: state.mask().trailing_zeros(),
                handed: (state.group.at, state.group.rank),
                pc: waits.as_ref().map_or(state.pc, |waits| waits.pc),
                waits: waits.map(|waits| waits.reason),
            })
        };
        let held = |at: &Whereabouts, place: WordLocation| {
            let core = self.cores.iter().find(|core| core.state.id == at.core)?;
            place.word(core.warps.get(at.warp as usize)?, self.memory, at.lane)
        };
        (self.watch.tell)(&Running {
            after: self.watch.after,
            instructions: self.cores.iter().map(|core| core.state.instructions).sum(),
            budget: self.config.instruction_budget,
            warps: all.filter_map(whereabouts).collect(),
            has_others: matches!(self.global, Meeting::Shared(_)),
            livelock,
            held: HeldNow(&held),
        });
    }
}
