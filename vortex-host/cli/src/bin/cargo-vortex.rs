//! `cargo vortex`: the `vortex` command that is installed next to this one.

use std::env;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let vortex = env::current_exe().map(|exe| {
        exe.with_file_name("vortex")
            .with_extension(env::consts::EXE_EXTENSION)
    });
    let mut arguments = env::args_os().skip(1).peekable();
    // cargo says which of its commands this is.
    arguments.next_if(|argument| argument == "vortex");
    let status = vortex.and_then(|vortex| Command::new(vortex).args(arguments).status());
    match status {
        Ok(status) => ExitCode::from(status.code().map_or(1, |code| code as u8)),
        Err(error) => {
            eprintln!("error: the `vortex` command is not next to this one: {error}");
            ExitCode::FAILURE
        }
    }
}
