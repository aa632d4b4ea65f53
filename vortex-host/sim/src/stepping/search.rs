//! Going on until something happens, and back to when it last did.

use super::{Step, Stepper, WarpId, Watched};
use crate::trap::Trap;

/// What to stop at.
pub trait Stops {
    /// Whether to stop before this warp executes its next instruction.
    fn stops(&mut self, stepper: &Stepper<'_>, next: WarpId) -> bool;

    /// Memory that is watched.
    fn watched(&self) -> &[Watched] {
        &[]
    }
}

/// Stops where a function says so.
impl<F: FnMut(&Stepper<'_>, WarpId) -> bool> Stops for F {
    fn stops(&mut self, stepper: &Stepper<'_>, next: WarpId) -> bool {
        self(stepper, next)
    }
}

/// Why a run has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This warp is about to execute an instruction at which to stop.
    Before(WarpId),
    /// Memory that is watched was accessed; going back, is about to be.
    Watched {
        /// Which of what is watched.
        number: usize,
        /// The warp that did it.
        warp: WarpId,
        /// The first of its lanes that did it.
        lane: u32,
        /// Where that did.
        address: u32,
    },
    /// As many instructions have been executed as there were to be.
    Enough,
    /// Nothing follows: a warp does something wrong, or none can go on.
    Trapped(Box<Trap>),
    /// Nothing follows: all warps have ended.
    Over,
    /// There is nothing earlier.
    Beginning,
}

impl Stepper<'_> {
    /// Goes on for `most` instructions of warps, or until something is to be stopped at. Where it stands now it does not
    /// stop.
    pub fn run(&mut self, stops: &mut dyn Stops, most: u64) -> Stop {
        for _ in 0..most {
            let hit = self.watched_next(stops);
            match self.step() {
                Step::Executed { .. } => {}
                Step::Trapped(trap) => return Stop::Trapped(trap),
                Step::Over => return Stop::Over,
            }
            if let Some(hit) = hit {
                return hit;
            }
            if let Some(next) = self.next()
                && stops.stops(self, next)
            {
                return Stop::Before(next);
            }
        }
        Stop::Enough
    }

    /// What is watched of what the next instruction accesses.
    fn watched_next(&mut self, stops: &dyn Stops) -> Option<Stop> {
        if stops.watched().is_empty() {
            return None;
        }
        let warp = self.next()?;
        self.watched_of(stops, warp)
    }

    /// The same of the next instruction of a warp.
    pub fn watched_of(&mut self, stops: &dyn Stops, warp: WarpId) -> Option<Stop> {
        let access = self.access(warp)?;
        let hits = stops.watched().iter().enumerate();
        let mut hits = hits.filter_map(|(number, watched)| Some((number, watched.hit(&access)?)));
        let (number, (lane, address)) = hits.next()?;
        Some(Stop::Watched {
            number,
            warp,
            lane,
            address,
        })
    }

    /// Goes back to the last moment before now at which something is to be stopped at, or to the beginning.
    pub fn run_back(&mut self, stops: &mut dyn Stops) -> Stop {
        let mut until = self.time;
        while until > 0 {
            let snapshot = self.history.before(until - 1);
            let from = self.history.time_of(snapshot);
            self.restore(snapshot);
            let mut last = None;
            while self.time < until {
                if let Some(next) = self.next() {
                    if stops.stops(self, next) {
                        last = Some((self.time, Stop::Before(next)));
                    } else if let Some(hit) = self.watched_next(stops) {
                        last = Some((self.time, hit));
                    }
                }
                match self.step() {
                    Step::Executed { .. } => {}
                    // It was reached before.
                    Step::Trapped(_) | Step::Over => break,
                }
            }
            if let Some((time, stop)) = last {
                self.seek(time);
                return stop;
            }
            until = from;
        }
        self.seek(0);
        Stop::Beginning
    }
}
