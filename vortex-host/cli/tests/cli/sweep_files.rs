//! What files of sweeps may say: mistakes in them, and the settings of devices.

use crate::sweep::{SMALL, folder};
use crate::{path, printed, refused, vortex};
use vortex::Generation;
use vortex::sim::timing::{KNOBS, Knob, TimingConfig};

#[test]
fn mistakes_are_told_in_a_line() {
    let mistakes = [
        (
            "",
            "DIR/sweep-mistakes/sweep.toml: there is nothing to run: add a `[[kernel]]` with a `file`, or a \
             `[[program]]`",
        ),
        (
            "[[kernel]]\nfile = 3\n",
            "DIR/sweep-mistakes/sweep.toml:2: invalid type: integer `3`, expected path string",
        ),
        (
            "[[kernel]]\nfile = \"ELF\"\nsize = 3\n",
            "DIR/sweep-mistakes/sweep.toml:3: unknown field `size`, expected one of `file`, `kernel`, `name`, `args`, \
             `over`, `grid`, `block`",
        ),
        (
            "[[kernel]]\nfile = \"ELF\"\n",
            "DIR/sweep-mistakes/sweep.toml: the kernel of DIR/example.elf has no size: say `over` for work items, or `grid` \
             for groups",
        ),
        (
            "[[kernel]]\nfile = \"nowhere.elf\"\nover = 1\n",
            "DIR/sweep-mistakes/sweep.toml: nowhere.elf: No such file or directory (os error 2)",
        ),
        (
            "[[program]]\nname = \"x\"\n",
            "DIR/sweep-mistakes/sweep.toml: a `[[program]]` has either an `example` or a `path`",
        ),
    ];
    // More devices than fit into memory.
    let ten_each = |knobs: usize| -> String {
        let of_knob = |knob: &Knob| format!("{} = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n", knob.name);
        KNOBS[..knobs].iter().map(of_knob).collect()
    };
    let (too_many, far_too_many) = (ten_each(7), ten_each(20));
    let devices = [
        (
            "dcache.sizes = 3",
            "a `[device]` has `generation`, `shape`, `cores`, `warps`, `threads`, `local_memory`, and settings of the \
             cycle model; the cycle model has no `dcache.sizes`: there is `dcache.size`, `dcache.ways`, `dcache.misses` \
             and `dcache.memory_queue`",
        ),
        (
            "dcache.size = \"3K\"",
            "`dcache.size` cannot be `3K`: powers of two from 1K to 1M can be",
        ),
        (
            "l2 = []",
            "`l2` is an empty list: leave it out, or name what it can be",
        ),
        (
            "coalesced = 3",
            "`coalesced` cannot be `3`: `auto` and powers of two from 4 to 64 can be",
        ),
        ("cores = \"few\"", "`cores` cannot be `few`: numbers can be"),
        (
            "generation = 4",
            "`generation` cannot be `4`: `2` and `3` can be",
        ),
        (
            "shape = \"4x4\"",
            "`shape` cannot be `4x4`: cores, warps and threads can be, as in `1x4x4`",
        ),
        (
            "shape = \"1x4x4\"\nwarps = 8",
            "`shape` says how many cores, warps and threads there are: leave those out, or it",
        ),
        (
            "cores = [[1]]",
            "`cores` is a number, a text, `true`, `false`, or a list of such",
        ),
        (
            &too_many,
            "a sweep has at most 1000000 points, and there are 10000000 combinations of the values here: write fewer \
             of them, or several sweeps",
        ),
        (
            &far_too_many,
            "a sweep has at most 1000000 points, and there are far more combinations of the values here: write fewer \
             of them, or several sweeps",
        ),
    ];
    let devices = devices.map(|(device, message)| {
        (
            format!("[[kernel]]\nfile = \"ELF\"\nover = 1\n[device]\n{device}\n"),
            format!("DIR/sweep-mistakes/sweep.toml: {message}"),
        )
    });
    let wholes = [
        (
            "device = []",
            "`device` is an empty list: leave it out, or name one",
        ),
        ("device = 3", "a table `[device]`, or several `[[device]]`"),
    ];
    let wholes = wholes.map(|(device, message)| {
        (
            format!("{device}\n[[kernel]]\nfile = \"ELF\"\nover = 1\n"),
            message,
        )
    });
    for (text, message) in wholes {
        let folder = folder("sweep-mistakes", &text);
        let error = refused(&["sweep", &path(&folder.join("sweep.toml"))]);
        assert!(error.ends_with(message), "{error}");
    }
    let program = "[[program]]\npath = \"ELF\"\n[device]\nlocal_memory = 4096\n";
    let folder_of_program = folder("sweep-mistakes", program);
    assert_eq!(
        refused(&["sweep", &path(&folder_of_program.join("sweep.toml"))]),
        "error: DIR/sweep-mistakes/sweep.toml: `local_memory` cannot be set for a `[[program]]`: programs choose it \
         themselves"
    );
    let lists =
        "over = OVER\n[device]\ncores = OVER\n".replace("OVER", &format!("{:?}", [1; 1001]));
    let folder_of_lists = folder(
        "sweep-mistakes",
        &format!("[[kernel]]\nfile = \"ELF\"\n{lists}"),
    );
    let error = refused(&["sweep", &path(&folder_of_lists.join("sweep.toml"))]);
    assert!(error.contains("there are 1002001 combinations"), "{error}");
    let mistakes = mistakes.map(|(sweep, message)| (sweep.to_owned(), message.to_owned()));
    for (text, message) in mistakes.iter().chain(&devices) {
        let folder = folder("sweep-mistakes", text);
        let file = path(&folder.join("sweep.toml"));
        assert_eq!(
            refused(&["sweep", &file]),
            format!("error: {message}"),
            "{text}"
        );
    }
    let folder = folder("sweep-mistakes", SMALL);
    let file = path(&folder.join("sweep.toml"));
    for shard in ["3/3", "x", "a/2", "0/0"] {
        assert_eq!(
            refused(&["sweep", &file, "--shard", shard]),
            format!(
                "error: `--shard {shard}` is no part of a sweep: write `0/8` to `7/8`, or `auto/8`"
            )
        );
    }
    assert_eq!(
        refused(&["sweep", &file, "--shard", "auto/3"]),
        "error: `auto` is for tasks of engines: none of HQ_TASK_ID, SLURM_ARRAY_TASK_ID is set"
    );
    assert!(!vortex(&["sweep"]).status.success());
}

/// The table of docs/sweep.md says what there is, and nothing else.
#[test]
fn the_table_of_settings_is_true() {
    let page = include_str!("../../../../docs/sweep.md");
    let said: Vec<_> = page
        .lines()
        .skip_while(|line| *line != TABLE)
        .skip(2)
        .take_while(|line| !line.is_empty())
        .collect();
    let usual = Generation::ALL.map(TimingConfig::of);
    let rows: Vec<_> = KNOBS
        .iter()
        .map(|knob| {
            let [second, third] = usual.each_ref().map(|timing| knob.value(timing));
            format!(
                "| `{}` | {} | {} | {second} | {third} |",
                knob.name,
                knob.meaning,
                knob.values()
            )
        })
        .collect();
    assert_eq!(
        said,
        rows,
        "\n{TABLE}\n|---|---|---|---|---|\n{}\n",
        rows.join("\n")
    );
    let printed = printed(&["sweep", "knobs"]);
    assert_eq!(printed.lines().count(), rows.len() + 1);
}

const TABLE: &str = "| setting | what it is | what it can be | Vortex 2 | Vortex 3 |";
