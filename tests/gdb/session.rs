//! Sessions: commands for gdb, and what it has to say.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

/// What kernels are debugged with.
pub(crate) const GDB: &str = "gdb-multiarch";

/// The source of the kernels.
const SOURCE: &str = include_str!("kernels.rs");

/// The line of the kernels' source with this name.
fn line(name: &str) -> usize {
    let marked = format!("// at: {name}");
    let lines = SOURCE.lines().zip(1..);
    let mut found = lines.filter(|(line, _)| line.ends_with(&marked));
    let found = found
        .next()
        .unwrap_or_else(|| panic!("no line is `{name}`"));
    found.1
}

/// A text with `%name%` for lines of the kernels' source.
pub(crate) fn with_lines(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        let (name, after) = after.split_once('%').expect("a name between two of them");
        result += before;
        result += &format!("kernels.rs:{}", line(name));
        rest = after;
    }
    result + rest
}

/// What gdb is told, and what it answers.
pub(crate) struct Session {
    name: &'static str,
    commands: &'static [&'static str],
    expected: &'static [&'static str],
}

/// A session: its name, commands, and what has to be in the answers, in this order. `%name%` is a line of the kernels'
/// source; what begins with `!` must not be in any of them.
pub(crate) const fn session(
    name: &'static str,
    commands: &'static [&'static str],
    expected: &'static [&'static str],
) -> Session {
    Session {
        name,
        commands,
        expected,
    }
}

/// What a program does under gdb.
pub(crate) struct Debugged {
    program: &'static str,
    variables: Vec<(&'static str, &'static str)>,
    sessions: &'static [Session],
}

/// A program of `programs`, on one core of four warps of eight threads.
pub(crate) fn debugged(program: &'static str, sessions: &'static [Session]) -> Debugged {
    let shape = [
        ("VORTEX_CORES", "1"),
        ("VORTEX_WARPS", "4"),
        ("VORTEX_THREADS", "8"),
    ];
    Debugged {
        program,
        variables: shape.to_vec(),
        sessions,
    }
}

/// Whether there is a gdb that knows the device.
pub(crate) fn is_there() -> bool {
    static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
        let version = Command::new(GDB).arg("--version").output();
        let is_there = version.is_ok_and(|output| output.status.success());
        if !is_there {
            eprintln!(
                "skipped: there is no {GDB} here, so no kernel is debugged on the device (Debian's {GDB})"
            );
        }
        is_there
    });
    *IS_THERE
}

/// A program, and where it waits for gdb.
pub(crate) fn start(program: &str, variables: &[(&str, &str)]) -> (Child, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("programs::{program}")])
        .args(["--ignored", "--nocapture"])
        .env("VORTEX_GDB", ":0")
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while errors.read_line(&mut said).unwrap() > 0 {
        if let Some((_, rest)) = said.split_once("target remote :") {
            let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
            child.stderr = Some(errors.into_inner());
            return (child, port);
        }
    }
    child.wait().unwrap();
    panic!("{program} does not wait for a debugger:\n{said}");
}

impl Debugged {
    /// On another device.
    pub(crate) fn with(mut self, variables: &[(&'static str, &'static str)]) -> Self {
        self.variables.extend(variables);
        self
    }

    /// Runs it; what the program has said comes back, if there is a gdb.
    pub(crate) fn run(self) -> Option<String> {
        if !is_there() {
            return None;
        }
        let (child, port) = start(self.program, &self.variables);
        let mut script = String::from("set print elements 4\nset width 0\n");
        for session in self.sessions {
            script += &format!("echo \\n[{}]\\n\n", session.name);
            for command in session.commands {
                script += &with_lines(command);
                script.push('\n');
            }
        }
        // What is wrong in one command does not end the others.
        let lines = script.lines().flat_map(|line| ["-ex", line]);
        let (mut output, input) = std::io::pipe().unwrap();
        let mut gdb = Command::new(GDB);
        gdb.args(["-q", "-nx", "--batch"])
            .args(["-ex", &format!("target remote :{port}")])
            .args(lines)
            .stdout(input.try_clone().unwrap())
            .stderr(input);
        let mut running = gdb.spawn().unwrap();
        // It has ends of the pipe, too.
        drop(gdb);
        let mut said = String::new();
        output.read_to_string(&mut said).unwrap();
        running.wait().unwrap();
        let program = child.wait_with_output().unwrap();
        let program = [program.stdout, program.stderr].concat();
        let program = String::from_utf8_lossy(&program).into_owned();
        self.check(&said, &format!("{said}\n{program}"));
        Some(program)
    }

    fn check(&self, said: &str, all: &str) {
        let marker = |session: &Session| format!("\n[{}]\n", session.name);
        for (number, session) in self.sessions.iter().enumerate() {
            let (_, answers) = said
                .split_once(&marker(session))
                .unwrap_or_else(|| panic!("{} was not reached:\n{all}", session.name));
            let next = self.sessions.get(number + 1).map(marker);
            let end = next.and_then(|next| answers.find(&next));
            let answers = &answers[..end.unwrap_or(answers.len())];
            let mut rest = answers;
            for expected in session.expected {
                let text = with_lines(expected.trim_start_matches('!'));
                if expected.starts_with('!') {
                    assert!(
                        !answers.contains(&text),
                        "{}: {text:?} is in\n{answers}",
                        session.name
                    );
                    continue;
                }
                let Some((_, after)) = rest.split_once(&text) else {
                    panic!(
                        "{}: {text:?} is not in\n{rest}\nof\n{answers}\n\n{all}",
                        session.name
                    );
                };
                rest = after;
            }
        }
    }
}
