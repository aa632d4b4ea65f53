//! Loads of a condition that what it decides makes again, counters that fall: `while j > 0 && x[j - 1] > v`; and
//! positions in rings and stacks. Against rustc, and with what fails named as it is.

use crate::harness::{DEVICES, as_on_the_host, fault_of};
use vortex::prelude::*;

#[vortex::kernel(host)]
fn sorts(x: &mut [i32], n: usize) {
    let row = global_id() * n;
    let x = &mut x[row..row + n];
    for i in 1..n {
        let v = x[i];
        let mut j = i;
        while j > 0 && x[j - 1] > v {
            x[j] = x[j - 1];
            j -= 1;
        }
        x[j] = v;
    }
}

#[test]
fn insertion_sort() {
    let x: Vec<i32> = (0..260).map(|n| n * 7919 % 251 - 120).collect();
    for n in [1, 2, 5, 13, 26] {
        let count = x.len() / n;
        let mut expected = x.clone();
        sorts::on_host(&mut expected, n)
            .over(count)
            .launch()
            .unwrap();
        assert!(expected.chunks_exact(n).all(|row| row.is_sorted()));
        for device in &*DEVICES {
            let mut x = device.upload(&x).unwrap();
            sorts(&mut x, n).over(count).launch(device).unwrap();
            assert_eq!(x.download().unwrap(), expected, "rows of {n}");
        }
    }
}

/// What is written between the condition and the second load is seen by that.
#[vortex::kernel(host)]
fn moves_down(x: &mut [u32], y: &mut [u32], from: &[u32]) {
    let item = global_id();
    let base = item * 16;
    let mut j = from[item] as usize;
    let mut sum = 0;
    while j >= 2 && x[base + j] > x[base + j - 1] {
        let before = x[base + j];
        x[base + j - 1] += 3;
        sum += before * 100 + x[base + j - 1];
        j -= 2;
    }
    if j < 12 || x[base + j] == 7 {
        sum += x[base + 11] * 1000;
    } else {
        sum += x[base + j];
    }
    y[item] = sum;
}

#[test]
fn stores_between_are_seen() {
    let x: Vec<u32> = (0..256).map(|n| n * 37 % 19).collect();
    let from: Vec<u32> = (0..16).map(|n| n * 5 % 16).collect();
    let (mut moved, mut expected) = (x.clone(), [0; 16]);
    moves_down::on_host(&mut moved, &mut expected, &from)
        .over(16)
        .launch()
        .unwrap();
    for device in &*DEVICES {
        let (mut x, from) = (device.upload(&x).unwrap(), device.upload(&from).unwrap());
        let mut y = device.upload(&[0; 16]).unwrap();
        moves_down(&mut x, &mut y, &from)
            .over(16)
            .launch(device)
            .unwrap();
        assert_eq!(y.download().unwrap(), expected);
        assert_eq!(x.download().unwrap(), moved);
    }
}

#[vortex::kernel]
fn falls(x: &mut [u32], from: usize) {
    let mut j = from;
    while j > 0 && x[j - 1] != 0 {
        x[j - 1] = x[j - 1] + 1;
        j -= 1;
    }
    x[j] = 5;
}

#[test]
fn a_counter_that_starts_beyond_the_end() {
    for device in &*DEVICES {
        let mut x = device.upload(&[1; 8]).unwrap();
        falls(&mut x, 8).over(1).launch(device).unwrap();
        assert_eq!(x.download().unwrap(), [5, 2, 2, 2, 2, 2, 2, 2]);
        let fault = fault_of(falls(&mut x, 10).over(1).launch(device)).unwrap();
        let text = fault.to_string();
        assert!(
            text.contains("index 9 is out of bounds of a slice of 8 elements"),
            "{text}"
        );
    }
}

/// Positions in a ring and in a stack, whose bounds follow from what they are compared with.
#[vortex::kernel(host)]
fn positions(x: &[u32], y: &mut [u32]) {
    let item = global_id();
    let mut ring = [0u32; 5];
    let mut stack = [0u32; 8];
    let (mut at, mut top, mut sum) = (0, 0, 0u32);
    for k in 0..16 {
        let v = x[item * 16 + k];
        sum = (ring[at] + 1).wrapping_mul(sum | 1) >> 1;
        ring[at] = v;
        at += 1;
        if at == 5 {
            at = 0;
        }
        if v % 3 > 0 {
            stack[top] = v;
            if top < 7 {
                top += 1;
            }
        } else if top != 0 {
            top -= 1;
            sum ^= stack[top] << 9;
        }
    }
    while top > 0 && stack[top - 1] != 5 {
        top -= 1;
        sum ^= (stack[top] + 1) << top;
    }
    y[item] = sum;
}

#[test]
fn positions_in_rings_and_stacks() {
    let x: Vec<u32> = (0..16 * 48u32)
        .map(|n| n.wrapping_mul(2_654_435_761) >> 27)
        .collect();
    as_on_the_host!(positions(&x), 0u32, 48);
}
