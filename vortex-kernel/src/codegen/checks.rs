//! Reports what became of a kernel's bounds checks, and refuses those that `deny(checks)` does not allow.

use super::{CompileError, FaultSite};
use crate::ir::check_note::Fate;
use crate::ir::{Function, IndexChecks, SourceLoc};
use crate::opt::{self, Level};
use std::fmt::Write as _;

/// Writes down what became of each check, after all passes.
pub(super) fn write_down(
    function: &mut Function,
    sites: &[FaultSite],
    level: Level,
) -> Result<(), CompileError> {
    let fates = opt::fates(function, sites.len(), level);
    let mut counts = [0; 3];
    let mut kept = Vec::new();
    let of_bounds = sites
        .iter()
        .zip(fates)
        .filter(|(site, _)| site.kind.is_of_bounds());
    for (site, fate) in of_bounds {
        match fate {
            Fate::Proved => counts[0] += 1,
            Fate::BeforeItems => counts[1] += 1,
            Fate::BeforeLoop => counts[2] += 1,
            Fate::Kept(why) => {
                kept.push((site.loc.clone(), why.text(&function.locs, &site.loc)));
            }
        }
    }
    kept.sort_by(|(a, _), (b, _)| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    let [proved, before_items, before_loops] = counts;
    let facts = &mut function.facts;
    facts.bounds_checks = Some(counts.iter().sum::<u32>() + kept.len() as u32);
    facts.bounds_checks_proved = Some(proved);
    facts.bounds_checks_before_items = Some(before_items);
    facts.bounds_checks_before_loops = Some(before_loops);
    let texts = kept.iter().map(|(loc, why)| (loc.to_string(), why.clone()));
    facts.bounds_checks_kept = Some(texts.collect());
    match function.indices == IndexChecks::Denied && !kept.is_empty() {
        true => Err(CompileError::ChecksLeft { kept }),
        false => Ok(()),
    }
}

/// The message about checks that are left.
pub(super) fn left(kept: &[(SourceLoc, String)]) -> String {
    let mut text = match kept.len() {
        1 => "a bounds check is left in a kernel with `deny(checks)`:".to_owned(),
        count => format!("{count} bounds checks are left in a kernel with `deny(checks)`:"),
    };
    for (loc, why) in kept {
        _ = write!(text, "\n  {loc}: {why}");
    }
    text.push_str(
        "\nhelp: test the index before, as in `if i < x.len() { x[i] }`, or have it be a sum of multiples of ids \
         and of variables of `for` over ranges",
    );
    text
}
