//! The page of an explanation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::{Explanation, Language, Note, NoteKind};
use crate::html::{self, STYLE, THEME_BUTTON, Text, capitalised};
use crate::source::SourceFiles;

const OWN_STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Lines of source that are shown around those with code.
const AROUND: u32 = 3;

/// A stage as the script has it: each line with its text and the number of its place.
#[derive(Serialize)]
struct ShownStage<'a> {
    name: &'a str,
    language: &'static str,
    lines: Vec<(&'a str, Option<usize>)>,
}

pub(super) fn of(explanation: &Explanation) -> String {
    let title_of_page = format!("{} - how it is compiled", explanation.kernel);
    let mut page = html::begin(&title_of_page, &[STYLE, OWN_STYLE]);
    _ = writeln!(
        page,
        "<header class=\"top\"><div class=\"brand\">vortex explain</div>{THEME_BUTTON}</header>\n<main>"
    );
    title(&mut page, explanation);
    let places = places(explanation);
    page.push_str("<div class=\"card stages\"><div class=\"columns\">");
    source(&mut page, explanation, &places);
    for (id, label) in [("before", "a stage"), ("after", "another stage")] {
        _ = write!(
            page,
            "<section class=\"column\"><div class=\"choice\"><button type=\"button\" data-step=\"-1\" aria-label=\"the \
             stage before\">‹</button><select id=\"{id}\" aria-label=\"{label}\"></select><button type=\"button\" \
             data-step=\"1\" aria-label=\"the stage after\">›</button></div><div class=\"pane\"><table \
             id=\"{id}-lines\"></table></div></section>"
        );
    }
    page.push_str("</div><noscript><p class=\"note\">Stages are shown by a script.</p></noscript></div>\n</main>\n");
    let stages: Vec<ShownStage<'_>> = explanation
        .stages()
        .iter()
        .map(|stage| ShownStage {
            name: &stage.name,
            language: match stage.language {
                Language::Ir => "IR",
                Language::Clif => "CLIF",
                Language::Assembly => "assembly",
            },
            lines: stage
                .lines
                .iter()
                .map(|line| {
                    let place = line.at.as_ref().map(|at| (at.file.to_string(), at.line));
                    (
                        line.text.as_str(),
                        place.and_then(|place| places.get(&place).copied()),
                    )
                })
                .collect(),
        })
        .collect();
    html::end(&mut page, "stages", &stages, SCRIPT);
    page
}

/// All lines of source that something comes from, numbered.
fn places(explanation: &Explanation) -> BTreeMap<(String, u32), usize> {
    let lines = explanation.stages().iter().flat_map(|stage| &stage.lines);
    let lines = lines.filter_map(|line| line.at.as_ref().map(|at| (at.file.to_string(), at.line)));
    let all: BTreeSet<(String, u32)> = lines.chain(explanation.notes().into_keys()).collect();
    all.into_iter().zip(0..).collect()
}

fn title(page: &mut String, explanation: &Explanation) {
    let checks = explanation.checks();
    let launches = explanation.launches();
    let launches = launches.map(|launches| format!(" {}.", capitalised(&launches)));
    _ = write!(
        page,
        "<section class=\"title\"><h1>{}</h1><dl><div><dt>instructions</dt><dd>{}</dd></div><div><dt>stages</dt>\
         <dd>{}</dd></div><div><dt>bounds checks</dt><dd>{}</dd></div><div><dt>proved</dt><dd>{}</dd></div><div>\
         <dt>before all items</dt><dd>{}</dd></div><div><dt>before loops</dt><dd>{}</dd></div><div><dt>kept</dt>\
         <dd>{}</dd></div></dl></section>\n<p class=\"note\">{}.{}</p>\n",
        Text(&explanation.kernel),
        explanation.instructions(),
        explanation.stages().len(),
        checks.emitted,
        checks.proved,
        checks.before_items,
        checks.before_loops,
        checks.kept.len(),
        Text(&capitalised(&explanation.items_of_lanes())),
        Text(&launches.unwrap_or_default())
    );
}

/// The source with what was decided about each line.
fn source(page: &mut String, explanation: &Explanation, places: &BTreeMap<(String, u32), usize>) {
    let notes = explanation.notes();
    let mut sources = SourceFiles::new(explanation.sources);
    page.push_str("<section class=\"column\"><div class=\"choice\">source</div><div class=\"pane\"><table class=\"source\">");
    let mut last: Option<(String, u32)> = None;
    for ((file, line), index) in places {
        let from = match &last {
            Some((before, number)) if before == file && line - number <= 2 * AROUND => number + 1,
            other => {
                if other.as_ref().is_none_or(|(before, _)| before != file) {
                    _ = write!(
                        page,
                        "<tr class=\"file\"><td colspan=\"2\">{}</td></tr>",
                        Text(file)
                    );
                } else {
                    page.push_str("<tr class=\"gap\"><td colspan=\"2\">⋯</td></tr>");
                }
                line.saturating_sub(AROUND).max(1)
            }
        };
        for number in from..*line {
            if let Some(text) = sources.indented(file, number) {
                row(page, number, text, None);
            }
        }
        let text = sources.indented(file, *line).unwrap_or_default();
        row(page, *line, text, Some(*index));
        for note in notes.get(&(file.clone(), *line)).into_iter().flatten() {
            said(page, note);
        }
        last = Some((file.clone(), *line));
    }
    page.push_str("</table></div></section>");
}

fn row(page: &mut String, number: u32, text: &str, place: Option<usize>) {
    let (class, data) = match place {
        Some(place) => ("line", format!(" data-at=\"{place}\"")),
        None => ("line cold", String::new()),
    };
    _ = write!(
        page,
        "<tr class=\"{class}\"{data}><td class=\"no\">{number}</td><td class=\"text\"><code>{}</code></td></tr>",
        Text(text)
    );
}

fn said(page: &mut String, note: &Note) {
    let mark = match note.kind {
        NoteKind::Uniform => "≡",
        NoteKind::Divergent => "≠",
        NoteKind::Select => "⊕",
        NoteKind::Check => "⚠",
        NoteKind::Loop => "↻",
    };
    _ = write!(
        page,
        "<tr class=\"said {}\"><td>{mark}</td><td><div class=\"words\">{}</div></td></tr>",
        note.kind.name(),
        Text(&note.text)
    );
}
