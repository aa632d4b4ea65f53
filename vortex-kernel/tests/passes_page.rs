//! docs/inside/passes.md has the pipeline as it is: its steps with what cleans up after them, a paragraph on each pass,
//! and what the optimiser chooses by.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use vortex_kernel::opt::{Level, NamedPass};

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// The part of the page below a heading.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {title}\n")).unwrap();
    rest.split_once("\n## ").map_or(rest, |(part, _)| part)
}

/// The cells of the rows of a table whose first cell is as asked for.
fn rows(part: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Vec<&str>> {
    let lines = part
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|'));
    let cells = lines.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells.filter(|cells| is_wanted(cells[0])).collect()
}

/// Passes as the page has them.
fn written(passes: &[NamedPass]) -> String {
    let names = passes.iter().map(|(name, _)| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

#[test]
fn its_steps_are_those_of_the_pipeline() {
    let page = read("../docs/inside/passes.md");
    let part = section(&page, "The pipeline");
    let tidy = written(Level::Basic.pipeline()[0].passes);
    assert!(
        part.replace('\n', " ")
            .contains(&format!("TIDY is {tidy}.")),
        "the page does not say that TIDY is {tidy}"
    );
    let short = |passes| match written(passes) {
        all if all == tidy => "TIDY".to_owned(),
        all => all,
    };
    let steps = Level::Full
        .pipeline()
        .iter()
        .zip(1..)
        .map(|(step, n)| [n.to_string(), short(step.passes), short(step.clean_up)]);
    let is_number = |cell: &str| cell.parse::<u32>().is_ok();
    assert_eq!(rows(part, is_number), steps.collect::<Vec<_>>());
}

#[test]
fn each_pass_has_a_paragraph() {
    let page = read("../docs/inside/passes.md");
    let part = section(&page, "The pipeline");
    for step in Level::Full.pipeline() {
        for (name, _) in step.passes {
            assert!(
                part.contains(&format!("**`{name}`**")),
                "no paragraph on `{name}`"
            );
        }
    }
}

#[test]
fn each_choice_is_in_the_table_of_tuning() {
    let source = read("src/opt/tuning.rs");
    let (_, fields) = source.split_once("pub struct Tuning {\n").unwrap();
    let (fields, _) = fields.split_once("\n}\n").unwrap();
    let fields = fields.lines().filter_map(|line| {
        let (name, _) = line.trim().strip_prefix("pub ")?.split_once(':')?;
        Some(name)
    });
    let mut fields: Vec<&str> = fields.collect();
    let page = read("../docs/inside/passes.md");
    let rows = rows(section(&page, "Tuning"), |cell| cell.starts_with('`'));
    let names = rows.iter().flat_map(|cells| cells[0].split(", "));
    let mut names: Vec<&str> = names.map(|name| name.trim_matches('`')).collect();
    fields.sort_unstable();
    names.sort_unstable();
    assert_eq!(names, fields);
}
