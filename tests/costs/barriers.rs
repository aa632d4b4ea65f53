//! Barriers that only some items of a group come to are refused, with both lines, wherever they stand; those that
//! returned items miss are not.
//!
//! The kernels are generic so that no test of their own compiles them.

use crate::measure::device;
use vortex::prelude::*;

#[vortex::device]
fn meet(part: &mut [u32], v: u32) -> u32 {
    part[0] = v;
    barrier();
    part[0]
}

#[vortex::device]
fn meet_if(part: &mut [u32], v: u32) {
    if v > 3 {
        meet(part, v);
    }
}

#[vortex::kernel]
fn through_functions<const N: u32>(x: &[u32], out: &mut [u32]) {
    let part = local::<[u32; 4]>();
    meet_if(&mut part[..], x[local_id()]);
    out[global_id()] = part[0];
}

#[vortex::kernel]
fn in_a_closure<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let wait = |v: u32| {
        barrier();
        v + 1
    };
    out[i] = if x[i] > 3 { wait(x[i]) } else { 0 };
}

#[vortex::kernel]
fn behind_a_break<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    for k in 0..4 {
        if x[i] == k {
            break;
        }
        barrier();
    }
    out[i] = 1;
}

#[vortex::kernel]
fn before_a_break<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    for k in 0..4 {
        barrier();
        if x[i] == k {
            break;
        }
        out[i] = k;
    }
}

#[vortex::kernel]
fn in_an_unrolled_loop<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    #[unroll]
    for k in 0..3 {
        if x[i] > k {
            barrier();
        }
    }
    out[i] = 1;
}

#[vortex::kernel]
fn in_an_arm<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    match x.get(i * 2) {
        Some(v) if *v > 1 => barrier(),
        _ => {}
    }
    out[i] = 1;
}

#[vortex::kernel]
fn in_turns_of_each<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    for _ in 0..x[i] {
        barrier();
    }
    out[i] = 1;
}

#[vortex::kernel]
fn combined<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    if x[i] > 1 {
        out[i] = group::reduce_add(x[i]);
    }
}

#[vortex::kernel]
fn arriving<const N: u32>(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    if x[i] > 1 {
        let token = barrier::arrive();
        token.wait();
    }
    out[i] = 1;
}

#[vortex::kernel]
fn forgotten<const N: u32>(x: &[u32], out: &mut [u32]) {
    let _token = barrier::arrive();
    out[global_id()] = x[0];
}

#[vortex::kernel]
fn waited_for_in_an_arm<const N: u32>(x: &[u32], out: &mut [u32]) {
    let token = barrier::arrive();
    out[global_id()] = 1;
    if x[0] == 1 {
        token.wait();
    }
}

#[vortex::kernel]
fn two_at_a_time<const N: u32>(x: &[u32], out: &mut [u32]) {
    let first = barrier::arrive();
    out[global_id()] = x[0];
    let second = barrier::arrive();
    first.wait();
    second.wait();
}

#[vortex::kernel]
fn before_a_whole_one<const N: u32>(x: &[u32], out: &mut [u32]) {
    let token = barrier::arrive();
    if x[0] == 1 {
        barrier();
    }
    token.wait();
    out[global_id()] = 1;
}

#[vortex::kernel]
fn before_a_sum<const N: u32>(x: &[u32], out: &mut [u32]) {
    let token = barrier::arrive();
    out[global_id()] = group::reduce_add(x[0]);
    token.wait();
}

#[vortex::kernel]
fn left_by_a_break<const N: u32>(x: &[u32], out: &mut [u32]) {
    for k in 0..4 {
        let token = barrier::arrive();
        if x[k] == 9 {
            break;
        }
        token.wait();
    }
    out[global_id()] = 1;
}

#[vortex::kernel]
fn behind_a_return(x: &[u32], out: &mut [u32]) {
    let part = local::<[u32; 8]>();
    let i = global_id();
    if x[i] == 3 {
        return;
    }
    part[local_id()] = x[i];
    barrier();
    let Some(next) = x.get(i + 1) else { return };
    barrier();
    out[i] = part[local_id()] + *next;
}

#[test]
fn barriers_of_some_items_are_refused() {
    let device = device();
    let x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let mut out = device.alloc::<u32>(8).unwrap();
    macro_rules! refused {
        ($($kernel:ident: $barrier:literal, $condition:literal;)*) => {$(
            let launched = $kernel::<0>(&x, &mut out).grid(2).block(4).launch(&device);
            let text = launched.unwrap_err().to_string();
            let shown = text.lines().filter_map(|line| Some(line.split_once(" | ")?.1.trim()));
            let lines: Vec<&str> = shown.filter(|line| *line != "^").collect();
            assert_eq!(lines, [$barrier, $condition], "{text}");
            assert!(text.starts_with(concat!("kernel ", stringify!($kernel), "<0>: ")), "{text}");
        )*};
    }
    refused! {
        through_functions: "barrier();", "if v > 3 {";
        in_a_closure: "barrier();", "out[i] = if x[i] > 3 { wait(x[i]) } else { 0 };";
        behind_a_break: "barrier();", "if x[i] == k {";
        before_a_break: "barrier();", "if x[i] == k {";
        in_an_unrolled_loop: "barrier();", "if x[i] > k {";
        in_an_arm: "Some(v) if *v > 1 => barrier(),", "Some(v) if *v > 1 => barrier(),";
        in_turns_of_each: "barrier();", "for _ in 0..x[i] {";
        combined: "out[i] = group::reduce_add(x[i]);", "if x[i] > 1 {";
        arriving: "let token = barrier::arrive();", "if x[i] > 1 {";
    }
}

#[test]
fn arrivals_that_are_not_waited_for_are_refused() {
    let device = device();
    let x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let mut out = device.alloc::<u32>(8).unwrap();
    macro_rules! refused {
        ($($kernel:ident: $said:literal, $($line:literal),*;)*) => {$(
            let launched = $kernel::<0>(&x, &mut out).grid(2).block(4).launch(&device);
            let text = launched.unwrap_err().to_string();
            let shown = text.lines().filter_map(|line| Some(line.split_once(" | ")?.1.trim()));
            let lines: Vec<&str> = shown.filter(|line| *line != "^").collect();
            assert_eq!(lines, [$($line),*], "{text}");
            let start = concat!("kernel ", stringify!($kernel), "<0>: the `barrier::arrive()` at tests/costs/");
            assert!(text.starts_with(start) && text.contains($said), "{text}");
        )*};
    }
    refused! {
        forgotten: "is not waited for: call `.wait()` on what it gives, in the same block, or write `barrier()`",
            "let _token = barrier::arrive();";
        waited_for_in_an_arm: "call `.wait()` in the block of the `barrier::arrive()`",
            "let token = barrier::arrive();", "token.wait();";
        two_at_a_time: "is not waited for before the `barrier::arrive()` at",
            "let first = barrier::arrive();", "let second = barrier::arrive();";
        before_a_whole_one: "is not waited for before the `barrier()` at",
            "let token = barrier::arrive();", "barrier();";
        before_a_sum: "is not waited for before the reduction or scan over the group at",
            "let token = barrier::arrive();", "out[global_id()] = group::reduce_add(x[0]);";
        left_by_a_break: "is not waited for by items that leave its block before the `.wait()`",
            "let token = barrier::arrive();", "break;";
    }
}

#[test]
fn barriers_that_returned_items_miss_are_fine() {
    let device = device();
    let x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let mut out = device.upload(&[0u32; 8]).unwrap();
    behind_a_return(&x, &mut out)
        .grid(2)
        .block(4)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), [3, 5, 0, 9, 11, 13, 15, 0]);
}
