//! What the optimiser does to a function, pass by pass, and why: for people.
//!
//! None of this is computed unless it is requested (`watching`). The effects of passes are derived from the function
//! before and after; only the reasons why loops stay, and why lanes do one item after the other, come from the passes
//! that decide it.

mod branches;
mod coarsening;
mod loops;

use std::cell::RefCell;

use super::Tuning;
use crate::ir::{Function, Loc, PrimaryMap, SourceLoc};

pub use branches::{BranchFate, BranchKind, BranchNote, Reason};
pub use coarsening::CoarseFate;
pub(crate) use coarsening::note_one_by_one;
pub use loops::{LoopFate, LoopNote};

/// A function as a pass left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassResult {
    /// Name of the pass.
    pub name: String,
    /// The function's text form.
    pub text: String,
    /// What the locations in it mean.
    pub locs: PrimaryMap<Loc, SourceLoc>,
}

/// What was seen of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// The passes that changed something, in order; the first entry is what they began with.
    pub passes: Vec<PassResult>,
    /// Conditions and loops, and what is left of them when the function is lowered.
    pub branches: Vec<BranchNote>,
    /// What became of loops.
    pub loops: Vec<LoopNote>,
    /// Why lanes do one work item after the other, if that was decided.
    pub one_by_one: Option<String>,
    tuning: Tuning,
    staged: branches::Staged,
}

/// What is for the kernel once it is wrapped into the loop over work items.
const ENTRY: &str = "item loop";

/// Where an instruction comes from, if it is in the user's source.
fn place(function: &Function, loc: Loc) -> Option<&SourceLoc> {
    (loc != Loc::NONE).then(|| function.locs.get(loc))?
}

thread_local! {
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

/// Watches what passes do in this thread while `body` runs. `tuning`: what they choose by.
pub(crate) fn watching<R>(tuning: &Tuning, body: impl FnOnce() -> R) -> (R, Watched) {
    let watched = Watched {
        tuning: *tuning,
        ..Watched::default()
    };
    let outer = WATCHED.replace(Some(watched));
    let result = body();
    let watched = WATCHED.replace(outer);
    (result, watched.unwrap_or_default())
}

/// Whether an explanation is requested.
#[inline]
pub(super) fn is_watched() -> bool {
    WATCHED.with_borrow(Option::is_some)
}

/// A pass was run.
#[cold]
pub(super) fn passed(name: &str, before: &Function, after: &Function) {
    WATCHED.with_borrow_mut(|watched| {
        if let Some(watched) = watched {
            watched.pass(name, before, after);
        }
    });
}

impl Watched {
    fn pass(&mut self, name: &str, before: &Function, after: &Function) {
        let result = |name: &str, function: &Function| PassResult {
            name: name.to_owned(),
            text: function.to_string(),
            locs: function.locs.clone(),
        };
        if self.passes.is_empty() {
            self.passes.push(result("staged", before));
        }
        if name == "ssa" {
            self.staged = branches::Staged::of(after);
        }
        // What happens between observed passes belongs to none of them; the first time it is `codegen::entry`.
        if self
            .passes
            .last()
            .is_some_and(|last| last.text != before.to_string())
        {
            let is_known = self.passes.iter().any(|pass| pass.name == ENTRY);
            self.passes
                .push(result(if is_known { "in between" } else { ENTRY }, before));
        }
        if before.body != after.body {
            self.passes.push(result(name, after));
        }
        loops::note(&mut self.loops, name, before, after, &self.tuning);
        // It comes last in all pipelines.
        if name == "compact" {
            self.branches = branches::of(after, &self.staged);
        }
    }
}
