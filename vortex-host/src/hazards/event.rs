//! When an operation of a stream began and ended, and waiting for that.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How far one operation has come.
#[derive(Debug)]
pub(crate) struct Completion {
    progress: Mutex<Progress>,
    ended: Condvar,
}

#[derive(Debug)]
struct Progress {
    queued: Instant,
    started: Option<Instant>,
    ended: Option<Instant>,
    failure: Option<Arc<str>>,
    wakers: Vec<Waker>,
}

impl Completion {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            progress: Mutex::new(Progress {
                queued: Instant::now(),
                started: None,
                ended: None,
                failure: None,
                wakers: Vec::new(),
            }),
            ended: Condvar::new(),
        })
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn start(&self) {
        self.progress().started = Some(Instant::now());
    }

    /// Ends it, and wakes waiters. `wake` calls wakers, which are the user's and may panic.
    pub(crate) fn end(&self, failure: Option<Arc<str>>, wake: impl Fn(Waker)) {
        let wakers = {
            let mut progress = self.progress();
            progress.ended = Some(Instant::now());
            progress.failure = failure;
            mem::take(&mut progress.wakers)
        };
        self.ended.notify_all();
        wakers.into_iter().for_each(wake);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.progress().ended.is_some()
    }

    /// Why it failed, if it has.
    pub(crate) fn failure(&self) -> Option<Arc<str>> {
        self.progress().failure.clone()
    }

    pub(crate) fn wait(&self) {
        let progress = self.progress();
        let ended = self
            .ended
            .wait_while(progress, |progress| progress.ended.is_none());
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether it is done; if not, the task is woken when it is.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<()> {
        // Cloning and dropping a waker is the user's code, so both happen without the lock.
        let waker = context.waker().clone();
        let mut progress = self.progress();
        if progress.ended.is_some() {
            drop(progress);
            return Poll::Ready(());
        }
        if progress.wakers.iter().any(|known| known.will_wake(&waker)) {
            drop(progress);
        } else {
            progress.wakers.push(waker);
        }
        Poll::Pending
    }
}

/// A point in a stream: the end of one of its operations. Made by `Pending::event` and `Stream::record`.
///
/// Both a future and something to block on; clones are the same point.
#[derive(Clone)]
pub struct Event {
    pub(crate) completion: Arc<Completion>,
}

impl Event {
    /// Whether the operation has ended.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.completion.is_done()
    }

    /// Blocks until the operation has ended, successfully or not.
    pub fn wait(&self) {
        self.completion.wait();
    }

    /// How long the operation took; `None` before it has ended.
    #[must_use]
    pub fn timing(&self) -> Option<Timing> {
        let progress = self.completion.progress();
        let ended = progress.ended?;
        Some(Timing {
            queued: progress.queued,
            started: progress.started.unwrap_or(ended),
            ended,
        })
    }
}

impl Future for Event {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.completion.poll(context)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("done", &self.is_done())
            .finish_non_exhaustive()
    }
}

/// When an operation of a stream was enqueued, began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// When it was enqueued.
    pub queued: Instant,
    /// When it was first in the queue and everything that it waited for was done.
    pub started: Instant,
    /// When it was done.
    pub ended: Instant,
}

impl Timing {
    /// How long it was in the queue, by the host's clock.
    #[must_use]
    pub fn waited(&self) -> Duration {
        self.started - self.queued
    }

    /// How long it ran, by the host's clock; the first launch of a kernel compiles it, which is included.
    #[must_use]
    pub fn ran(&self) -> Duration {
        self.ended - self.started
    }
}
