//! What warps did over time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::charts::{class, meaning};
use crate::profile::{Profile, WarpRecord, WarpTime};
use vortex_sim::Grouped;

/// Height of a warp's row, and of the row that shows how much was issued.
const ROW: usize = 14;
const ISSUE: usize = 26;

/// Cores that are drawn; of more, these are the first.
const MOST_CORES: usize = 16;

pub(super) fn of(page: &mut String, profile: &Profile) {
    let timeline = &profile.timeline;
    let mut cores: BTreeMap<u32, Vec<&WarpRecord>> = BTreeMap::new();
    for warp in &timeline.warps {
        cores.entry(warp.core).or_default().push(warp);
    }
    let columns = timeline
        .warps
        .iter()
        .map(|warp| warp.intervals.len())
        .max()
        .unwrap_or(0);
    if columns == 0 {
        return;
    }
    _ = write!(
        page,
        "<section class=\"card\"><h2>Time line</h2><p class=\"note\">Each row is a warp, each column {} cycles, in the \
         colour of what it did most. Above: issue slots used.</p>",
        Grouped(timeline.interval)
    );
    legend(page, timeline.warps.iter());
    let count = cores.len();
    for (core, warps) in cores.iter().take(MOST_CORES) {
        let height = ISSUE + 4 + warps.len() * ROW;
        _ = write!(
            page,
            "<div class=\"core\"><h3>core {core}</h3><svg class=\"time\" data-core=\"{core}\" viewBox=\"0 0 {columns} {height}\" \
             preserveAspectRatio=\"none\" style=\"height:{height}px\" role=\"img\" aria-label=\"what the warps of core {core} did\">"
        );
        issue(page, profile, warps, columns);
        rows(page, warps);
        page.push_str("</svg></div>");
    }
    if count > MOST_CORES {
        _ = write!(
            page,
            "<p class=\"note\">{} more cores are not drawn.</p>",
            count - MOST_CORES
        );
    }
    page.push_str("</section>\n");
}

fn legend<'a>(page: &mut String, warps: impl Iterator<Item = &'a WarpRecord>) {
    let all = warps.flat_map(|warp| &warp.intervals);
    let sum = all.fold(WarpTime::default(), |sum, time| sum.plus(time));
    page.push_str("<ul class=\"legend row\">");
    for (name, _) in sum.by_state().into_iter().filter(|(_, cycles)| *cycles > 0) {
        _ = write!(
            page,
            "<li title=\"{}\"><i class=\"{}\"></i>{name}</li>",
            meaning(name),
            class(name)
        );
    }
    page.push_str("</ul>");
}

/// The share of issue slots that the core used, as an area.
fn issue(page: &mut String, profile: &Profile, warps: &[&WarpRecord], columns: usize) {
    let slots = profile.timeline.interval as f64 * f64::from(profile.device.slices.max(1));
    let bottom = ISSUE as f64;
    _ = write!(
        page,
        "<rect class=\"well\" x=\"0\" y=\"0\" width=\"{columns}\" height=\"{ISSUE}\"/><path class=\"area\" d=\"M0 {bottom}"
    );
    for column in 0..columns {
        let used = warps.iter().filter_map(|warp| warp.intervals.get(column));
        let used: u64 = used.map(|time| time.issued).sum();
        let top = bottom * (1.0 - (used as f64 / slots).min(1.0));
        _ = write!(page, "V{top:.1}h1");
    }
    _ = write!(page, "V{bottom}Z\"/>");
}

/// A path for each state, of all rows.
fn rows(page: &mut String, warps: &[&WarpRecord]) {
    let mut paths: BTreeMap<&'static str, String> = BTreeMap::new();
    for (row, warp) in warps.iter().enumerate() {
        let y = ISSUE + 4 + row * ROW + ROW / 2;
        let states: Vec<Option<&'static str>> = warp.intervals.iter().map(most).collect();
        let mut start = 0;
        for run in states.chunk_by(|a, b| a == b) {
            if let Some(Some(name)) = run.first() {
                _ = write!(paths.entry(name).or_default(), "M{start} {y}h{}", run.len());
            }
            start += run.len();
        }
    }
    for (name, path) in paths {
        _ = write!(page, "<path class=\"{}\" d=\"{path}\"/>", class(name));
    }
}

/// What a warp did most in an interval, if it was there.
fn most(time: &WarpTime) -> Option<&'static str> {
    let states = time.by_state().into_iter();
    let (name, cycles) = states.max_by_key(|(_, cycles)| *cycles)?;
    (cycles > 0).then_some(name)
}
