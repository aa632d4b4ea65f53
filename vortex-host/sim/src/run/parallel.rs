//! Cores on host threads.
//!
//! Each thread runs its share of the cores as [`Run`] does, in slices. Cores share memory, whose words are atomic, and
//! [`Shared`]: barriers of the whole device, the budget, and atomic operations where the bits without a value are kept
//! with the words. Each thread decodes code for itself, so a core does not see another core's changes to code in the
//! same run.

use std::sync::OnceLock;
use std::thread;

use super::meeting::Meeting;
use super::shared::Shared;
use super::{Run, SLICE};
use crate::code::Code;
use crate::config::{Config, Model};
use crate::console::Console;
use crate::core::{Core, Reservations};
use crate::trap::Trap;

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
    /// On how many host threads the cores run, unless they must take turns anyway.
    pub(crate) fn host_threads(&self, in_turn: bool) -> usize {
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
    /// Runs all warps to their end, the cores on this many host threads.
    pub(crate) fn finish_on(&mut self, threads: usize) -> Result<(), Box<Trap>> {
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
        let Some(cores) = shared.deadlock() else {
            return Ok(());
        };
        if let Meeting::Own(waiting) = &mut self.global {
            **waiting = cores;
        }
        Err(self.deadlock())
    }

    /// Runs the cores of one thread.
    fn finish_part(&mut self, shared: &Shared) -> Result<(), Box<Trap>> {
        let ids: Vec<u32> = self.cores.iter().map(|core| core.state.id).collect();
        // One more than a round can take: nothing left means that there is nothing left for anybody.
        let most = 1 + u64::from(SLICE) * u64::from(self.config.warps) * ids.len() as u64;
        while !shared.is_over() {
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
            self.attend(done)?;
            if !active || !progress && !shared.wait(&ids) {
                break;
            }
        }
        Ok(())
    }
}
