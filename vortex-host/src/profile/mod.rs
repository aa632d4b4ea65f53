//! Profiles of launches: where the time went, and what to do about it.
//!
//! [`Launch::profile`](crate::Launch::profile) runs a kernel on the cycle model and returns a [`Profile`]. It is plain
//! data, and serialises. [`Profile::limiter`] says in a sentence what the kernel waits for, [`Profile::to_html`] is a
//! page that shows all of it. docs/profile.md says how to read it.

mod class;
mod collect;
mod costs;
mod findings;
pub(crate) mod page;
mod shape;
mod speed;
mod wanted;

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::json;

pub use class::InstructionClass;
pub(crate) use collect::Launched;
pub use costs::{Costs, Slots, WarpTime, Work};
pub use findings::{Cause, Finding};
pub(crate) use shape::Items;
pub use shape::{DeviceShape, LaunchShape};
pub use speed::{Gauge, Roofline};
pub(crate) use wanted::add_to_page;

/// The version of the format that [`Profile::to_json`] writes: [`Profile::version`].
pub const VERSION: u32 = 1;

/// What a profiled launch did and what it cost. It holds everything that the page shows, and can be read from JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Profile {
    /// Version of the format, [`VERSION`] of the library that wrote it.
    pub version: u32,
    /// The kernel's name, as in launches and messages.
    pub kernel: String,
    /// The device that it ran on: its shape, and its peak rates.
    pub device: DeviceShape,
    /// The launch's size, and how that fills the device.
    pub launch: LaunchShape,
    /// Cycles that the launch took, as the cycle model counts them.
    pub cycles: u64,
    /// Issue slots of all cores, where each could issue one instruction of a warp: those that did and those that
    /// stayed empty, [`Work::executed`] and [`Slots::total`] of `total`.
    pub slots: u64,
    /// All instructions together; stalls with those of warps that had ended.
    pub total: Costs,
    /// Cycles in which operands of an instruction were in one bank of registers.
    pub register_conflicts: u64,
    /// What each kind of instruction did; kinds of which none was executed or waited for are left out.
    pub mix: Vec<MixPart>,
    /// The instruction cache and the data cache, each of all sockets together, then the second and third level where
    /// the device has them.
    pub caches: Vec<Cache>,
    /// What main memory moved for the launch, and for how many different lines.
    pub memory: MemoryTraffic,
    /// How busy each part of the device was, as a share of its capacity.
    pub speed: Vec<Gauge>,
    /// Float operations and bytes, compared with the device's peak rates.
    pub roofline: Roofline,
    /// What limited it, the most expensive cause first; causes of less than 2 % of the issue slots are left out.
    pub findings: Vec<Finding>,
    /// The lines of its source that code comes from, by file and number; what the compiler added has neither.
    pub lines: Vec<ProfiledLine>,
    /// Its instructions that were executed or waited for, by address.
    pub instructions: Vec<ProfiledInstruction>,
    /// What warps did over time.
    pub timeline: TimelineRecord,
}

/// What the instructions of one kind did, all together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MixPart {
    /// The kind of instruction.
    pub class: InstructionClass,
    /// Times that warps executed one.
    pub executed: u64,
    /// Active lanes of these, in sum: work items that executed one.
    pub lanes: u64,
    /// Issue slots that stayed empty because something waited for one.
    pub awaited: u64,
}

/// What a level of caches did, all caches of it together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cache {
    /// `instruction cache`, `data cache`, `second level` or `third level`.
    pub name: String,
    /// Requests to read; of the instruction cache, fetches.
    pub reads: u64,
    /// Requests to read that did not find their line, or found it in flight.
    pub read_misses: u64,
    /// Requests to write.
    pub writes: u64,
    /// Requests to write that did not find their line.
    pub write_misses: u64,
    /// Cycles in which a request was held back by other misses, by the queue to memory, or by its bank.
    pub held_back: u64,
}

/// What main memory moved, in lines of 64 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryTraffic {
    /// Lines of 64 bytes read.
    pub lines_read: u64,
    /// Lines of 64 bytes written, whole or in part.
    pub lines_written: u64,
    /// Different lines of instructions that the cores of a socket fetched, summed over sockets.
    pub code_lines: u64,
    /// Different lines loaded from, likewise.
    pub loaded_lines: u64,
    /// Different lines stored to, likewise.
    pub stored_lines: u64,
    /// Different lines of instructions that the cores of one socket fetched, at most: what its cache would have to
    /// hold.
    pub most_code_lines: u64,
    /// Different lines loaded from, likewise.
    pub most_loaded_lines: u64,
    /// Bytes that lanes loaded and stored, local memory left out; an instruction's accesses to one word by several
    /// lanes count for each.
    pub lane_bytes: u64,
}

impl MemoryTraffic {
    /// Bytes that main memory moved: 64 for each line read or written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        64 * (self.lines_read + self.lines_written)
    }
}

/// The cost of a source line: all instructions that come from it. Lines in between without instructions are included
/// for their text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfiledLine {
    /// Its file; none for what the compiler added around the kernel.
    pub file: Option<String>,
    /// Its number, from 1; 0 for what the compiler added.
    pub line: u32,
    /// Its text with its indentation, if the file may be shown and could be read.
    pub text: Option<String>,
    /// What its instructions cost.
    pub costs: Costs,
}

/// What an instruction cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfiledInstruction {
    /// Bytes from the start of the image.
    pub offset: u32,
    /// In assembler syntax: `lw a0, 4(a1)`.
    pub text: String,
    /// What kind it is.
    pub class: InstructionClass,
    /// Index into [`Profile::lines`] of the line that it comes from.
    pub line: usize,
    /// What it cost.
    pub costs: Costs,
    /// How many bytes apart the accesses of neighbouring lanes are, if there is a usual distance: 4 where lanes access
    /// words side by side, 0 where all access one word. A distance is usual if most neighbours have it.
    pub stride: Option<i32>,
    /// Bytes that each lane of an access moves; 0 for instructions that do not access memory.
    #[serde(default)]
    pub access_bytes: u64,
}

/// What warps did over time: the launch is cut into intervals of equal length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineRecord {
    /// Cycles of an interval.
    pub interval: u64,
    /// The warps that ran, ordered by core and number.
    pub warps: Vec<WarpRecord>,
}

/// What a warp did over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarpRecord {
    /// Its core, from 0.
    pub core: u32,
    /// Its number in the core, from 0.
    pub warp: u32,
    /// What it did in each interval. What is missing of an interval's cycles is time before the warp started or after
    /// it ended.
    pub intervals: Vec<WarpTime>,
}

impl Profile {
    /// What limited the kernel most: the first of [`Profile::findings`]. `None` where nothing costs 2 % of the issue
    /// slots.
    #[must_use]
    pub fn limiter(&self) -> Option<&Finding> {
        self.findings.first()
    }

    /// The source lines by [`Costs::slots`], the most expensive first.
    #[must_use]
    pub fn lines_by_cost(&self) -> Vec<&ProfiledLine> {
        let mut lines: Vec<_> = self.lines.iter().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.costs.slots()));
        lines
    }

    /// As JSON: an object with the fields of this type, from which it can be deserialised.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::text(self)
    }

    /// As a page for browsers: a single file that needs no network.
    #[must_use]
    pub fn to_html(&self) -> String {
        page::of(std::slice::from_ref(self), 0)
    }

    /// Writes it to a file: as JSON if its name ends in `.json`, as a page otherwise.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        match path.extension().is_some_and(|end| end == "json") {
            true => std::fs::write(path, self.to_json()),
            false => std::fs::write(path, self.to_html()),
        }
    }
}
