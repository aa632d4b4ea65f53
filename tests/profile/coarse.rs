//! Launches in which lanes do several work items at once.

use crate::small_device;
use vortex::prelude::*;
use vortex::profile::Cause;
use vortex::sim::Checks;
use vortex::trace::TraceLimits;
use vortex::{Device, Generation};

#[vortex::kernel]
fn product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum; // <- the end
}

#[test]
fn profiles_say_how_many_items_lanes_do_at_once() {
    for generation in [Generation::V2, Generation::V3] {
        let device = small_device(generation);
        let n = 16;
        let a = device.upload(&vec![1.0; n * n]).unwrap();
        let b = device.upload(&vec![2.0; n * n]).unwrap();
        let mut c = device.alloc(n * n).unwrap();
        let launch = product(n, &a, &b, &mut c).over((n, n));
        let profile = launch.profile(&device).unwrap();
        let ([columns, rows, _], items) = profile.launch.coarse.unwrap();
        assert!(columns * rows > 1, "{columns} x {rows}");
        assert_eq!(items, 256);
        let page = profile.to_html();
        assert!(page.contains(&format!(
            "<dt>of each lane at once</dt><dd>{columns} × {rows} items</dd>"
        )));
        // Each of a lane's items stores its element.
        let last = |line: &&vortex::profile::ProfiledLine| {
            line.text
                .as_deref()
                .is_some_and(|text| text.ends_with("<- the end"))
        };
        let end = profile.lines.iter().find(last).unwrap();
        assert!(end.costs.work.lanes >= 256);
        assert!(end.costs.work.accesses == 256 / 4);

        let launch = product(n, &a, &b, &mut c).over((n, n));
        let trace = launch.trace(&device, TraceLimits::default()).unwrap();
        let stores = trace.instructions.iter();
        let stores = stores.filter(|at| trace.code[&at.pc].opcode == "fsw");
        assert!(stores.clone().all(|at| at.lanes == 0b1111));
        assert_eq!(stores.count(), 256 / 4);
        // Too few for blocks of all warps.
        let launch = product(n, &a, &b, &mut c).over((n, 1));
        assert_eq!(launch.profile(&device).unwrap().launch.coarse, None);
    }
}

#[vortex::kernel]
fn reversed(x: &[u32], y: &mut [u32]) {
    let part = local::<[u32; 8]>();
    let i = local_id();
    part[i] = x[global_id()];
    barrier();
    y[global_id()] = part[7 - i]; // <- the end of groups
}

#[test]
fn groups_are_told_from_blocks_of_them() {
    for generation in [Generation::V2, Generation::V3] {
        let builder = Device::builder().cores(1).warps(4).threads(4);
        // Where nobody watches for races, blocks are used.
        let checks = Checks {
            races: false,
            ..Checks::default()
        };
        let device = builder
            .generation(generation)
            .checks(checks)
            .open()
            .unwrap();
        let x = device.upload(&vec![1; 13 * 8]).unwrap();
        let mut y = device.alloc(13 * 8).unwrap();
        let launch = reversed(&x, &mut y).grid(13).block(8);
        let profile = launch.profile(&device).unwrap();
        // Two blocks run at a time, of two warps each, so there are whole iterations for two of the three, and five
        // groups come after them.
        let shape = &profile.launch;
        assert_eq!(shape.coarse, Some(([4, 1, 1], 2 * 4 * 8)));
        assert_eq!((shape.groups, shape.block), (Some(13), Some([8, 1, 1])));
        assert_eq!((shape.local_bytes, shape.warps), (8 * 4, 4));
        assert!(
            profile
                .to_html()
                .contains("<dt>of each lane at once</dt><dd>4 × 1 groups, of 64 items</dd>")
        );
        // Each warp of each group stores its elements.
        let last = |line: &&vortex::profile::ProfiledLine| {
            let text = line.text.as_deref();
            text.is_some_and(|text| text.ends_with("<- the end of groups"))
        };
        let end = profile.lines.iter().find(last).unwrap();
        assert_eq!(end.costs.work.accesses, 13 * 2);

        let launch = reversed(&x, &mut y).grid(3).block(8);
        let shape = launch.profile(&device).unwrap().launch;
        assert_eq!((shape.coarse, shape.local_bytes), (None, 8 * 4));
    }
}

#[vortex::kernel]
fn columns(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    for k in 0..64 {
        sum += x[i * 64 + k]; // <- here
    }
    y[i] = sum;
}

#[test]
fn neighbouring_items_are_those_of_neighbouring_lanes() {
    for generation in [Generation::V2, Generation::V3] {
        let device = small_device(generation);
        let x = device.upload(&vec![1.0; 128 * 64]).unwrap();
        let mut y = device.alloc(128).unwrap();
        let profile = columns(&x, &mut y).over(128).profile(&device).unwrap();
        assert!(profile.launch.coarse.is_some(), "{:?}", profile.launch);
        let found = profile.findings.iter();
        let found = found.filter(|found| found.cause == Cause::Uncoalesced);
        let found: Vec<_> = found.collect();
        assert!(!found.is_empty(), "{:?}", profile.findings);
        for found in found {
            let line = profile.lines[found.line.unwrap()].text.as_deref();
            assert!(line.is_some_and(|line| line.contains("<- here")));
            let sentence = &found.sentence;
            assert!(sentence.contains("256 bytes apart"), "{sentence}");
        }
    }
}
