//! What became of loops, and why.

use rustc_hash::FxHashMap;

use super::place;
use crate::ir::{Function, Inst, Op, SourceLoc};
use crate::opt::Tuning;
use crate::opt::unroll::{Obstacle, obstacles};

/// What became of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopFate {
    /// All of its iterations are written out.
    WrittenOut,
    /// Several iterations are made one, and the rest are left.
    Unrolled,
    /// It stays as it is, because of this.
    Kept(String),
}

/// What became of a loop in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopNote {
    /// Where it is.
    pub at: SourceLoc,
    /// What became of it.
    pub fate: LoopFate,
}

/// Notes what a pass did with loops, if it is one that repeats them. Of a loop there can be several copies, as of one
/// with and without checks.
pub(super) fn note(
    notes: &mut Vec<LoopNote>,
    pass: &str,
    before: &Function,
    after: &Function,
    tuning: &Tuning,
) {
    if pass != "flatten" && pass != "unroll" {
        return;
    }
    let (had, has) = (count(before), count(after));
    let mut set =
        |at: &SourceLoc, fate: LoopFate| match notes.iter_mut().find(|note| note.at == *at) {
            Some(note) => note.fate = fate,
            None => notes.push(LoopNote {
                at: at.clone(),
                fate,
            }),
        };
    let number = |at: &SourceLoc| has.get(at).copied().unwrap_or(0);
    if pass == "flatten" {
        for (at, _) in had.iter().filter(|(at, had)| number(at) < **had) {
            set(at, LoopFate::WrittenOut);
        }
        return;
    }
    let mut reasons: FxHashMap<SourceLoc, (bool, String)> = FxHashMap::default();
    obstacles(before, tuning, |inst, obstacle| {
        let Some(at) = place(before, inst.loc) else {
            return;
        };
        // The copy that is there for launches that do not pass the checks before it is not the one to speak of.
        let has_checks = matches!(obstacle, Obstacle::Inside(inst) if is_check(inst));
        let reason = (has_checks, words(before, &obstacle));
        match reasons.get_mut(at) {
            Some(known) if known.0 && !has_checks => *known = reason,
            Some(_) => {}
            None => drop(reasons.insert(at.clone(), reason)),
        }
    });
    for (at, had) in &had {
        match reasons.remove(at) {
            _ if number(at) > *had => set(at, LoopFate::Unrolled),
            Some((_, why)) => set(at, LoopFate::Kept(why)),
            None => {}
        }
    }
}

/// How many loops there are of each place.
fn count(function: &Function) -> FxHashMap<SourceLoc, usize> {
    let mut counts = FxHashMap::default();
    function.body.visit(&mut |inst| {
        if matches!(inst.op, Op::While(_))
            && let Some(at) = place(function, inst.loc)
        {
            *counts.entry(at.clone()).or_default() += 1;
        }
    });
    counts
}

fn is_check(inst: &Inst) -> bool {
    matches!(&inst.op, Op::If { els, .. } if els.block.is_failure())
}

fn words(function: &Function, obstacle: &Obstacle<'_>) -> String {
    match obstacle {
        Obstacle::Inside(inst) => {
            let what = match &inst.op {
                Op::While(_) => "another loop is in it",
                Op::If { .. } if is_check(inst) => "a check is kept in it",
                Op::If { .. } => "a condition is in it whose sides do more than choose values",
                Op::Atomic { .. } => "an atomic operation is in it",
                op if op.is_convergent() => {
                    "an operation is in it that lanes do together, such as a barrier"
                }
                _ => "something is in it that must happen once in each iteration",
            };
            match place(function, inst.loc) {
                Some(at) => format!("{what}, in line {}", at.line),
                None => what.to_owned(),
            }
        }
        Obstacle::Size { size, most } => format!(
            "an iteration is {size} operations, and those of at most {most} are put together"
        ),
        Obstacle::NoCounter => "it does not count up to a limit in equal steps".to_owned(),
        Obstacle::Divergent => "lanes can have different numbers of iterations".to_owned(),
        Obstacle::LimitChanges => "what it counts up to changes in it".to_owned(),
        Obstacle::CountsWith(ty) => {
            format!(
                "it counts with values of type `{ty}`, and only `u32` and `usize` are looked at"
            )
        }
    }
}
