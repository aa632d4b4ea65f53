//! Which values the analysis calls divergent.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use vortex_kernel::ir::{Form, Value, parse, verify};
use vortex_kernel::opt::Uniformity;

/// Asserts that exactly `divergent` are divergent among the values of a function with `v0: u32`, `v1: ptr<global>`.
fn divergent(body: &str, divergent: &[u32]) {
    let text = format!(
        "kernel \"k\" (v0: u32 \"n\" arg 0 at 0, v1: ptr<global> \"x\" arg 1 at 4) args 8 {{\n{body}\n}}"
    );
    let function = parse(&text).unwrap();
    verify(&function, Form::Structured).unwrap();
    let uniformity = Uniformity::of(&function);
    let found = function.values.keys();
    let found: Vec<u32> = found
        .filter(|v| uniformity.is_divergent(*v))
        .map(Value::as_u32)
        .collect();
    assert_eq!(found, divergent, "{text}");
}

#[test]
fn sources_and_data() {
    divergent(
        "v2: u32 = id linear\nv3: u32 = id count\nv4: u32 = add v2, v3\nv5: u32 = add v0, v3",
        &[2, 4],
    );
    divergent("v2: u32 = csr warp_id\nv3: u32 = csr lane_id", &[3]);
    divergent(
        "v2: u32 = load v1+0 shared(1)\nv3: u32 = load v1+0 any\nv4: u32 = load v1+0 exclusive(1)\nv5: u32 = load v1+0 unknown",
        &[3, 4, 5],
    );
}

#[test]
fn what_a_group_agrees_on() {
    let load = |object: &str| {
        format!(
            "local l0 \"u32\" size 4 align 4{object}\nv2: ptr<local> = local_addr l0\nv3: u32 = load v2+0 local(0)"
        )
    };
    divergent(&load(" agreed"), &[]);
    divergent(&load(""), &[3]);
}

#[test]
fn arms() {
    let arms = "v4: u32 = const 1\nv5: u32 = const 2\nv6: u32, v7: u32 = if v3 {\nyield v4, v4\n} else {\nyield v5, v4\n}";
    divergent(
        &format!("v2: u32 = id linear\nv3: bool = lt v2, v0\n{arms}"),
        &[2, 3, 6],
    );
    divergent(
        &format!("v2: u32 = id count\nv3: bool = lt v2, v0\n{arms}"),
        &[],
    );
}

#[test]
fn arms_that_differ_in_what_they_give() {
    divergent(
        "v2: u32 = id linear\nv3: bool = lt v0, v0\nv4: u32, v5: u32, v6: u32 = if v3 {\nyield v2, v0, v0\n} else {\nyield v0, v2, v0\n}",
        &[2, 4, 5],
    );
}

#[test]
fn loops() {
    // A counter is uniform inside a divergent loop, not after it.
    let a_loop = "v4: u32 = const 0\nv5: u32, v6: u32 = while (v7: u32 = v4) {\nv8: bool = lt v7, v3\ntest v8 exit v7, v0\nv9: u32 = add v7, v0\nnext v9\n}";
    divergent(
        &format!("v2: u32 = id linear\nv3: u32 = add v2, v0\n{a_loop}"),
        &[2, 3, 5, 8],
    );
    divergent(
        &format!("v2: u32 = id linear\nv3: u32 = add v0, v0\n{a_loop}"),
        &[2],
    );
    // Divergence travels around the loop.
    divergent(
        "v2: u32 = id linear\nv3: u32 = while (v4: u32 = v0, v5: u32 = v0) {\nv6: bool = lt v4, v0\ntest v6 exit v4\nnext v5, v2\n}",
        &[2, 3, 4, 5, 6],
    );
}

#[test]
fn what_a_loop_begins_with_and_goes_on_with() {
    let a_loop = |init: &str, next: &str| {
        format!(
            "v2: u32 = id linear\nwhile (v3: u32 = {init}) {{\nv4: bool = lt v0, v0\ntest v4\nnext {next}\n}}"
        )
    };
    divergent(&a_loop("v0", "v0"), &[2]);
    divergent(&a_loop("v2", "v0"), &[2, 3]);
    divergent(&a_loop("v0", "v2"), &[2, 3]);
    // The same, of the last value before a loop.
    divergent(
        "v2: u32 = id linear\nv3: u32 = add v0, v0\nv4: u32 = while (v5: u32 = v0) {\nv6: bool = lt v5, v2\ntest v6 exit v3\nnext v5\n}",
        &[2, 6],
    );
}

#[test]
fn lanes_that_read_of_each_other() {
    divergent(
        "v2: u32 = id linear\nv3: u32 = warp read v0, v2\nv4: u32 = warp read v2, v0\nv5: u32 = warp read v2, v2",
        &[2, 5],
    );
}
