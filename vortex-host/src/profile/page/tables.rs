//! Tables.

use std::fmt::Write as _;

use super::charts::{class, meaning};
use super::words::{bytes, percent};
use crate::html::Text;
use crate::profile::costs::ratio;
use crate::profile::{Profile, ProfiledLine, Slots};
use vortex_sim::Grouped;

/// A link to a line.
pub(super) fn place(profile: &Profile, index: usize) -> String {
    let Some(at) = profile.lines.get(index) else {
        return String::new();
    };
    match &at.file {
        Some(file) => {
            let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
            format!(
                "<a data-line=\"{index}\" href=\"#\" title=\"{}\">{}:{}</a>",
                Text(at.text.as_deref().unwrap_or_default().trim()),
                Text(name),
                at.line
            )
        }
        None => "<span class=\"dim\">(compiler)</span>".to_owned(),
    }
}

/// The line with most of something.
fn most(profile: &Profile, of: impl Fn(&ProfiledLine) -> u64) -> Option<usize> {
    let lines = profile.lines.iter().map(of).enumerate();
    let (index, most) = lines.max_by_key(|(_, value)| *value)?;
    (most > 0).then_some(index)
}

/// Why slots stayed empty, and where.
pub(super) fn stalls(page: &mut String, profile: &Profile) {
    page.push_str(
        "<section class=\"card\"><h2>Stall causes</h2><p class=\"note\">Empty issue slots: the line that waits most, \
         and the line that is waited for.</p><div class=\"scroll\"><table class=\"list\"><tr><th>cause</th>\
         <th class=\"n\">slots</th><th>waits</th><th>for</th></tr>",
    );
    let pick = |slots: &Slots, cause: &str| {
        let found = slots
            .by_cause()
            .into_iter()
            .find(|(name, _)| *name == cause);
        found.map_or(0, |(_, slots)| slots)
    };
    let mut causes = profile.total.stalls.by_cause();
    causes.sort_by_key(|(_, slots)| std::cmp::Reverse(*slots));
    let shown = |slots: u64| ratio(slots, profile.slots) >= 0.000_5;
    for (cause, slots) in causes.into_iter().filter(|(_, slots)| shown(*slots)) {
        let waits = most(profile, |line| pick(&line.costs.stalls, cause));
        let awaited = most(profile, |line| pick(&line.costs.awaited, cause));
        let link = |line: Option<usize>| line.map_or(String::new(), |line| place(profile, line));
        _ = write!(
            page,
            "<tr><td title=\"{}\"><i class=\"key {}\"></i>{cause}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>",
            meaning(cause),
            class(cause),
            percent(ratio(slots, profile.slots)),
            link(waits),
            link(awaited)
        );
    }
    page.push_str("</table></div></section>\n");
}

/// Caches and memory.
pub(super) fn memory(page: &mut String, profile: &Profile) {
    page.push_str(
        "<section class=\"card\"><h2>Caches and memory</h2><div class=\"scroll\"><table class=\"list\"><tr><th></th>\
         <th class=\"n\">reads</th><th class=\"n\">hits</th><th class=\"n\">writes</th><th class=\"n\" title=\"cycles \
         in which a request was held back\">held back</th></tr>",
    );
    for cache in profile
        .caches
        .iter()
        .filter(|cache| cache.reads + cache.writes > 0)
    {
        let hits = match cache.reads {
            0 => String::new(),
            reads => percent(1.0 - ratio(cache.read_misses, reads)),
        };
        _ = write!(
            page,
            "<tr><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{hits}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            Text(&cache.name),
            Grouped(cache.reads),
            Grouped(cache.writes),
            Grouped(cache.held_back)
        );
    }
    let memory = &profile.memory;
    _ = write!(
        page,
        "<tr><th>main memory, lines</th><td class=\"n\">{}</td><td></td><td class=\"n\">{}</td><td></td></tr></table></div>",
        Grouped(memory.lines_read),
        Grouped(memory.lines_written)
    );
    let facts = [
        ("moved", bytes(memory.bytes())),
        ("loaded or stored by lanes", bytes(memory.lane_bytes)),
        ("different lines loaded", bytes(64 * memory.loaded_lines)),
        ("different lines stored", bytes(64 * memory.stored_lines)),
        ("code", bytes(64 * memory.code_lines)),
    ];
    page.push_str("<dl class=\"facts\">");
    for (name, value) in facts {
        _ = write!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    let work = &profile.total.work;
    if work.accesses > 0 {
        let requests = ratio(work.requests, work.accesses);
        _ = write!(
            page,
            "<div><dt>requests per access</dt><dd>{requests:.2}</dd></div>"
        );
    }
    if work.local_accesses > 0 {
        let turns = ratio(work.local_turns, work.local_accesses);
        _ = write!(
            page,
            "<div><dt>turns per local access</dt><dd>{turns:.2}</dd></div>"
        );
    }
    page.push_str("</dl></section>\n");
}

/// Where lanes part.
pub(super) fn divergence(page: &mut String, profile: &Profile) {
    let threads = profile.device.threads;
    let total = &profile.total;
    _ = write!(
        page,
        "<section class=\"card\"><h2>Divergence</h2><p class=\"note\">{:.1} of {threads} lanes are active per \
         instruction.</p>",
        total.active_lanes()
    );
    let off = |line: &ProfiledLine| {
        let work = &line.costs.work;
        (work.executed * u64::from(threads)).saturating_sub(work.lanes)
    };
    let mut lines: Vec<_> = profile.lines.iter().enumerate().collect();
    lines.retain(|(_, line)| line.costs.work.parted > 0 || off(line) > 0 && line.file.is_some());
    lines.sort_by_key(|(_, line)| std::cmp::Reverse(off(line)));
    if lines.is_empty() {
        page.push_str("<p class=\"note\">Lanes never part.</p></section>\n");
        return;
    }
    page.push_str(
        "<div class=\"scroll\"><table class=\"list\"><tr><th>line</th><th>lanes</th><th class=\"n\">active</th>\
         <th class=\"n\" title=\"times that lanes of a warp parted\">parted</th></tr>",
    );
    for (index, line) in lines.into_iter().take(8) {
        let share = line.costs.active_lanes() / f64::from(threads.max(1));
        _ = write!(
            page,
            "<tr><td>{}</td><td><span class=\"bar\"><i style=\"width:{:.1}%\"></i></span></td><td class=\"n\">{:.1}</td><td class=\"n\">{}</td></tr>",
            place(profile, index),
            100.0 * share,
            line.costs.active_lanes(),
            Grouped(line.costs.work.parted)
        );
    }
    page.push_str("</table></div></section>\n");
}
