//! What became of each bounds check, for reports and for `deny(checks)`.
//!
//! A check is identified by its place in the source, its *site*: copies of code share it. [`super::loop_versioning`]
//! records what it does with each check; [`fates`] reads from the code what is left at the end.

use rustc_hash::FxHashMap;

use super::Level;
use super::defs::Defs;
use crate::ir::check_note::{CheckNote, Fate, Origin, Why};
use crate::ir::{Block, Function, Inst, Loc, Op, PrimaryMap, SourceLoc, Value};

impl Fate {
    fn rank(&self) -> u8 {
        match self {
            Self::Proved => 0,
            Self::BeforeItems => 1,
            Self::BeforeLoop => 2,
            Self::Kept(_) => 3,
        }
    }
}

impl Origin {
    fn of(op: &Op) -> Self {
        match op {
            Op::Load { .. } => Self::Memory,
            Op::Atomic { .. } => Self::Atomic,
            Op::Warp { .. } => Self::Warp,
            Op::If { .. } => Self::Condition,
            Op::While(_) => Self::Iterations,
            _ => Self::Unknown,
        }
    }
}

impl Why {
    /// In words that go after the place of the check, with places in other files in full.
    pub(crate) fn text(self, locs: &PrimaryMap<Loc, SourceLoc>, check: &SourceLoc) -> String {
        let origin = |what: &str, loc: Loc| match locs.get(loc) {
            Some(at) if loc != Loc::NONE && at.file == check.file => {
                format!("the index depends on {what} in line {}", at.line)
            }
            Some(at) if loc != Loc::NONE => format!("the index depends on {what} at {at}"),
            _ => format!("the index depends on {what}"),
        };
        match self {
            Self::Origin(Origin::Memory, loc) => origin("a value that is loaded from memory", loc),
            Self::Origin(Origin::Atomic, loc) => origin("the result of the atomic operation", loc),
            Self::Origin(Origin::Warp, loc) => origin("the result of the warp operation", loc),
            Self::Origin(Origin::Iterations, loc) => origin(
                "a variable that has no known largest value over all iterations of the loop",
                loc,
            ),
            Self::Origin(Origin::Condition, loc) => origin(
                "a variable that is given its value under the condition",
                loc,
            ),
            Self::Value(_) | Self::Origin(Origin::Unknown, _) => {
                "the index depends on a value of which nothing is known".to_owned()
            }
            Self::Number(ty) => {
                format!("the index is computed with `{ty}`, of which no largest value is known")
            }
            Self::Operation => "no largest value is known of what computes the index".to_owned(),
            Self::Length => "the length is not known before the loop".to_owned(),
            Self::Form => "it compares more than one index with one length".to_owned(),
            Self::Large(size) => format!(
                "the loop around it, {size} instructions, is too large for a version without checks"
            ),
            Self::InnerLoop => {
                "a loop inside this one keeps checks, so there is no version without checks of what is around it"
                    .to_owned()
            }
            Self::Unoptimised => "the kernel is not compiled with all optimisations".to_owned(),
        }
    }
}

/// Whether an `If` is a check: its else-arm does nothing but record a failure. Gives the condition, and which check
/// it is.
pub(super) fn check_of(inst: &Inst) -> Option<(Value, Option<u32>)> {
    match &inst.op {
        Op::If { cond, els, .. } if els.block.only_fails() => Some((*cond, site(&els.block))),
        _ => None,
    }
}

/// The same of one that is not known to hold.
pub(super) fn open_check_of(inst: &Inst, defs: &Defs) -> Option<(Value, Option<u32>)> {
    check_of(inst).filter(|(cond, _)| defs.constant(*cond) != Some(1))
}

/// The first site that a block of failure records.
fn site(failure: &Block) -> Option<u32> {
    failure.insts.iter().find_map(|inst| match inst.op {
        Op::Record { site, .. } => Some(site),
        _ => None,
    })
}

/// Looks up where the values in notes come from.
pub(super) fn look_up(notes: &mut [CheckNote], body: &Block) {
    let asked = notes.iter().filter_map(|note| match note.fate {
        Fate::Kept(Why::Value(value)) => Some((value, From::Origin(Origin::Unknown, Loc::NONE))),
        _ => None,
    });
    let mut asked: FxHashMap<_, _> = asked.collect();
    if asked.is_empty() {
        return;
    }
    // What is in an arm comes after what it is an arm of.
    body.visit(&mut |inst| match &inst.op {
        Op::If { then, els, .. } if els.block.is_failure() => {
            for (result, value) in inst.results.iter().zip(&then.yields) {
                if asked.contains_key(result) {
                    asked.insert(*result, From::Value(*value));
                    asked.insert(*value, From::Origin(Origin::Unknown, inst.loc));
                }
            }
        }
        op => {
            let params = match op {
                Op::While(w) => w.params.as_slice(),
                _ => &[],
            };
            for value in inst.results.iter().chain(params) {
                if let Some(found) = asked.get_mut(value) {
                    *found = From::Origin(Origin::of(op), inst.loc);
                }
            }
        }
    });
    for note in notes {
        if let Fate::Kept(Why::Value(mut value)) = note.fate {
            let (origin, loc) = loop {
                match asked[&value] {
                    From::Value(from) => value = from,
                    From::Origin(origin, loc) => break (origin, loc),
                }
            };
            note.fate = Fate::Kept(Why::Origin(origin, loc));
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum From {
    /// It is what this one is, where a check holds.
    Value(Value),
    Origin(Origin, Loc),
}

/// What became of the checks of sites 1 to `sites`, after all passes.
pub(crate) fn fates(function: &Function, sites: usize, level: Level) -> Vec<Fate> {
    let mut fates = vec![Fate::Proved; sites];
    let mut made = vec![false; sites];
    function.body.visit(&mut |inst| {
        if let Op::Record { site, .. } = inst.op {
            made[site as usize - 1] = true;
        }
    });
    for note in &function.check_notes {
        let (fate, made) = (
            &mut fates[note.site as usize - 1],
            made[note.site as usize - 1],
        );
        // What a later pass has proved is not kept.
        let holds = made || !matches!(note.fate, Fate::Kept(_));
        if holds && note.fate.rank() > fate.rank() {
            fate.clone_from(&note.fate);
        }
    }
    for (fate, made) in fates.iter_mut().zip(made) {
        if made && *fate == Fate::Proved {
            *fate = Fate::Kept(match level {
                Level::Full => Why::Form,
                Level::None | Level::Basic => Why::Unoptimised,
            });
        }
    }
    fates
}
