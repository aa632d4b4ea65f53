//! Execution, step by step or until a stop, in both directions.
//!
//! All lanes of a warp reach a breakpoint at once. As they are threads to gdb, each is reported separately, one after
//! the other, whenever gdb continues: so gdb evaluates its conditions for each lane. To continue from a breakpoint gdb
//! first takes it out and has the reported thread execute one instruction, which all lanes of the warp do. If it then
//! lets all continue, and lanes are left that were not reported, time goes back by that instruction.

use std::ops::Range;
use std::sync::Arc;

use vortex_sim::Trap;
use vortex_sim::stepping::{LaneState, Step, Stepper, Stop, Stops, WarpId, Watched};

use crate::agent::evaluate;
use crate::explain::Explain;
use crate::lane::{Lane, LaneAround};
use crate::link::Halted;

/// What gdb wants to happen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Action {
    /// Time goes backwards.
    pub(crate) is_back: bool,
    /// A lane is to execute an instruction, or several as long as their addresses are in a range.
    pub(crate) step: Option<(Lane, Range<u32>)>,
    /// Nothing but what is named continues.
    pub(crate) is_locked: bool,
    /// A warp that is named.
    pub(crate) only: Option<WarpId>,
    /// The lane of `step` has executed an instruction.
    pub(crate) has_moved: bool,
    /// The time at which it was said that what is watched is about to be accessed.
    pub(crate) warned: Option<u64>,
}

/// An address at which to stop.
#[derive(Clone, Debug)]
pub(crate) struct Breakpoint {
    pub(crate) address: u32,
    /// One of them must hold, if there are any.
    pub(crate) conditions: Arc<[Vec<u8>]>,
}

/// What to stop at.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) breakpoints: Arc<[Breakpoint]>,
    pub(crate) watched: Vec<Watched>,
}

/// A breakpoint that lanes of a warp have reached, and the lane for which that was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    time: u64,
    warp: WarpId,
    pc: u32,
    lanes: u32,
    lane: u32,
    /// gdb has had the lane continue by one instruction, and nothing else has happened since.
    is_passed: bool,
}

impl Shown {
    /// The lane that was reported.
    pub(crate) fn lane(&self) -> Lane {
        Lane {
            warp: self.warp,
            number: self.lane,
        }
    }

    /// The same, to be reported of another lane.
    fn of_lane(self, lane: u32) -> Shown {
        Shown {
            lane,
            is_passed: false,
            ..self
        }
    }

    /// The next lane after the one that was reported.
    fn next(self) -> Option<Shown> {
        let left = self.lanes & !(u32::MAX >> (31 - self.lane));
        (left != 0).then(|| self.of_lane(left.trailing_zeros()))
    }

    /// The one before it.
    fn previous(self) -> Option<Shown> {
        let left = self.lanes & !(u32::MAX << self.lane);
        (left != 0).then(|| self.of_lane(31 - left.leading_zeros()))
    }
}

/// What has happened.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing yet.
    Again,
    Breakpoint(Shown),
    /// What is watched is about to be accessed: which of it, by whom, and when.
    Watched(usize, Lane, u64),
    /// The lane is where it was to go.
    Stepped(Lane),
    /// A warp has done something wrong, in these words.
    Trapped(Box<Trap>, String),
    /// All warps have ended.
    Over,
    /// There is nothing earlier.
    Beginning,
}

/// The lanes that are to stop at a breakpoint.
struct Lanes<'a> {
    plan: &'a Plan,
    explain: &'a dyn Explain,
    /// Those of the last stop.
    lanes: u32,
}

impl Stops for Lanes<'_> {
    fn stops(&mut self, stepper: &Stepper<'_>, next: WarpId) -> bool {
        let pc = stepper.pc(next);
        let mut breakpoints = self.plan.breakpoints.iter();
        let Some(breakpoint) = breakpoints.find(|breakpoint| breakpoint.address == pc) else {
            return false;
        };
        let holds = |number: u32| {
            let around = LaneAround {
                stepper,
                explain: self.explain,
                lane: Lane { warp: next, number },
            };
            let conditions = &breakpoint.conditions;
            let mut hold = conditions.iter().map(|code| evaluate(code, &around));
            // gdb says why it cannot be evaluated.
            conditions.is_empty() || hold.any(|value| value != Some(0))
        };
        let lanes = stepper.active_lanes(next).filter(|lane| holds(*lane));
        self.lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
        self.lanes != 0
    }

    fn watched(&self) -> &[Watched] {
        &self.plan.watched
    }
}

impl Lanes<'_> {
    /// The stop of a warp, to be reported of this lane.
    fn shown(&self, stepper: &Stepper<'_>, warp: WarpId, lane: u32) -> Outcome {
        Outcome::Breakpoint(Shown {
            time: stepper.time(),
            warp,
            pc: stepper.pc(warp),
            lanes: self.lanes,
            lane,
            is_passed: false,
        })
    }

    fn first(&self, stepper: &Stepper<'_>, warp: WarpId) -> Outcome {
        self.shown(stepper, warp, self.lanes.trailing_zeros())
    }

    fn last(&self, stepper: &Stepper<'_>, warp: WarpId) -> Outcome {
        let last = 31u32.saturating_sub(self.lanes.leading_zeros());
        self.shown(stepper, warp, last)
    }

    fn has(&self, pc: u32) -> bool {
        let mut breakpoints = self.plan.breakpoints.iter();
        breakpoints.any(|breakpoint| breakpoint.address == pc)
    }
}

/// Does what gdb wants, for `most` instructions at a time. `shown` is what was reported before.
pub(crate) fn resume(
    halted: &mut Halted<'_, '_>,
    plan: &Plan,
    action: &mut Action,
    shown: &mut Option<Shown>,
    most: u64,
) -> Outcome {
    let mut lanes = Lanes {
        plan,
        explain: halted.explain,
        lanes: 0,
    };
    let before = shown.take();
    let stepper = &mut *halted.stepper;
    let own = action.step.as_ref().map(|(lane, _)| lane.warp);
    if !action.is_back
        && let Some(watched) = warning(stepper, &lanes, action, own)
    {
        *shown = before;
        return watched;
    }
    let outcome = match (action.step.clone(), action.is_back) {
        (Some((lane, _)), true) => step_back(stepper, lane),
        (None, true) => {
            let same = before.filter(|shown| shown.time == stepper.time() && lanes.has(shown.pc));
            if let Some(previous) = same.and_then(Shown::previous) {
                return Outcome::Breakpoint(previous);
            }
            match stepper.run_back(&mut lanes) {
                Stop::Before(warp) => {
                    // Others have been looked at since.
                    lanes.stops(stepper, warp);
                    lanes.last(stepper, warp)
                }
                stop => other(stepper, stop),
            }
        }
        (Some((lane, range)), false) => {
            if action.is_locked
                && let Some(before) = before
                && before.time == stepper.time()
                && before.lane() == lane
            {
                *shown = Some(Shown {
                    is_passed: true,
                    ..before
                });
            }
            let has_moved = &mut action.has_moved;
            step(stepper, &mut lanes, (lane, range), has_moved, most)
        }
        (None, false) => {
            let left = before.filter(|shown| {
                let time = shown.time + u64::from(shown.is_passed);
                stepper.time() == time && lanes.has(shown.pc)
            });
            if let Some(next) = left.and_then(Shown::next) {
                stepper.seek(next.time);
                return Outcome::Breakpoint(next);
            }
            match action.only.filter(|_| action.is_locked) {
                Some(warp) => run_warp(stepper, &mut lanes, warp, most),
                None => match stepper.run(&mut lanes, most) {
                    Stop::Before(warp) => lanes.first(stepper, warp),
                    stop => other(stepper, stop),
                },
            }
        }
    };
    match outcome {
        Outcome::Trapped(trap, _) => {
            let words = halted.explain.trap(halted.stepper, &trap);
            Outcome::Trapped(trap, words)
        }
        outcome => outcome,
    }
}

/// What is watched of what is accessed next, unless it was said already. gdb continues by one instruction then, without
/// watching, and compares what is there with what was.
fn warning(
    stepper: &mut Stepper<'_>,
    lanes: &Lanes<'_>,
    action: &Action,
    warp: Option<WarpId>,
) -> Option<Outcome> {
    if action.warned == Some(stepper.time()) {
        return None;
    }
    let next = match warp {
        Some(warp) => next_with(stepper, warp)?,
        None => stepper.next()?,
    };
    let watched = stepper.watched_by(lanes, next)?;
    Some(other(stepper, watched))
}

/// A stop that is not at a breakpoint.
fn other(stepper: &Stepper<'_>, stop: Stop) -> Outcome {
    match stop {
        Stop::Before(_) | Stop::Enough => Outcome::Again,
        Stop::Watched {
            number, warp, lane, ..
        } => {
            let lane = Lane { warp, number: lane };
            Outcome::Watched(number, lane, stepper.time())
        }
        Stop::Trapped(trap) => Outcome::Trapped(trap, String::new()),
        Stop::Over => Outcome::Over,
        Stop::Beginning => Outcome::Beginning,
    }
}

/// Goes back to before the last instruction that a lane has executed.
fn step_back(stepper: &mut Stepper<'_>, lane: Lane) -> Outcome {
    let mut executes = |stepper: &Stepper<'_>, next: WarpId| {
        next == lane.warp && stepper.active(next) >> lane.number & 1 != 0
    };
    match stepper.run_back(&mut executes) {
        Stop::Before(_) => Outcome::Stepped(lane),
        stop => other(stepper, stop),
    }
}

/// One instruction of a warp, or of others if it waits for them: who has executed it, and in which lanes.
fn step_once(stepper: &mut Stepper<'_>, warp: WarpId) -> Result<(WarpId, u32), Outcome> {
    match stepper.step_warp(warp) {
        Step::Executed { warp, lanes, .. } => Ok((warp, lanes)),
        Step::Trapped(trap) => Err(Outcome::Trapped(trap, String::new())),
        Step::Over => Err(Outcome::Over),
    }
}

/// The warp that goes next if this one is to go whenever it can.
fn next_with(stepper: &Stepper<'_>, warp: WarpId) -> Option<WarpId> {
    let goes = stepper.is_ready(warp) && stepper.time() == stepper.end();
    if goes { Some(warp) } else { stepper.next() }
}

/// Has a lane execute an instruction, and more as long as it is in a range of addresses. While it is not active, others
/// continue; while its warp waits, too.
fn step(
    stepper: &mut Stepper<'_>,
    lanes: &mut Lanes<'_>,
    (lane, range): (Lane, Range<u32>),
    has_moved: &mut bool,
    most: u64,
) -> Outcome {
    for _ in 0..most {
        let (warp, executed) = match step_once(stepper, lane.warp) {
            Ok(done) => done,
            Err(outcome) => return outcome,
        };
        *has_moved |= warp == lane.warp && executed >> lane.number & 1 != 0;
        let is_active = stepper.lane(lane.warp, lane.number) == LaneState::Active;
        if *has_moved && is_active && !range.contains(&stepper.pc(lane.warp)) {
            return Outcome::Stepped(lane);
        }
        let Some(next) = next_with(stepper, lane.warp) else {
            continue;
        };
        if let Some(watched) = stepper.watched_by(lanes, next) {
            return other(stepper, watched);
        }
        if lanes.stops(stepper, next) {
            let is_own = next == lane.warp && lanes.lanes >> lane.number & 1 != 0;
            return match is_own {
                true => lanes.shown(stepper, next, lane.number),
                false => lanes.first(stepper, next),
            };
        }
    }
    Outcome::Again
}

/// Lets a warp continue, and others only while it waits for them.
fn run_warp(stepper: &mut Stepper<'_>, lanes: &mut Lanes<'_>, warp: WarpId, most: u64) -> Outcome {
    for _ in 0..most {
        if let Err(outcome) = step_once(stepper, warp) {
            return outcome;
        }
        let Some(next) = next_with(stepper, warp) else {
            continue;
        };
        match stepper.stop_before(lanes, next) {
            Some(Stop::Before(warp)) => return lanes.first(stepper, warp),
            Some(stop) => return other(stepper, stop),
            None => {}
        }
    }
    Outcome::Again
}
