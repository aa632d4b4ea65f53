//! What the threads of a run share: barriers of the whole device, the budget of instructions, and which thread waits
//! for what.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::trap::Waiting;

/// What the threads of a run share.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Told when a thread that waits may have something to do.
    changed: Condvar,
    /// The run is over, for all.
    stop: AtomicBool,
    /// Held by atomic operations that change a word and its shadow.
    pub(super) atomics: Mutex<()>,
    /// Whether the long run has been reported.
    told: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Per barrier of the device, the cores that wait there.
    waiting: Vec<Vec<u32>>,
    /// A warp of the core that came to it first.
    first: Vec<Option<Waiting>>,
    /// Per core, the barriers whose warps may continue.
    released: Vec<Vec<usize>>,
    /// Threads that have not ended, and those of them that wait.
    threads: usize,
    idle: usize,
    deadlock: bool,
    /// Instructions that no thread has taken, and threads that may give some back.
    budget: u64,
    holders: usize,
    /// Threads that wait for some of it.
    starved: usize,
}

impl Shared {
    pub(super) fn new(config: &Config, threads: usize, budget: u64) -> Shared {
        Shared {
            state: Mutex::new(State {
                waiting: vec![Vec::new(); config.meeting_places()],
                first: vec![None; config.meeting_places()],
                released: vec![Vec::new(); config.cores as usize],
                threads,
                budget,
                ..State::default()
            }),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            atomics: Mutex::new(()),
            told: AtomicBool::new(false),
        }
    }

    /// Whether the long run has not been reported yet. The caller then reports it.
    pub(super) fn is_first_to_tell(&self) -> bool {
        !self.told.swap(true, Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the run is over, for all.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// At the end: if all threads waited, per barrier of the device the cores that wait there.
    pub(super) fn deadlock(&self) -> Option<Vec<Vec<u32>>> {
        let state = std::mem::take(&mut *self.state());
        state.deadlock.then_some(state.waiting)
    }

    /// Ends the run, for all.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
        // Whoever is about to wait has looked before.
        drop(self.state());
        self.changed.notify_all();
    }

    /// A core has reached a barrier of the device with all of its warps, of which the last is `here`. Returns the last
    /// one of the first core there, if that waits for another count.
    pub(super) fn arrive(
        &self,
        core: u32,
        barrier: usize,
        expected: u32,
        here: Option<Waiting>,
    ) -> Option<Waiting> {
        let mut state = self.state();
        let state = &mut *state;
        let waiting = &mut state.waiting[barrier];
        let first = &mut state.first[barrier];
        if waiting.is_empty() {
            *first = here;
        }
        let other = first
            .clone()
            .filter(|first| first.reason.expected() != Some(expected));
        waiting.push(core);
        if waiting.len() as u32 == expected {
            for core in std::mem::take(waiting) {
                state.released[core as usize].push(barrier);
            }
            self.changed.notify_all();
        }
        other
    }

    /// How many cores wait at a barrier of the device.
    pub(super) fn arrived(&self, barrier: usize) -> u32 {
        self.state().waiting[barrier].len() as u32
    }

    /// The barriers whose warps of a core may continue.
    pub(super) fn released(&self, core: u32) -> Vec<usize> {
        std::mem::take(&mut self.state().released[core as usize])
    }

    /// Waits until a core of this thread may continue. `false`: none ever will.
    pub(super) fn wait(&self, cores: &[u32]) -> bool {
        let mut state = self.state();
        state.idle += 1;
        loop {
            if self.stop.load(Relaxed) {
                return false;
            }
            if cores
                .iter()
                .any(|&core| !state.released[core as usize].is_empty())
            {
                state.idle -= 1;
                return true;
            }
            if state.idle == state.threads && state.released.iter().all(Vec::is_empty) {
                state.deadlock = true;
                drop(state);
                self.stop();
                return false;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A thread has ended; those that wait may be the only ones left.
    pub(super) fn ended(&self) {
        self.state().threads -= 1;
        self.changed.notify_all();
    }

    /// Takes instructions from the budget; 0 if there are none left, which is known when no thread can give some back.
    pub(super) fn take(&self, most: u64) -> u64 {
        let mut state = self.state();
        while state.budget == 0 && state.holders > 0 && !self.stop.load(Relaxed) {
            state.starved += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.starved -= 1;
        }
        let taken = most.min(state.budget);
        state.budget -= taken;
        state.holders += 1;
        taken
    }

    pub(super) fn give_back(&self, left: u64) {
        let mut state = self.state();
        state.budget += left;
        state.holders -= 1;
        // Seldom: only where the budget is about to end.
        if state.starved > 0 {
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    /// How long a thread is given to show that it waits, and how long to show that it continues.
    const NOTHING: Duration = Duration::from_millis(50);
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Has a thread take instructions when there are none; returns what it got after `then`, and that it waited until
    /// then.
    fn starved(budget: u64, then: impl FnOnce(&Shared)) -> u64 {
        let shared = Shared::new(&Config::with_shape(1, 4, 4), 2, budget);
        assert_eq!(shared.take(budget), budget);
        thread::scope(|scope| {
            let (taken, result) = mpsc::channel();
            let shared = &shared;
            scope.spawn(move || taken.send(shared.take(7)));
            assert!(result.recv_timeout(NOTHING).is_err(), "it does not wait");
            then(shared);
            result.recv_timeout(PATIENCE).unwrap()
        })
    }

    #[test]
    fn a_thread_waits_for_what_others_give_back() {
        assert_eq!(starved(100, |shared| shared.give_back(5)), 5);
        assert_eq!(starved(100, |shared| shared.give_back(50)), 7);
    }

    #[test]
    fn nothing_left_ends_the_wait() {
        assert_eq!(starved(100, |shared| shared.give_back(0)), 0);
        assert_eq!(starved(100, Shared::stop), 0);
    }
}
