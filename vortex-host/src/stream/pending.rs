//! An operation that has been enqueued.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use crate::error::{Error, Result, StreamError};
use crate::hazards::{Completion, Event};

/// Where an operation leaves what it gives.
pub(super) struct Slot<R> {
    pub(super) completion: Arc<Completion>,
    untaken: Arc<Untaken>,
    state: Mutex<State<R>>,
}

struct State<R> {
    outcome: Option<Outcome<R>>,
    /// The outcome is not needed.
    detached: bool,
}

enum Outcome<R> {
    Done(Result<R>),
    Panicked(Box<dyn Any + Send>),
}

/// Why an operation failed that panicked.
pub(super) const PANICKED: &str = "it panicked";

/// The first error of a stream that no handle has returned.
#[derive(Default)]
pub(super) struct Untaken(Mutex<Option<Error>>);

impl Untaken {
    /// Calls what the user may have a part in (a `Drop`, a `Waker`), on a thread that others rely on. If it panics,
    /// there is no result, and [`Stream::wait`](crate::Stream::wait) reports that.
    pub(super) fn guard<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        match panic::catch_unwind(AssertUnwindSafe(f)) {
            Ok(result) => Some(result),
            Err(payload) => {
                self.panicked(payload);
                None
            }
        }
    }

    /// Keeps a panic that no handle reports.
    fn panicked(&self, payload: Box<dyn Any + Send>) {
        self.put(Error::Stream(StreamError::Panicked {
            message: message(payload),
        }));
    }

    fn put(&self, error: Error) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
    }

    pub(super) fn take(&self) -> Option<Error> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.take()
    }
}

/// What a panic said.
fn message(payload: Box<dyn Any + Send>) -> String {
    let text = match payload.downcast_ref::<String>() {
        Some(text) => Some(text.as_str()),
        None => payload.downcast_ref::<&str>().copied(),
    };
    let text = text.unwrap_or("a value that is not text").to_owned();
    // It can be of any type, so dropping it can panic, too. That panic's payload is left alone.
    if let Err(another) = panic::catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        mem::forget(another);
    }
    text
}

impl<R> Slot<R> {
    pub(super) fn new(untaken: &Arc<Untaken>) -> Arc<Self> {
        Arc::new(Self {
            completion: Completion::new(),
            untaken: Arc::clone(untaken),
            state: Mutex::new(State {
                outcome: None,
                detached: false,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work and keeps what it gives. Returns why it failed, if it did.
    pub(super) fn run(&self, work: impl FnOnce() -> Result<R>) -> Option<Arc<str>> {
        let outcome = match panic::catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Outcome::Done(result),
            Err(payload) => Outcome::Panicked(payload),
        };
        let failure = match &outcome {
            Outcome::Done(Ok(_)) => None,
            Outcome::Done(Err(Error::Stream(StreamError::Skipped { cause }))) => {
                Some(Arc::clone(cause))
            }
            Outcome::Done(Err(error)) => Some(error.to_string().into()),
            Outcome::Panicked(_) => Some(PANICKED.into()),
        };
        let mut state = self.state();
        if state.detached {
            drop(state);
            self.discard(outcome);
        } else {
            state.outcome = Some(outcome);
        }
        failure
    }

    /// An outcome that nobody asks for; the stream reports errors and panics.
    fn discard(&self, outcome: Outcome<R>) {
        match outcome {
            Outcome::Done(Ok(_)) => {}
            Outcome::Done(Err(error)) => self.untaken.put(error),
            Outcome::Panicked(payload) => self.untaken.panicked(payload),
        }
    }

    fn detach(&self) {
        let mut state = self.state();
        state.detached = true;
        if let Some(outcome) = state.outcome.take() {
            drop(state);
            self.discard(outcome);
        }
    }

    fn take(&self) -> Option<Outcome<R>> {
        self.state().outcome.take()
    }
}

/// An operation of a stream; borrows what it was given for `'a`.
///
/// [`wait`](Pending::wait) for it, `.await` it, or [`detach`](Pending::detach) it. Dropping it waits as well.
#[must_use = "dropping it waits; use `.wait()`, `.await` or `.detach()`"]
pub struct Pending<'a, R> {
    slot: Arc<Slot<R>>,
    /// Whether dropping it waits.
    waits: bool,
    /// Whether dropping it discards its result.
    detaches: bool,
    borrowed: PhantomData<&'a mut ()>,
}

impl<R> Pending<'_, R> {
    pub(super) fn new(slot: Arc<Slot<R>>) -> Self {
        Self {
            slot,
            waits: true,
            detaches: true,
            borrowed: PhantomData,
        }
    }

    /// Blocks until the operation is done, and returns its result.
    ///
    /// # Errors
    /// As the operation.
    ///
    /// # Panics
    /// If the operation has panicked.
    pub fn wait(self) -> Result<R> {
        self.slot.completion.wait();
        self.finish()
    }

    /// What a completed operation gives.
    fn finish(&self) -> Result<R> {
        match self.slot.take() {
            Some(Outcome::Done(result)) => result,
            Some(Outcome::Panicked(payload)) => panic::resume_unwind(payload),
            None => panic!("a pending operation was polled after it had been ready"),
        }
    }

    /// Whether it is done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.slot.completion.is_done()
    }

    /// Its end, to wait for elsewhere.
    #[must_use]
    pub fn event(&self) -> Event {
        Event {
            completion: Arc::clone(&self.slot.completion),
        }
    }

    /// Ends its borrows, so that more operations on the same memory can be enqueued before it is done; they wait for
    /// it.
    ///
    /// ```
    /// # fn main() -> vortex_host::Result<()> {
    /// # let device = vortex_host::Device::open()?;
    /// # let stream = device.stream()?;
    /// # let mut buffer = device.upload(&[1, 2, 3])?;
    /// let before = stream.enqueue_read(&buffer).release();
    /// stream.enqueue_fill(&mut buffer, 0).detach();
    /// assert_eq!(before.wait()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn release(mut self) -> Pending<'static, R> {
        self.waits = false;
        self.detaches = false;
        Pending::new(Arc::clone(&self.slot))
    }

    /// Lets it run without anyone waiting for it; its borrows end, and later operations on the same memory wait for it.
    /// [`Stream::wait`](crate::Stream::wait) returns its error, if it fails.
    pub fn detach(mut self) -> Event {
        self.waits = false;
        self.event()
    }
}

impl<R> Drop for Pending<'_, R> {
    fn drop(&mut self) {
        if self.waits {
            self.slot.completion.wait();
        }
        if self.detaches {
            self.slot.detach();
        }
    }
}

impl<R> Future for Pending<'_, R> {
    type Output = Result<R>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<R>> {
        ready!(self.slot.completion.poll(context));
        Poll::Ready(self.finish())
    }
}

impl<R> fmt::Debug for Pending<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("done", &self.is_done())
            .finish_non_exhaustive()
    }
}
