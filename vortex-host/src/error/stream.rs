//! What can be wrong with a stream.

use std::sync::Arc;

/// Why an operation of a stream was not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A stream was given a buffer or an image of another device.
    #[error("the buffer or image belongs to another device than the stream")]
    ForeignStream,

    /// An operation was not run, because what was enqueued before it failed.
    #[error(
        "not run, because an earlier operation of the stream failed (`stream.wait()` lets the stream go on): {cause}"
    )]
    Skipped {
        /// What the earlier one said.
        cause: Arc<str>,
    },

    /// An operation of a stream panicked, without anyone waiting for it, or the `Drop` or the `Waker` of something that
    /// was given to it.
    #[error("an operation of the stream panicked: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
    },

    /// The system has no thread for a stream.
    #[error("cannot start the thread of a stream: {cause}")]
    NoThread {
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },

    /// What the host did as an operation of a stream failed; see [`Stream::enqueue_host`](crate::Stream::enqueue_host).
    #[error(transparent)]
    Host {
        /// Why, from the program's own code.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}
