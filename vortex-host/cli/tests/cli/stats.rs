//! `vortex stats`.

use vortex::meta::{Counted, Statistics};
use vortex::{Bundle, Module};

use crate::{ELF, MODULE, dir, file, nothing, path, printed, refused};

fn count(statistics: &Statistics, function: Option<&str>, pass: &str, name: &str) -> u64 {
    match statistics.get(function, pass, name) {
        Some(Counted::Count(count)) => *count,
        other => panic!("{other:?} in {statistics}"),
    }
}

fn json(args: &[&str]) -> Statistics {
    let mut all = vec!["stats", "--json"];
    all.extend_from_slice(args);
    serde_json::from_str(&printed(&all)).unwrap()
}

#[test]
fn statistics_of_several_files_are_added_up() {
    let one = json(&[&ELF]);
    assert_eq!(one, MODULE.statistics());
    assert_eq!(count(&one, None, "module", "kernels"), 2);
    let instructions = count(&one, Some("saxpy"), "codegen", "instructions");

    let bundle = Bundle::new().with("one", &MODULE).unwrap();
    let bundle = path(&file("stats.vxbundle", bundle.to_bytes()));
    let metadata = path(&file("stats.vxmeta", MODULE.info().to_bytes()));
    let text = serde_json::to_string(MODULE.info()).unwrap();
    let as_json = path(&file("stats_info.json", text));
    let before = path(&file(
        "stats_before.json",
        serde_json::to_string(&one).unwrap(),
    ));
    let all = json(&[&ELF, &bundle, &metadata, &as_json, &before]);
    assert_eq!(count(&all, None, "module", "kernels"), 10);
    assert_eq!(
        count(&all, Some("saxpy"), "codegen", "instructions"),
        5 * instructions
    );
    let totals = json(&["--totals", &ELF]);
    assert!(
        totals
            .records
            .iter()
            .all(|record| record.function.is_none())
    );
    assert!(count(&totals, None, "codegen", "instructions") > instructions);
    let of_one = json(&["--kernel", "saxpy", &ELF, &ELF]);
    assert_eq!(
        count(&of_one, Some("saxpy"), "codegen", "instructions"),
        2 * instructions
    );
    assert!(
        of_one
            .get(Some("reversed"), "codegen", "instructions")
            .is_none()
    );
}

#[test]
fn statistics_are_a_table_for_people() {
    let table = printed(&["stats", &ELF]);
    let mut lines = table.lines();
    let header: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["function", "pass", "statistic", "value"]);
    let first: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(first, ["(module)", "module", "kernels", "2"]);
    assert!(table.contains("recording (us)"), "{table}");
    assert_eq!(table, MODULE.statistics().to_string());

    // What nobody counted is not there; what is in a file is counted always.
    let plain = Module::builder("plain")
        .kernel::<nothing>()
        .build()
        .unwrap();
    let plain_file = path(&file("stats_plain.elf", plain.to_elf()));
    let table = printed(&["stats", &plain_file]);
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.contains("(module)  module  images     1"), "{table}");
}

#[test]
fn files_of_which_nothing_was_counted_are_errors() {
    let plain = Module::builder("plain")
        .kernel::<nothing>()
        .build()
        .unwrap();
    let plain = path(&file("stats_plain.vxmeta", plain.info().to_bytes()));
    assert_eq!(
        refused(&["stats", &plain]),
        "error: DIR/stats_plain.vxmeta: nothing has been counted in this file; `Module::builder(..).statistics()` has it counted"
    );
    assert_eq!(
        refused(&["stats", "--kernel", "sax", &ELF]),
        "error: nothing has been counted of a kernel `sax`"
    );
    let none = path(&dir().join("stats_none.elf"));
    assert!(refused(&["stats", &none]).contains("DIR/stats_none.elf: No such file"));
    assert!(refused(&["stats"]).contains("<FILES>"));
}
