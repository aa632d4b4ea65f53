//! Cores on host threads.
//!
//! Each thread runs its share of the cores as [`Run`] does, in slices. What cores have in common is memory, whose
//! words are atomic, and what is in [`Shared`]: barriers of the whole device, the budget, and atomic operations where
//! the bits without a value are kept with the words. Code is decoded by each thread for itself, so a core does not
//! see in the same run what another one makes of its code.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use super::code::Code;
use super::config::{Config, Model};
use super::console::Console;
use super::core::{Core, Reservations};
use super::meeting::Meeting;
use super::run::{Run, SLICE};
use super::trap::{Trap, Waiting};

/// What the threads of a run share.
pub(super) struct Shared {
    state: Mutex<State>,
    /// Told when a thread that waits may have something to do.
    changed: Condvar,
    /// The run is over, for all.
    stop: AtomicBool,
    /// Held by atomic operations that change a word and its shadow.
    pub(super) atomics: Mutex<()>,
    /// Whether it has been told that the run takes long.
    told: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Per barrier of the device, the cores that wait there.
    waiting: Vec<Vec<u32>>,
    /// A warp of the core that came to it first.
    first: Vec<Option<Waiting>>,
    /// Per core, the barriers whose warps may go on.
    released: Vec<Vec<usize>>,
    /// Threads that have not ended, and those of them that wait.
    threads: usize,
    idle: usize,
    deadlock: bool,
    /// Instructions that nobody has taken, and threads that may give some back.
    budget: u64,
    holders: usize,
    /// Threads that wait for some of it.
    starved: usize,
}

impl Shared {
    fn new(config: &Config, threads: usize, budget: u64) -> Shared {
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

    /// Whether nobody has told yet that the run takes long. The caller does.
    pub(super) fn is_first_to_tell(&self) -> bool {
        !self.told.swap(true, Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.stop.store(true, Relaxed);
        // Whoever is about to wait has looked before.
        drop(self.state());
        self.changed.notify_all();
    }

    /// A core has come to a barrier of the device with all of its warps, of which the last is `here`. Answers the
    /// last one of the first core there, if that waits for another count.
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

    /// The barriers whose warps of a core may go on.
    fn released(&self, core: u32) -> Vec<usize> {
        std::mem::take(&mut self.state().released[core as usize])
    }

    /// Waits until a core of this thread may go on. `false`: none ever will.
    fn wait(&self, cores: &[u32]) -> bool {
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
    fn ended(&self) {
        self.state().threads -= 1;
        self.changed.notify_all();
    }

    /// Takes instructions from the budget; 0 if there are none left, which is known when nobody can give some back.
    fn take(&self, most: u64) -> u64 {
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

    fn give_back(&self, left: u64) {
        let mut state = self.state();
        state.budget += left;
        state.holders -= 1;
        // Seldom: only where the budget is about to end.
        if state.starved > 0 {
            self.changed.notify_all();
        }
    }
}

/// Tells the others when a thread ends, however it does.
struct Ended<'a>(&'a Shared);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
        self.0.ended();
    }
}

impl Config {
    /// On how many host threads the cores run, unless they have to take turns anyway.
    pub(super) fn host_threads(&self, in_turn: bool) -> usize {
        let alone = in_turn || self.deterministic || self.model != Model::Functional;
        if alone {
            return 1;
        }
        // Asked once: the answer is read from files.
        static THREADS: OnceLock<usize> = OnceLock::new();
        let threads = THREADS.get_or_init(|| thread::available_parallelism().map_or(1, Into::into));
        (*threads).min(self.cores as usize)
    }
}

impl Run<'_> {
    /// Runs all warps to their end, the cores on so many host threads.
    pub(super) fn finish_on(&mut self, threads: usize) -> Result<(), Box<Trap>> {
        let share = self.cores.len().div_ceil(threads);
        let parts = self.cores.len().div_ceil(share);
        let shared = Shared::new(self.config, parts, self.budget);
        let (config, memory, shadow) = (self.config, self.memory, self.shadow);
        let (protection, progress, notes) = (self.protection, self.progress, self.notes);
        let launch = self.launch;
        let watch = &self.watch;
        let run_part = |cores: &mut [Core]| {
            let (mut code, mut console) = (Code::default(), Console::default());
            let mut reservations = Reservations::new(config.cores);
            let mut part = Run {
                config,
                cores,
                memory,
                shadow,
                protection,
                code: &mut code,
                console: &mut console,
                reservations: &mut reservations,
                global: Meeting::Shared(&shared),
                launch,
                races: None,
                notes,
                progress,
                budget: 0,
                most_cycles: u64::MAX,
                watch: watch.of_part(),
            };
            let _ended = Ended(&shared);
            let result = part.finish_part(&shared);
            if result.is_err() {
                shared.stop();
            }
            (result, console)
        };
        let results: Vec<(Result<(), Box<Trap>>, Console)> = thread::scope(|scope| {
            let mut parts = self.cores.chunks_mut(share);
            let own = parts.next();
            let run_part = &run_part;
            let threads: Vec<_> = parts
                .map(|cores| scope.spawn(move || run_part(cores)))
                .collect();
            // This thread is one of them.
            let own = own.map(run_part);
            let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            own.into_iter()
                .chain(threads.into_iter().map(join))
                .collect()
        });
        let mut outcome = Ok(());
        for (result, console) in results {
            self.console.append(console);
            outcome = outcome.and(result);
        }
        outcome?;
        let state = std::mem::take(&mut *shared.state());
        if state.deadlock {
            if let Meeting::Own(waiting) = &mut self.global {
                **waiting = state.waiting;
            }
            return Err(self.deadlock());
        }
        Ok(())
    }

    /// Runs the cores of one thread.
    fn finish_part(&mut self, shared: &Shared) -> Result<(), Box<Trap>> {
        let ids: Vec<u32> = self.cores.iter().map(|core| core.state.id).collect();
        // One more than a round can take: nothing left means that there is nothing left for anybody.
        let most = 1 + u64::from(SLICE) * u64::from(self.config.warps) * ids.len() as u64;
        while !shared.stop.load(Relaxed) {
            for (index, &id) in ids.iter().enumerate() {
                self.release(index, &shared.released(id));
            }
            self.budget = shared.take(most);
            let taken = self.budget;
            let result = self.round();
            let done = taken - self.budget;
            self.progress.add(done);
            shared.give_back(self.budget);
            let (active, progress) = result?;
            self.attend(done);
            if !active || !progress && !shared.wait(&ids) {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// How long a thread is given to show that it waits, and how long to show that it goes on.
    const NOTHING: Duration = Duration::from_millis(50);
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Has a thread take instructions when there are none; answers what it got after `then`, and that it waited until
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
