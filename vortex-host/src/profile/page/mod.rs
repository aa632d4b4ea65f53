//! The page: HTML with its style, its pictures and its script inside, which opens without a network.
//!
//! All of it works without the script, except hover details, the choice of a launch, and which instructions belong to a
//! line.

mod charts;
mod code;
mod roofline;
mod tables;
mod timeline;
mod words;

use std::fmt::Write as _;

use super::Profile;
use crate::html::{self, SIGN, STYLE, THEME_BUTTON, Text, capitalised};
use vortex_sim::Grouped;
use words::percent;

const SCRIPT: &str = include_str!("script.js");

/// A page of some launches. `left_out`: launches that are not on it.
pub(super) fn of(launches: &[Profile], left_out: usize) -> String {
    let name = match launches {
        [one] => one.kernel.as_str(),
        _ => "launches",
    };
    let mut page = html::begin(&format!("{name} - vortex profile"), &[STYLE]);
    header(&mut page, launches, left_out);
    for (number, launch) in launches.iter().enumerate() {
        section(&mut page, launch, number);
    }
    page.push_str("<div id=\"tip\" role=\"tooltip\" hidden></div>\n");
    html::end(&mut page, "profiles", &launches, SCRIPT);
    page
}

fn header(page: &mut String, launches: &[Profile], left_out: usize) {
    _ = write!(
        page,
        "<header class=\"top\"><div class=\"brand\">{SIGN}vortex profile</div>"
    );
    if launches.len() > 1 {
        page.push_str("<nav class=\"launches\" aria-label=\"launches\">");
        for (number, launch) in launches.iter().enumerate() {
            _ = write!(
                page,
                "<a href=\"#launch-{number}\"><b>{}</b> {} cycles</a>",
                Text(&launch.kernel),
                Grouped(launch.cycles)
            );
        }
        if left_out > 0 {
            _ = write!(page, "<span>{left_out} shorter ones are left out</span>");
        }
        page.push_str("</nav>");
    }
    _ = writeln!(page, "{THEME_BUTTON}</header>");
}

fn section(page: &mut String, profile: &Profile, number: usize) {
    _ = writeln!(
        page,
        "<main class=\"launch\" id=\"launch-{number}\" data-launch=\"{number}\">"
    );
    title(page, profile);
    limiter(page, profile);
    page.push_str("<div class=\"grid\">\n");
    charts::speed(page, profile);
    roofline::of(page, profile);
    charts::slots(page, profile);
    page.push_str("</div>\n");
    code::of(page, profile, number);
    timeline::of(page, profile);
    page.push_str("<div class=\"grid four\">\n");
    tables::stalls(page, profile);
    tables::memory(page, profile);
    tables::divergence(page, profile);
    charts::mix(page, profile);
    page.push_str("</div>\n</main>\n");
}

fn title(page: &mut String, profile: &Profile) {
    let device = &profile.device;
    let launch = &profile.launch;
    _ = write!(
        page,
        "<section class=\"title\"><h1>{}</h1><dl>",
        Text(&profile.kernel)
    );
    let instructions = profile.total.work.executed;
    let facts = [
        ("cycles", Grouped(profile.cycles).to_string()),
        ("instructions", Grouped(instructions).to_string()),
        (
            "per cycle",
            format!("{:.2}", instructions as f64 / profile.cycles.max(1) as f64),
        ),
        ("work items", Grouped(launch.items.into()).to_string()),
        (
            "of each lane at once",
            match launch.coarse {
                Some(([columns, rows, _], items)) => {
                    let what = if launch.groups.is_some() {
                        "groups"
                    } else {
                        "items"
                    };
                    let of = match items < launch.items {
                        true => format!(", of {} items", Grouped(items.into())),
                        false => String::new(),
                    };
                    format!("{columns} × {rows} {what}{of}")
                }
                None => String::new(),
            },
        ),
        (
            "groups",
            match (launch.groups, launch.block) {
                (Some(groups), Some([x, y, z])) => {
                    let block = [x, y, z].map(|n| n.to_string());
                    let dimensions = 3 - [z, y].iter().take_while(|n| **n == 1).count();
                    format!(
                        "{} of {}",
                        Grouped(groups.into()),
                        block[..dimensions].join(" × ")
                    )
                }
                _ => String::new(),
            },
        ),
        (
            "device",
            format!(
                "Vortex {}, {} × {} × {}",
                device.generation, device.cores, device.warps, device.threads
            ),
        ),
    ];
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        _ = write!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    page.push_str("</dl></section>\n");
}

/// What the kernel is held up by, and what else.
fn limiter(page: &mut String, profile: &Profile) {
    let Some((first, others)) = profile.findings.split_first() else {
        page.push_str(
            "<section class=\"limiter\"><p class=\"sentence\">Nothing holds it up.</p></section>\n",
        );
        return;
    };
    let place = |line: Option<usize>| {
        let index = line?;
        let at = profile.lines.get(index)?;
        let file = at.file.as_deref()?;
        let code = at.text.as_deref().unwrap_or_default().trim();
        Some(format!(
            "<a class=\"place\" data-line=\"{index}\" href=\"#\"><span>{}:{}</span><code>{}</code></a>",
            Text(file),
            at.line,
            Text(code)
        ))
    };
    _ = write!(
        page,
        "<section class=\"limiter\"><div class=\"first\"><h2>What limits it</h2><p class=\"sentence\">{}</p>",
        Text(&format!("{}.", capitalised(&first.sentence)))
    );
    page.push_str(&place(first.line).unwrap_or_default());
    _ = write!(
        page,
        "<p class=\"advice\">{}</p></div>",
        Text(&first.advice)
    );
    if !others.is_empty() {
        page.push_str("<div class=\"others\"><h2>What else costs time</h2><ol>");
        for finding in others.iter().take(5) {
            _ = write!(
                page,
                "<li><span class=\"share\"><i style=\"width:{}\"></i><b>{}</b></span><div>{}{}</div></li>",
                percent(finding.share / first.share.max(finding.share).max(f64::MIN_POSITIVE)),
                percent(finding.share),
                Text(&format!("{}.", capitalised(&finding.sentence))),
                place(finding.line).unwrap_or_default()
            );
        }
        page.push_str("</ol></div>");
    }
    page.push_str("</section>\n");
}
