//! Traces of launches: each instruction of each warp, stage by stage.
//!
//! [`Launch::trace`](crate::Launch::trace) runs a kernel on the cycle model and returns a [`Trace`];
//! [`Trace::to_chrome`] is for Perfetto, [`Trace::to_csv`] for comparing with Vortex's own simulators. docs/profile.md
//! says how.

mod chrome;
mod csv;
mod wanted;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use vortex_kernel::isa::{Inst, RegFile};
use vortex_sim::timing::{CacheAnswer, RegisterValues, TraceRecord, Traced};

pub use vortex_sim::timing::TraceLimits;

use crate::fault::Explained as _;
use crate::image::{Loaded, describe};
use crate::name::Name;

pub(crate) use wanted::{Failed, write_launch};

/// The trace of each instruction of a launch. Cycles count from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The kernel's name.
    pub kernel: String,
    /// Lanes of a warp.
    pub threads: u32,
    /// The instructions, by core and warp, in the order in which each warp fetched them.
    pub instructions: Vec<TraceRecord>,
    /// Answers of the data caches to loads, core by core.
    pub answers: Vec<CacheAnswer>,
    /// Instructions that there was no room for.
    pub left_out: u64,
    /// For each core, its socket and its number there.
    pub places: Vec<(u32, u32)>,
    /// The instruction at each address.
    pub code: BTreeMap<u32, TracedCode>,
}

/// An instruction of a traced program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TracedCode {
    /// Its mnemonic.
    pub opcode: String,
    /// In assembler syntax.
    pub text: String,
    /// The file and line that it comes from, if the compiler did not make it up.
    pub source: Option<(String, u32)>,
}

impl Trace {
    pub(crate) fn of(kernel: &Name, threads: u32, loaded: &Loaded, traced: Traced) -> Self {
        let words: Vec<u32> = describe::words(describe::code(&loaded.image)).collect();
        let Traced {
            instructions,
            answers,
            left_out,
            places,
        } = traced;
        let mut code = BTreeMap::new();
        for record in &instructions {
            code.entry(record.pc).or_insert_with(|| {
                let offset = record.pc.wrapping_sub(loaded.addr);
                let inst = words
                    .get((offset / 4) as usize)
                    .copied()
                    .and_then(Inst::decode);
                let at = loaded.source_of(record.pc);
                TracedCode {
                    opcode: inst.map_or("?".to_owned(), |inst| {
                        inst.opcode.info().mnemonic.to_owned()
                    }),
                    text: inst.map_or("?".to_owned(), |inst| inst.at(record.pc).to_string()),
                    source: at.map(|at| (at.file.to_string(), at.line)),
                }
            });
        }
        Self {
            kernel: kernel.to_string(),
            threads,
            instructions,
            answers,
            left_out,
            places,
            code,
        }
    }

    /// A core's name in Vortex's tools: `cluster0-socket0-core0`.
    #[must_use]
    pub fn path_of(&self, core: u32) -> String {
        let place = self.places.get(core as usize);
        let (socket, core) = place.copied().unwrap_or((0, core));
        format!("cluster0-socket{socket}-core{core}")
    }

    /// As Chrome's trace events, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` show: an array of
    /// JSON with the tracks and categories of Vortex's `ci/perfetto.py`. A cycle is a microsecond.
    #[must_use]
    pub fn to_chrome(&self) -> String {
        chrome::of(self)
    }

    /// As CSV with the columns of Vortex's `ci/trace_csv.py`, a row for each instruction that was committed.
    #[must_use]
    pub fn to_csv(&self) -> String {
        csv::of(self)
    }

    /// The lines of source of the addresses in it, as CSV: what [`Trace::write`] puts next to the other.
    #[must_use]
    pub fn lines_to_csv(&self) -> String {
        csv::lines(self)
    }

    /// Writes it to a file: if its name ends in `.csv` as [`Trace::to_csv`] has it, with the lines of source next to it
    /// in a file whose name ends in `.lines.csv`; otherwise as [`Trace::to_chrome`] has it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        if path.extension().is_none_or(|end| end != "csv") {
            return std::fs::write(path, self.to_chrome());
        }
        std::fs::write(path, self.to_csv())?;
        std::fs::write(beside(path), self.lines_to_csv())
    }
}

/// The file with lines of source next to a file of CSV.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("lines.csv")
}

/// A register by its number: `x5`, `f0`.
struct Register<'a>(&'a RegisterValues);

impl fmt::Display for Register<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = match self.0.file {
            RegFile::Integer => 'x',
            RegFile::Float => 'f',
        };
        write!(f, "{file}{}", self.0.number)
    }
}

/// The values of a register: `{0x1, -, 0x3, 0x4}`.
struct Values<'a>(&'a RegisterValues);

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, value) in self.0.lanes.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            match value {
                Some(value) => write!(f, "{value:#x}")?,
                None => f.write_str("-")?,
            }
        }
        f.write_str("}")
    }
}

/// The lanes of a mask, lane 0 first: `1011`.
struct Lanes {
    mask: u32,
    threads: u32,
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = (0..self.threads).map(|lane| self.mask >> lane & 1);
        lanes.into_iter().try_for_each(|on| write!(f, "{on}"))
    }
}
