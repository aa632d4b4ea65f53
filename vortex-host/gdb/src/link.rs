//! The link from gdb's thread to the one that runs a launch, which owns the device: requests are sent there, and
//! results come back.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};

use vortex_sim::Trap;
use vortex_sim::stepping::Stepper;

use crate::explain::Explain;

/// A launch that does not continue by itself.
pub(crate) struct Halted<'a, 'r> {
    pub(crate) stepper: &'a mut Stepper<'r>,
    pub(crate) explain: &'a dyn Explain,
}

/// Something to be done with a launch.
type Job = Box<dyn FnOnce(&mut Halted<'_, '_>) + Send>;

/// Messages to a launch.
enum Message {
    Do(Job),
    /// It continues by itself, or ends with an error.
    Leave(Result<(), Box<Trap>>),
}

/// The launch is gone: its thread has panicked, or ended.
#[derive(Debug)]
pub(crate) struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the launch that was debugged is gone")
    }
}

impl std::error::Error for Gone {}

/// gdb's end.
#[derive(Debug)]
pub(crate) struct Link(Sender<Message>);

/// The launch's end.
#[derive(Debug)]
pub(crate) struct Launch(Receiver<Message>);

/// Both ends.
pub(crate) fn link() -> (Link, Launch) {
    let (sender, receiver) = channel();
    (Link(sender), Launch(receiver))
}

impl Link {
    /// Has the thread of the launch do something, and waits until it has.
    pub(crate) fn with<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Halted<'_, '_>) -> R + Send + 'static,
    ) -> Result<R, Gone> {
        let (done, result) = channel();
        let job = move |halted: &mut Halted<'_, '_>| {
            // The requester waits for it.
            let _ = done.send(job(halted));
        };
        self.0.send(Message::Do(Box::new(job))).map_err(|_| Gone)?;
        result.recv().map_err(|_| Gone)
    }

    /// Lets the launch go.
    pub(crate) fn leave(&self, with: Result<(), Box<Trap>>) {
        // One that is gone need not be notified.
        let _ = self.0.send(Message::Leave(with));
    }
}

impl Launch {
    /// Does what is asked until the launch is let go.
    pub(crate) fn serve(&self, halted: &mut Halted<'_, '_>) -> Result<(), Box<Trap>> {
        loop {
            match self.0.recv() {
                Ok(Message::Do(job)) => job(halted),
                Ok(Message::Leave(with)) => return with,
                // Nothing asks any more.
                Err(_) => return Ok(()),
            }
        }
    }
}
