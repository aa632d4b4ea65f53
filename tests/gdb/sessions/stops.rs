//! Breakpoints, watchpoints and steps.

use crate::session::{Session, debugged, session};

const SAXPY: &[Session] = &[
    session(
        "where it begins",
        &["backtrace", "list saxpy"],
        &["#0  gdb::kernels::saxpy (", "y[i] += alpha * x[i];"],
    ),
    session(
        "by line and item",
        &[
            "break %saxpy% if item == 100",
            "continue",
            "info locals",
            "print alpha",
            "print x[i]",
            "print y[i]",
        ],
        &[
            "Breakpoint 1 at 0x",
            "hit Breakpoint 1, gdb::kernels::saxpy",
            "i = 100",
            "= 3",
            "= 100",
            "= 1",
        ],
    ),
    session(
        "what a thread is",
        &[
            "print $item",
            "print $lane",
            "print $warp",
            "print $core",
            "print item",
            "thread",
        ],
        &["= 100", "= 4", "= 0", "= 0", "= 100", "Thread 1.5"],
    ),
    session(
        "steps by line",
        &["next", "print y[100]", "next", "next"],
        &[
            "8\t",
            "= 301",
            "7\t    let i = global_id();",
            "8\t    if i < y.len() {",
        ],
    ),
    session(
        "steps by instruction",
        &["stepi", "stepi", "info line *$pc"],
        &["Line ", "of \"tests/gdb/kernels.rs\""],
    ),
    session(
        "each lane by itself",
        &[
            "delete",
            "break %saxpy%",
            "continue",
            "print i",
            "continue",
            "print i",
            "continue",
            "print i",
        ],
        &[
            "hit Breakpoint 2",
            "= 128",
            "hit Breakpoint 2",
            "= 129",
            "hit Breakpoint 2",
            "= 130",
        ],
    ),
    session(
        "once for each warp",
        &[
            "delete",
            "break %saxpy% if $lane == 3",
            "continue",
            "print i",
            "continue",
            "print i",
            "info breakpoints",
        ],
        &[
            "= 131",
            "= 163",
            "stop only if $lane == 3 (target evals)",
            "breakpoint already hit 2 times",
        ],
    ),
    session(
        "conditions that gdb evaluates",
        &[
            "delete",
            "break %saxpy% if alpha * x[i] > 580.0",
            "continue",
            "print i",
            "continue",
            "print i",
            "info breakpoints",
        ],
        &["= 194", "= 195", "(host evals)"],
    ),
    session(
        "temporary",
        &[
            "delete",
            "tbreak %saxpy% if item == 197",
            "continue",
            "print i",
            "info breakpoints",
        ],
        &[
            "hit Temporary breakpoint",
            "= 197",
            "No breakpoints or watchpoints.",
        ],
    ),
    session(
        "what is watched",
        &[
            "watch -l y[199]",
            "continue",
            "print $lane",
            "print i",
            "delete",
        ],
        &[
            "Hardware watchpoint",
            "hit Hardware watchpoint",
            "Old value = 1",
            "New value = 598",
            "= 7",
            "= 199",
        ],
    ),
    session(
        "a counter",
        &[
            "reverse-continue",
            "break %saxpy%",
            "ignore $bpnum 20",
            "continue",
            "print i",
            "delete",
        ],
        // Warp 0 goes last: the others have items 8 to 31, 40 to 63 and so on.
        &[
            "No more reverse-execution history.",
            "hit Breakpoint",
            "= 76",
        ],
    ),
    session(
        "until somewhere",
        &[
            "tbreak %saxpy%",
            "continue",
            "advance 8",
            "print $pc",
            "display i",
            "next",
        ],
        &["8\t", "= (*mut fn ()) 0x", "9\t", "1: i = "],
    ),
    session(
        "memory and code",
        &[
            "x/2i $pc",
            "x/2xw y.data_ptr",
            "print/x $sp",
            "info symbol $pc",
        ],
        &["=> 0x", "sltu", "0x", "= 0x", "saxpy"],
    ),
    session(
        "registers",
        &[
            "info registers sp",
            "print $ft0",
            "info registers item lane",
        ],
        &["sp", "0x", "= ", "item", "lane"],
    ),
];

#[test]
fn lines_items_and_memory() {
    if let Some(said) = debugged("one_kernel", SAXPY).run() {
        assert!(said.contains("y[199] = 598"), "{said}");
    }
}

const OPTIMISED: &[Session] = &[
    session(
        "fast code",
        &[
            "break %saxpy% if item == 100",
            "continue",
            "print alpha",
            "print x[100]",
            "info locals",
        ],
        &["hit Breakpoint 1", "= 3", "= 100", "item = 100"],
    ),
    session(
        "locals are gone",
        &["print i", "print $item"],
        &["No symbol 'i' in current context", "= 100"],
    ),
    session(
        "watched and back",
        &[
            "delete",
            "watch -l y[100]",
            "continue",
            "reverse-continue",
            "print y[100]",
        ],
        &["New value = 301", "Old value = 301", "= 1"],
    ),
];

#[test]
fn optimised_code() {
    debugged("one_kernel", OPTIMISED)
        .with(&[("VORTEX_GDB", ":0,optimised")])
        .run();
}

const COARSE: &[Session] = &[
    session(
        "a lane is one item",
        &[
            "break %saxpy% if item == 137",
            "continue",
            "print $lane + 8 * $warp",
            "print y[137]",
            "info threads 10",
        ],
        &[
            "hit Breakpoint 1",
            "= 9",
            "= 1",
            "core 0 warp 1 lane 1: item 137) ",
        ],
    ),
    session(
        "and then the next one",
        &[
            "break %saxpy% if $lane == 1 && $warp == 1",
            "continue",
            "print $item",
            "print y[137]",
            "continue",
            "print $item",
        ],
        &["hit Breakpoint 2", "= 169", "= 412", "= 201"],
    ),
    session(
        "each comes once",
        &["delete 2", "continue"],
        &["exited normally"],
    ),
];

/// Code that does several items at once where nobody asks which.
#[test]
fn one_item_at_a_time() {
    let said = debugged("many_items", COARSE)
        .with(&[("VORTEX_GDB", ":0,optimised")])
        .run();
    if let Some(said) = said {
        assert!(said.contains("y[4095] = 12286"), "{said}");
    }
}

const CHANGED: &[Session] = &[
    session(
        "memory can be changed",
        &[
            "tbreak %saxpy% if item == 199",
            "continue",
            "set var y[199] = 1000.0",
            "print y[199]",
        ],
        &["hit Temporary breakpoint", "= 1000"],
    ),
    session(
        "the item counter is no place",
        &["set var item = 3", "print item"],
        &["Cannot access memory", "= 199"],
    ),
    session(
        "a lane goes with its warp",
        &["set var $pc = 0x14000"],
        &["Could not write registers"],
    ),
];

#[test]
fn changes_matter() {
    if let Some(said) = debugged("one_kernel", CHANGED).run() {
        assert!(said.contains("y[199] = 1597"), "{said}");
    }
}
