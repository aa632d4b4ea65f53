//! Records: that they are used, and when they are not. Processes of their own have the environment that is asked for,
//! and say on stderr what is noted.

use std::fs;
use std::path::Path;
use std::process::Command;

use vortex::Generation;
use vortex::sim::Model;

use crate::Scratch;
use crate::kernels::{add, count, product, through_a_pointer};
use crate::search::device;

/// Launches `add` twice and `count` once, and prints what is chosen.
#[test]
fn launches() {
    if std::env::var_os("TUNING_CHILD").is_none() {
        return;
    }
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1.0f32; 256]).unwrap();
    let mut y = device.alloc(256).unwrap();
    for _ in 0..2 {
        let launch = add::tuned(&x, &mut y).grid_by(|choice| 256 / (choice.each * choice.block.0));
        match launch.launch(&device) {
            Ok(report) => println!("add: {}", report.tuned().unwrap()),
            Err(error) => println!("error: {error}"),
        }
    }
    let mut z = device.alloc(8).unwrap();
    match count::tuned(&mut z).over(8).launch(&device) {
        Ok(report) => println!("count: {}", report.tuned().unwrap()),
        Err(error) => println!("error: {error}"),
    }
}

/// What `launches` prints and notes with this file of records.
fn launched(file: &Path, tune: Option<&str>) -> (Vec<String>, String) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["records::launches", "--exact", "--nocapture"])
        .env("TUNING_CHILD", "1")
        .env("VORTEX_TUNE_FILE", file)
        .env_remove("VORTEX_TUNE");
    if let Some(tune) = tune {
        child.env("VORTEX_TUNE", tune);
    }
    let output = child.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    let said = out.lines().filter(|line| {
        ["add: ", "count: ", "error: ", "item "]
            .iter()
            .any(|start| line.starts_with(start))
    });
    (said.map(str::to_owned).collect(), err)
}

/// The record of `add` in the text of a file.
fn record_of_add(text: &str) -> String {
    let records = text.split("[[record]]");
    let mut of_add = records.filter(|record| record.contains("::add\""));
    of_add.next().unwrap().to_owned()
}

const DEFAULT: &str = "add: each = 1, block = 4";

#[test]
fn without_records_the_first_choice_is_launched_and_nothing_is_kept() {
    let file = Scratch::new("none");
    for tune in [None, Some("0")] {
        let (said, noted) = launched(&file.0, tune);
        assert_eq!(said[..2], [DEFAULT, DEFAULT]);
        assert_eq!(
            said.iter().filter(|line| line.starts_with("item ")).count(),
            8
        );
        assert!(!noted.contains("vortex"), "{noted}");
        assert!(!file.0.exists());
    }
    let (said, _) = launched(&file.0, Some("yes"));
    assert_eq!(said[0], "error: VORTEX_TUNE=yes is not `0` or `1`");
}

#[test]
fn the_environment_asks_for_records_and_they_are_used_ever_after() {
    let file = Scratch::new("asked");
    let (said, noted) = launched(&file.0, Some("1"));
    assert!(!noted.contains("vortex"), "{noted}");
    assert_eq!(said[0], said[1]);
    assert_ne!(said[0], DEFAULT);
    // What candidates print is not shown; the launch itself prints.
    assert_eq!(
        said.iter().filter(|line| line.starts_with("item ")).count(),
        8
    );
    let text = file.text();
    assert_eq!(text.matches("[[record]]").count(), 2, "{text}");
    let choice = &said[0]["add: ".len()..];
    assert!(
        record_of_add(&text).contains(&format!("choice = \"{choice}\"")),
        "{text}"
    );
    assert!(
        text.contains("does not fit: kernel count<3>, work item 0: "),
        "{text}"
    );
    // Whatever a record says is done, so it is looked at, and nothing is measured again: also where that is asked for.
    // The code of a choice of groups is that of any other.
    let other = match choice {
        "each = 4, block = 4" => "each = 4, block = 8",
        "each = 4, block = 8" => "each = 4, block = 4",
        "each = 2, block = 16" => "each = 2, block = 8",
        "each = 2, block = 8" => "each = 2, block = 16",
        "each = 1, block = 16" => "each = 1, block = 8",
        other => panic!("{other}"),
    };
    let changed = text.replace(
        &format!("choice = \"{choice}\""),
        &format!("choice = \"{other}\""),
    );
    // Also if it was said to be slower: somebody may have measured on hardware.
    let changed = changed
        .lines()
        .map(|line| match line.starts_with(&format!("\"{other}\" = ")) {
            true => format!("\"{other}\" = 9999999\n"),
            false => format!("{line}\n"),
        })
        .collect::<String>();
    assert!(changed.contains("= 9999999\n"), "{changed}");
    fs::write(&file.0, &changed).unwrap();
    for tune in [None, Some("1")] {
        let (said, noted) = launched(&file.0, tune);
        assert_eq!(said[0], format!("add: {other}"));
        assert_eq!(said[1], said[0]);
        assert!(!noted.contains("vortex"), "{noted}");
        assert_eq!(file.text(), changed);
    }
}

#[test]
fn stale_records_are_noted_once_and_replaced_where_that_is_asked_for() {
    let file = Scratch::new("stale");
    let (said, _) = launched(&file.0, Some("1"));
    let best = said[0].clone();
    let text = file.text();
    let record = record_of_add(&text);
    let field = |name: &str| {
        let line = record.lines().find(|line| line.starts_with(name)).unwrap();
        line.to_owned()
    };
    let changes = [
        (
            field("code = "),
            "code = \"0123456789abcdef\"",
            "the kernel was changed since",
        ),
        (
            field("version = "),
            "version = \"0.0.1\"",
            "it was made with another version of vortex",
        ),
        (
            "\"each = 4, block = (4, 2)\" = ".to_owned(),
            "\"each = 4, block = (2, 2)\" = ",
            "the values in `#[tune(..)]` are others now",
        ),
    ];
    for (from, to, why) in changes {
        let stale = record.replace(&from, to);
        assert_ne!(stale, record);
        fs::write(&file.0, text.replace(&record, &stale)).unwrap();
        let (said, noted) = launched(&file.0, None);
        assert_eq!(said[..2], [DEFAULT, DEFAULT]);
        let line = format!(
            "vortex: {}: the record of tuning::kernels::add on Vortex 2, 1x4x4 (items 2^8, x 2^10, y 2^10) is not used, \
             as {why}; VORTEX_TUNE=1 replaces it",
            file.0.display()
        );
        assert_eq!(noted.matches("vortex: ").count(), 1, "{noted}");
        assert!(noted.lines().any(|noted| noted == line), "{noted}");
        let (said, _) = launched(&file.0, Some("1"));
        assert_eq!(said[0], best);
        assert_eq!(file.text(), text);
    }
}

#[test]
fn a_broken_file_is_noted_once_stops_nothing_and_stays_as_it_is() {
    let file = Scratch::new("broken");
    let broken = "[[record]]\nkernel = \"a\n";
    fs::write(&file.0, broken).unwrap();
    let why = "line 2: expected `name = \"text\"` or `name = number`, in one line";
    let (said, noted) = launched(&file.0, None);
    assert_eq!(said[..2], [DEFAULT, DEFAULT]);
    let line = format!(
        "vortex: {}: {why}; launches take the first choices that are declared until the file is mended or deleted",
        file.0.display()
    );
    assert_eq!(noted.matches("vortex: ").count(), 1, "{noted}");
    assert!(noted.lines().any(|noted| noted == line), "{noted}");
    // What is found is used, but not kept.
    let (said, noted) = launched(&file.0, Some("1"));
    assert_ne!(said[0], DEFAULT);
    assert!(noted.contains("is not kept: "), "{noted}");
    assert_eq!(file.text(), broken);

    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1.0f32; 32]).unwrap();
    let mut y = device.alloc(32).unwrap();
    let error = add::tuned(&x, &mut y)
        .over(32)
        .records(&file.0)
        .tune(&device);
    let error = error.unwrap_err().to_string();
    assert_eq!(error, format!("{}: {why}", file.0.display()));
}

/// Launches a kernel that cannot be tuned, twice.
#[test]
fn launches_in_vain() {
    if std::env::var_os("TUNING_CHILD").is_none() {
        return;
    }
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1u32; 8]).unwrap();
    let mut y = device.alloc(8).unwrap();
    for _ in 0..2 {
        // SAFETY: `x` has as many elements as `y`.
        let call = unsafe { through_a_pointer::tuned(x.as_ptr(), &mut y) };
        let report = call.over(8).launch(&device).unwrap();
        assert_eq!(report.tuned(), Some("each = 1"));
    }
}

#[test]
fn what_cannot_be_tuned_is_noted_once() {
    let file = Scratch::new("vain");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["records::launches_in_vain", "--exact", "--nocapture"])
        .env("TUNING_CHILD", "1")
        .env("VORTEX_TUNE", "1")
        .env("VORTEX_TUNE_FILE", &file.0)
        .output()
        .unwrap();
    assert!(output.status.success());
    let noted = String::from_utf8(output.stderr).unwrap();
    let note = "vortex: tuning::kernels::through_a_pointer on Vortex 2, 1x4x4 (items 2^3, y 2^5) is not tuned: kernel \
                through_a_pointer<1>: it cannot be tuned: ";
    assert_eq!(noted.matches("vortex: ").count(), 1, "{noted}");
    assert!(noted.lines().any(|line| line.starts_with(note)), "{noted}");
    assert!(!file.0.exists());
}

#[test]
fn of_what_is_left_the_fastest_on_record_is_launched() {
    let file = Scratch::new("left");
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let x = device.upload(&[1.0f32; 256]).unwrap();
    let mut y = device.alloc(256).unwrap();
    let found = add::tuned(&x, &mut y)
        .grid_by(|choice| 256 / (choice.each * choice.block.0))
        .exhaustive()
        .records(&file.0)
        .tune(&device)
        .unwrap();
    for each in [1, 2, 4] {
        let of_each = found
            .tried()
            .iter()
            .filter(|tried| tried.choice.each == each);
        let fastest = of_each.min_by_key(|tried| tried.outcome.cycles().unwrap_or(u64::MAX));
        let report = add::tuned(&x, &mut y)
            .only(|choice| choice.each == each)
            .grid_by(|choice| 256 / (choice.each * choice.block.0))
            .records(&file.0)
            .launch(&device)
            .unwrap();
        let fastest = format!("{:?}", fastest.unwrap().choice);
        assert_eq!(report.tuned(), Some(&*fastest));
    }
}

/// Makes the record that docs/autotuning.md shows.
#[test]
fn one_more() {
    let Ok(exponent) = std::env::var("TUNING_SIZE") else {
        return;
    };
    let exponent: u32 = exponent.parse().unwrap();
    let n = 1 << exponent;
    let device = device(Generation::V2, [1, 4, 4], Model::Functional);
    let a = device.alloc(n * n).unwrap();
    let b = device.alloc(n * n).unwrap();
    let mut c = device.alloc(n * n).unwrap();
    product::tuned(n, &a, &b, &mut c)
        .grid_by(|choice| (n.div_ceil(choice.TILE), n.div_ceil(choice.TILE)))
        .tune(&device)
        .unwrap();
}

#[test]
fn the_model_that_was_measured_on_is_named() {
    let generation = Generation::V3;
    for name in ["cycle", "cycle,dcache.size=8K", "cycle,l2,dram.channels=4"] {
        let file = Scratch::new("model");
        let model = Model::named(name, generation).unwrap();
        let device = device(generation, [1, 4, 4], model.clone());
        let x = device.upload(&[1.0f32; 32]).unwrap();
        let mut y = device.alloc(32).unwrap();
        let mut call = add::tuned(&x, &mut y).over(32).records(&file.0);
        call.tune(&device).unwrap();
        let text = file.text();
        let line = text.lines().find(|line| line.starts_with("model = "));
        let kept = line
            .unwrap()
            .trim_start_matches("model = ")
            .trim_matches('"');
        assert_eq!(Model::named(kept, generation).unwrap(), model, "{kept}");
        assert_eq!(kept == "cycle", name == "cycle");
    }
}
