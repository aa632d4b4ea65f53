//! `vortex sweep`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{ELF, dir, path, printed, refused, vortex_with};

/// A folder of its own for a test's sweep, which is called `sweep.toml`.
pub(crate) fn folder(name: &str, sweep: &str) -> PathBuf {
    let folder = dir().join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let sweep = sweep.replace("ELF", &ELF);
    std::fs::write(folder.join("sweep.toml"), sweep).unwrap();
    folder
}

fn sweep(folder: &Path, more: &[&str]) -> String {
    let file = path(&folder.join("sweep.toml"));
    printed(&[&["sweep", &file], more].concat())
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn rows(folder: &Path) -> Vec<Value> {
    let lines = read(folder, "sweep.results/results.jsonl");
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Sixteen points.
pub(crate) const SMALL: &str = r#"
[[kernel]]
file = "ELF"
kernel = "saxpy"
args = { alpha = [1, 2.5], x = "zeros:256", y = "zeros:256" }
over = 256

[device]
generation = 3
shape = ["1x4x4", "2x4x8"]
dcache.size = ["1K", "16K"]
l2 = [false, true]
"#;

#[test]
fn rows_are_what_a_profile_of_each_launch_says() {
    let folder = folder("sweep-rows", SMALL);
    let said = sweep(&folder, &[]);
    assert!(said.starts_with("16 points, all measured\n"), "{said}");
    let rows = rows(&folder);
    assert_eq!(rows.len(), 16);
    for (number, row) in rows.iter().enumerate() {
        let device = &row["device"];
        let is_second = number >= 8;
        let shape = [["1", "4", "4"], ["2", "4", "8"]][number / 4 % 2];
        let size = [1 << 10, 16 << 10][number / 2 % 2];
        let has_l2 = number % 2 == 1;
        assert_eq!(row["point"], number + 1);
        assert_eq!(
            (&device["dcache.size"], &device["l2"]),
            (&Value::from(size), &Value::from(has_l2))
        );
        let model = format!("cycle,dcache.size={size},l2={has_l2}");
        let variables = [
            ("VORTEX_GENERATION", "3"),
            ("VORTEX_CORES", shape[0]),
            ("VORTEX_WARPS", shape[1]),
            ("VORTEX_THREADS", shape[2]),
            ("VORTEX_MODEL", &*model),
        ];
        let output = path(&folder.join("profile.json"));
        let alpha = if is_second { "alpha=2.5" } else { "alpha=1" };
        let args = [
            "profile",
            &*ELF,
            "--kernel",
            "saxpy",
            "--arg",
            alpha,
            "--arg",
            "x=zeros:256",
            "--arg",
            "y=zeros:256",
            "--over",
            "256",
            "-o",
            &output,
        ];
        assert!(vortex_with(&variables, &args).status.success());
        let profile: Value = serde_json::from_str(&read(&folder, "profile.json")).unwrap();
        let measured = &row["measured"];
        assert_eq!(measured["cycles"], profile["cycles"], "{row}");
        assert_eq!(
            measured["instructions"],
            profile["total"]["work"]["executed"]
        );
        assert_eq!(measured["bytes"], profile["roofline"]["bytes"]);
        assert_eq!(measured["sentence"], profile["findings"][0]["sentence"]);
    }
    // The table is the same, in another form.
    let csv = read(&folder, "sweep.results/results.csv");
    let mut lines = csv.lines();
    assert_eq!(
        lines.next().unwrap(),
        "point,name,kernel,launch,generation,cores,warps,threads,dcache.size,l2,area,launches,cycles,instructions,\
         lane_instructions,float_operations,bytes,limiter,error"
    );
    for (line, row) in lines.zip(&rows) {
        let fields: Vec<_> = line.split(',').collect();
        assert_eq!(fields[12], row["measured"]["cycles"].to_string());
        assert_eq!(fields[9], row["device"]["l2"].to_string());
    }
}

#[test]
fn a_sweep_goes_on_where_it_was_cut_off() {
    let folder = folder("sweep-resumed", SMALL);
    sweep(&folder, &[]);
    let csv = read(&folder, "sweep.results/results.csv");
    let part = read(&folder, "sweep.results/parts/here.jsonl");
    assert_eq!(part.lines().count(), 16);
    // Five points are whole, and one was being written. One of the five says something that no run would.
    let lines: Vec<_> = part.lines().collect();
    let mut cut: String = lines[..5].join("\n") + "\n" + &lines[5][..40];
    let known = "\"bytes\":";
    let place = cut.find(known).unwrap() + known.len();
    cut.insert(place, '7');
    std::fs::write(folder.join("sweep.results/parts/here.jsonl"), cut).unwrap();
    sweep(&folder, &["--jobs", "3"]);
    let again = read(&folder, "sweep.results/parts/here.jsonl");
    assert_eq!(again.lines().count(), 6 + 11);
    // What was done is kept as it was, and everything else comes out as before.
    let other = read(&folder, "sweep.results/results.csv");
    let differ = csv
        .lines()
        .zip(other.lines())
        .filter(|(a, b)| a != b)
        .count();
    assert_eq!((differ, csv.lines().count()), (1, other.lines().count()));
    // An edited sweep keeps the points that it still has.
    let edited = SMALL.replace("ELF", &ELF).replace("[false, true]", "true");
    std::fs::write(folder.join("sweep.toml"), edited).unwrap();
    assert!(sweep(&folder, &[]).starts_with("8 points, "));
    assert_eq!(
        read(&folder, "sweep.results/parts/here.jsonl")
            .lines()
            .count(),
        6 + 11
    );
}

#[test]
fn whoever_runs_it_the_tables_are_the_same() {
    let folder = folder("sweep-engines", SMALL);
    sweep(&folder, &[]);
    let tables = |results: &str| {
        ["csv", "jsonl"].map(|end| read(&folder, &format!("{results}/results.{end}")))
    };
    let here = tables("sweep.results");

    // In shards, one of which is missing at first.
    let shards = path(&folder.join("shards"));
    for shard in ["0/3", "2/3"] {
        sweep(&folder, &["-o", &shards, "--shard", shard]);
    }
    let file = path(&folder.join("sweep.toml"));
    let missing = refused(&["sweep", &file, "-o", &shards, "--merge"]);
    assert_eq!(
        missing,
        format!("error: 5 of 16 points are not done yet: `vortex sweep {file}` runs them")
            .replace(&path(dir()), "DIR")
    );
    assert_eq!(
        sweep(&folder, &["-o", &shards, "--shard", "1/3"]),
        "5 points done\n"
    );
    sweep(&folder, &["-o", &shards, "--merge"]);
    assert_eq!(tables("shards"), here);

    // By a stand-in for the command line of HyperQueue, which runs the tasks of an array one after the other.
    executable(
        &folder.join("hq"),
        "[ \"$1\" = submit ] || exit 2\n\
         while [ \"$1\" != -- ]; do\n\
         case \"$1\" in --array=0-*) last=${1#--array=0-};; esac\n\
         shift\n\
         done\n\
         shift\n\
         for task in $(seq 0 $last); do HQ_TASK_ID=$task \"$@\" || exit 1; done\n",
    );
    let search = format!("{}:{}", path(&folder), std::env::var("PATH").unwrap());
    let engine = path(&folder.join("engine"));
    let args = [
        "sweep",
        &file,
        "-o",
        &engine,
        "--engine",
        "hyperqueue",
        "--shards",
        "5",
    ];
    let output = vortex_with(&[("PATH", &search)], &args);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(tables("engine"), here);
    assert_eq!(
        std::fs::read_dir(folder.join("engine/parts"))
            .unwrap()
            .count(),
        5
    );
    let output = vortex_with(&[("PATH", "/nowhere")], &args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.starts_with("error: `hq` does not start (") && error.contains("`hq worker start`"),
        "{error}"
    );

    // By a script for Slurm, whose tasks are started here as `sbatch` would.
    let slurm = path(&folder.join("of slurm"));
    let said = sweep(
        &folder,
        &[
            "-o", &slurm, "--engine", "slurm", "--shards", "4", "--retry",
        ],
    );
    assert_eq!(
        said,
        format!(
            "sbatch {slurm}/slurm.sh\nand when its 4 tasks have ended: vortex sweep {file} -o {slurm} --merge\n"
        )
    );
    let script = read(&folder, "of slurm/slurm.sh");
    assert!(script.contains(" '--retry' "), "{script}");
    assert!(script.contains("\n#SBATCH --array=0-3\n"), "{script}");
    for task in 0..4 {
        let output = Command::new("sh")
            .arg(folder.join("of slurm/slurm.sh"))
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"4 points done\n");
    }
    sweep(&folder, &["-o", &slurm, "--merge"]);
    assert_eq!(tables("of slurm"), here);
}

#[test]
fn failures_are_rows() {
    let folder = folder(
        "sweep-failures",
        r#"
budget = 100000

[[kernel]]
name = "too far"
file = "ELF"
kernel = "reversed"
args = { x = "zeros:8", out = "zeros:64" }
over = 64
block = 8

[[kernel]]
name = "fits"
file = "ELF"
kernel = "reversed"
args = { x = "zeros:64", out = "zeros:64" }
over = 64

[device]
threads = [4, 64, 4000000000]
cores = 1
warps = 4
"#,
    );
    let said = sweep(&folder, &[]);
    assert!(
        said.starts_with("6 points, 5 failed, such as: kernel reversed, work item 8 of group 1: index 8 is out of bounds of a"),
        "{said}"
    );
    let rows = rows(&folder);
    assert!(
        rows[3]["measured"]["cycles"].as_u64().unwrap() > 0,
        "{:?}",
        rows[3]
    );
    for row in [&rows[1], &rows[4]] {
        assert_eq!(
            row["error"],
            "cannot build this device: a device with 64 threads per warp is not possible: 1 to 32 are"
        );
    }
    let csv = read(&folder, "sweep.results/results.csv");
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .starts_with("1,too far,,over=64 block=8 out=zeros:64 x=zeros:8,2,1,4,4,"),
        "{csv}"
    );
    // They stay, and are run again if that is asked for.
    let part = || {
        read(&folder, "sweep.results/parts/here.jsonl")
            .lines()
            .count()
    };
    sweep(&folder, &[]);
    assert_eq!(part(), 6);
    sweep(&folder, &["--retry"]);
    assert_eq!(part(), 11);
    let page = sweep(&folder, &[]);
    assert!(page.starts_with("6 points, 5 failed"));
}

#[test]
fn programs_are_points_too() {
    let program = env!("CARGO_BIN_EXE_vortex");
    let folder = folder(
        "sweep-programs",
        &format!(
            r#"
[[program]]
path = "{program}"
args = ["run", "ELF", "--kernel", "saxpy", "--arg", "alpha=1", "--arg", "x=zeros:256", "--arg", "y=zeros:256", "--over", "256"]

[[program]]
name = "wrong"
path = "{program}"
args = ["run", "ELF", "--kernel", "nonesuch", "--over", "1"]

[[program]]
name = "late"
path = "./late"

[[program]]
name = "idle"
path = "{program}"
args = ["devices"]

[[kernel]]
file = "ELF"
kernel = "saxpy"
args = {{ alpha = 1, x = "zeros:256", y = "zeros:256" }}
over = 256

[device]
generation = [2, 3]
shape = "1x4x4"
dcache.size = "2K"
coalesced = ["auto", 64]
"#
        ),
    );
    // A program that fails after its launch.
    executable(
        &folder.join("late"),
        &format!(
            "\"{program}\" run {} --kernel saxpy --arg alpha=1 --arg x=zeros:8 --arg y=zeros:8 --over 8\n\
             echo too late >&2\nexit 3\n",
            *ELF
        ),
    );
    // What the environment says does not count.
    let file = path(&folder.join("sweep.toml"));
    let variables = [("VORTEX_CLUSTERS", "2"), ("VORTEX_TRACE", "trace.json")];
    let output = vortex_with(&variables, &["sweep", &file, "--jobs", "1"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rows = rows(&folder);
    assert_eq!(rows.len(), 20);
    // The kernels come first.
    for (kernel, program) in rows[..4].iter().zip(&rows[4..8]) {
        assert!(kernel["measured"].is_object(), "{kernel}");
        assert_eq!(kernel["measured"], program["measured"]);
        assert_eq!(kernel["device"], program["device"]);
        assert_eq!(program["name"], "vortex");
    }
    let cycles = |row: &Value| row["measured"]["cycles"].as_u64().unwrap();
    assert_eq!(rows[2]["device"]["coalesced"], "auto");
    assert_eq!(rows[3]["device"]["coalesced"], 64);
    assert_ne!(cycles(&rows[2]), cycles(&rows[3]));
    let error = rows[8]["error"].as_str().unwrap();
    assert!(error.contains("nonesuch"), "{error}");
    assert_eq!(rows[12]["error"], "exit status: 3: too late");
    // What that left is not taken for the next one's.
    for row in &rows[16..] {
        assert_eq!(
            row["error"],
            "it launched nothing, so that there is nothing to measure"
        );
    }
}

/// A script for the shell.
fn executable(file: &Path, commands: &str) {
    std::fs::write(file, format!("#!/bin/sh\n{commands}")).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_page_shows_what_is_done() {
    let folder = folder("sweep-page", SMALL);
    let file = path(&folder.join("sweep.toml"));
    let nothing = refused(&["sweep", "report", &file]);
    assert!(
        nothing.starts_with("error: none of 16 points is done: "),
        "{nothing}"
    );
    sweep(&folder, &["--shard", "0/2"]);
    printed(&["sweep", "report", &file]);
    let page = read(&folder, "sweep.results/report.html");
    assert!(page.contains("<dt>not done yet</dt><dd>8</dd>"));
    sweep(&folder, &[]);
    let own = path(&folder.join("own.html"));
    assert_eq!(
        printed(&["sweep", "report", &file, "-o", &own]),
        format!("{own}\n")
    );
    let page = read(&folder, "own.html");
    assert!(!page.contains("not done yet") && page.contains("<dt>generation</dt><dd>3</dd>"));
    // The best of each launch is the least in the table, and what is in front is beaten by none.
    let rows = rows(&folder);
    let points: Vec<(f64, u64)> = rows[..8]
        .iter()
        .map(|row| {
            (
                row["area"].as_f64().unwrap(),
                row["measured"]["cycles"].as_u64().unwrap(),
            )
        })
        .collect();
    let mut front: Vec<_> = points
        .iter()
        .filter(|own| {
            !points
                .iter()
                .any(|other| other.0 <= own.0 && other.1 <= own.1 && other != *own)
        })
        .collect();
    front.dedup();
    let first = page.split("<section class=\"case\"").nth(1).unwrap();
    assert_eq!(first.matches("<td>front</td>").count(), front.len());
    assert_eq!(first.matches("<circle").count(), 2 * 8);
    assert_eq!(page.matches("<h2>What each setting does</h2>").count(), 1);
}
