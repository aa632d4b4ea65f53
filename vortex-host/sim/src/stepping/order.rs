//! Whose turn it is.

use super::WarpId;
use crate::run::{Run, SLICE};
use crate::warp::State;

/// What comes next, unless the debugger wants something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Next {
    /// An instruction of this warp.
    Warp(WarpId),
    /// All have ended.
    #[default]
    Over,
    /// All that have not ended wait for each other.
    Deadlock,
}

/// Instructions that a warp executed although it was not its turn.
#[derive(Clone, Copy, Debug)]
struct Detour {
    from: u64,
    to: u64,
    warp: WarpId,
}

/// Where a run is in the round that gives each core, and each warp of it, its turn: as [`Run::round`] does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    core: usize,
    /// Which of the core's warps, in the order of their turns.
    place: usize,
    /// Instructions left of the warp's turn.
    left: u32,
    /// Whether the core has started what it was to start in this round.
    has_begun: bool,
    /// Whether any warp had a turn in this round.
    progress: bool,
    next: Next,
}

/// Whose turn it is, and whose it was.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) turn: Turn,
    detours: Vec<Detour>,
}

impl Order {
    /// What comes next, unless the debugger wants something else.
    pub(super) fn next(&self) -> Next {
        self.turn.next
    }

    /// The warp that the debugger chose at this time, although it was not its turn.
    pub(super) fn detour(&self, time: u64) -> Option<WarpId> {
        let after = self.detours.partition_point(|detour| detour.from <= time);
        let detour = self.detours[..after].last()?;
        (time < detour.to).then_some(detour.warp)
    }

    /// Has a warp go now.
    pub(super) fn insist(&mut self, time: u64, warp: WarpId) {
        if let Some(last) = self.detours.last_mut()
            && (last.to, last.warp) == (time, warp)
        {
            last.to += 1;
            return;
        }
        let (from, to) = (time, time + 1);
        self.detours.push(Detour { from, to, warp });
    }

    /// Forgets what is to come.
    pub(super) fn forget_after(&mut self, time: u64) {
        self.detours.retain(|detour| detour.from < time);
        if let Some(last) = self.detours.last_mut() {
            last.to = last.to.min(time);
        }
    }

    /// A warp has executed an instruction.
    pub(super) fn executed(&mut self, time: u64, warp: WarpId) {
        if self.detour(time).is_none() && self.turn.next == Next::Warp(warp) {
            self.turn.left -= 1;
        }
    }

    /// Determines what comes next; starts warps that are to be started by now.
    pub(super) fn settle(&mut self, run: &mut Run<'_>) {
        self.turn.next = self.turn.settled(run);
    }
}

impl Turn {
    fn settled(&mut self, run: &mut Run<'_>) -> Next {
        let warps = run.config.warps as usize;
        loop {
            if !self.has_begun {
                self.progress |= run.start_spawned(self.core) | run.dispatch(self.core);
                self.has_begun = true;
                self.begin_turn(run);
            }
            // The first warp goes last.
            let warp = (self.place + 1) % warps;
            let is_ready = run.cores[self.core].warps[warp].state == State::Ready;
            if is_ready && self.left > 0 {
                return Next::Warp(WarpId {
                    core: run.cores[self.core].state.id,
                    warp: warp as u32,
                });
            }
            self.place += 1;
            if self.place < warps {
                self.begin_turn(run);
                continue;
            }
            let is_last = self.core + 1 == run.cores.len();
            if is_last && !run.is_active() {
                // A repeated request gets the same answer.
                self.place -= 1;
                return Next::Over;
            }
            if is_last && !std::mem::take(&mut self.progress) {
                self.place -= 1;
                return Next::Deadlock;
            }
            self.core = if is_last { 0 } else { self.core + 1 };
            self.place = 0;
            self.has_begun = false;
        }
    }

    /// It is the next warp's turn.
    fn begin_turn(&mut self, run: &Run<'_>) {
        let warp = (self.place + 1) % run.config.warps as usize;
        self.left = SLICE;
        self.progress |= run.cores[self.core].warps[warp].state == State::Ready;
    }
}
