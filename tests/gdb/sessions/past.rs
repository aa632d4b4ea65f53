//! Going back in time.

use crate::session::{Session, debugged, session};

const SAXPY: &[Session] = &[
    session(
        "nothing is earlier",
        &["reverse-continue"],
        &["No more reverse-execution history."],
    ),
    session(
        "a line back",
        &[
            "tbreak %saxpy% if item == 100",
            "continue",
            "next",
            "print y[100]",
            "reverse-next",
            "print y[100]",
            "print i",
        ],
        &["= 301", "9\t", "= 1", "= 100"],
    ),
    session(
        "instructions back",
        &[
            "set $before = $pc",
            "stepi",
            "stepi",
            "reverse-stepi",
            "reverse-stepi",
            "print $pc == $before",
        ],
        &["= true"],
    ),
    session(
        "who has written that",
        &[
            "tbreak %saxpy% if item == 196",
            "continue",
            "print y[10]",
            "watch -l y[10]",
            "reverse-continue",
            "print i",
            "print y[10]",
            "delete",
        ],
        &[
            "= 31",
            "hit Hardware watchpoint",
            "Old value = 31",
            "New value = 1",
            "= 10",
            "= 1",
        ],
    ),
    session(
        "to a breakpoint before",
        &[
            "break %saxpy% if item == 9",
            "reverse-continue",
            "print i",
            "reverse-continue",
            "delete",
        ],
        &[
            "hit Breakpoint",
            "= 9",
            "No more reverse-execution history.",
        ],
    ),
    session(
        "and forwards again",
        &[
            "tbreak %saxpy% if item == 196",
            "continue",
            "print y[10]",
            "print y[196]",
        ],
        &["hit Temporary breakpoint", "= 31", "= 1"],
    ),
    session(
        "steps back over lines",
        &["reverse-step", "reverse-step", "print $item"],
        &["8\t", "7\t", "= 196"],
    ),
    session(
        "a change is a new future",
        &[
            "tbreak %saxpy% if item == 196",
            "continue",
            "set var y[196] = 5000.0",
            "next",
            "print y[196]",
            "reverse-next",
            "reverse-next",
            "print y[196]",
            "delete",
            "continue",
        ],
        &["= 5588", "= 1", "exited normally"],
    ),
];

#[test]
fn back_and_forth() {
    if let Some(said) = debugged("one_kernel", SAXPY).run() {
        assert!(said.contains("y[199] = 598"), "{said}");
    }
}
