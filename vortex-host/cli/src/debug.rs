//! `vortex debug`.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::args::Debug;

/// Starts a program whose launches wait for gdb, and gdb.
pub(crate) fn run(args: &Debug) -> Result<()> {
    let gdb = args.gdb.as_str();
    let version = Command::new(gdb)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !version.is_ok_and(|status| status.success()) {
        bail!(
            "there is no `{gdb}` here: Debian's package gdb-multiarch has one that knows RISC-V, and `--gdb` names \
             another"
        );
    }
    let port = free_port().context("no port is free")?;
    let [program, arguments @ ..] = args.program.as_slice() else {
        bail!("no program is named that is to be debugged");
    };
    let how = if args.optimised { ",optimised" } else { "" };
    let mut program = Command::new(program);
    program
        .args(arguments)
        .env("VORTEX_GDB", format!(":{port}{how}"));
    let mut debugger = Command::new(gdb);
    debugger
        .args([
            "-q",
            "-ex",
            "set breakpoint pending on",
            "-ex",
            "set max-value-size unlimited",
        ])
        // It may be built before it runs.
        .args(["-ex", "set tcp connect-timeout unlimited"])
        .args(["-ex", &format!("target remote :{port}")])
        .args(args.commands.iter().flat_map(|command| ["-ex", command]));
    if args.batch {
        debugger.arg("--batch");
    }
    together(program, debugger)
}

/// A free port.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Runs both, the debugger in the foreground: what is typed is for it, Ctrl-C too.
#[cfg(unix)]
fn together(mut program: Command, mut debugger: Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    let name = program.get_program().to_owned();
    let started = program.process_group(0).stdin(Stdio::null()).spawn();
    let mut program = started.with_context(|| format!("cannot start {}", name.display()))?;
    // It takes this one's place.
    let error = debugger.exec();
    let _ = program.kill();
    let _ = program.wait();
    Err(error).context("cannot start the debugger")
}

/// Runs both.
#[cfg(not(unix))]
fn together(mut program: Command, mut debugger: Command) -> Result<()> {
    let name = program.get_program().to_owned();
    let started = program.stdin(Stdio::null()).spawn();
    let mut program = started.with_context(|| format!("cannot start {}", name.display()))?;
    let ended = debugger.status();
    let _ = program.wait();
    ended.context("cannot start the debugger")?;
    Ok(())
}
