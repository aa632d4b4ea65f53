//! Loops that are made straight because of what checks, sizes of groups and steps say, and checks that are made once
//! instead of twice: against the same kernels compiled by rustc, and with what fails named as it is.

use crate::harness::{DEVICES, SHAPES, as_on_the_host, fault_of};
use vortex::prelude::*;

const TILE: usize = 24;

#[vortex::kernel(host)]
fn in_steps(x: &[u32], y: &mut [u32]) {
    let tile = local::<[u32; TILE]>();
    let base = group_id() * TILE;
    for k in (local_id()..TILE).step_by(local_size()) {
        tile[k] = x[base + k];
    }
    barrier();
    for k in (local_id()..TILE).step_by(local_size()) {
        y[base + k] = tile[TILE - 1 - k] * 3;
    }
}

#[vortex::kernel(host, block = 8)]
fn in_steps_of_eight(x: &[u32], y: &mut [u32]) {
    let tile = local::<[u32; TILE]>();
    let base = group_id() * TILE;
    for k in (local_id()..TILE).step_by(8) {
        tile[k] = x[base + k];
    }
    barrier();
    for k in (local_id()..TILE).step_by(8) {
        y[base + k] = tile[TILE - 1 - k] * 3;
    }
}

#[test]
fn items_of_a_group_take_steps() {
    let x: Vec<u32> = (0..TILE as u32 * 5).map(|n| n * n).collect();
    let mut expected = x.clone();
    for tile in expected.chunks_mut(TILE) {
        tile.reverse();
        tile.iter_mut().for_each(|v| *v *= 3);
    }
    for block in [1, 2, 3, 5, 7, 8, 12, 23, 24, 31] {
        for (device, shape) in DEVICES.iter().zip(SHAPES) {
            if block > shape.1 * shape.2 {
                continue;
            }
            let mut y = device.upload(&vec![0; x.len()]).unwrap();
            let x = device.upload(&x).unwrap();
            in_steps(&x, &mut y)
                .grid(5)
                .block(block as usize)
                .launch(device)
                .unwrap();
            assert_eq!(y.download().unwrap(), expected, "groups of {block}");
        }
    }
    for (device, shape) in DEVICES.iter().zip(SHAPES) {
        if 8 > shape.1 * shape.2 {
            continue;
        }
        let mut y = device.upload(&vec![0; x.len()]).unwrap();
        let whole = device.upload(&x).unwrap();
        in_steps_of_eight(&whole, &mut y)
            .grid(5)
            .launch(device)
            .unwrap();
        assert_eq!(y.download().unwrap(), expected);
        // The last element of the last group is missing.
        let short = device.upload(&x[1..]).unwrap();
        let fault = fault_of(in_steps_of_eight(&short, &mut y).grid(5).launch(device)).unwrap();
        let len = TILE as u32 * 5 - 1;
        assert_eq!((fault.item, fault.operands), (39, [len, len]));
    }
}

#[vortex::device(host)]
fn dot(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Where one of the checks fails its length is 0, and the loops over it do not run.
#[vortex::kernel(host)]
fn parts(x: &[u32], y: &[u32], to: &mut [u32]) {
    let i = global_id();
    let chained: u32 = x[3 * i..3 * i + 3].iter().chain(&y[2 * i..2 * i + 2]).sum();
    let mut copy = [7; 4];
    copy.copy_from_slice(&y[i..i + 4]);
    let found = x[i..i + 5].iter().position(|v| *v % 5 == 3);
    let product = dot(&x[3 * i..3 * i + 3], &y[2 * i..2 * i + 3]);
    to[i] = chained + copy[3] * 10 + found.map_or(100, |at| at as u32) * 1000 + product * 10000;
}

#[test]
fn parts_of_constant_lengths() {
    let x: Vec<u32> = (0..60).map(|n| n * 7 % 11).collect();
    let y: Vec<u32> = (0..41).map(|n| n * 5 % 13).collect();
    let mut expected = vec![0; 20];
    parts::on_host(&x, &y, &mut expected)
        .over(20)
        .launch()
        .unwrap();
    for device in &*DEVICES {
        let mut to = device.upload(&[0; 20]).unwrap();
        let (x, y) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
        parts(&x, &y, &mut to).over(20).launch(device).unwrap();
        assert_eq!(to.download().unwrap(), expected);
        for len in [38, 39, 40] {
            let y = y.slice(..len).unwrap();
            let fault = fault_of(parts(&x, &y, &mut to).over(20).launch(device)).unwrap();
            let first = (0..20).find(|i| 2 * i + 3 > len).unwrap();
            assert_eq!(fault.item, first as u32, "{fault}");
        }
    }
}

#[vortex::device(host)]
fn root(parents: &[u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        node = parents[node as usize];
    }
    node
}

#[vortex::kernel(host)]
fn roots(parents: &[u32], to: &mut [u32]) {
    let i = global_id();
    to[i] = root(parents, i as u32);
}

#[test]
fn a_check_is_made_once() {
    let mut parents: Vec<u32> = (0..50u32).map(|n| n.saturating_sub(n % 3 + 1)).collect();
    for device in &*DEVICES {
        let mut to = device.upload(&[1; 50]).unwrap();
        let parents = device.upload(&parents).unwrap();
        roots(&parents, &mut to).over(50).launch(device).unwrap();
        assert_eq!(to.download().unwrap(), [0; 50]);
    }
    parents[30] = 70;
    for device in &*DEVICES {
        let mut to = device.upload(&[1; 50]).unwrap();
        let parents = device.upload(&parents).unwrap();
        let fault = fault_of(roots(&parents, &mut to).over(50).launch(device)).unwrap();
        assert_eq!((fault.item, fault.operands), (30, [70, 50]));
    }
}

/// Arms that take a step each, and numbers that two conditions decide.
#[vortex::kernel(host)]
fn walks(moves: &[u32], to: &mut [[i32; 4]]) {
    let i = global_id();
    let (mut x, mut y, mut turns, mut last) = (0i32, i as i32, 0u8, 0u32);
    for k in 0..16 {
        let step = moves[(i + k) % moves.len()];
        match step % 4 {
            0 => x += 1,
            1 => x -= 1,
            2 => y += 1,
            _ => y -= 3,
        }
        if step < last {
            turns = turns.wrapping_add(100);
        } else if step > last {
            turns = turns.wrapping_sub(7);
        }
        let order = if step < last {
            1
        } else if step > last {
            0
        } else {
            1
        };
        x += order * 1000;
        last = step;
    }
    to[i] = [x, y, turns as i32, (last & 1 == 1) as i32];
}

#[test]
fn arms_that_add_to_one_value() {
    let moves: Vec<u32> = (0..37u32)
        .map(|n| n.wrapping_mul(2_654_435_761) >> 27)
        .collect();
    as_on_the_host!(walks(&moves), [0; 4], 64);
}
