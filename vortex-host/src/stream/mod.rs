//! Streams: queues of operations that a device does while the host continues.
//!
//! Each stream has a thread, which takes the operations of its queue one by one: it waits for the operations that one
//! conflicts with ([`hazards`](crate::hazards)), executes it, and ends its [`Completion`]. `docs/streams.md` has the
//! guarantees for users.
//!
//! Why that is sound even when a [`Pending`] is leaked: an operation owns the host memory that it needs (the data of a
//! write, room for a read), except in a [`Scope`], which ends after its operations; and it shares the ownership of
//! device memory. Rust's rules do not apply to the contents of device memory, and `hazards` orders every access of this
//! library to it.

mod host_side;
mod operations;
mod pending;
mod scope;

use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::device::Device;
use crate::error::{Error, Result, StreamError};
use crate::launch::{Launch, Launchable, Work};
use crate::report::Report;
use pending::{PANICKED, Slot, Untaken};

use crate::hazards::{AccessRange, Completion};
pub use crate::hazards::{Event, Timing};
pub use host_side::HostSide;
pub use pending::Pending;
pub use scope::Scope;

/// An ordered queue of operations on a device; see [`Device::stream`] and `docs/streams.md`.
///
/// Dropping it waits for what has been enqueued.
///
/// ```
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let stream = device.stream()?;
/// let mut buffer = device.alloc(3)?;
/// stream.enqueue_write(&mut buffer, [1, 2, 3]).detach();
/// assert_eq!(stream.enqueue_read(&buffer).wait()?, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
pub struct Stream {
    device: Device,
    queue: Arc<Queue>,
    untaken: Arc<Untaken>,
    thread: Option<JoinHandle<()>>,
}

/// What a stream has yet to do.
#[derive(Default)]
struct Queue {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// The stream has been dropped.
    closed: bool,
}

/// An operation in a queue.
struct Job {
    completion: Arc<Completion>,
    /// What it waits for.
    after: Vec<Arc<Completion>>,
    /// Whether it lets a stream that a failure has stopped continue.
    resumes: bool,
    /// Executes it, unless there is a reason not to; returns why it failed.
    run: Box<dyn FnOnce(Option<Error>) -> Option<Arc<str>> + Send>,
}

impl Queue {
    fn push(&self, job: Job) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.waiting.push_back(job);
        self.changed.notify_one();
    }

    /// The next job, or nothing when the stream has been dropped and all is done.
    fn pop(&self) -> Option<Job> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |jobs: &mut Jobs| jobs.waiting.is_empty() && !jobs.closed;
        let mut jobs = self
            .changed
            .wait_while(jobs, idle)
            .unwrap_or_else(PoisonError::into_inner);
        jobs.waiting.pop_front()
    }

    fn close(&self) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.closed = true;
        self.changed.notify_one();
    }
}

/// What the thread of a stream does. It calls the user's code (drops what operations own, wakes tasks), whose panics
/// end an operation, and never the thread: others wait for what is in its queue.
fn work(device: &Device, queue: &Queue, untaken: &Untaken) {
    // Why operations are not run any more.
    let mut stopped: Option<Arc<str>> = None;
    while let Some(job) = queue.pop() {
        for other in &job.after {
            other.wait();
        }
        if job.resumes {
            stopped = None;
        }
        job.completion.start();
        let skip = stopped
            .clone()
            .map(|cause| Error::Stream(StreamError::Skipped { cause }));
        let failure = untaken
            .guard(|| (job.run)(skip))
            .unwrap_or_else(|| Some(PANICKED.into()));
        // What the operation has kept alive is given back before anybody hears that it is done.
        for addr in device.hazards().forget(&job.completion) {
            device.state().driver.free(addr);
        }
        if stopped.is_none() {
            stopped.clone_from(&failure);
        }
        job.completion.end(failure, |waker| {
            untaken.guard(|| waker.wake());
        });
    }
}

impl Device {
    /// A new queue of operations that the device does while the host continues.
    ///
    /// # Errors
    /// If the system has no thread for it.
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }
}

impl Stream {
    pub(crate) fn new(device: &Device) -> Result<Self> {
        let queue = Arc::new(Queue::default());
        let untaken = Arc::<Untaken>::default();
        let (on, jobs, errors) = (device.clone(), Arc::clone(&queue), Arc::clone(&untaken));
        let thread = thread::Builder::new()
            .name("vortex stream".to_owned())
            .spawn(move || work(&on, &jobs, &errors))
            .map_err(|cause| Error::Stream(StreamError::NoThread { cause }))?;
        Ok(Self {
            device: device.clone(),
            queue,
            untaken,
            thread: Some(thread),
        })
    }

    /// The device it is a stream of.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Runs a kernel, or an [image without metadata](crate::RawImage::call).
    #[track_caller]
    pub fn launch<'a>(&self, launch: impl Launchable<'a>) -> Pending<'a, Report> {
        let (accesses, work) = self.work(launch);
        let (device, of_launch) = (self.device.clone(), Error::of_launch());
        Pending::new(self.enqueue(&accesses, move || {
            let ran = work.and_then(|work| work.run(&device));
            ran.map_err(of_launch)
        }))
    }

    /// Runs a kernel on buffers that move in, and come back with the report.
    #[track_caller]
    pub fn launch_owned<B, K, F>(&self, buffers: B, launch: F) -> Pending<'static, (B, Report)>
    where
        B: Send + 'static,
        F: for<'b> FnOnce(&'b mut B) -> Launch<'b, K>,
    {
        let mut buffers = buffers;
        let (accesses, work) = self.work(launch(&mut buffers));
        let (device, of_launch) = (self.device.clone(), Error::of_launch());
        Pending::new(self.enqueue(&accesses, move || {
            let ran = work.and_then(|work| work.run(&device));
            Ok((buffers, ran.map_err(of_launch)?))
        }))
    }

    /// A call for this stream's device, free of its borrows, and what it uses.
    fn work<'a>(&self, launch: impl Launchable<'a>) -> (Vec<AccessRange>, Result<Work>) {
        let work = launch.into_work(&self.device);
        let accesses = work.as_ref().map(Work::accesses).unwrap_or_default();
        (accesses, work)
    }

    /// Enqueues an operation that uses this memory.
    fn enqueue<R: Send + 'static>(
        &self,
        accesses: &[AccessRange],
        work: impl FnOnce() -> Result<R> + Send + 'static,
    ) -> Arc<Slot<R>> {
        self.enqueue_anyway(accesses, move |skip| skip.map_or_else(work, Err))
    }

    /// The same for one that is also called, with the reason, where it is skipped.
    fn enqueue_anyway<R: Send + 'static>(
        &self,
        accesses: &[AccessRange],
        work: impl FnOnce(Option<Error>) -> Result<R> + Send + 'static,
    ) -> Arc<Slot<R>> {
        let slot = Slot::new(&self.untaken);
        let done = Arc::clone(&slot);
        let run = move |skip: Option<Error>| done.run(|| work(skip));
        self.push(&slot.completion, accesses, Vec::new(), false, run);
        slot
    }

    fn push(
        &self,
        completion: &Arc<Completion>,
        accesses: &[AccessRange],
        events: Vec<Arc<Completion>>,
        resumes: bool,
        run: impl FnOnce(Option<Error>) -> Option<Arc<str>> + Send + 'static,
    ) {
        self.device
            .hazards()
            .note(completion, accesses, |mut after| {
                after.extend(events);
                self.queue.push(Job {
                    completion: Arc::clone(completion),
                    after,
                    resumes,
                    run: Box::new(run),
                });
            });
    }

    /// Blocks until everything that has been enqueued so far is done. A stream that a failure has stopped continues.
    ///
    /// # Errors
    /// The first error since the last `wait` that no [`Pending`] has returned; a panic of an operation that no
    /// `Pending` has passed on is [`StreamError::Panicked`].
    pub fn wait(&self) -> Result<()> {
        let completion = Completion::new();
        self.push(&completion, &[], Vec::new(), true, |_| None);
        completion.wait();
        self.untaken.take().map_or(Ok(()), Err)
    }

    /// The point in the stream after everything that has been enqueued so far.
    pub fn record(&self) -> Event {
        let completion = Completion::new();
        let failed = |skip: Option<Error>| match skip {
            Some(Error::Stream(StreamError::Skipped { cause })) => Some(cause),
            _ => None,
        };
        self.push(&completion, &[], Vec::new(), false, failed);
        Event { completion }
    }

    /// Makes later operations wait for an event, of this or another stream. If the operation of the event fails, so
    /// does this.
    pub fn wait_for(&self, event: &Event) {
        let slot = Slot::<()>::new(&self.untaken);
        let (done, other) = (Arc::clone(&slot), Arc::clone(&event.completion));
        let run = move |skip: Option<Error>| {
            done.run(|| {
                let failure = other
                    .failure()
                    .map(|cause| Error::Stream(StreamError::Skipped { cause }));
                skip.or(failure).map_or(Ok(()), Err)
            })
        };
        let events = vec![Arc::clone(&event.completion)];
        self.push(&slot.completion, &[], events, false, run);
        Pending::new(slot).detach();
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = mem::take(&mut self.thread)
            // An operation may own its own stream; its thread ends by itself.
            && thread.thread().id() != thread::current().id()
        {
            // The thread hands panics of operations to those who wait for them, and has none of its own to tell.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
