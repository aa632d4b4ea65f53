//! The source with what each line costs, and its instructions.

use std::fmt::Write as _;

use super::charts::{parts, stack};
use super::words::{percent, short};
use crate::html::Text;
use crate::profile::costs::ratio;
use crate::profile::{Costs, Profile};

pub(super) fn of(page: &mut String, profile: &Profile, number: usize) {
    page.push_str(
        "<section class=\"card code\"><h2>Source and instructions</h2><p class=\"note\">A bar is the issue slots of a \
         line, used and empty, by cause. Choose a line to see its instructions.</p><div class=\"panes\">",
    );
    lines(page, profile, number);
    instructions(page, profile, number);
    page.push_str("</div></section>\n");
}

/// Cells that lines and instructions have in common.
fn cells(page: &mut String, profile: &Profile, costs: &Costs, most: u64) {
    let slots = costs.slots();
    let work = &costs.work;
    if slots == 0 {
        page.push_str("<td class=\"n\"></td><td></td><td class=\"n w\"></td><td class=\"n w\"></td><td class=\"n w\"></td><td class=\"n w\"></td>");
        return;
    }
    let share = ratio(slots, profile.slots);
    let share = if share < 0.000_5 {
        String::new()
    } else {
        percent(share)
    };
    _ = write!(page, "<td class=\"n\">{share}</td><td>");
    stack(
        page,
        parts(costs).map(|(name, part)| (name, ratio(part, most))),
    );
    let lanes = match work.executed {
        0 => String::new(),
        _ => format!("{:.1}", costs.active_lanes()),
    };
    let full = costs.active_lanes() >= f64::from(profile.device.threads) - 0.05;
    let requests = match (costs.requests_per_access(), work.local_accesses) {
        (Some(requests), _) => format!("{requests:.2}"),
        (None, 0) => String::new(),
        (None, _) => format!("{:.2}", ratio(work.local_turns, work.local_accesses)),
    };
    let hits = costs.hit_rate().map_or(String::new(), percent);
    _ = write!(
        page,
        "</td><td class=\"n w\">{}</td><td class=\"n w{}\">{lanes}</td><td class=\"n w\">{requests}</td><td class=\"n w\">{hits}</td>",
        short(work.executed),
        if full { " dim" } else { "" }
    );
}

const HEADS: &str = "<th class=\"n\">slots</th><th class=\"barhead\"></th>\
                     <th class=\"n w\" title=\"instructions of warps\">instr.</th>\
                     <th class=\"n w\" title=\"active lanes per instruction\">lanes</th>\
                     <th class=\"n w\" title=\"requests to the data cache, or turns of local memory, per access\">req.</th>\
                     <th class=\"n w\" title=\"loads that found their line in the data cache\">hits</th>";

fn lines(page: &mut String, profile: &Profile, number: usize) {
    let most = profile
        .lines
        .iter()
        .map(|line| line.costs.slots())
        .max()
        .unwrap_or(1);
    _ = write!(
        page,
        "<div class=\"pane\"><table class=\"lines\"><thead><tr>{HEADS}<th>source</th></tr></thead>"
    );
    let mut file = None;
    let mut before = 0;
    for (index, line) in profile.lines.iter().enumerate() {
        if line.file.is_some() && line.file != file {
            file.clone_from(&line.file);
            before = 0;
            _ = write!(
                page,
                "<tr class=\"file\"><td colspan=\"7\">{}</td></tr>",
                Text(line.file.as_deref().unwrap_or_default())
            );
        }
        if before != 0 && line.line > before + 1 {
            page.push_str("<tr class=\"gap\"><td colspan=\"7\">⋯</td></tr>");
        }
        before = line.line;
        let cold = if line.costs.slots() == 0 { " cold" } else { "" };
        _ = write!(
            page,
            "<tr class=\"line{cold}\" id=\"l{number}-{index}\" data-line=\"{index}\">"
        );
        cells(page, profile, &line.costs, most);
        match &line.file {
            Some(_) => {
                _ = write!(
                    page,
                    "<td class=\"text\"><span class=\"no\">{}</span><code>{}</code></td></tr>",
                    line.line,
                    Text(line.text.as_deref().unwrap_or_default())
                )
            }
            None => page.push_str("<td class=\"text dim\">(added by the compiler)</td></tr>"),
        }
    }
    page.push_str("</table></div>");
}

fn instructions(page: &mut String, profile: &Profile, number: usize) {
    let most = profile
        .instructions
        .iter()
        .map(|at| at.costs.slots())
        .max()
        .unwrap_or(1);
    _ = write!(
        page,
        "<div class=\"pane\"><table class=\"instructions\"><thead><tr>{HEADS}<th>instruction</th><th class=\"n\">line</th></tr></thead>"
    );
    for at in &profile.instructions {
        let place = profile
            .lines
            .get(at.line)
            .and_then(|line| line.file.as_ref().map(|_| line.line));
        let stride = match at.stride {
            Some(bytes) => format!("neighbouring lanes are {bytes} bytes apart"),
            None => String::new(),
        };
        _ = write!(
            page,
            "<tr data-of=\"{}\" id=\"i{number}-{}\" title=\"{stride}\">",
            at.line, at.offset
        );
        cells(page, profile, &at.costs, most);
        _ = write!(
            page,
            "<td class=\"text\"><span class=\"no\">{:x}</span><code>{}</code></td><td class=\"n of\">{}</td></tr>",
            at.offset,
            Text(&at.text),
            place.map_or(String::new(), |line| line.to_string())
        );
    }
    page.push_str("</table></div>");
}
