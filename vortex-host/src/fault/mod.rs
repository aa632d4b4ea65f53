//! Failures on the device, in terms of the kernel's source.

mod access;
mod conflict;
mod cure;
mod in_one_step;
mod unwritten;

use std::fmt;

use vortex_kernel::abi::FaultRecord;
use vortex_kernel::codegen::FaultSite;
use vortex_kernel::ir::{FaultKind, Message, MessageId, Overflowed, SourceLoc};

use crate::name::Name;
use crate::source::{Excerpt, Sources};
use vortex_sim::Count;
use vortex_sim::debug::DEADLOCK;
use vortex_sim::{Origin, Trap, TrapKind, WaitReason, Waiting};

/// What explains the code of a kernel.
pub(crate) trait Explained {
    /// The source line that the instruction at `pc` comes from.
    fn source_of(&self, pc: u32) -> Option<&SourceLoc>;

    /// What a place says that fails.
    fn message(&self, id: MessageId) -> Option<&Message>;

    /// Who says where its source is.
    fn sources(&self) -> Sources;
}

/// A work item that failed a check of the kernel language: an index outside its slice, a division
/// by zero, a division that overflows. When several items failed, this is the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Name of the kernel.
    pub kernel: Name,
    /// The item's number in the launch, x fastest.
    pub item: u32,
    /// The item's coordinates in the launch: x, y and z.
    pub coordinates: [u32; 3],
    /// The coordinates of its group, if the launch has groups.
    pub group: Option<[u32; 3]>,
    /// The core of the device that ran it, from 0; 0 if the host did.
    pub core: u32,
    /// The warp of the core.
    pub warp: u32,
    /// The lane of the warp.
    pub lane: u32,
    /// What went wrong.
    pub kind: FaultKind,
    /// For an index or a coordinate: that and the length. For a division: dividend and divisor. [`FaultKind`] has more.
    pub operands: [u32; 2],
    /// What the kernel says about it, if it does: the message of a `panic!` or an `assert!`.
    pub message: Option<String>,
    /// Where in the kernel's source.
    pub at: SourceLoc,
    overflowed: Overflowed,
    sources: Sources,
}

impl Fault {
    pub(crate) fn new(
        kernel: Name,
        record: &FaultRecord,
        place: WorkItem,
        [core, warp, lane]: [u32; 3],
        code: &dyn Explained,
        site: &FaultSite,
    ) -> Self {
        let [first, second, ..] = record.operands;
        let overflowed = Overflowed::read(&record.operands);
        let operands = match site.kind {
            FaultKind::Overflow => [overflowed.operation, 0],
            _ => [first, second],
        };
        let message = site.message.and_then(|id| code.message(id));
        Self {
            kernel,
            item: place.item,
            coordinates: place.coordinates,
            group: place.group,
            core,
            warp,
            lane,
            kind: site.kind,
            operands,
            message: message.map(|message| message.render.text(&record.operands)),
            at: site.loc.clone(),
            overflowed,
            sources: code.sources(),
        }
    }

    /// One of an item that ran on the host.
    pub(crate) fn on_the_host(
        kernel: Name,
        place: WorkItem,
        kind: FaultKind,
        operands: [u32; 2],
        message: Option<String>,
        at: SourceLoc,
    ) -> Self {
        Self {
            kernel,
            item: place.item,
            coordinates: place.coordinates,
            group: place.group,
            core: 0,
            warp: 0,
            lane: 0,
            kind,
            operands,
            message,
            at,
            overflowed: Overflowed::read(&operands),
            sources: Sources::Program,
        }
    }
}

impl Fault {
    /// The numbers that overflow, where they are known.
    fn fmt_overflowing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = match self.overflowed.operation {
            0 => "+",
            1 => "-",
            2 => "*",
            _ => return Ok(()),
        };
        match self.overflowed.numbers {
            Some(([one, two], bits)) => {
                write!(f, ": {one} {operator} {two} does not fit {bits} bits")
            }
            None => Ok(()),
        }
    }
}

/// An index that looks as if a larger number had been subtracted from a smaller one.
struct BelowZero(u32);

impl fmt::Display for BelowZero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.wrapping_neg() {
            less @ 1..=0xffff => write!(f, " (0 - {less})"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            item,
            coordinates,
            group,
            operands: [first, second],
            ..
        } = self;
        let place = WorkItem {
            item: *item,
            coordinates: *coordinates,
            group: *group,
        };
        write!(f, "kernel {kernel}, {place}")?;
        match self.kind {
            FaultKind::Index => {
                let elements = Count(*second, "element");
                write!(f, ": index {first}{} is out of bounds", BelowZero(*first))?;
                write!(f, " of a slice of {elements}")?;
            }
            FaultKind::Range if first > second => {
                let elements = Count(*second, "element");
                write!(
                    f,
                    ": a range of elements ends at {first}{}, of a slice of {elements}",
                    BelowZero(*first)
                )?;
            }
            FaultKind::Range => write!(
                f,
                ": a range of elements begins at {second}{}, and ends before that, at {first}",
                BelowZero(*second)
            )?,
            FaultKind::RangeStart => {
                let elements = Count(*second, "element");
                write!(
                    f,
                    ": a range of elements begins at {first}{}, of a slice of {elements}",
                    BelowZero(*first)
                )?;
            }
            FaultKind::Split if self.operands == [0, 0] => {
                write!(f, ": a slice is split beyond its end")?;
            }
            FaultKind::Split => {
                let elements = Count(*second, "element");
                write!(f, ": a slice of {elements} is split at {first}")?;
            }
            FaultKind::Lengths => {
                let elements = Count(*first, "element");
                write!(
                    f,
                    ": `copy_from_slice` of {elements} into a slice of {second}"
                )?;
            }
            FaultKind::ZeroChunks => write!(f, ": chunks of zero elements")?,
            FaultKind::ZeroWindows => write!(f, ": windows of zero elements")?,
            FaultKind::Texel => {
                let texels = Count(*second, "texel");
                write!(
                    f,
                    ": coordinate {first} is out of bounds of a texture of {texels} along that axis"
                )?;
            }
            FaultKind::Element => write!(
                f,
                ": coordinate {first} is out of bounds of a tensor that has {second} along that axis"
            )?,
            FaultKind::Pages if *second == 0 => write!(
                f,
                ": a circular buffer is waited for of which no page has been pushed"
            )?,
            FaultKind::Pages => {
                let pages = Count(*second, "page");
                write!(
                    f,
                    ": a page is reserved of a circular buffer of {pages} that are all pushed and not popped"
                )?;
            }
            FaultKind::Unwrap => write!(f, ": `unwrap` of a value that is `None`")?,
            // It says so itself.
            FaultKind::Panic => {}
            FaultKind::StepByZero => write!(f, ": a range is stepped by zero")?,
            FaultKind::Overflow => {
                write!(f, ": {} overflows", self.overflowed.what())?;
                self.fmt_overflowing(f)?;
            }
            FaultKind::DivideByZero => write!(f, ": division by zero")?,
            FaultKind::DivideOverflow => {
                // Of 64 bits there is room for the low half, which is 0 of that smallest integer only.
                let dividend = match first.cast_signed() {
                    0 => i64::MIN,
                    dividend => dividend.into(),
                };
                let divisor = second.cast_signed();
                write!(f, ": the division of {dividend} by {divisor} overflows")?;
            }
        }
        let message = self.message.as_deref().unwrap_or_default();
        if !message.is_empty() {
            write!(f, ": {message}")?;
        }
        let separator = if message.contains('\n') { "\n" } else { ", " };
        let line = Excerpt(&self.at, self.sources).line();
        let mut at = self.at.clone();
        if let Some(column) = line.as_deref().and_then(|line| self.column(line)) {
            at.column = column;
        }
        write!(f, "{separator}at {at}{}", Excerpt(&at, self.sources))?;
        match line.and_then(|line| self.cure(&line)) {
            Some(cure) => write!(f, " {cure}"),
            None => Ok(()),
        }
    }
}

/// Where in a launch a lane was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkItem {
    /// The work item's number, x fastest.
    pub item: u32,
    /// Its coordinates in the launch: x, y and z.
    pub coordinates: [u32; 3],
    /// The coordinates of its group, if the launch has groups.
    pub group: Option<[u32; 3]>,
}

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "work item {}{}", self.item, Named(self.coordinates))?;
        OfGroup(self.group).fmt(f)
    }
}

/// The group of an item, if there are groups.
struct OfGroup(Option<[u32; 3]>);

impl fmt::Display for OfGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some([x, 0, 0]) => write!(f, " of group {x}"),
            Some(group) => write!(f, " of group{}", Named(group)),
            None => Ok(()),
        }
    }
}

/// Coordinates by their names, unless there is only x.
struct Named([u32; 3]);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        if z > 0 {
            write!(f, " (x = {x}, y = {y}, z = {z})")
        } else if y > 0 {
            write!(f, " (x = {x}, y = {y})")
        } else {
            Ok(())
        }
    }
}

/// The device stopped a kernel: an access it does not allow, an instruction it does not know, a
/// kernel that does not end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TrapReport {
    /// Name of the kernel.
    pub kernel: Name,
    /// What the device says: reason, PC, core, warp, lane.
    pub trap: Trap,
    /// The work item, if it is known: of the lane that the trap names, or else the first of the warp's active ones.
    pub item: Option<WorkItem>,
    /// Where in the kernel's source, if the instruction comes from there.
    pub at: Option<SourceLoc>,
    /// Where in the source the other access of a data race comes from, the load of uninitialised data, or the barrier
    /// at which others wait for another number of warps, or wait in vain.
    pub first: Option<SourceLoc>,
    /// The work item of that, if it is known: of a data race, of the load, or the first of the warp that waits.
    pub first_item: Option<WorkItem>,
    /// What was accessed, if it has a name.
    pub element: Option<AccessedElement>,
    /// Of uninitialised data: what was read, if it has a name. Others may have copied it since.
    pub unwritten: Option<AccessedElement>,
    /// Of a deadlock: who waits where.
    pub waiting: Vec<WaitingWarp>,
    sources: Sources,
}

/// An element of an argument or of local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessedElement {
    /// Where it lies.
    pub address: u32,
    /// As the source would call it: `out[32]`.
    pub name: String,
    /// Its type, as Rust spells it; empty if that is not known.
    pub ty: String,
}

impl AccessedElement {
    pub(crate) const fn new(address: u32, name: String, ty: String) -> Self {
        Self { address, name, ty }
    }
}

/// A warp that waits for what does not come.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WaitingWarp {
    /// What the device says: core, warp, PC, and what it waits for.
    pub waiting: Waiting,
    /// The work item of its first active lane, if it is known.
    pub item: Option<WorkItem>,
    /// Where in the kernel's source it waits, if the instruction comes from there. The compiler adds barriers where
    /// groups end.
    pub at: Option<SourceLoc>,
}

/// Those that a trap is about, by what is known about each.
pub(crate) struct Involved<T> {
    /// Whom it names.
    pub(crate) own: Option<T>,
    /// The other one of two.
    pub(crate) first: Option<T>,
    /// Those that wait, in a deadlock.
    pub(crate) waiting: Vec<Option<T>>,
}

impl<T> Default for Involved<T> {
    fn default() -> Self {
        Self {
            own: None,
            first: None,
            waiting: Vec::new(),
        }
    }
}

impl<T> Involved<T> {
    pub(crate) fn map<U>(self, f: impl Fn(T) -> Option<U>) -> Involved<U> {
        let map = |one: Option<T>| one.and_then(&f);
        Involved {
            own: map(self.own),
            first: map(self.first),
            waiting: self.waiting.into_iter().map(map).collect(),
        }
    }
}

/// Where a warp waits after leaving the user's code: the barrier between two of its groups.
const END_OF_GROUP: &str = "where its group ends";

impl TrapReport {
    /// Of a program of which nothing is known.
    pub(crate) fn of_raw(kernel: Name, trap: Trap) -> Self {
        let waiting = trap.kind.waiting().iter().map(|waiting| WaitingWarp {
            waiting: waiting.clone(),
            item: None,
            at: None,
        });
        Self {
            kernel,
            item: None,
            at: None,
            first: None,
            first_item: None,
            element: None,
            unwritten: None,
            waiting: waiting.collect(),
            sources: Sources::File,
            trap,
        }
    }

    pub(crate) fn new(
        kernel: Name,
        trap: Trap,
        code: &dyn Explained,
        items: Involved<WorkItem>,
    ) -> Self {
        let at = code.source_of(trap.pc).cloned();
        let first = match &trap.kind {
            TrapKind::DataRace { first, .. }
            | TrapKind::OnlyLockstep { first, .. }
            | TrapKind::StaleRead { first, .. } => code.source_of(first.pc).cloned(),
            TrapKind::Uninitialised {
                origin: Origin::Memory { pc, .. },
                ..
            } => code.source_of(*pc).cloned(),
            TrapKind::BarrierMismatch { first, .. } | TrapKind::OtherBarrier { first } => {
                code.source_of(first.pc).cloned()
            }
            _ => None,
        };
        let warps = trap.kind.waiting().iter().zip(items.waiting);
        let waiting = warps.map(|(waiting, item)| WaitingWarp {
            waiting: waiting.clone(),
            item,
            at: code.source_of(waiting.pc).cloned(),
        });
        Self {
            kernel,
            item: items.own,
            at,
            first,
            first_item: items.first,
            element: None,
            unwritten: None,
            waiting: waiting.collect(),
            sources: code.sources(),
            trap,
        }
    }

    /// The same with names of what was accessed, and of what was read before.
    pub(crate) fn with_elements(
        mut self,
        element: Option<AccessedElement>,
        unwritten: Option<AccessedElement>,
    ) -> Self {
        self.element = element;
        self.unwritten = unwritten;
        self
    }

    fn excerpt<'a>(&self, at: &'a SourceLoc) -> Excerpt<'a> {
        Excerpt(at, self.sources)
    }

    /// The other one of two, where there are two.
    fn fmt_first(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, verb, of_many) = match self.trap.kind {
            TrapKind::Uninitialised { .. } => ("it", "was loaded", ""),
            TrapKind::BarrierMismatch { .. } | TrapKind::OtherBarrier { .. } => {
                ("the other warp", "waits", "first ")
            }
            TrapKind::DataRace { .. }
            | TrapKind::OnlyLockstep { .. }
            | TrapKind::StaleRead { .. } => ("the other access", "is", ""),
            _ => return Ok(()),
        };
        let ends = matches!(self.trap.kind, TrapKind::OtherBarrier { .. });
        if self.first.is_none() && self.first_item.is_none() && !ends {
            return Ok(());
        }
        write!(f, "\n{what}")?;
        let is_load = matches!(self.trap.kind, TrapKind::Uninitialised { .. });
        if let Some(item) = self.first_item.as_ref().filter(|_| !is_load) {
            write!(f, ", {of_many}{item},")?;
        }
        match &self.first {
            Some(first) => write!(f, " {verb} at {first}{}", self.excerpt(first)),
            None if ends => write!(f, " {verb} {END_OF_GROUP}"),
            None => write!(f, " {verb} in code that the compiler added"),
        }
    }

    /// Who waits where; of each place the source once.
    fn fmt_deadlock(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}: {DEADLOCK}", self.kernel)?;
        let mut shown = Vec::new();
        for WaitingWarp { waiting, item, at } in &self.waiting {
            write!(f, "\n  core {}, warp {}", waiting.core, waiting.warp)?;
            if let Some(item) = item {
                write!(f, ", first {item}")?;
            }
            write!(f, ": {waiting}")?;
            match at {
                Some(at) => {
                    write!(f, ", at {at}")?;
                    if !shown.contains(&at) {
                        write!(f, "{}", self.excerpt(at))?;
                        shown.push(at);
                    }
                }
                None if item.is_some() && waiting.reason != WaitReason::Spawn => {
                    write!(f, ", {END_OF_GROUP}")?;
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for TrapReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.waiting.is_empty() {
            return self.fmt_deadlock(f);
        }
        if let Some(read) = &self.unwritten {
            return self.fmt_unwritten(f, read);
        }
        if let Some(conflict) = self.conflict() {
            return conflict.fmt(f);
        }
        write!(f, "kernel {}: {}", self.kernel, self.trap)?;
        if let Some(item) = &self.item {
            let of_many = match self.trap.lane {
                Some(_) => "",
                None => "first ",
            };
            write!(f, ", {of_many}{item}")?;
        }
        let barriers = matches!(self.trap.kind, TrapKind::OtherBarrier { .. });
        match &self.at {
            Some(at) => write!(f, ", at {at}{}", self.excerpt(at))?,
            None if barriers => write!(f, ", {END_OF_GROUP}")?,
            None => {}
        }
        self.fmt_first(f)?;
        match &self.element {
            Some(AccessedElement { address, name, .. }) => write!(f, "\n{address:#x} is `{name}`"),
            None => Ok(()),
        }
    }
}
