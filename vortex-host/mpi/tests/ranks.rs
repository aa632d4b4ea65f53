//! Programs under `mpirun`: that each ends in time, with what it prints and how it exits. Skipped with a line that says
//! so where there is no `mpirun`.

#![allow(clippy::expect_used, reason = "it is a test")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Many times what the slowest takes on an idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How a program went.
struct Run {
    status: ExitStatus,
    /// What all ranks and `mpirun` have written.
    text: String,
}

/// Where cargo has built the examples: next to this test.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its file");
    let built = test
        .parent()
        .and_then(Path::parent)
        .expect("it is in `deps`");
    let program = built.join("examples").join(name);
    assert!(
        program.exists(),
        "{} is not there: `cargo build --examples` builds it",
        program.display()
    );
    program
}

/// What starts ranks, `MPIRUN` or `mpirun`, with its options for a machine with fewer processors. `None`, and a line,
/// where there is nothing.
fn mpirun() -> Option<Command> {
    let program = std::env::var_os("MPIRUN").unwrap_or_else(|| "mpirun".into());
    let Ok(version) = Command::new(&program).arg("--version").output() else {
        println!("skipped: there is no `mpirun` here (Debian's openmpi-bin)");
        return None;
    };
    let mut command = Command::new(program);
    if String::from_utf8_lossy(&version.stdout).contains("Open MPI") {
        command.args(["--oversubscribe", "--allow-run-as-root"]);
    }
    Some(command)
}

/// A directory for Open MPI's files. Runs that start at the same time would both make the same one, and one would fail.
struct OwnFiles(PathBuf);

impl OwnFiles {
    fn new() -> Self {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let name = format!("vortex-mpi-{}-{number}", std::process::id());
        let files = std::env::temp_dir().join(name);
        fs::create_dir_all(&files).expect("there is room for temporary files");
        Self(files)
    }
}

impl Drop for OwnFiles {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a program on so many ranks. Kills it, and fails, if it does not end.
fn run(ranks: usize, name: &str, arguments: &[&str]) -> Option<Run> {
    let mut command = mpirun()?;
    let file = format!(
        "{name}-{ranks}-{}.txt",
        arguments.join("-").replace(['/', ' '], "_")
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let output = File::create(&file).expect("the directory for tests is there");
    let errors = output.try_clone().expect("a file can be opened twice");
    let files = OwnFiles::new();
    command
        .args(["-n", &ranks.to_string()])
        .arg(example(name))
        .args(arguments)
        // For the case that has to run into it.
        .env(
            "VORTEX_MPI_TIMEOUT",
            if arguments == ["deadlock"] {
                "2"
            } else {
                "100"
            },
        )
        .env("OMPI_MCA_orte_tmpdir_base", &files.0)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    let mut child = command.spawn().expect("`mpirun` starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            break Some(status);
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("it is a child");
            child.wait().expect("it is a child");
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let text = fs::read_to_string(&file).expect("it has been written");
    println!("mpirun -n {ranks} {name} {}\n{text}", arguments.join(" "));
    let status = status.expect("it hangs");
    Some(Run { status, text })
}

/// A program that is right.
fn works(ranks: usize, name: &str, arguments: &[&str], line: &str) {
    if let Some(run) = run(ranks, name, arguments) {
        assert!(run.status.success(), "{}", run.status);
        assert!(run.text.contains(line), "{line} is not there");
        assert!(!run.text.contains("vortex-mpi:"), "something is said");
    }
}

/// A program that ends with an error; each of these lines is there.
fn ends(case: &str, lines: &[&str]) {
    if let Some(run) = run(4, "mpi_misuse", &[case]) {
        assert!(!run.status.success(), "{}", run.status);
        for line in lines {
            assert!(run.text.contains(line), "{line} is not there");
        }
    }
}

/// A program that ends with the same error on all ranks, which begins like this.
fn ends_on_all(case: &str, error: &str) {
    let line = |rank| format!("vortex-mpi: rank {rank} of 4 ends with this error: {error}");
    let lines: Vec<String> = (0..4).map(line).collect();
    ends(case, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// What `write_beyond` in `tests/programs/misuse.rs` does wrong.
const BEYOND: &str = "kernel write_beyond, work item 1: index 4 is out of bounds of a slice of 4 elements, \
                      at tests/programs/misuse.rs:";

#[test]
fn all_operations() {
    for ranks in [1, 2, 3, 4] {
        works(
            ranks,
            "mpi_operations",
            &[],
            &format!("all operations on {ranks} ranks"),
        );
    }
}

#[test]
fn programs_of_vortex() {
    for (name, line) in [
        ("mpi_vecadd", "4099 sums on"),
        (
            "mpi_dotproduct",
            "the dot product of 10007 elements is -98614 on",
        ),
        (
            "mpi_put_dotproduct",
            "the dot product of 8190 elements is 2076 on",
        ),
        ("mpi_diverge", "200 items that diverge on"),
        ("mpi_sgemm", "a product of 30 x 30 matrices on"),
        ("mpi_conv3", "a picture of 40 x 27 convolved on"),
        (
            "mpi_neighbor_a2a_conv3",
            "a picture of 40 x 27 convolved on",
        ),
    ] {
        for ranks in [1, 3, 4] {
            works(
                ranks,
                name,
                &[],
                &format!("{line} {ranks} ranks, as on the host"),
            );
        }
    }
    works(4, "mpi_blocked_sgemm", &[], "2 x 2 blocks of a product");
    works(1, "mpi_blocked_sgemm", &[], "1 x 1 blocks of a product");
}

/// Its own check is that the device's numbers are those of plain Rust.
#[test]
fn heat_is_the_same_picture_on_any_number_of_ranks() {
    let pictures = [1, 2, 4].map(|ranks| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("heat-{ranks}.png"));
        let name = file.to_str().expect("it is text");
        works(
            ranks,
            "mpi_heat",
            &[name],
            &format!("200 steps on {ranks} ranks, as in plain Rust"),
        );
        mpirun().map(|_| fs::read(&file).expect("it has been written"))
    });
    assert!(
        pictures[0]
            .as_ref()
            .is_none_or(|picture| picture.len() > 500)
    );
    assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2]);
}

#[test]
fn a_rank_that_dies_ends_all() {
    ends(
        "panic",
        &[
            "something is wrong",
            "vortex-mpi: rank 2 of 4 has panicked; all ranks end",
        ],
    );
    ends(
        "panic in between",
        &[
            "something is wrong",
            "vortex-mpi: rank 2 of 4 has panicked; all ranks end",
        ],
    );
    ends(
        "inside",
        &[
            "has called an operation of its `World` inside of `World::mpi`, which is for MPI's own; all ranks end",
        ],
    );
    let exited = "vortex-mpi: rank 2 of 4 has exited before its `World` was dropped";
    ends("exit", &[exited]);
    ends("exit without an error", &[exited]);
    // What is said of a signal is the words of whatever `mpirun` it is.
    ends("abort", &[]);
}

#[test]
fn a_wrong_count_is_an_error_on_all_ranks() {
    ends_on_all(
        "broadcast count",
        "`broadcast`: the buffers have different numbers of elements of `f32`: \
         4 on rank 0, 4 on rank 1, 5 on rank 2, 4 on rank 3",
    );
    ends_on_all(
        "scatter count",
        "`scatter`: the buffer for all ranks has 4 elements of `u32` on rank 0, and the parts have 5 \
         (1 on rank 0, 1 on rank 1, 2 on rank 2, 1 on rank 3)",
    );
    ends_on_all(
        "gather count",
        "`gather`: the buffer for all ranks has 4 elements of `u32` on rank 3, and the parts have 8 \
         (2 on rank 0, 2 on rank 1, 2 on rank 2, 2 on rank 3)",
    );
    ends_on_all(
        "all_gather count",
        "`all_gather`: the buffer for all ranks has 5 elements of `u32` on rank 2, and the parts have 4 \
         (1 on rank 0, 1 on rank 1, 1 on rank 2, 1 on rank 3)",
    );
    ends_on_all(
        "reduce count",
        "`reduce`: the buffer for the result has 5 elements of `u32` on rank 0, and what is reduced has 4",
    );
    ends_on_all(
        "receive count",
        "`broadcast` failed on rank 1: before this, `receive` on rank 1: \
         rank 0 sends 5 elements of `f32`, and the buffer has 4 of `u32`",
    );
}

#[test]
fn what_is_not_the_same_on_all_ranks_is_an_error_on_all() {
    ends_on_all(
        "type",
        "the ranks do not do the same: ranks 0, 1 and 3 do `broadcast` of 4 elements of `u32` from rank 0; \
         rank 2 does `broadcast` of 4 elements of `f32` from rank 0",
    );
    ends_on_all(
        "operation",
        "the ranks do not do the same: ranks 0, 1 and 3 do `broadcast` of 4 elements of `u32` from rank 0; \
         rank 2 does `all_reduce` of 4 elements of `u32` to their maximum",
    );
    ends_on_all(
        "root",
        "the ranks do not do the same: ranks 0 and 1 do `broadcast` of 4 elements of `u32` from rank 0; \
         ranks 2 and 3 do `broadcast` of 4 elements of `u32` from rank 1",
    );
    ends_on_all(
        "no rank",
        "`broadcast` failed on ranks 0, 1, 2 and 3: there is no rank 7: the program runs on 4 (0 to 3)",
    );
    ends_on_all(
        "only on different ranks",
        "the ranks do not do the same: ranks 0 and 1 do `only_on` on rank 0; ranks 2 and 3 do `only_on` on rank 1",
    );
    ends_on_all(
        "only on one, and on all",
        "the ranks do not do the same: ranks 0, 1 and 3 do `only_on` on rank 0; rank 2 does `together`",
    );
    ends_on_all(
        "only on no rank",
        "`only_on` failed on rank 2: there is no rank 7: the program runs on 4 (0 to 3)",
    );
    ends_on_all(
        "no whole",
        "`gather` failed on rank 2: rank 2 has to give a buffer for the elements of all ranks, `Some(..)` instead \
         of `None`",
    );
}

#[test]
fn an_error_of_one_device_is_one_on_all_ranks() {
    ends_on_all("device", &format!("`together` failed on rank 2: {BEYOND}"));
    ends_on_all(
        "only on a rank that fails",
        &format!("`only_on` failed on rank 2: {BEYOND}"),
    );
    let skipped = "not run, because an earlier operation of the stream failed (`stream.wait()` lets the stream go on)";
    ends_on_all(
        "device in a stream",
        &format!("`all_reduce` failed on rank 2: {skipped}: {BEYOND}"),
    );
    let receive = format!("`receive` on rank 1: rank 2 could not send: {skipped}: {BEYOND}");
    ends(
        "send in a stream",
        &[
            &format!("rank 2 of 4 ends with this error: {skipped}: {BEYOND}"),
            &format!("rank 1 of 4 ends with this error: {receive}"),
            &format!("rank 0 of 4 ends, and hears from rank 1: before this, {receive}"),
            &format!("rank 3 of 4 ends, and hears from rank 1: before this, {receive}"),
        ],
    );
    let ended =
        "rank 2 has ended, and takes no part in `broadcast` of 4 elements of `u32` from rank 0; ";
    let others = |rank| {
        format!(
            "rank {rank} of 4 ends with this error: {ended}before that it had this error: {BEYOND}"
        )
    };
    ends(
        "own error",
        &[
            &others(0),
            &others(1),
            &others(3),
            &format!("rank 2 of 4 ends with this error: {BEYOND}"),
        ],
    );
    let lines = [0, 1, 3].map(|rank| format!("rank {rank}: {ended}its `World` has been dropped"));
    ends("unshared error", &lines.each_ref().map(String::as_str));
    let open = "error: `World::open` failed on rank 1: cannot build this device: a device with 0 cores is not possible";
    ends("open", &[open]);
}

#[test]
fn a_rank_that_has_ended_keeps_no_other_waiting() {
    let ended =
        "rank 2 has ended, and takes no part in `receive` on rank 1; its `World` has been dropped";
    ends(
        "own end",
        &[
            &format!("rank 1 of 4 ends with this error: {ended}"),
            &format!(
                "rank 0 of 4 ends with this error: `broadcast` failed on rank 1: before this, {ended}"
            ),
            &format!(
                "rank 3 of 4 ends with this error: `broadcast` failed on rank 1: before this, {ended}"
            ),
        ],
    );
}

#[test]
fn ranks_that_wait_for_each_other_give_up() {
    ends(
        "deadlock",
        &[
            "has waited 2 seconds for rank ",
            " to send to it; `VORTEX_MPI_TIMEOUT` sets how long",
        ],
    );
}

#[test]
fn what_nobody_receives_is_said() {
    if let Some(run) = run(4, "mpi_misuse", &["unreceived"]) {
        assert!(run.status.success(), "{}", run.status);
        assert!(
            run.text
                .contains("rank 3 of 4 has not received 2 buffers that rank 0 has sent to it")
        );
    }
}

/// Without `mpirun` a program is the only rank.
#[test]
fn a_program_by_itself() {
    let files = OwnFiles::new();
    let program = || {
        let mut command = Command::new(example("mpi_vecadd"));
        command
            .env("OMPI_MCA_orte_tmpdir_base", &files.0)
            // As in `.ci/mpi`.
            .env("OMPI_MCA_ess_singleton_isolated", "1");
        command
    };
    let output = program().output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("4099 sums on 1 ranks"),
        "{output:?}"
    );
    let output = program().env("VORTEX_MPI_TIMEOUT", "soon").output();
    let output = output.expect("it starts");
    let text = String::from_utf8_lossy(&output.stderr);
    let line = "error: VORTEX_MPI_TIMEOUT=soon is not a number of seconds, or 0 to wait for ever";
    assert!(
        !output.status.success() && text.contains(line),
        "{output:?}"
    );
}
