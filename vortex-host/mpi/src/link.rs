//! This process among the others: the one place from which MPI is called.
//!
//! Streams have threads, and MPI may only allow one thread at a time to call it (`MPI_THREAD_SERIALIZED`). So every
//! call is made under one lock, and none of them waits for another rank's program: waiting is polling, with the lock
//! released in between. That also makes it possible to give up after some time, with a line that says what was awaited.

use std::ffi::c_int;
use std::io::{self, Write};
use std::panic;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use vortex::sim::environment;

use crate::error::{Error, Result};
use crate::turns::Line;

/// After how many seconds a rank gives up that waits for another, where `VORTEX_MPI_TIMEOUT` says nothing else.
const PATIENCE: u64 = 3600;

/// After how long it says that it waits: the device's patience with a launch, too.
const SAYS_AFTER: Duration = Duration::from_secs(10);

/// The link of this process, while there is a `World`.
static OPEN: Mutex<Option<Weak<Link>>> = Mutex::new(None);

// SAFETY: C's `atexit` keeps such a function, which is there for ever, and calls it when the process exits.
unsafe extern "C" {
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

/// Says that a process ends in the middle of things. What starts ranks ends the others, and need not say why.
extern "C" fn at_exit() {
    let open = locked(&OPEN).take();
    if let Some(link) = open.and_then(|link| link.upgrade()) {
        link.say(
            "has exited before its `World` was dropped (by `process::exit`, say); all ranks end",
        );
    }
}

/// What the operations of a rank share.
pub(crate) struct Link {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    patience: Option<Duration>,
    lock: Mutex<()>,
    /// Who is in a call of the program's own, with the lock.
    program: Mutex<Option<ThreadId>>,
    /// Operations of all ranks.
    pub(crate) collectives: Arc<Line>,
    /// What is sent to each rank, and received from each.
    pub(crate) sends: Vec<Arc<Line>>,
    pub(crate) receives: Vec<Arc<Line>>,
    /// Which ranks have sent their last message, with the error that they had before.
    pub(crate) ended: Mutex<Vec<Option<String>>>,
    /// The error of this rank's last operation between ranks, for those that find that it has ended.
    last_error: Mutex<String>,
    /// A failed `receive` of this rank of which the others have not heard.
    pub(crate) unheard: Mutex<Option<String>>,
    /// Threads that wait until what they send has been taken.
    pub(crate) couriers: Mutex<Vec<JoinHandle<()>>>,
}

/// A lock of data that is whole at any time.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// Of this process, once MPI has been initialised.
    pub(crate) fn new(patience: Option<Duration>) -> Self {
        let world = SimpleCommunicator::world();
        // Neither is negative, and MPI says so of them.
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        let lines = || (0..ranks).map(|_| Arc::default()).collect();
        Self {
            rank,
            ranks,
            patience,
            lock: Mutex::default(),
            program: Mutex::default(),
            collectives: Arc::default(),
            sends: lines(),
            receives: lines(),
            ended: Mutex::new(vec![None; ranks]),
            last_error: Mutex::default(),
            unheard: Mutex::default(),
            couriers: Mutex::default(),
        }
    }

    /// Calls MPI. What is called must not wait for what another rank's program may not do.
    pub(crate) fn with<R>(&self, call: impl FnOnce(&SimpleCommunicator) -> R) -> R {
        if *locked(&self.program) == Some(thread::current().id()) {
            self.give_up("has called an operation of its `World` inside of `World::mpi`, which is for MPI's own");
        }
        let _alone = locked(&self.lock);
        call(&SimpleCommunicator::world())
    }

    /// Calls what the program must call of MPI.
    pub(crate) fn with_program<R>(&self, call: impl FnOnce() -> R) -> R {
        self.with(|_| {
            *locked(&self.program) = Some(thread::current().id());
            let result = call();
            *locked(&self.program) = None;
            result
        })
    }

    /// Has a panic of this thread end all ranks, at once: as it unwinds, it may come to what waits for them.
    pub(crate) fn end_at_a_panic(self: &Arc<Self>) {
        let (link, here, before) = (
            Arc::downgrade(self),
            thread::current().id(),
            panic::take_hook(),
        );
        panic::set_hook(Box::new(move |panic| {
            before(panic);
            // Without its `World`, a thread may panic as any other.
            if thread::current().id() == here
                && let Some(link) = link.upgrade()
            {
                link.give_up("has panicked");
            }
        }));
    }

    /// Calls MPI until it gives something. Where that takes too long, ends all ranks, if it is said what is waited for.
    pub(crate) fn until<R>(
        &self,
        waits_for: Option<&dyn Fn() -> String>,
        mut call: impl FnMut(&SimpleCommunicator) -> Option<R>,
    ) -> R {
        let (start, mut asked, mut said) = (Instant::now(), 0u32, false);
        loop {
            if let Some(found) = self.with(&mut call) {
                return found;
            }
            asked = asked.saturating_add(1);
            match asked {
                // Ranks may be more than processors.
                ..200 => thread::yield_now(),
                200..1000 => thread::sleep(Duration::from_micros(50)),
                _ => thread::sleep(Duration::from_millis(1)),
            }
            let Some(waits_for) = waits_for else {
                continue;
            };
            let waited = start.elapsed();
            if self.patience.is_some_and(|patience| waited > patience) {
                self.give_up(&format!(
                    "has waited {} seconds for {}; `VORTEX_MPI_TIMEOUT` sets how long that may be, 0 is for ever",
                    waited.as_secs(),
                    waits_for()
                ));
            }
            if waited > SAYS_AFTER && !said {
                self.say(&format!(
                    "has waited {} seconds for {}",
                    waited.as_secs(),
                    waits_for()
                ));
                said = true;
            }
        }
    }

    /// From here on, it is said if the process exits, until the link is closed.
    pub(crate) fn open(self: &Arc<Self>) {
        *locked(&OPEN) = Some(Arc::downgrade(self));
        // If there is no room for it, there is one line less at such an end.
        atexit(at_exit);
    }

    /// The process may exit.
    pub(crate) fn close(&self) {
        *locked(&OPEN) = None;
    }

    /// Ends all ranks, with a line that says why.
    pub(crate) fn give_up(&self, why: &str) -> ! {
        self.close();
        self.say(&format!("{why}; all ranks end"));
        SimpleCommunicator::world().abort(1)
    }

    /// Writes a line to stderr.
    pub(crate) fn say(&self, what: &str) {
        let line = format!("vortex-mpi: rank {} of {} {what}\n", self.rank, self.ranks);
        // At once, so that lines of several ranks do not get mixed up. Without a stderr, nobody reads it.
        let _ = io::stderr().write_all(line.as_bytes());
    }

    /// The rank of an argument, as MPI has it.
    pub(crate) fn known(&self, rank: usize) -> Result<i32> {
        if rank >= self.ranks {
            return Err(Error::NoRank {
                rank,
                ranks: self.ranks,
            });
        }
        Ok(rank as i32)
    }

    /// Keeps the error of an operation, or forgets the one before, so that other ranks can be told when this one ends.
    pub(crate) fn noted<R>(&self, result: Result<R>) -> Result<R> {
        *locked(&self.last_error) = match &result {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        result
    }

    /// Why this rank ends.
    pub(crate) fn fail(&self, why: String) {
        *locked(&self.last_error) = why;
    }

    /// The error that this rank had last, or nothing.
    pub(crate) fn last_error(&self) -> String {
        locked(&self.last_error).clone()
    }
}

/// What `VORTEX_MPI_TIMEOUT` asks for; `None` is for ever.
pub(crate) fn patience() -> Result<Option<Duration>> {
    let mut patience = Some(Duration::from_secs(PATIENCE));
    let seconds = |value: &str| match value.trim().parse().ok()? {
        0 => Some(None),
        seconds => Some(Some(Duration::from_secs(seconds))),
    };
    let expected = "a number of seconds, or 0 to wait for ever";
    environment::read("VORTEX_MPI_TIMEOUT", expected, seconds, &mut patience)?;
    Ok(patience)
}
