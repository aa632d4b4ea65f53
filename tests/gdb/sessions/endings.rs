//! Mistakes, endless loops, and leaving.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::session::{GDB, Session, debugged, is_there, session, start, with_lines};

const FAULT: &[Session] = &[
    session(
        "where it fails",
        &[
            "break vortex_fault",
            "continue",
            "backtrace",
            "up",
            "print i",
            "print wanted",
            "print x.length",
        ],
        &[
            "hit Breakpoint 1",
            "#0  0x",
            "in vortex_fault ()",
            "#1",
            "beyond (x=",
            "= 8",
            "= 24",
            "= 20",
        ],
    ),
    session("and goes on", &["delete", "continue"], &["exited normally"]),
];

#[test]
fn failures() {
    if let Some(said) = debugged("a_fault", FAULT).run() {
        assert!(
            said.contains("work item 7: index 21 is out of bounds of a slice of 20 elements"),
            "{said}"
        );
    }
}

const TRAP: &[Session] = &[
    session(
        "a stray store",
        &["continue", "backtrace", "print i", "print $item"],
        &[
            "kernel stray: out-of-bounds store of 4 bytes",
            "lane 5, work item 5, at tests/gdb/kernels.rs",
            "received signal SIGSEGV",
            "stray (to=",
            "= 5",
            "= 5",
        ],
    ),
    session(
        "what was before",
        &["reverse-next", "print out[5]", "next"],
        &["= 7", "received signal SIGSEGV"],
    ),
    session(
        "a race, in the next launch",
        &["continue", "print i", "continue"],
        &[
            "racing",
            "received signal SIGABRT",
            "= 16",
            "exited normally",
        ],
    ),
];

#[test]
fn mistakes() {
    if let Some(said) = debugged("a_trap", TRAP).run() {
        assert!(said.contains("kernel stray"), "{said}");
        assert!(said.contains("kernel racing"), "{said}");
    }
}

const PRINTS: &[Session] = &[session(
    "what a kernel prints",
    &[
        "break %talking% if item == 2",
        "continue",
        "print twice",
        "continue",
    ],
    &["hit Breakpoint 1", "= 4", "exited normally"],
)];

#[test]
fn prints() {
    if let Some(said) = debugged("printing", PRINTS).run() {
        assert!(said.contains("0: 0\n1: 2\n2: 4\n3: 6\n"), "{said}");
    }
}

const LEFT: &[Session] = &[session(
    "detached",
    &["break %saxpy%", "continue", "detach"],
    &["hit Breakpoint 1", "detached"],
)];

#[test]
fn left_alone() {
    if let Some(said) = debugged("one_kernel", LEFT).run() {
        assert!(said.contains("y[199] = 598"), "{said}");
    }
}

const KILLED: &[Session] = &[session(
    "killed",
    &["break %spinning%", "continue", "print n", "kill"],
    &["Breakpoint 1, ", "= 0", "[Inferior 1 (process 1) killed]"],
)];

#[test]
fn ended() {
    if let Some(said) = debugged("a_loop", KILLED).run() {
        assert!(
            said.contains("kernel spinning") && said.contains("ended by the debugger"),
            "{said}"
        );
    }
}

/// What is endless is interrupted, as by Ctrl-C.
#[test]
fn interrupts() {
    if !is_there() {
        return;
    }
    let (program, port) = start("a_loop", &[]);
    let mut gdb = Command::new(GDB)
        .args(["-q", "-nx", "--interpreter=mi3"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = gdb.stdin.take().unwrap();
    let mut output = BufReader::new(gdb.stdout.take().unwrap());
    let mut said = String::new();
    // Says something, and waits for a line that begins like this.
    let mut say = |text: &str, answer: &str| {
        writeln!(input, "{text}").unwrap();
        loop {
            let mut line = String::new();
            let bytes = output.read_line(&mut line).unwrap();
            said += &line;
            assert!(bytes > 0, "{answer} after {text} is not in\n{said}");
            if line.starts_with(answer) {
                return;
            }
        }
    };
    say("-gdb-set mi-async on", "^done");
    say(&format!("-target-select remote :{port}"), "^connected");
    let stop = format!("-break-insert -t {}", with_lines("%spinning%"));
    say(&stop, "^done");
    say("-exec-continue", "*stopped,reason=\"breakpoint-hit\"");
    say("-exec-continue", "^running");
    std::thread::sleep(Duration::from_millis(100));
    say(
        "-exec-interrupt",
        "*stopped,reason=\"signal-received\",signal-name=\"SIGINT\"",
    );
    say(
        "-stack-list-locals --all-values",
        "^done,locals=[{name=\"n\",value=\"",
    );
    say("-interpreter-exec console \"set var out[0] = 1\"", "^done");
    say("-exec-continue", "*stopped,reason=\"exited-normally\"");
    say("-gdb-exit", "^exit");
    gdb.wait().unwrap();
    let program = program.wait_with_output().unwrap();
    let program = String::from_utf8_lossy(&program.stdout);
    assert!(program.contains("out[1] = "), "{program}\n{said}");
}
