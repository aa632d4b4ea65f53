//! Why a kernel cannot be recorded.

use crate::ir::{MAX_PANIC_WORDS, SourceLoc};

/// How many iterations of a loop are recorded one after the other at most.
pub(in crate::lang) const MOST_UNROLLED: u64 = 1024;

/// Why the body of a kernel could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// A constant does not fit the device's 32-bit `usize` or `isize`.
    #[error(
        "the constant {value} does not fit `{ty}`, which is 32 bits wide on the device, at {at}"
    )]
    ConstantTooLarge {
        /// The constant, as a decimal number.
        value: String,
        /// `usize` or `isize`.
        ty: &'static str,
        /// Where it is used.
        at: SourceLoc,
    },
    /// An atomic operation with an ordering it cannot have.
    #[error("`{operation}` cannot be `{ordering:?}`: {instead}, at {at}")]
    Ordering {
        /// Name of the method.
        operation: &'static str,
        /// What was asked for.
        ordering: std::sync::atomic::Ordering,
        /// What can be asked for.
        instead: &'static str,
        /// Where in the user's source.
        at: SourceLoc,
    },
    /// An unrolled loop whose range is not known when the kernel is compiled.
    #[error(
        "the number of iterations of an unrolled loop has to be known when the kernel is compiled: write a range of \
         constants, or `#[unroll(4)]` to have four at a time, at {at}"
    )]
    UnrolledRange {
        /// Where the loop is.
        at: SourceLoc,
    },
    /// A kernel with `#[comptime]` parameters that is compiled on its own.
    #[error(
        "the kernel has `#[comptime]` parameters, so it is compiled when it is launched, for the values of the call: without them \
         there is nothing to compile, at {at}"
    )]
    NoComptimeValues {
        /// Where the parameter is.
        at: SourceLoc,
    },
    /// A device function is called with something that changes where it wants something known.
    #[error(
        "the parameter `{name}` is `#[comptime]`: pass what is known when the kernel is compiled, which literals, constants, `#[comptime]` \
         parameters and what is computed from them are, at {at}"
    )]
    ComptimeArgument {
        /// Name of the parameter.
        name: &'static str,
        /// Where the call is.
        at: SourceLoc,
    },
    /// An unrolled loop of very many iterations.
    #[error(
        "an unrolled loop of {iterations} iterations is too much code: up to {MOST_UNROLLED} are possible, or write \
         `#[unroll(8)]` to have eight at a time, at {at}"
    )]
    UnrolledTooOften {
        /// How many iterations it has.
        iterations: u64,
        /// Where the loop is.
        at: SourceLoc,
    },
    /// A constant index that no array of the length has.
    #[error("the index {index} is outside of an array of {len} element{}, at {at}", if *len == 1 { "" } else { "s" })]
    Index {
        /// The index that was written, from 0.
        index: usize,
        /// How many elements there are.
        len: usize,
        /// Where in the user's source.
        at: SourceLoc,
    },
    /// An index of a short vector in variables that is not known when the kernel is compiled.
    #[error(
        "which component of a `let mut` vector is meant has to be known when the kernel is compiled: write a constant \
         index, or use an array, at {at}"
    )]
    VectorIndex {
        /// Where in the user's source.
        at: SourceLoc,
    },
    /// A device function that calls itself, directly or through others.
    #[error(
        "{}, and the device has no call stack for that: write a loop, at {at}",
        cycle(functions)
    )]
    Recursion {
        /// The functions, each called by the one before; the first one is the last one.
        functions: Vec<&'static str>,
        /// The call that closes the circle.
        at: SourceLoc,
    },
    /// A tensor that cannot be used as it is.
    #[error("{problem}, at {at}")]
    Tensor {
        /// What is wrong, and what to write instead.
        problem: String,
        /// Where in the user's source.
        at: SourceLoc,
    },
    /// A comparison of values whose implementation on the host is not that of a derive.
    #[error(
        "kernels compare values of type `{ty}` part by part, as a derived `{of}` does, and this one is written by hand \
         and says otherwise: compare what counts, as in `a.key == b.key`, or write a method in \
         `#[vortex::device] impl {ty}` and call that, at {at}"
    )]
    ComparedByHand {
        /// The type's name.
        ty: &'static str,
        /// The trait's.
        of: &'static str,
        /// Where the comparison is.
        at: SourceLoc,
    },
    /// A failure with more values than a record of it holds.
    #[error(
        "the values in this message take {words} words of 32 bits, but in the message of a failure there is room for {MAX_PANIC_WORDS}, at {at}"
    )]
    PanicTooLong {
        /// How many words they take.
        words: usize,
        /// Where in the user's source.
        at: SourceLoc,
    },
}

/// "`f` calls `g`, which calls `f`".
fn cycle(functions: &[&str]) -> String {
    let names: Vec<String> = functions.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [first, last] if first == last => format!("{first} calls itself"),
        [first, others @ ..] => format!("{first} calls {}", others.join(", which calls ")),
        [] => String::new(),
    }
}

impl StageError {
    /// Where in the user's source the error is.
    #[must_use]
    pub fn location(&self) -> &SourceLoc {
        match self {
            Self::ConstantTooLarge { at, .. }
            | Self::Ordering { at, .. }
            | Self::UnrolledRange { at }
            | Self::NoComptimeValues { at }
            | Self::ComptimeArgument { at, .. }
            | Self::UnrolledTooOften { at, .. }
            | Self::Index { at, .. }
            | Self::VectorIndex { at }
            | Self::Recursion { at, .. }
            | Self::Tensor { at, .. }
            | Self::ComparedByHand { at, .. }
            | Self::PanicTooLong { at, .. } => at,
        }
    }
}
