//! Items, groups, lanes: who is where.

use crate::session::{Session, debugged, session};

const KERNELS: &[Session] = &[
    session(
        "lanes that are parted",
        &[
            "set breakpoint pending on",
            "break %parted else% if lane == 3",
            "continue",
            "print v",
            "next",
            "print v",
            "info threads 1 2 5",
        ],
        &[
            "hit Breakpoint 1",
            "= 3",
            "= 1003",
            "lane 0: item 0, inactive)",
            "lane 1: item 1) ",
            "lane 4: item 4, inactive)",
        ],
    ),
    session(
        "the other side",
        &[
            "delete",
            "break %parted then%",
            "continue",
            "print i",
            "info threads 1 2 5",
        ],
        &[
            "hit Breakpoint 2",
            "= 0",
            "lane 0: item 0) ",
            "lane 1: item 1, inactive)",
            "lane 4: item 4) ",
        ],
    ),
    session(
        "the next lane that is there",
        &["continue", "print i", "delete"],
        &["hit Breakpoint 2", "= 4"],
    ),
    session(
        "a lane waits for others",
        &["thread 2", "next", "print $item", "info threads 1 2"],
        &["= 1", "lane 0: item 0", "lane 1: item 1) "],
    ),
    session(
        "lanes that leave a loop",
        &[
            "break %parted loop% if item == 1",
            "continue",
            "print k",
            "continue",
            "print k",
            "continue",
            "print k",
            "info threads 1 2 3",
            "delete",
        ],
        &[
            "= 0",
            "= 1",
            "= 2",
            "lane 0: item 0, inactive)",
            "lane 1: item 1) ",
            "lane 2: item 2, inactive)",
        ],
    ),
    session(
        "groups and local memory",
        &[
            "break %reversed barrier% if group == 2 && item == 37",
            "continue",
            "print $item",
            "print group",
            "print l",
            "print base",
            "print tile",
            "print (*tile)[5]",
        ],
        &[
            "hit Breakpoint",
            "= 37",
            "= 2",
            "= 5",
            "= 32",
            "[u32; 16]) 0xffff0000",
            "= 74",
        ],
    ),
    session(
        "warps that wait at a barrier",
        &[
            "delete",
            "next",
            "print other",
            "info threads",
            "tbreak %reversed end% if item == 37",
            "continue",
            "print other",
        ],
        &["group 2", "= 84"],
    ),
    session(
        "two axes",
        &[
            "break %picture% if x == 5 && y == 2",
            "continue",
            "print shade",
            "print $item",
            "thread",
            "info threads 22",
            "delete",
        ],
        &["hit Breakpoint", "= 52", "= 21", "item 21 (5, 2)"],
    ),
    session("no more of them", &["continue"], &["exited normally"]),
];

#[test]
fn who_is_where() {
    if let Some(said) = debugged("many_kernels", KERNELS).run() {
        assert!(said.contains("out[0] = 28"), "{said}");
    }
}

const LARGE: &[Session] = &[
    session(
        "all lanes are threads",
        &[
            "info threads 1 128",
            "break %saxpy% if item == 150",
            "continue",
            "thread",
        ],
        &["core 0 warp 0 lane 0", "hit Breakpoint 1", "Thread 1."],
    ),
    session(
        "whoever has none is not there",
        &["info threads", "print $core"],
        &["item 150", "core 1 warp 0", "= "],
    ),
];

#[test]
fn many_lanes() {
    let shape = [
        ("VORTEX_CORES", "4"),
        ("VORTEX_WARPS", "16"),
        ("VORTEX_THREADS", "32"),
    ];
    debugged("one_kernel", LARGE).with(&shape).run();
}

const GENERATION_3: &[Session] = &[
    session(
        "on Vortex 3",
        &[
            "set breakpoint pending on",
            "break %reversed end% if item == 37",
            "continue",
            "print other",
            "print group",
            "print l",
        ],
        &["= 84", "= 2", "= 5"],
    ),
    session(
        "back on Vortex 3",
        &[
            "delete",
            "watch -l out[37]",
            "continue",
            "reverse-continue",
            "print out[37]",
        ],
        &["New value = 84", "Old value = 84"],
    ),
];

#[test]
fn generations() {
    debugged("many_kernels", GENERATION_3)
        .with(&[("VORTEX_GENERATION", "3")])
        .run();
}
