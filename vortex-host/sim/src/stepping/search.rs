//! Running until something happens, and back to when it last did.

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
    /// The next instruction accesses memory that is watched.
    Watched {
        /// Which of what is watched.
        number: usize,
        /// The warp that executes it.
        warp: WarpId,
        /// The first of its lanes that does.
        lane: u32,
        /// What that accesses.
        address: u32,
    },
    /// As many instructions have been executed as there were to be.
    Enough,
    /// Nothing follows: a warp does something wrong, or none can continue.
    Trapped(Box<Trap>),
    /// Nothing follows: all warps have ended.
    Over,
    /// There is nothing earlier.
    Beginning,
}

impl Stepper<'_> {
    /// Goes on for `most` instructions of warps, or until something is to be stopped at. Where it stands now it does
    /// not stop.
    pub fn run(&mut self, stops: &mut dyn Stops, most: u64) -> Stop {
        for _ in 0..most {
            match self.step() {
                Step::Executed { .. } => {}
                Step::Trapped(trap) => return Stop::Trapped(trap),
                Step::Over => return Stop::Over,
            }
            if let Some(next) = self.next()
                && let Some(stop) = self.stop_before(stops, next)
            {
                return stop;
            }
        }
        Stop::Enough
    }

    /// Whether to stop before a warp executes its next instruction, and why.
    pub fn stop_before(&mut self, stops: &mut dyn Stops, next: WarpId) -> Option<Stop> {
        match stops.stops(self, next) {
            true => Some(Stop::Before(next)),
            false => self.watched_by(stops, next),
        }
    }

    /// What is watched of what a warp's next instruction accesses.
    pub fn watched_by(&mut self, stops: &dyn Stops, warp: WarpId) -> Option<Stop> {
        if stops.watched().is_empty() {
            return None;
        }
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
                if let Some(next) = self.next()
                    && let Some(stop) = self.stop_before(stops, next)
                {
                    last = Some((self.time, stop));
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
