//! How kernels are compiled, for people: stages next to the source, and the reasons for decisions.
//!
//! [`Launch::explain`](crate::Launch::explain) compiles a kernel as that launch runs it, and
//! [`KernelEntry::explain`](crate::KernelEntry::explain) for launches of any size. An [`Explanation`] prints as text,
//! and [`Explanation::to_html`] is a page. docs/explain.md says how to read both.

mod page;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;

use vortex_kernel::codegen::{self, GroupUse};
use vortex_kernel::escape::Escaped;
use vortex_kernel::ir::{self, Function, SourceLoc};
use vortex_kernel::meta::Attributes;

pub use vortex_kernel::codegen::{ExplainedStage as Stage, Language, StageLine};
pub use vortex_kernel::opt::explain::{
    BranchFate, BranchKind, BranchNote, CoarseFate, LoopFate, LoopNote, Reason,
};

use crate::compile;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::name::Name;
use crate::registry::KernelEntry;
use crate::resident::Launches;
use crate::source::{SourceFiles, Sources};

/// How a kernel is compiled. `Display` prints the decisions for each source line.
#[derive(Clone, Debug)]
pub struct Explanation {
    kernel: Name,
    inner: codegen::Explanation,
    sources: Sources,
}

impl KernelEntry {
    /// Compiles the kernel for a device, for groups of any size, and explains it.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub fn explain(&self, device: &Device) -> Result<Explanation> {
        Explanation::of_entry(self, device, Launches::USUAL)
    }
}

impl Explanation {
    /// Of a kernel of this program, for these launches.
    pub(crate) fn of_entry(
        kernel: &KernelEntry,
        device: &Device,
        launches: Launches,
    ) -> Result<Self> {
        let name = kernel.shared_name();
        let staged = compile::staged(name.clone(), false, || kernel.stage())?;
        let attributes = &kernel.meta().attributes;
        Self::of(
            name,
            &staged,
            device,
            attributes,
            launches,
            Sources::Program,
        )
    }

    fn of(
        kernel: Name,
        staged: &Function,
        device: &Device,
        attributes: &Attributes,
        launches: Launches,
        sources: Sources,
    ) -> Result<Self> {
        let mut options = device.options(attributes);
        options.room = launches.room;
        let known = &mut options.known;
        known.block = known
            .block
            .or_else(|| launches.block.filter(|_| GroupUse::of(staged).is_some()));
        let inner = codegen::explain(staged, &device.target(), &options);
        let inner = inner.map_err(|cause| Error::Compile {
            kernel: kernel.clone(),
            cause,
        })?;
        Ok(Self {
            kernel,
            inner,
            sources,
        })
    }

    /// Compiles a kernel for a device from the text of its staged IR, which `VORTEX_DUMP` writes to files whose names
    /// end in `.staged.vir`. Its attributes are in the metadata next to that. Without `groups`, items of each group in
    /// x, y and z, it is for groups of any size. Source lines are those below `VORTEX_SOURCES`.
    ///
    /// # Errors
    /// If the text is not IR, or cannot be compiled.
    pub fn of_staged(
        text: &str,
        attributes: &Attributes,
        device: &Device,
        groups: Option<[u32; 3]>,
    ) -> Result<Self> {
        let staged = ir::parse(text).map_err(|cause| Error::Text { cause })?;
        let kernel = Name::from(&staged.name);
        let launches = Launches {
            block: groups,
            ..Launches::USUAL
        };
        Self::of(kernel, &staged, device, attributes, launches, Sources::File)
    }

    /// The kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The kernel as staged, after each pass that changed it, in Cranelift's IR, and as instructions.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.inner.stages
    }

    /// Conditions and loops, and why the lanes of a warp agree about them or may disagree.
    #[must_use]
    pub fn branches(&self) -> &[BranchNote] {
        &self.inner.branches
    }

    /// What became of loops.
    #[must_use]
    pub fn loops(&self) -> &[LoopNote] {
        &self.inner.loops
    }

    /// How many work items a lane does at once, and why.
    #[must_use]
    pub fn coarsening(&self) -> &CoarseFate {
        &self.inner.coarsening
    }

    /// What became of bounds checks.
    #[must_use]
    pub fn checks(&self) -> &vortex_kernel::meta::BoundsChecks {
        &self.inner.checks
    }

    /// All stages as text, with lines of source.
    #[must_use]
    pub fn stages_to_text(&self) -> String {
        let mut text = String::new();
        for stage in self.stages() {
            _ = writeln!(text, "\n== {}", stage.name);
            for line in &stage.lines {
                let at = line.at.as_ref().map(|at| (seen_from(at, ""), "; "));
                let (at, mark) = at.unwrap_or_default();
                let line = format!(
                    "{:<72} {mark}{}",
                    Escaped(&line.text).to_string(),
                    Escaped(&at)
                );
                _ = writeln!(text, "{}", line.trim_end());
            }
        }
        text
    }

    /// How many work items lanes do at once, in words.
    fn items_of_lanes(&self) -> String {
        match self.coarsening() {
            CoarseFate::Blocks([columns, rows, _]) => format!(
                "each lane does {columns} × {rows} work items at once, where a launch has enough of them"
            ),
            CoarseFate::Groups([columns, rows, _]) => format!(
                "each lane does the same work item of {columns} × {rows} neighbouring groups at once, where a launch \
                 has enough of them, and local memory for them"
            ),
            CoarseFate::OneByOne(why) => {
                format!("each lane does one work item after the other: {why}")
            }
        }
    }

    /// Which launches it is for, if it is not for all.
    fn launches(&self) -> Option<String> {
        let conditions = match self.inner.image.launch_conditions.assumed_count() {
            0 => return None,
            1 => "1 condition".to_owned(),
            n => format!("{n} conditions"),
        };
        Some(format!(
            "compiled for usual launches: {conditions} on sizes and arguments, which the host checks before each; \
             other launches run an image with all versions of the loops"
        ))
    }

    /// Instructions of the image.
    fn instructions(&self) -> usize {
        let is_assembly = |stage: &&Stage| stage.language == Language::Assembly;
        let last = self.stages().iter().rfind(is_assembly);
        last.map_or(0, |stage| stage.lines.len())
    }

    /// As a page for browsers: a single file that needs no network.
    #[must_use]
    pub fn to_html(&self) -> String {
        page::of(self)
    }

    /// Writes it to a file: as text if its name ends in `.txt`, as a page otherwise.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        match path.extension().is_some_and(|end| end == "txt") {
            true => std::fs::write(path, format!("{self}\n{}", self.stages_to_text())),
            false => std::fs::write(path, self.to_html()),
        }
    }

    /// What is said about each line of source, by file and line.
    fn notes(&self) -> BTreeMap<(String, u32), Vec<Note>> {
        let mut notes: BTreeMap<(String, u32), Vec<Note>> = BTreeMap::new();
        let mut add = |file: &str, line: u32, note: Note| {
            let all = notes.entry((file.to_owned(), line)).or_default();
            if !all.contains(&note) {
                all.push(note);
            }
        };
        let kept = &self.checks().kept;
        let is_kept = |at: &SourceLoc| kept.iter().any(|check| check.place == at.to_string());
        for branch in self.branches() {
            // Of a check that is tested before, there is a copy for launches that do not pass.
            if branch.kind == BranchKind::Check && !is_kept(&branch.at) {
                continue;
            }
            add(&branch.at.file, branch.at.line, Note::of_branch(branch));
        }
        for of_loop in self.loops() {
            add(&of_loop.at.file, of_loop.at.line, Note::of_loop(of_loop));
        }
        for check in &self.checks().kept {
            let mut parts = check.place.rsplitn(3, ':');
            let (column, line, file) = (parts.next(), parts.next(), parts.next());
            if let (Some(_), Some(line), Some(file)) =
                (column, line.and_then(|line| line.parse().ok()), file)
            {
                let text = format!("an index is checked at each access: {}", check.why);
                add(
                    file,
                    line,
                    Note {
                        kind: NoteKind::Check,
                        text,
                    },
                );
            }
        }
        notes
    }
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoteKind {
    Uniform,
    Divergent,
    Select,
    Check,
    Loop,
}

impl NoteKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Divergent => "divergent",
            Self::Select => "select",
            Self::Check => "check",
            Self::Loop => "loop",
        }
    }
}

/// Something that was decided about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Note {
    kind: NoteKind,
    text: String,
}

/// A place, seen from a file.
fn seen_from(at: &SourceLoc, file: &str) -> String {
    match *at.file == *file {
        true => format!("line {}", at.line),
        false => format!("{}:{}", at.file, at.line),
    }
}

impl Note {
    fn of_branch(branch: &BranchNote) -> Self {
        let what = match branch.kind {
            BranchKind::If => "the condition",
            BranchKind::Check => "the check",
            BranchKind::Loop => "whether the loop goes on",
        };
        let reasons = branch.because.iter().map(|reason| match &reason.at {
            Some(at) if *at != branch.at => {
                format!("{} ({})", reason.what, seen_from(at, &branch.at.file))
            }
            _ => reason.what.clone(),
        });
        let reasons: Vec<String> = reasons.collect();
        let through = branch.through.iter();
        let through: Vec<String> = through.map(|at| seen_from(at, &branch.at.file)).collect();
        let through = match through.is_empty() {
            true => String::new(),
            false => format!(", through {}", through.join(" and ")),
        };
        let because = match reasons.is_empty() {
            true => String::new(),
            false => format!(": it depends on {}{through}", reasons.join(", and on ")),
        };
        let (kind, text) = match branch.fate {
            BranchFate::Divergent => (
                NoteKind::Divergent,
                format!("{what} can differ between lanes{because}"),
            ),
            BranchFate::Uniform => (
                NoteKind::Uniform,
                format!("{what} is the same for all lanes of a warp{because}"),
            ),
            BranchFate::Selected => (
                NoteKind::Select,
                "there is no branch: both sides are computed, and results chosen".to_owned(),
            ),
        };
        Self { kind, text }
    }

    fn of_loop(of_loop: &LoopNote) -> Self {
        let text = match &of_loop.fate {
            LoopFate::WrittenOut => "all iterations of the loop are written out".to_owned(),
            LoopFate::Unrolled => "several iterations of the loop are made one".to_owned(),
            LoopFate::Kept(why) => format!("the loop is not unrolled: {why}"),
        };
        Self {
            kind: NoteKind::Loop,
            text,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks = self.checks();
        writeln!(
            f,
            "{}: {} instructions; {} bounds checks, {} proved, {} before all work items, {} before loops, {} kept",
            Escaped(&self.kernel),
            self.instructions(),
            checks.emitted,
            checks.proved,
            checks.before_items,
            checks.before_loops,
            checks.kept.len()
        )?;
        writeln!(f, "{}", Escaped(&self.items_of_lanes()))?;
        if let Some(launches) = self.launches() {
            writeln!(f, "{}", Escaped(&launches))?;
        }
        let mut sources = SourceFiles::new(self.sources);
        let mut before: Option<String> = None;
        for ((file, line), notes) in self.notes() {
            if before.as_ref() != Some(&file) {
                writeln!(f, "{}", Escaped(&file))?;
                before = Some(file.clone());
            }
            let text = sources.line(&file, line).unwrap_or_default();
            writeln!(f, "{line:>5} | {text}")?;
            for note in notes {
                writeln!(f, "      |   {}: {}", note.kind.name(), Escaped(&note.text))?;
            }
        }
        let ir = |stage: &&Stage| stage.language == Language::Ir;
        let names: Vec<&str> = (self.stages().iter().filter(ir))
            .map(|stage| stage.name.as_str())
            .collect();
        write!(f, "stages: {}", names.join(", "))
    }
}
