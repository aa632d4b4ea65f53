//! What is where on the page.

use std::fmt::Write as _;

use vortex::html::{self, SIGN, STYLE, THEME_BUTTON, Text};
use vortex::sim::{Grouped, Scaled};

use super::analysis::{self, Case, Overall, Sensitivity, Shot};
use super::plot;
use crate::sweep::points::Point;
use crate::sweep::spec::Area;
use crate::sweep::table::{Row, settings};

const OWN_STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Rows of a table of points, at most.
const MOST: usize = 2_000;

/// The settings of a sweep: those that vary, and those that do not.
struct Settings {
    varied: Vec<&'static str>,
    fixed: Vec<(&'static str, String)>,
}

impl Settings {
    fn of(points: &[Point]) -> Self {
        let mut all = Self {
            varied: Vec::new(),
            fixed: Vec::new(),
        };
        for name in settings(points) {
            let mut values = points.iter().map(|point| point.hardware.value(name));
            let first = values.next().unwrap_or_default();
            match values.all(|value| value == first) {
                true => all.fixed.push((name, first)),
                false => all.varied.push(name),
            }
        }
        all
    }

    /// The device of a row, by what varies.
    fn device(&self, row: &Row<'_>) -> String {
        let hardware = &row.point.hardware;
        let texts: Vec<_> = self
            .varied
            .iter()
            .map(|name| match *name {
                "shape" => hardware.value("shape"),
                "generation" => format!("Vortex {}", hardware.value(name)),
                "cores" | "warps" | "threads" => format!("{} {name}", hardware.value(name)),
                name => match hardware.value(name).as_str() {
                    "true" => name.to_owned(),
                    "false" => format!("no {name}"),
                    value => format!("{name} {}", size(value)),
                },
            })
            .collect();
        match texts.is_empty() {
            true => hardware.value("shape"),
            false => texts.join(", "),
        }
    }
}

/// Numbers in the units that a sweep may give them in.
fn size(value: &str) -> String {
    (value.parse()).map_or_else(|_| value.to_owned(), |number| Scaled(number).to_string())
}

/// The page of some rows of a sweep.
pub(super) fn of(name: &str, points: &[Point], rows: &[Row<'_>], area: &Area) -> String {
    let settings = Settings::of(points);
    let cases = analysis::cases(rows);
    let mut page = html::begin(&format!("{name} - vortex sweep"), &[STYLE, OWN_STYLE]);
    header(&mut page, &cases);
    page.push_str("<main>\n");
    title(&mut page, name, points, rows, &settings);
    best(&mut page, &cases, &settings);
    if cases.len() > 1 {
        together(&mut page, &cases, &settings);
    }
    sensitivity(
        &mut page,
        &analysis::sensitivities(&cases, &settings.varied),
    );
    for (number, case) in cases.iter().enumerate() {
        section(&mut page, number, case, &settings);
    }
    failures(&mut page, rows, &settings);
    formula(&mut page, area);
    page.push_str("</main>\n");
    html::end(&mut page, "sweep", &(), SCRIPT);
    page
}

fn header(page: &mut String, cases: &[Case<'_>]) {
    _ = write!(
        page,
        "<header class=\"top\"><div class=\"brand\">{SIGN}vortex sweep</div><nav class=\"cases\">"
    );
    for (number, case) in cases.iter().enumerate() {
        _ = write!(
            page,
            "<a href=\"#case-{number}\" title=\"{}\">{}</a>",
            Text(&case.launch),
            Text(&case.name)
        );
    }
    _ = writeln!(page, "</nav>{THEME_BUTTON}</header>");
}

fn title(page: &mut String, name: &str, points: &[Point], rows: &[Row<'_>], settings: &Settings) {
    let failed = rows.iter().filter(|row| row.result.is_err()).count();
    let mut numbers: Vec<_> = rows.iter().map(|row| row.number).collect();
    numbers.dedup();
    let mut facts = vec![("points", points.len().to_string())];
    if numbers.len() < points.len() {
        facts.push(("not done yet", (points.len() - numbers.len()).to_string()));
    }
    if failed > 0 {
        facts.push(("failed", failed.to_string()));
    }
    facts.extend(
        settings
            .fixed
            .iter()
            .map(|(name, value)| (*name, size(value))),
    );
    _ = write!(page, "<section class=\"title\"><h1>{}</h1><dl>", Text(name));
    for (name, value) in facts {
        _ = write!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(&value));
    }
    page.push_str("</dl></section>\n");
}

/// Of each kernel, the best device, and the best for its size.
fn best(page: &mut String, cases: &[Case<'_>], settings: &Settings) {
    page.push_str(
        "<section class=\"card scroll\"><h2>Best device of each kernel</h2><table class=\"list\"><tr><th>kernel</th>\
         <th>fewest cycles</th><th class=\"n\">cycles</th><th class=\"n\">area</th><th>least of cycles times area</th>\
         <th class=\"n\">cycles</th><th class=\"n\">area</th></tr>",
    );
    for (number, case) in cases.iter().enumerate() {
        let (Some(best), Some(efficient)) = (case.best(), case.most_efficient()) else {
            continue;
        };
        _ = write!(
            page,
            "<tr><th><a href=\"#case-{number}\">{}</a> <span class=\"dim\">{}</span></th>",
            Text(&case.name),
            Text(&case.launch)
        );
        for shot in [best, efficient] {
            _ = write!(
                page,
                "<td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>",
                Text(&settings.device(shot.row)),
                Grouped(shot.measured.cycles),
                shot.row.area
            );
        }
        page.push_str("</tr>");
    }
    page.push_str("</table></section>\n");
}

/// All kernels together.
fn together(page: &mut String, cases: &[Case<'_>], settings: &Settings) {
    let all = analysis::overall(cases);
    if all.len() < 2 {
        return;
    }
    let points: Vec<_> = all
        .iter()
        .map(|one| (one.shot.row.area, one.slowdown))
        .collect();
    let title = |one: &Overall<'_>| {
        format!(
            "{}: {:.2} times the best, area {}",
            settings.device(one.shot.row),
            one.slowdown,
            one.shot.row.area
        )
    };
    let titles: Vec<_> = all.iter().map(title).collect();
    page.push_str(
        "<section class=\"card\"><h2>All kernels together</h2><p class=\"note\">Cycles over those of each kernel's best \
         device, geometric mean over kernels, of devices that ran all of them. No device is both smaller and faster \
         than one on the line.</p><div class=\"grid\"><div>",
    );
    plot::pareto(page, &points, &titles, "times the best");
    page.push_str(
        "</div><div class=\"scroll\"><table class=\"list\"><tr><th>device</th><th class=\"n\">area</th>\
         <th class=\"n\">times the best</th></tr>",
    );
    for place in analysis::front(&points) {
        let one = &all[place];
        _ = write!(
            page,
            "<tr><th>{}</th><td class=\"n\">{}</td><td class=\"n\">{:.2}</td></tr>",
            Text(&settings.device(one.shot.row)),
            one.shot.row.area,
            one.slowdown
        );
    }
    page.push_str("</table></div></div></section>\n");
}

/// What settings do.
fn sensitivity(page: &mut String, all: &[Sensitivity]) {
    if all.is_empty() {
        return;
    }
    page.push_str(
        "<section class=\"card scroll\"><h2>What each setting does</h2><p class=\"note\">Cycles with a value over those \
         with the setting's first one, all else the same: geometric mean, least and most over pairs of points. \
         Left of the middle is faster.</p><table class=\"list\"><tr><th>setting</th><th>from</th><th>to</th><th></th>\
         <th class=\"n\">mean</th><th class=\"n\">least</th><th class=\"n\">most</th><th class=\"n\">pairs</th></tr>",
    );
    for one in all {
        for (number, effect) in one.effects.iter().enumerate() {
            let (name, first) = match number {
                0 => (one.setting, size(&one.first)),
                _ => ("", String::new()),
            };
            // Half of the width is a factor of eight.
            let share = (effect.mean.ln() / 8f64.ln()).clamp(-1.0, 1.0) * 50.0;
            let (class, left) = match share > 0.0 {
                true => (" class=\"slower\"", 50.0),
                false => ("", 50.0 + share),
            };
            _ = write!(
                page,
                "<tr><th>{name}</th><td>{}</td><td>{}</td><td><span class=\"effect\">\
                 <i{class} style=\"left:{left:.1}%;width:{:.1}%\"></i><b></b></span></td><td class=\"n\">{:.3}</td>\
                 <td class=\"n\">{:.3}</td><td class=\"n\">{:.3}</td><td class=\"n\">{}</td></tr>",
                Text(&first),
                Text(&size(&effect.value)),
                share.abs(),
                effect.mean,
                effect.least,
                effect.most,
                effect.pairs
            );
        }
    }
    page.push_str("</table></section>\n");
}

/// A kernel on all devices.
fn section(page: &mut String, number: usize, case: &Case<'_>, settings: &Settings) {
    _ = write!(
        page,
        "<section class=\"case\" id=\"case-{number}\"><section class=\"title\"><h1>{}</h1><dl><div><dt>{}</dt><dd></dd>\
         </div></dl></section><div class=\"grid\"><section class=\"card\"><h2>Cycles and area</h2><p class=\"note\">No \
         device is both smaller and faster than one on the line.</p>",
        Text(&case.name),
        Text(&case.launch)
    );
    let label = |shot: &Shot<'_>| settings.device(shot.row);
    let points: Vec<_> = case
        .shots
        .iter()
        .map(|shot| (shot.row.area, shot.cycles()))
        .collect();
    let title = |shot: &Shot<'_>| {
        format!(
            "{}: {} cycles, area {}",
            label(shot),
            Grouped(shot.measured.cycles),
            shot.row.area
        )
    };
    let titles: Vec<_> = case.shots.iter().map(title).collect();
    plot::pareto(page, &points, &titles, "cycles");
    page.push_str(
        "</section><section class=\"card\"><h2>Roofline</h2><p class=\"note\">Instructions of lanes, of what each \
         device can do at best, over work per byte: left of 1 main memory is the roof, right of it the lanes.</p>",
    );
    plot::roofline(page, case, label);
    page.push_str("</section></div>\n");
    table(page, case, settings);
    page.push_str("</section>\n");
}

/// All points of a kernel, those that nothing beats first.
fn table(page: &mut String, case: &Case<'_>, settings: &Settings) {
    let front = case.front();
    let is_in_front = |shot: &Shot<'_>| front.iter().any(|other| std::ptr::eq(other.row, shot.row));
    let best = case.best().map_or(1.0, |best| best.cycles().max(1.0));
    let mut shots = case.shots.clone();
    shots.sort_by(|a, b| {
        is_in_front(b)
            .cmp(&is_in_front(a))
            .then(a.measured.cycles.cmp(&b.measured.cycles))
    });
    page.push_str(
        "<section class=\"card\"><h2>Points</h2><p class=\"note\">Those that nothing beats first; a click on a column \
         sorts by it.",
    );
    if shots.len() > MOST {
        _ = write!(
            page,
            " {} slower ones are in results.csv alone.",
            shots.len() - MOST
        );
        shots.truncate(MOST);
    }
    page.push_str("</p><div class=\"points\"><table><thead><tr><th></th>");
    for name in &settings.varied {
        _ = write!(page, "<th class=\"n\">{name}</th>");
    }
    page.push_str(
        "<th class=\"n\">area</th><th class=\"n\">cycles</th><th class=\"n\">of the best</th>\
         <th class=\"n\">instructions</th><th class=\"n\">bytes</th><th>held up by</th></tr></thead><tbody>",
    );
    for shot in shots {
        let mark = match is_in_front(&shot) {
            true => "front",
            false => "",
        };
        _ = write!(page, "<tr><td>{mark}</td>");
        for name in &settings.varied {
            let value = shot.row.point.hardware.value(name);
            _ = write!(
                page,
                "<td class=\"n\" data-n=\"{}\">{}</td>",
                Text(&value),
                Text(&size(&value))
            );
        }
        let one = shot.measured;
        _ = write!(
            page,
            "<td class=\"n\">{}</td><td class=\"n\" data-n=\"{}\">{}</td><td class=\"n\">{:.2}</td>\
             <td class=\"n\" data-n=\"{}\">{}</td><td class=\"n\" data-n=\"{}\">{}</td><td class=\"says\">{}</td></tr>",
            shot.row.area,
            one.cycles,
            Grouped(one.cycles),
            shot.cycles() / best,
            one.instructions,
            Grouped(one.instructions),
            one.bytes,
            Grouped(one.bytes),
            Text(one.sentence.as_deref().unwrap_or_default())
        );
    }
    page.push_str("</tbody></table></div></section>\n");
}

fn failures(page: &mut String, rows: &[Row<'_>], settings: &Settings) {
    let failed: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row, row.result.err()?)))
        .collect();
    if failed.is_empty() {
        return;
    }
    page.push_str(
        "<section class=\"card scroll\" id=\"failures\"><h2>Points that failed</h2><table class=\"list\">\
         <tr><th>kernel</th><th>device</th><th>why</th></tr>",
    );
    for (row, error) in failed.iter().take(MOST) {
        _ = write!(
            page,
            "<tr><th>{} <span class=\"dim\">{}</span></th><td>{}</td><td>{}</td></tr>",
            Text(&row.name()),
            Text(&row.launch()),
            Text(&settings.device(row)),
            Text(error)
        );
    }
    page.push_str("</table></section>\n");
}

/// What area is.
fn formula(page: &mut String, area: &Area) {
    _ = writeln!(
        page,
        "<section class=\"card\"><h2>Area</h2><p class=\"note\">A proxy to compare devices by, and no claim about \
         chips: {} times the KiB of registers (64 of 32 bits for each thread), {} times the KiB of local memory, \
         {} times the KiB of caches, {} for each lane of each issue slice, and {} for each core. The sweep's \
         <code>[area]</code> sets the factors.</p></section>",
        area.registers, area.local_memory, area.caches, area.lane, area.core
    );
}
