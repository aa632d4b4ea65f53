//! What the command line looks like.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Look into, disassemble and run kernels for the Vortex RISC-V GPGPU.
#[derive(Debug, Parser)]
#[command(name = "vortex", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  vortex new my-app                          a project to begin with
  vortex inspect kernels.elf                 what is in a file, as a table
  vortex inspect kernels.elf --json          the same for programs (docs/metadata.schema.json)
  vortex disasm kernels.elf --kernel saxpy
  vortex stats a.elf b.elf                   what was counted while they were compiled
  vortex run kernels.elf --kernel saxpy --arg alpha=2 --arg x=x.npy \\
             --arg y=y.npy --out y=result.npy --over 4096
  vortex debug cargo run --example saxpy     its kernels in gdb
  vortex explain dump --kernel saxpy         how it is compiled, and why so
  vortex sweep caches.toml                   kernels on many devices, as tables
  vortex doctor                              whether everything works here

Devices are chosen by VORTEX_DRIVER, VORTEX_CORES, VORTEX_WARPS, VORTEX_THREADS,
VORTEX_MODEL, VORTEX_CHECKS, VORTEX_BUDGET and VORTEX_DETERMINISTIC, as for programs
that use the library.";

const FILES: &str = "\
Files are modules (ELF), bundles of such, executables of other origin (ELF,
.vxbin), or metadata alone (binary or JSON). A .vxbin file's metadata is looked
for in the file of the same name with `.vxmeta` or `.json` at the end.";

const PROFILING: &str = "\
The kernel runs on the cycle model of the embedded device, with arguments as for
`vortex run` (see there). A file of JSON that this command or `Profile::write`
has written becomes a page without a run.

Examples:
  vortex profile kernels.elf --kernel saxpy --arg alpha=2 --arg x=x.npy \\
             --arg y=zeros:4096 --over 4096 -o saxpy.html
  vortex profile saxpy.json -o saxpy.html";

const STATS: &str = "\
Files are modules (ELF), bundles of such, metadata (binary or JSON), or what
`--json` has printed. The compiler counts if it is asked to, by `.statistics()`
on the builder of a module; kernels, images and bytes are counted always.";

const RUNNING: &str = "\
Every parameter of the kernel takes an `--arg NAME=VALUE`:
  a number or `bool`     --arg alpha=0.5
  a slice or pointer     --arg x=x.npy      NumPy's elements; other files are plain bytes
                         --arg y=zeros:64   elements, or bytes if nothing is known of them
  a texture              --arg image=photo.png,filter=linear,edge=clamp
                         .png, or .npy of (height, width, channels); `zeros:WxH`
                         filter: nearest (by default), linear; edge: clamp (by
                         default), repeat, mirror, or a colour such as 0:0:0:1;
                         unit of coordinates: image (by default), texel
  a tensor               --arg a=a.npy      of rows and columns; .npy, or bytes row by row if
                         the type says how many, or `zeros:MxN`
  local memory           --arg tile=256     elements
  a struct or an array   --arg p=hex:0000803f00000040, or a file of its bytes

A program of other origin has no parameters that are known. What it finds by
its argument register is given piece by piece, in order, without space between:
  a number               --raw u32:64 --raw f32:0.5
  bytes                  --raw hex:00ff --raw file:arguments.bin
  the address of memory  --raw memory:x=x.npy --raw memory:y=zeros:256
                         (bytes; `--out y=y.bin` writes it to a file afterwards)
If the program leaves an exit code other than 0, that is an error.

Examples:
  vortex run kernels.elf --kernel saxpy --arg alpha=2 --arg x=x.npy \\
             --arg y=y.npy --out y=result.npy --over 4096
  vortex run foreign.vxbin --raw memory:y=zeros:256 --raw u32:64 --out y=y.bin";

const STARTING: &str = "\
The project has a kernel, a launch that checks its result, a test, and the
settings that debug builds need to be fast.

Examples:
  vortex new my-app
  vortex new my-app --path ../vortex";

const DEBUGGING: &str = "\
The program is one that uses the library, or `vortex run`. Its first launch
waits for gdb, which starts here; what can be done there is in docs/debugging.md.
Without this command: VORTEX_GDB=:1234 PROGRAM, and in another terminal
gdb-multiarch -ex 'target remote :1234'.

Examples:
  vortex debug cargo run --example saxpy
  vortex debug --ex 'break saxpy.rs:17 if item == 4096' --ex continue ./saxpy
  vortex debug vortex run kernels.elf --kernel saxpy --arg alpha=2 --arg x=x.npy \\
             --arg y=y.npy --over 4096";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a project that launches a kernel.
    #[command(after_help = STARTING)]
    New(New),
    /// Print what is known about the kernels in a file.
    #[command(after_help = FILES)]
    Inspect(Inspect),
    /// Print the instructions of a file, with source lines where they are known.
    Disasm(Disasm),
    /// Print what was counted while kernels were compiled, of several files together.
    #[command(after_help = STATS)]
    Stats(Stats),
    /// Run a kernel, or a program.
    #[command(after_help = RUNNING)]
    Run(Run),
    /// Run a program whose kernels are stepped through in gdb.
    #[command(after_help = DEBUGGING)]
    Debug(Debug),
    /// Run a kernel and write a page that shows where its time goes.
    #[command(after_help = PROFILING)]
    Profile(Profile),
    /// Write a trace of each instruction of a kernel, and compare such traces.
    Trace {
        /// What to do.
        #[command(subcommand)]
        command: Trace,
    },
    /// Run kernels on many devices of the cycle model, and make tables of it.
    #[command(after_help = SWEEPING, args_conflicts_with_subcommands = true)]
    Sweep(Sweep),
    /// Say how a kernel is compiled, and why so.
    #[command(after_help = EXPLAINING)]
    Explain(Explain),
    /// List the devices that can be opened.
    Devices,
    /// Find out whether everything works here.
    Doctor {
        /// Only the device that the environment chooses.
        #[arg(long)]
        chosen_only: bool,
    },
    /// Print a script that completes commands in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// Its directory, which is made; the last part is the name of the package.
    pub(crate) directory: PathBuf,
    /// Another name for the package.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A checkout of the library to depend on; by default the one that this command was built in, or, if that is not
    /// there, this version of the library from the registry.
    #[arg(long, value_name = "CHECKOUT")]
    pub(crate) path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The file.
    pub(crate) file: PathBuf,
    /// Only the kernel of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// As JSON.
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// The argument structs for programs in C.
    #[arg(long, group = "form")]
    pub(crate) c_header: bool,
    /// As MLIR.
    #[arg(long, group = "form", value_name = "VIEW", num_args = 0..=1, default_missing_value = "record")]
    pub(crate) mlir: Option<Mlir>,
    /// MLIR as `mlir-opt --allow-unregistered-dialect` takes it.
    #[arg(long, requires = "mlir")]
    pub(crate) generic: bool,
    /// What `--mlir=list` is an attribute of.
    #[arg(
        long,
        requires = "mlir",
        value_name = "OPERATION",
        default_value = "gpu.func"
    )]
    pub(crate) on: On,
    /// A line for each argument and nothing else.
    #[arg(long, group = "form")]
    pub(crate) dump: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// The files, whose numbers are added up.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Only the kernel of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The sums over all kernels.
    #[arg(long)]
    pub(crate) totals: bool,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Mlir {
    /// A record of the module for each kernel.
    Record,
    /// An attribute on the kernel.
    Attribute,
    /// An operation of its own.
    Op,
    /// A list with all that the kernel's function needs.
    List,
}

/// Operations that a list of arguments can be an attribute of.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum On {
    /// The kernel's function.
    #[value(name = "gpu.func")]
    GpuFunction,
    /// A function like any other.
    #[value(name = "func.func")]
    Function,
    /// A launch of the kernel.
    #[value(name = "gpu.launch")]
    Launch,
}

#[derive(Debug, Args)]
pub(crate) struct Disasm {
    /// The file: a module, a bundle, or an executable (ELF, .vxbin).
    pub(crate) file: PathBuf,
    /// Only the kernel of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The file: a module, a bundle, or a .vxbin file with its metadata next to it; with `--raw` a program.
    pub(crate) file: PathBuf,
    /// The kernel; may be left out if there is only one.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The value of a parameter, as below.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub(crate) args: Vec<String>,
    /// A piece of what a program without metadata takes, as below.
    #[arg(
        long,
        value_name = "PIECE",
        conflicts_with_all = ["args", "kernel", "over", "grid", "block"]
    )]
    pub(crate) raw: Vec<String>,
    /// Write what an argument's memory holds afterwards to a file.
    #[arg(long = "out", value_name = "NAME=FILE")]
    pub(crate) outs: Vec<String>,
    /// Work items: N, WxH or WxHxD.
    #[arg(long, value_name = "ITEMS", conflicts_with = "grid")]
    pub(crate) over: Option<String>,
    /// Groups of work items: N, WxH or WxHxD.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) grid: Option<String>,
    /// Work items of each group: N, WxH or WxHxD.
    #[arg(long, value_name = "ITEMS")]
    pub(crate) block: Option<String>,
    /// No progress on stderr and no report on stdout.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const SWEEPING: &str = "\
A sweep is a file like this one; docs/sweep.md has all that it can say.

  [[kernel]]
  file = \"kernels.elf\"
  kernel = \"saxpy\"
  args = { alpha = 2, x = \"zeros:4096\", y = \"zeros:4096\" }
  over = 4096

  [device]
  generation = [2, 3]
  shape = [\"1x4x4\", \"1x8x8\", \"2x8x8\"]
  dcache.size = [\"8K\", \"16K\", \"32K\"]

The results are in a folder beside it: results.csv, results.jsonl, and what is done
so far. A sweep that was cut off goes on where it was.

Examples:
  vortex sweep caches.toml                         on all processors of this machine
  vortex sweep caches.toml --engine hyperqueue     on workers of HyperQueue
  vortex sweep caches.toml --engine slurm          writes a script for sbatch
  vortex sweep report caches.toml                  a page of tables and pictures
  vortex sweep knobs                               what can be set in the cycle model";

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    #[command(subcommand)]
    pub(crate) command: Option<SweepCommand>,
    /// The sweep.
    #[arg(value_name = "SWEEP.toml")]
    pub(crate) file: Option<PathBuf>,
    /// The folder of results: the sweep's name with `.results` at the end by default.
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Points at a time: as many as there are processors by default.
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Run the points that failed once more.
    #[arg(long)]
    pub(crate) retry: bool,
    /// Run a part only: `0/8` to `7/8`, or `auto/8` where an engine says which task this is.
    #[arg(long, value_name = "PART", conflicts_with_all = ["engine", "merge"])]
    pub(crate) shard: Option<String>,
    /// Run nothing, and write the tables of what has been run elsewhere.
    #[arg(long, conflicts_with = "engine")]
    pub(crate) merge: bool,
    /// Who runs the points, if not this command.
    #[arg(long)]
    pub(crate) engine: Option<Engine>,
    /// Tasks that an engine is given: 64, or one for each point.
    #[arg(long, value_name = "N", requires = "engine")]
    pub(crate) shards: Option<NonZeroUsize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// Write a page of what is done of a sweep.
    Report {
        /// The sweep.
        #[arg(value_name = "SWEEP.toml")]
        file: PathBuf,
        /// The folder of results, if it is another than the sweep's name says.
        #[arg(long, value_name = "FOLDER")]
        results: Option<PathBuf>,
        /// The page: `report.html` in the folder of results by default.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Print what can be set in the cycle model.
    Knobs,
}

/// Engines that run tasks on many machines.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Engine {
    /// HyperQueue, whose server and workers run already.
    Hyperqueue,
    /// Slurm: a script for `sbatch` is written.
    Slurm,
}

const EXPLAINING: &str = "\
VORTEX_DUMP=DIR leaves the IR of every kernel that a program launches in DIR, as
recorded, before anything is done to it. From there it is compiled once more, for
the device that the environment chooses, and nothing runs. Modules (ELF) do not
have it.

Lines of source are those below the directories that VORTEX_SOURCES names.

Examples:
  VORTEX_DUMP=dump cargo run --release --example sgemm
  VORTEX_SOURCES=. vortex explain dump --kernel sgemm
  VORTEX_SOURCES=. vortex explain dump/0001-sgemm.staged.vir -o sgemm.html";

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The directory that VORTEX_DUMP named, or a file `.staged.vir` in it.
    pub(crate) file: PathBuf,
    /// The kernel of this name, as it was launched last.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Work items of each group, N, WxH or WxHxD, as launches state them; otherwise groups have any size.
    #[arg(long, value_name = "ITEMS")]
    pub(crate) block: Option<String>,
    /// Print the IR after each pass and the instructions, too.
    #[arg(long)]
    pub(crate) stages: bool,
    /// Write a page with all stages side by side to a file; text, if its name ends in `.txt`.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const TRACING: &str = "\
The kernel runs on the cycle model of the embedded device, with arguments as for
`vortex run` (see there).

A file whose name ends in `.csv` has the columns of Vortex's ci/trace_csv.py, and
one whose name ends in `.lines.csv` beside it the lines of source. Any other has
Chrome's trace events, for https://ui.perfetto.dev.

Examples:
  vortex trace run kernels.elf --kernel saxpy --arg alpha=2 --arg x=x.npy \\
             --arg y=zeros:64 --over 64 -o ours.csv
  vortex trace diff ours.csv simx.csv";

const DIFFERENCES: &str = "\
Both are CSV files as `vortex trace run` or Vortex's ci/trace_csv.py writes them.
Instructions are compared warp by warp, in the order of each warp: address, lanes,
what was written and what was read. If the programs were loaded at different
addresses, these count from the first one. What only one of them has is skipped if
both go on at the same address after at most 64 instructions.

The exit code is 1 if they differ.";

#[derive(Debug, Subcommand)]
pub(crate) enum Trace {
    /// Run a kernel and write what becomes of its instructions.
    #[command(after_help = TRACING)]
    Run(Box<TraceRun>),
    /// Find the first difference of two traces, with its line of source.
    #[command(after_help = DIFFERENCES)]
    Diff(TraceDiff),
}

#[derive(Debug, Args)]
pub(crate) struct TraceRun {
    #[command(flatten)]
    pub(crate) run: Run,
    /// The file to write.
    #[arg(long, short, value_name = "FILE", default_value = "trace.json")]
    pub(crate) output: PathBuf,
    /// Instructions of warps, at most.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) instructions: usize,
    /// Only instructions that go to their unit in these cycles: `FROM..TO`, `FROM..` or `..TO`.
    #[arg(long, value_name = "RANGE")]
    pub(crate) cycles: Option<String>,
    /// Leave out what registers hold.
    #[arg(long)]
    pub(crate) no_values: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TraceDiff {
    /// A trace.
    pub(crate) a: PathBuf,
    /// Another one.
    pub(crate) b: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Debug {
    /// The gdb to start: one that knows RISC-V.
    #[arg(long, value_name = "GDB", default_value = "gdb-multiarch")]
    pub(crate) gdb: String,
    /// A command for gdb, once it is there.
    #[arg(long = "ex", value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,
    /// Leave the kernels as fast as they are: of their locals, only parameters can be seen.
    #[arg(long)]
    pub(crate) optimised: bool,
    /// End gdb after these commands.
    #[arg(long)]
    pub(crate) batch: bool,
    /// The program and its arguments.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Profile {
    #[command(flatten)]
    pub(crate) run: Run,
    /// The file to write: a page, or JSON if its name ends in `.json`.
    #[arg(long, short, value_name = "FILE", default_value = "profile.html")]
    pub(crate) output: PathBuf,
}

/// The arguments, with the view of `--mlir` written out where a file follows: `--mlir FILE` is `--mlir=record FILE`.
pub(crate) fn given(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter().peekable();
    let mut given = Vec::new();
    while let Some(argument) = arguments.next() {
        let is_file = |next: &OsString| {
            let view = next
                .to_str()
                .and_then(|name| Mlir::from_str(name, false).ok());
            view.is_none() && Path::new(next).exists()
        };
        given.push(
            match argument == "--mlir" && arguments.peek().is_some_and(is_file) {
                true => "--mlir=record".into(),
                false => argument,
            },
        );
    }
    given
}
