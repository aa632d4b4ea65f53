//! The `vortex` command.

mod args;
mod debug;
mod devices;
mod disasm;
mod doctor;
mod explain;
mod held;
mod image;
mod input;
mod inspect;
mod installed;
mod new;
mod npy;
mod picture;
mod profile;
mod progress;
mod raw;
mod run;
mod stats;
mod sweep;
mod tensor;
mod trace;
mod whole;

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory as _, Parser};

use vortex::escape;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(args::given(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads the output has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let text = chained(&error);
            eprintln!("error: {}", escape::lines(one_line(&text)));
            ExitCode::FAILURE
        }
    }
}

/// Prints what clap has to say: help as it is, errors in a line.
fn explain(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand || !error.use_stderr() {
        _ = error.print();
        return ExitCode::from(u8::from(error.use_stderr()));
    }
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.trim().is_empty());
    let words: Vec<_> = lines.map(str::trim).collect();
    let tip = (text.lines()).find_map(|line| line.trim().strip_prefix("tip: "));
    let tip = tip.map(|tip| format!(" ({tip})")).unwrap_or_default();
    eprintln!("{}{tip}", words.join(" "));
    ExitCode::FAILURE
}

fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::New(args) => new::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Disasm(args) => disasm::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Profile(args) => profile::run(&args),
        Command::Trace { command } => trace::run(&command),
        Command::Sweep(args) => sweep::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Devices => devices::run(),
        Command::Doctor { chosen_only } => doctor::run(chosen_only),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "vortex", &mut text);
            print_bytes(&text)
        }
    }
}

/// Writes text to stdout, without what a terminal would obey: names and messages may come from a stranger's file.
fn print_text(text: &str) -> Result<()> {
    print_bytes(escape::lines(text).as_bytes())
}

/// Writes to stdout; that nobody reads it is an error.
fn print_bytes(bytes: &[u8]) -> Result<()> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

/// An error and its causes, except for those whose words are in it already.
pub(crate) fn chained(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// So many things: `1 byte`, `2 bytes`.
pub(crate) fn counted(number: u32, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        more => format!("{more} {thing}s"),
    }
}

/// The first line of a message; what follows are excerpts and hints.
fn one_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
