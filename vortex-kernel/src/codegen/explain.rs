//! How a kernel is compiled, for people: its stages, and the decisions on the way.

use super::tags::Tags;
use super::{CompileError, Image, Options, Target};
use crate::ir::{Function, Loc, PrimaryMap, SourceLoc};
use crate::meta::BoundsChecks;
use crate::opt::explain::{BranchNote, CoarseFate, LoopNote, PassResult, watching};

/// The language of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The IR's text form, as [`ir::print`](mod@crate::ir::print) writes it.
    Ir,
    /// Cranelift's IR, as its writer prints it.
    Clif,
    /// RISC-V assembly, below the places in the source that it comes from.
    Assembly,
}

/// A line of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageLine {
    /// Its text, without the line's end.
    pub text: String,
    /// Where in the user's source that comes from.
    pub at: Option<SourceLoc>,
}

/// A kernel at some stage of compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Name of the pass that produced it, or of the stage.
    pub name: String,
    /// Its language.
    pub language: Language,
    /// The lines of its text, in order.
    pub lines: Vec<StageLine>,
}

/// How a kernel is compiled.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The result.
    pub image: Image,
    /// The kernel as staged, after each pass that changed it, in Cranelift's IR, and as instructions.
    pub stages: Vec<Stage>,
    /// The remaining conditions and loops, and why lanes agree about them or may disagree.
    pub branches: Vec<BranchNote>,
    /// What became of loops.
    pub loops: Vec<LoopNote>,
    /// How many work items lanes do at once, and why.
    pub coarsening: CoarseFate,
    /// What became of bounds checks.
    pub checks: BoundsChecks,
}

/// Compiles a staged kernel, and explains it.
///
/// # Errors
/// As [`compile`](super::compile).
pub fn explain(
    staged: &Function,
    target: &Target,
    options: &Options,
) -> Result<Explanation, CompileError> {
    let options = Options {
        listing: true,
        ..*options
    };
    let tuning = options.tuning(target.generation);
    let (image, watched) = watching(&tuning, || super::compile(staged, target, &options));
    let image = image?;
    let mut stages: Vec<Stage> = watched.passes.iter().map(of_pass).collect();
    if let Some(listing) = &image.listing {
        let clif = listing.clif.lines().zip(&listing.clif_places);
        stages.push(Stage {
            name: "Cranelift".to_owned(),
            language: Language::Clif,
            lines: clif
                .map(|(text, at)| StageLine {
                    text: without_tag(text).to_owned(),
                    at: at.clone(),
                })
                .collect(),
        });
        stages.push(of_assembly(&listing.disassembly, &image));
    }
    Ok(Explanation {
        stages,
        branches: watched.branches,
        loops: watched.loops,
        coarsening: CoarseFate::of(
            watched.one_by_one,
            image.facts.coarsening,
            image.groups.is_some(),
        ),
        checks: BoundsChecks::of(&image.facts).unwrap_or_default(),
        image,
    })
}

/// Lines of IR, without the numbers of their locations, which are looked up.
fn of_pass(pass: &PassResult) -> Stage {
    let lines = pass
        .text
        .lines()
        .filter(|line| !line.starts_with("  loc @"));
    let lines = lines.map(|line| {
        let located = line.rsplit_once(" @").and_then(|(text, number)| {
            // A loop's and a condition's own line ends in a brace.
            let number = number.trim_end_matches(" {");
            let index: usize = number.parse().ok()?;
            let brace = if line.ends_with('{') { " {" } else { "" };
            Some((format!("{text}{brace}"), index))
        });
        match located {
            Some((text, index)) => StageLine {
                text,
                at: pass.locs.values().nth(index).filter(|_| index > 0).cloned(),
            },
            None => StageLine {
                text: line.to_owned(),
                at: None,
            },
        }
    });
    Stage {
        name: pass.name.clone(),
        language: Language::Ir,
        lines: lines.collect(),
    }
}

/// A line of Cranelift's IR without the tag in front of it.
fn without_tag(line: &str) -> &str {
    match line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some((_, text)) => text,
        None => line,
    }
}

/// Where the lines of Cranelift's IR come from.
pub(super) fn places(
    clif: &str,
    tags: &Tags,
    locs: &PrimaryMap<Loc, SourceLoc>,
) -> Vec<Option<SourceLoc>> {
    let tag = |line: &str| {
        let number = line.strip_prefix('@')?.split(' ').next()?;
        u32::from_str_radix(number, 16).ok()
    };
    let lines = clif.lines();
    lines
        .map(|line| {
            let tag = tags.get(cranelift_codegen::ir::SourceLoc::new(tag(line)?))?;
            super::source(locs, tag.loc).cloned()
        })
        .collect()
}

/// Lines of assembly, each with the place that stands above it.
fn of_assembly(text: &str, image: &Image) -> Stage {
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    let lines = lines.enumerate().map(|(index, line)| StageLine {
        text: line.to_owned(),
        at: image.source_at(index as u32 * 4).cloned(),
    });
    Stage {
        name: "instructions".to_owned(),
        language: Language::Assembly,
        lines: lines.collect(),
    }
}
