//! Bars.

use std::fmt::Write as _;

use super::words::percent;
use crate::html::Text;
use crate::profile::{Costs, Profile};
use vortex_sim::Grouped;

/// A bar of parts, each with its class and its share of the whole bar.
pub(super) fn stack(page: &mut String, parts: impl Iterator<Item = (&'static str, f64)>) {
    page.push_str("<span class=\"stack\">");
    for (name, share) in parts.filter(|(_, share)| *share > 0.000_5) {
        let class = class(name);
        _ = write!(
            page,
            "<i class=\"{class}\" style=\"width:{:.2}%\"></i>",
            100.0 * share
        );
    }
    page.push_str("</span>");
}

/// The class that gives a cause its colour.
pub(super) fn class(name: &str) -> String {
    format!("c-{}", name.replace([' ', ','], "-"))
}

/// What the slots of some instructions were used for, in the order of the legend.
pub(super) fn parts(costs: &Costs) -> impl Iterator<Item = (&'static str, u64)> + use<> {
    let stalls = costs.stalls.by_cause();
    std::iter::once(("issued", costs.work.executed)).chain(stalls)
}

/// What each cause means.
pub(super) fn meaning(name: &str) -> &'static str {
    match name {
        "issued" => "an instruction is issued",
        "not chosen" => "ready, and another warp is issued",
        "busy" => "ready, and the stage behind is full",
        "alu" => "waits for an integer result",
        "fpu" => "waits for a float result",
        "memory" => "waits for a load",
        "sfu" => "waits for a CSR or a change of lanes",
        "barrier" => "waits at a barrier",
        "control" => "waits for a branch to take effect",
        "fetch" => "its instruction is being fetched",
        _ => "no warp is there",
    }
}

/// How much of what the device can do.
pub(super) fn speed(page: &mut String, profile: &Profile) {
    page.push_str("<section class=\"card\"><h2>Speed of light</h2><p class=\"note\">Of what each part can do at best.</p><table class=\"bars\">");
    for gauge in &profile.speed {
        _ = write!(
            page,
            "<tr title=\"{}\"><th>{}</th><td><span class=\"bar\"><i style=\"width:{:.1}%\"></i></span></td><td class=\"n\">{}</td></tr>",
            Text(&gauge.detail),
            Text(&gauge.name),
            100.0 * gauge.share,
            percent(gauge.share)
        );
    }
    page.push_str("</table></section>\n");
}

/// What became of issue slots.
pub(super) fn slots(page: &mut String, profile: &Profile) {
    let whole = profile.slots.max(1) as f64;
    _ = write!(
        page,
        "<section class=\"card\"><h2>Issue slots</h2><p class=\"note\">{} slots: {} per core and cycle.</p>",
        Grouped(profile.slots),
        profile.device.slices
    );
    let shares = || parts(&profile.total).map(|(name, slots)| (name, slots as f64 / whole));
    page.push_str("<div class=\"slots\">");
    stack(page, shares());
    page.push_str("</div><ul class=\"legend\">");
    let mut listed: Vec<_> = shares().filter(|(_, share)| *share >= 0.000_5).collect();
    listed.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (name, share) in listed {
        _ = write!(
            page,
            "<li><i class=\"{}\"></i><b>{name}</b> {}<span>{}</span></li>",
            class(name),
            percent(share),
            meaning(name)
        );
    }
    page.push_str("</ul></section>\n");
}

/// What kinds of instructions were executed.
pub(super) fn mix(page: &mut String, profile: &Profile) {
    let whole = profile.total.work.executed.max(1) as f64;
    let mut parts: Vec<_> = profile
        .mix
        .iter()
        .filter(|part| part.executed > 0)
        .collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.executed));
    page.push_str(
        "<section class=\"card\"><h2>Instruction mix</h2><p class=\"note\">Executed, and slots in which something \
         waited for one.</p><table class=\"bars\">",
    );
    let most = parts
        .first()
        .map_or(1.0, |part| part.executed as f64 / whole);
    for part in parts {
        let share = part.executed as f64 / whole;
        _ = write!(
            page,
            "<tr title=\"{} executed\"><th>{}</th><td><span class=\"bar\"><i style=\"width:{:.1}%\"></i></span></td>\
             <td class=\"n\">{}</td><td class=\"n dim\">{}</td></tr>",
            Grouped(part.executed),
            part.class.name(),
            100.0 * share / most,
            percent(share),
            match part.awaited {
                0 => String::new(),
                slots => format!(
                    "{} waited",
                    percent(slots as f64 / profile.slots.max(1) as f64)
                ),
            }
        );
    }
    page.push_str("</table></section>\n");
}
