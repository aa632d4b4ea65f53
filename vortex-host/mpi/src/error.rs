//! What can go wrong between ranks, in terms of the caller.

use std::fmt;

use vortex::sim::Several;

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation between ranks failed.
///
/// Operations of all ranks give the same error on all ranks, except that the words are each rank's own where it is
/// about another one's end. `Debug` prints what `Display` prints, so that `fn main() -> vortex_mpi::Result<()>` reads
/// well.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This rank's device failed, at something that is not an operation between ranks.
    #[error(transparent)]
    Device(vortex::Error),

    /// An operation of all ranks failed on some of them.
    #[error("{operation} failed on {}: {message}", Ranks(ranks))]
    OnRanks {
        /// The operation, quoted.
        operation: String,
        /// The ranks on which it failed.
        ranks: Vec<usize>,
        /// What the first of them says.
        message: String,
    },

    /// The ranks have called different operations of all ranks.
    #[error("the ranks do not do the same: {}", Groups(doing))]
    Apart {
        /// What each rank does, in their order.
        doing: Vec<String>,
    },

    /// The buffers of an operation of all ranks do not fit together.
    #[error("{operation}: {problem}")]
    Counts {
        /// The operation, quoted.
        operation: String,
        /// What does not fit, with the numbers of elements.
        problem: String,
    },

    /// A rank has dropped its `World`, and others count on it.
    #[error(
        "rank {rank} has ended, and takes no part in {operation}{}",
        After(cause)
    )]
    Ended {
        /// The rank.
        rank: usize,
        /// What this rank does.
        operation: String,
        /// The error that the rank had last, or nothing.
        cause: String,
    },

    /// What a rank sends is not what this one has room for, or it could not be sent.
    #[error("`receive` on rank {rank}: {problem}")]
    Receive {
        /// This rank.
        rank: usize,
        /// What the sender says, and the receiver.
        problem: String,
    },

    /// An argument that means no rank.
    #[error("there is no rank {rank}: the program runs on {ranks} ({})", Started(*ranks))]
    NoRank {
        /// The argument.
        rank: usize,
        /// How many there are.
        ranks: usize,
    },

    /// More elements than MPI can count.
    #[error("{count} elements are more than MPI counts in one message, 2147483647")]
    TooMany {
        /// How many.
        count: usize,
    },

    /// MPI has been initialised, by another `World` or by the program itself.
    #[error(
        "MPI has been initialised in this process before; a program has one `World`, which initialises it"
    )]
    Initialised,

    /// The MPI library grants fewer rights to threads than streams need.
    #[error(
        "this MPI library allows calls from one thread only ({granted}), and a `World` needs MPI_THREAD_SERIALIZED"
    )]
    Threads {
        /// What it grants.
        granted: &'static str,
    },

    /// The environment variable `VORTEX_MPI_TIMEOUT` means nothing.
    #[error(transparent)]
    Variable(#[from] vortex::sim::environment::VariableError),

    /// The system has no thread for what is on its way.
    #[error("cannot start the thread that sends: {cause}")]
    NoThread {
        /// Why.
        #[source]
        cause: std::io::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An operation between ranks that was one of a stream has an error of this crate inside of one of `vortex`.
impl From<vortex::Error> for Error {
    fn from(error: vortex::Error) -> Self {
        match error {
            vortex::Error::Stream(vortex::StreamError::Host { cause }) => match cause.downcast() {
                Ok(own) => *own,
                Err(cause) => {
                    Error::Device(vortex::Error::Stream(vortex::StreamError::Host { cause }))
                }
            },
            error => Error::Device(error),
        }
    }
}

impl Error {
    /// As an operation of a stream returns it.
    pub(crate) fn in_stream(self) -> vortex::Error {
        match self {
            Error::Device(error) => error,
            own => vortex::Error::Stream(vortex::StreamError::Host {
                cause: Box::new(own),
            }),
        }
    }
}

/// `rank 2`, or `ranks 0, 1 and 3`.
struct Ranks<'a>(&'a [usize]);

impl fmt::Display for Ranks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.0.len() == 1 { "" } else { "s" };
        write!(f, "rank{ending} {}", Several(self.0))
    }
}

/// What ranks do, those together that do the same.
struct Groups<'a>(&'a [String]);

impl fmt::Display for Groups<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups: Vec<(&String, Vec<usize>)> = Vec::new();
        for (rank, doing) in self.0.iter().enumerate() {
            match groups.iter_mut().find(|(other, _)| *other == doing) {
                Some((_, ranks)) => ranks.push(rank),
                None => groups.push((doing, vec![rank])),
            }
        }
        for (index, (doing, ranks)) in groups.iter().enumerate() {
            let (separator, verb) = (
                if index == 0 { "" } else { "; " },
                if ranks.len() == 1 { "does" } else { "do" },
            );
            write!(f, "{separator}{} {verb} {doing}", Ranks(ranks))?;
        }
        Ok(())
    }
}

/// The error that a rank had before it ended.
struct After<'a>(&'a str);

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => f.write_str("; its `World` has been dropped, by a `?` or at the end of `main`"),
            cause => write!(f, "; before that it had this error: {cause}"),
        }
    }
}

/// How a program is started on this many ranks.
struct Started(usize);

impl fmt::Display for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("rank 0; `mpirun -n 4 program` starts four"),
            ranks => write!(f, "0 to {}", ranks - 1),
        }
    }
}
