//! Locals by their Rust names, of all types, and where they can be seen.

use crate::session::{Session, debugged, session};

const KERNELS: &[Session] = &[
    session(
        "arguments from the start",
        &["info args", "info locals"],
        &[
            "particles = &[gdb::kernels::Particle] [",
            "mode = Slow",
            "No locals.",
        ],
    ),
    session(
        "numbers",
        &[
            "set breakpoint pending on",
            "tbreak %values% if item == 3",
            "continue",
            "print i",
            "print flag",
            "print large",
            "print small",
            "print half",
            "print is_slow",
        ],
        &[
            "= 3",
            "= true",
            "= 1099511627776",
            "= -3",
            "= 1.5",
            "= true",
        ],
    ),
    session(
        "structs, tuples, arrays",
        &[
            "print p.pos.y",
            "print p",
            "print pair",
            "print pair.1",
            "print weights",
            "print weights[2]",
            "ptype p",
        ],
        &[
            "= 1",
            "Particle {pos: Vec3<f32> {x: 3, y: 1, z: 0.25}, mass: 2, id: 103}",
            "= (-4, 0.5)",
            "= 0.5",
            "= [1, 2.5, 4]",
            "= 4",
            "mass: f32",
        ],
    ),
    session(
        "enums and options",
        &[
            "print mode",
            "print some",
            "ptype some",
            "print particles[1].id",
        ],
        &["= Slow", "= Option<u32>::Some(103)", "Some(u32)", "= 101"],
    ),
    session(
        "an option of another lane",
        &["thread 1", "print some", "print i", "thread 4"],
        &["None", "= 0", "Thread 1.4"],
    ),
    session(
        "arguments",
        &["info args", "print out", "print out.length"],
        &["mode = Slow", "out = &mut [f32] [0, 0, 0, 0...]", "= 8"],
    ),
    session(
        "what changes",
        &[
            "tbreak %values loop%",
            "continue",
            "print sum",
            "print term",
            "print k",
            "next",
            "next",
            "next",
            "print sum",
        ],
        &["= 4", "= 0.5", "= 0", "= 4.5"],
    ),
    session(
        "conditions on what changes",
        &[
            "tbreak %values loop% if k == 2 && item == 5",
            "continue",
            "print sum",
            "print $item",
        ],
        &["hit Temporary", "= 105.75", "= 5"],
    ),
    session(
        "what a pattern binds",
        &[
            "tbreak %values some% if item == 7",
            "continue",
            "print id",
            "info locals",
        ],
        &["= 107", "id = 107", "sum = "],
    ),
    session(
        "a kernel to come",
        &["break shadows", "continue", "delete", "next", "print i"],
        &[
            "Breakpoint",
            "(shadows) pending",
            "hit Breakpoint",
            "shadows (out=",
            "let i = ",
            "let x = i + 1",
            "= 0",
        ],
    ),
    session(
        "an inner one is what is seen",
        &[
            "tbreak %shadows inner% if item == 3",
            "continue",
            "print x",
            "info locals",
        ],
        &["hit Temporary", "= 40", "x = 40", "x = 4", "i = 3"],
    ),
    session(
        "and the outer one after it",
        &[
            "tbreak %shadows outer% if item == 3",
            "continue",
            "print x",
            "print y",
        ],
        &["= 4", "= 41"],
    ),
    session(
        "one of the same name",
        &[
            "tbreak %shadows later% if item == 3",
            "continue",
            "print x",
            "print z",
        ],
        &["= 90", "= 45"],
    ),
    session(
        "in a loop",
        &[
            "tbreak %shadows loop% if n == 4 && i == 3",
            "continue",
            "print n",
            "print steps",
        ],
        &["= 4", "= 2"],
    ),
    session(
        "what is set is a copy",
        &[
            "set var n = 77",
            "print n",
            "tbreak %shadows end% if item == 3",
            "continue",
            "print n",
        ],
        &["= 77", "= 6"],
    ),
    session(
        "of a function that is called twice",
        &[
            "set breakpoint pending on",
            "tbreak %plus one% if item == 3",
            "continue",
            "print given",
            "print v",
            "next",
            "next",
            "next",
            "next",
            "next",
            "print given",
            "print v",
        ],
        &["= 21", "= 21", "// at: plus one", "= 300", "= 300"],
    ),
    session(
        "of a generic function with two types",
        &[
            "tbreak %called twice% if item == 3",
            "continue",
            "print narrow",
            "print wide",
            "print of_argument",
            "print of_item",
        ],
        &["= 42", "= 2199023255594", "= 22", "= 301"],
    ),
    session(
        "values that are gone",
        &[
            "tbreak %partly gone% if item == 3",
            "continue",
            "print i",
            "print n",
            "print unused",
            "print tripled",
            "print place",
        ],
        &[
            "= 3",
            "= <optimized out>",
            "= <optimized out>",
            "= <optimized out>",
            "= <optimized out>",
            "!No symbol",
        ],
    ),
];

#[test]
fn values_and_scopes() {
    debugged("many_kernels", KERNELS).run();
}
