//! How kernels are compiled, as it is told to people.
#![allow(clippy::unwrap_used)]

mod browser;

use std::path::Path;

use vortex::explain::{BranchFate, BranchKind, CoarseFate, Language, LoopFate};
use vortex::prelude::*;
use vortex::{Explanation, Generation};

fn device() -> Device {
    let builder = Device::builder().cores(1).warps(4).threads(4);
    builder.generation(Generation::V2).open().unwrap()
}

/// What is said of the line that ends so.
fn said_of(explanation: &Explanation, end: &str) -> Vec<String> {
    let text = explanation.to_string();
    let mut lines = text.lines().skip_while(|line| !line.ends_with(end));
    assert!(lines.next().is_some(), "{end} in {text}");
    let said = lines.take_while(|line| line.starts_with("      |   "));
    said.map(|line| line[10..].to_owned()).collect()
}

#[vortex::kernel]
fn branches(n: u32, marks: &[u32], x: &mut [u32]) {
    let i = global_id();
    let part = i as u32 % 7;
    let wanted = part + 1;
    if n & 1 == 1 {
        x[i] = 1;
    }
    if wanted > n {
        x[i] = marks[0];
    }
    if x[i] > 3 {
        x[i] = n;
        x[i / 2] = n;
    }
}

#[test]
fn branches_are_uniform_or_divergent_for_a_reason() {
    let (device, marks) = (device(), [1; 4]);
    let marks = device.upload(&marks).unwrap();
    let mut x = device.alloc(64).unwrap();
    let explanation = branches(9, &marks, &mut x)
        .over(64)
        .explain(&device)
        .unwrap();
    assert_eq!(explanation.kernel(), "branches");

    assert_eq!(
        said_of(&explanation, "if n & 1 == 1 {"),
        [
            "uniform: the condition is the same for all lanes of a warp: it depends on the argument `n`"
        ]
    );
    let said = said_of(&explanation, "if wanted > n {");
    let way = line_of(&explanation, "let part = i as u32 % 7;");
    assert_eq!(
        said,
        [format!(
            "divergent: the condition can differ between lanes: it depends on the number of the work item, through \
             line {} and line {way}",
            way + 1
        )]
    );
    let said = said_of(&explanation, "if x[i] > 3 {").join("\n");
    assert!(
        said.contains("a value that is loaded, and that others may write"),
        "{said}"
    );
    let branches = explanation.branches().iter();
    let uniform = branches.filter(|branch| branch.fate == BranchFate::Uniform);
    assert!(uniform.clone().all(|branch| branch.through.is_empty()));
    assert!(uniform.clone().any(|branch| branch.kind == BranchKind::If));
}

/// The number of the line of this file that ends so.
fn line_of(explanation: &Explanation, end: &str) -> usize {
    assert!(
        explanation
            .branches()
            .iter()
            .any(|branch| branch.at.file.ends_with("explain.rs"))
    );
    let source = std::fs::read_to_string(file!()).unwrap();
    source.lines().position(|line| line.ends_with(end)).unwrap() + 1
}

#[vortex::kernel]
fn loops(n: usize, marks: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    for few in 0..4 {
        sum += x[i * 4 + few];
    }
    for k in 0..n {
        sum += x[k];
    }
    for own in 0..i {
        sum += x[own];
    }
    let mut half = n;
    while half > 1 {
        sum += half as f32;
        half /= 2;
    }
    for outer in 0..n {
        for inner in 0..outer {
            sum += x[inner];
        }
    }
    for checked in 0..n {
        sum += x[marks[checked] as usize];
    }
    for writes in 0..n {
        y[marks[writes] as usize] = sum;
    }
    y[i] = sum;
}

#[test]
fn loops_that_stay_do_so_for_a_reason() {
    let device = device();
    let (marks, x) = (device.alloc::<u32>(64).unwrap(), device.alloc(256).unwrap());
    let mut y = device.alloc(64).unwrap();
    let explanation = loops(3, &marks, &x, &mut y)
        .over(64)
        .explain(&device)
        .unwrap();
    let said = |end: &str, what: &str| {
        let said = said_of(&explanation, end);
        assert!(said.iter().any(|said| said == what), "{end}: {said:#?}");
    };
    said(
        "for few in 0..4 {",
        "loop: all iterations of the loop are written out",
    );
    said(
        "for k in 0..n {",
        "loop: several iterations of the loop are made one",
    );
    said(
        "for own in 0..i {",
        "loop: the loop is not unrolled: lanes can have different numbers of iterations",
    );
    said(
        "while half > 1 {",
        "loop: the loop is not unrolled: it does not count up to a limit in equal steps",
    );
    let inner = line_of(&explanation, "for inner in 0..outer {");
    said(
        "for outer in 0..n {",
        &format!("loop: the loop is not unrolled: another loop is in it, in line {inner}"),
    );
    // Without it, that loop is tried.
    said(
        "for checked in 0..n {",
        "loop: several iterations of the loop are made one",
    );
    let checked = line_of(&explanation, "y[marks[writes] as usize] = sum;");
    said(
        "for writes in 0..n {",
        &format!("loop: the loop is not unrolled: a check is kept in it, in line {checked}"),
    );
    let kept = said_of(&explanation, "sum += x[marks[checked] as usize];").join("\n");
    assert!(
        kept.contains("check: an index is checked at each access: "),
        "{kept}"
    );
    assert!(!explanation.checks().kept.is_empty());
    assert!(
        explanation
            .loops()
            .iter()
            .any(|of| of.fate == LoopFate::WrittenOut)
    );
}

#[vortex::kernel]
fn product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

#[vortex::kernel]
fn own_loops(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    for k in 0..i {
        sum += x[k];
    }
    y[i] = sum;
}

#[vortex::kernel]
fn prints(y: &mut [u32]) {
    println!("{}", global_id());
    y[global_id()] = 1;
}

#[vortex::kernel]
fn clocked(y: &mut [u32]) {
    y[global_id()] = local_id() as u32 ^ clock();
}

#[vortex::kernel]
fn little(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut a = x[i];
    for _ in comptime!(0..20) {
        a = (a ^ 0x55) * (a >> 3);
    }
    y[i] = a;
}

#[test]
fn items_are_done_one_by_one_for_a_reason() {
    let device = device();
    let a = device.alloc::<f32>(256).unwrap();
    let (mut c, mut y) = (
        device.alloc::<f32>(256).unwrap(),
        device.alloc::<u32>(64).unwrap(),
    );
    let x = device.alloc::<u32>(64).unwrap();
    let explanation = product(16, &a, &a, &mut c)
        .over((16, 16))
        .explain(&device)
        .unwrap();
    let CoarseFate::Blocks([columns, 1, 1]) = *explanation.coarsening() else {
        panic!("{:?}", explanation.coarsening());
    };
    assert!(columns > 1);
    let text = explanation.to_string();
    assert!(
        text.contains(&format!("each lane does {columns} × 1 work items at once")),
        "{text}"
    );

    let why = |explanation: vortex::Result<Explanation>| match explanation.unwrap().coarsening() {
        CoarseFate::OneByOne(why) => why.clone(),
        other => panic!("{other:?}"),
    };
    let own = why(own_loops(&a, &mut c).over(64).explain(&device));
    assert!(
        own.starts_with("work items can have different numbers of iterations of the loop in line ")
    );
    assert!(why(prints(&mut y).over(64).explain(&device)).starts_with("it prints in line "));
    let of_groups = clocked(&mut y).over(64).block(8).explain(&device);
    assert!(why(of_groups).starts_with("it reads the clock in line "));
    let own = why(little(&x, &mut y).over(64).explain(&device));
    assert!(own.starts_with("two at once "), "{own}");
}

#[vortex::kernel]
fn rows_times_vector(a: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id();
    let mut sum = 0.0;
    for k in 0..x.len() {
        sum += a[row * x.len() + k] * x[k];
    }
    y[row] = sum;
}

#[test]
fn lanes_with_rows_of_their_own_do_several_where_they_are_few() {
    let fates = [2, 4, 8].map(|threads| {
        let device = Device::builder().threads(threads).open().unwrap();
        let entry = vortex::registry().find("rows_times_vector").unwrap();
        entry.explain(&device).unwrap().coarsening().clone()
    });
    let [few, some, CoarseFate::OneByOne(why)] = fates else {
        panic!("{fates:?}");
    };
    assert_eq!(few, CoarseFate::Blocks([4, 1, 1]));
    assert_eq!(some, CoarseFate::Blocks([2, 1, 1]));
    assert!(why.contains("in different lines of the cache"), "{why}");
}

#[test]
fn stages_lead_from_the_kernel_to_its_instructions() {
    let entry = vortex::registry().find("product").unwrap();
    let explanation = entry.explain(&device()).unwrap();
    let stages = explanation.stages();
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names[0], "staged");
    let place = |name| names.iter().position(|other| *other == name).unwrap();
    assert!(place("ssa") < place("item loop") && place("item loop") < place("unroll"));
    let languages = stages.iter().map(|stage| stage.language);
    let languages: Vec<Language> = languages.collect();
    assert_eq!(
        languages[languages.len() - 2..],
        [Language::Clif, Language::Assembly]
    );
    let file = file!();
    for stage in stages {
        let places = stage.lines.iter().filter_map(|line| line.at.as_ref());
        assert!(places.clone().count() > 5, "{}", stage.name);
        assert!(places.clone().all(|at| at.file.ends_with(file)));
    }
    // The loop's instructions come from the line of the sum.
    let sum = line_of(&explanation, "* b[k * n + column];") as u32;
    let last = stages.last().unwrap();
    let adds = last
        .lines
        .iter()
        .filter(|line| line.text.contains("fmul.s"));
    assert!(adds.clone().count() >= 1);
    assert!(
        adds.clone()
            .all(|line| line.at.as_ref().is_some_and(|at| at.line == sum))
    );
    assert!(explanation.stages_to_text().contains("== unroll\n"));
}

#[test]
fn text_that_is_no_kernel_is_an_error() {
    let attributes = vortex::meta::Attributes::default();
    let error = Explanation::of_staged("kernel", &attributes, &device(), None).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("this is no IR of a kernel: line 1"),
        "{error}"
    );
}

fn page() -> String {
    let device = device();
    let (marks, x) = (device.alloc::<u32>(64).unwrap(), device.alloc(256).unwrap());
    let mut y = device.alloc(64).unwrap();
    let explanation = loops(3, &marks, &x, &mut y)
        .over(64)
        .explain(&device)
        .unwrap();
    explanation.to_html()
}

#[test]
fn the_page_has_all_of_it_and_needs_nothing_else() {
    let page = page();
    for outside in ["http:", "https:", " src=", "url(", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for inside in [
        "<title>loops - how it is compiled</title>",
        "sum += x[marks[checked] as usize];",
        "an index is checked at each access",
        "all iterations of the loop are written out",
        "Each lane does one work item after the other: ",
    ] {
        assert!(page.contains(inside), "{inside}");
    }
    let json = page.split("id=\"stages\">").nth(1).unwrap();
    let json = json.split("</script>").next().unwrap();
    let stages: serde_json::Value = serde_json::from_str(json).unwrap();
    let stages = stages.as_array().unwrap();
    assert!(stages.len() > 10);
    assert_eq!(stages[0]["language"], "IR");
    assert_eq!(stages[stages.len() - 1]["language"], "assembly");
}

/// What a page says of itself once a browser has shown it.
const QUESTIONS: &str = r#"<script>
const rows = [...document.querySelectorAll("table.source tr[data-at]")];
const text = (row) => row.querySelector(".text").textContent;
rows.find((row) => text(row).endsWith("for k in 0..n {")).click();
// Two stages of the IR, some passes apart.
for (let n = 0; n < 8; n++) document.querySelectorAll("button[data-step='-1']")[1].click();
const on = [...document.querySelectorAll("tr.on")];
document.title = JSON.stringify({
  theme: document.documentElement.dataset.theme,
  panes: [...document.querySelectorAll("table")].map((table) => table.rows.length),
  marked: on.length, changed: document.querySelectorAll("tr.changed").length,
  cut: [...document.querySelectorAll(".words")].filter((words) =>
    words.getBoundingClientRect().right > words.closest(".pane").getBoundingClientRect().right + 1).length,
  wide: document.documentElement.scrollWidth > innerWidth + 1,
});
</script>"#;

#[test]
fn a_browser_shows_it() {
    let Some(chromium) = browser::chromium() else {
        println!("skipped: there is no Chromium here to show the page in (Debian's chromium)");
        return;
    };
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = dir.join("explained.html");
    std::fs::write(&path, page() + QUESTIONS).unwrap();
    for (size, hash) in [("1500,900", "#light"), ("500,900", "#dark")] {
        let said = browser::title(&chromium, &path, size, hash);
        assert_eq!(said["theme"], hash[1..], "{said}");
        assert_eq!(said["wide"], false, "{said}");
        assert_eq!(said["cut"], 0, "{said}");
        assert!(said["changed"].as_u64().unwrap() > 0, "{said}");
        assert!(said["marked"].as_u64().unwrap() > 3, "{said}");
        let panes = said["panes"].as_array().unwrap();
        assert!(
            panes.len() == 3 && panes.iter().all(|rows| rows.as_u64() > Some(20)),
            "{said}"
        );
    }
}
