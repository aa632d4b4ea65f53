//! Turns a panic in a work item into the failure that it is on a device.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use vortex_kernel::ir::{FaultKind, SourceLoc};

use super::item::{self, NeedsGroups};

/// Why an item ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// It failed.
    Failed(Failure),
    /// It asked for its group in a launch that has none.
    NeedsGroups,
}

/// A failure of an item.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: FaultKind,
    pub(super) operands: [u32; 2],
    pub(super) message: Option<String>,
    pub(super) at: SourceLoc,
}

thread_local! {
    /// The last panic of an item.
    static PANIC: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Runs an item.
pub(super) fn caught(run: impl FnOnce()) -> Option<Stop> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // Where panics end the program, nothing else will report it.
            let is_told = cfg!(panic = "unwind") && item::is_running();
            match is_told {
                true => PANIC.set(Some(Failure::of(panic))),
                false => others(panic),
            }
        }));
    });
    let payload = panic::catch_unwind(AssertUnwindSafe(run)).err()?;
    if payload.is::<NeedsGroups>() {
        return Some(Stop::NeedsGroups);
    }
    // Who sets a hook of their own has what it says, but not where.
    let failure = PANIC.take().unwrap_or_else(|| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Failure::saying(
            text.unwrap_or_default(),
            SourceLoc {
                file: String::new(),
                line: 0,
                column: 0,
            },
        )
    });
    Some(Stop::Failed(failure))
}

impl Failure {
    fn of(panic: &PanicHookInfo<'_>) -> Self {
        let at = panic.location().map(SourceLoc::from_caller);
        let at = at.unwrap_or(SourceLoc {
            file: String::new(),
            line: 0,
            column: 0,
        });
        Self::saying(panic.payload_as_str().unwrap_or_default().to_owned(), at)
    }

    /// What a panic with this message is on a device.
    fn saying(text: String, at: SourceLoc) -> Self {
        let (kind, operands) = match known(&text) {
            Some(known) => known,
            None => (FaultKind::Panic, [0; 2]),
        };
        Self {
            kind,
            operands,
            message: (kind == FaultKind::Panic).then_some(text),
            at,
        }
    }
}

/// The panics of Rust's own that a device has checks for, by what they say.
fn known(text: &str) -> Option<(FaultKind, [u32; 2])> {
    const OVERFLOWS: [&str; 6] = [
        "attempt to add with overflow",
        "attempt to subtract with overflow",
        "attempt to multiply with overflow",
        "attempt to negate with overflow",
        "attempt to shift left with overflow",
        "attempt to shift right with overflow",
    ];
    if let Some(known) = of_two_numbers(text) {
        return Some(known);
    }
    if let Some(operation) = OVERFLOWS.iter().position(|says| *says == text) {
        return Some((FaultKind::Overflow, [operation as u32, 0]));
    }
    let kind = match text {
        "attempt to divide by zero"
        | "attempt to calculate the remainder with a divisor of zero" => FaultKind::DivideByZero,
        "called `Option::unwrap()` on a `None` value" => FaultKind::Unwrap,
        "assertion failed: step != 0" => FaultKind::StepByZero,
        "mid > len" => FaultKind::Split,
        "chunk size must be non-zero" => FaultKind::ZeroChunks,
        "window size must be non-zero" => FaultKind::ZeroWindows,
        _ => return None,
    };
    Some((kind, [0; 2]))
}

/// Those that say two numbers.
fn of_two_numbers(text: &str) -> Option<(FaultKind, [u32; 2])> {
    /// What is before the first number, between both, and after them.
    type Texts = [&'static str; 3];
    /// What a device has as operands.
    type Operands = fn(u32, u32) -> [u32; 2];
    const OF_SLICE: &str = " out of range for slice of length ";
    const OF_DESTINATION: &str = ") does not match destination slice length (";
    const TEXTS: [(FaultKind, Texts, Operands); 5] = [
        (
            FaultKind::Index,
            ["index out of bounds: the len is ", " but the index is ", ""],
            |len, index| [index, len],
        ),
        (
            FaultKind::Range,
            ["range end index ", OF_SLICE, ""],
            // The end of `start..=end` is the next one.
            |end, len| [end.max(len.saturating_add(1)), len],
        ),
        (
            FaultKind::Range,
            ["slice index starts at ", " but ends at ", ""],
            |start, end| [end, start],
        ),
        (
            FaultKind::RangeStart,
            ["range start index ", OF_SLICE, ""],
            |start, len| [start, len],
        ),
        (
            FaultKind::Lengths,
            [
                "copy_from_slice: source slice length (",
                OF_DESTINATION,
                ")",
            ],
            |source, destination| [source, destination],
        ),
    ];
    let number = |text: &str| {
        let number = text.parse::<u64>().ok()?;
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    };
    TEXTS
        .iter()
        .find_map(|(kind, [before, between, after], operands)| {
            let numbers = text.strip_prefix(before)?.strip_suffix(after)?;
            let (first, second) = numbers.split_once(between)?;
            Some((*kind, operands(number(first)?, number(second)?)))
        })
}
