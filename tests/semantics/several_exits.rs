//! Loops that lanes leave in several ways: by `?`, `break` with a value, `return` and their test. Which way it was is
//! told afterwards. Against rustc.

use crate::harness::{DEVICES, fault_of};
use vortex::FaultKind;
use vortex::prelude::*;

/// The number that begins there, and where it ends.
#[vortex::device(host)]
fn number(bytes: &[u8], from: usize) -> Option<(u32, usize)> {
    let mut value = 0;
    let mut shift = 0;
    let mut at = from;
    while shift < 35 {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= ((byte & 0x7f) as u32).wrapping_shl(shift);
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
        shift += 7;
    }
    None
}

#[vortex::kernel(host)]
fn numbers(bytes: &[u8], sums: &mut [u32]) {
    let i = global_id();
    let message = &bytes[i..bytes.len().min(i + 9)];
    let mut sum = 0u32;
    let mut at = 0;
    while at < message.len() {
        match number(message, at) {
            Some((value, next)) => {
                sum = sum.wrapping_mul(3).wrapping_add(value);
                at = next;
            }
            None => {
                sum ^= 0x5555;
                break;
            }
        }
    }
    sums[i] = sum;
}

/// Probes until the key or an empty place; a table without either has no end.
#[vortex::device(host)]
fn look_up(table: &[[u32; 2]], key: u32, most: usize) -> Result<u32, usize> {
    let mut at = key as usize % table.len();
    let mut probes = 0;
    loop {
        let [k, value] = table[at];
        if k == key {
            return Ok(value);
        }
        if k == 0 {
            return Err(at);
        }
        probes += 1;
        if probes == most {
            return Err(table.len() + at);
        }
        at = (at + 1) % table.len();
    }
}

#[vortex::kernel(host)]
fn looked_up(table: &[[u32; 2]], y: &mut [u32]) {
    let i = global_id();
    y[i] = match look_up(table, i as u32 + 1, 5) {
        Ok(value) => value,
        Err(at) => 1000 + at as u32,
    };
}

/// What is left with differs by exit, and some of it is from the iteration that leaves.
#[vortex::kernel(host)]
fn left_with(x: &[u32], y: &mut [[u32; 4]], limit: u32) {
    let i = global_id();
    let (mut last, mut sum, mut steps) = (7, 0, 0);
    let why = 'all: loop {
        for k in i..x.len() + 3 {
            let Some(&v) = x.get(k) else { break 'all 1 };
            steps += 1;
            if v == last {
                break 'all 2 + k as u32;
            }
            let Some(&w) = x.get(v as usize) else { break };
            if w > limit {
                last = w;
                continue;
            }
            sum += w;
            if sum > 3 * limit {
                break 'all 3000;
            }
            last = v;
        }
        steps += 100;
        if steps > 150 {
            break 5000;
        }
    };
    y[i] = [why, last, sum, steps];
}

/// An element is indexed with what a search found, or what it ended at.
#[vortex::kernel(host)]
fn found_at(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut at = i;
    let mut is_even = false;
    while at < x.len() {
        let v = x[at];
        if v % 8 == 0 {
            is_even = true;
            break;
        }
        if v % 8 == 5 {
            break;
        }
        at += 1;
    }
    y[i] = if is_even { x[at] } else { x[at - 1] + 1 };
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n as u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
        .collect()
}

#[test]
fn numbers_of_several_bytes() {
    for device in DEVICES.iter() {
        for mut x in [bytes(70), vec![0xff; 40], vec![3; 33], vec![0x80; 9]] {
            for tail in [0x80, 1] {
                x.push(tail);
                let n = x.len();
                let mut expected = vec![0; n];
                numbers::on_host(&x, &mut expected)
                    .over(n)
                    .launch()
                    .unwrap();
                let (b, mut y) = (device.upload(&x).unwrap(), device.alloc(n).unwrap());
                numbers(&b, &mut y).over(n).launch(device).unwrap();
                assert_eq!(y.download().unwrap(), expected);
            }
        }
    }
}

#[test]
fn tables() {
    for device in DEVICES.iter() {
        for (size, filled) in [(32, 16), (8, 8), (1, 1), (1, 0), (13, 11)] {
            let mut table = vec![[0u32; 2]; size];
            for k in 0..filled {
                table[k * 5 % size] = [k as u32 * 5 % 23 + 1, k as u32 + 100];
            }
            let mut expected = vec![0; 40];
            looked_up::on_host(&table, &mut expected)
                .over(40)
                .launch()
                .unwrap();
            let (table, mut y) = (device.upload(&table).unwrap(), device.alloc(40).unwrap());
            looked_up(&table, &mut y).over(40).launch(device).unwrap();
            assert_eq!(y.download().unwrap(), expected, "{size} {filled}");
        }
    }
}

#[test]
fn reasons() {
    for device in DEVICES.iter() {
        for (n, of, limit) in [(40, 50, 20), (40, 30, 100), (9, 12, 3), (64, 65, 60)] {
            let x: Vec<u32> = (0..n).map(|i| i * 37 % of).collect();
            let n = n as usize;
            let mut expected = vec![[0; 4]; n];
            left_with::on_host(&x, &mut expected, limit)
                .over(n)
                .launch()
                .unwrap();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(n).unwrap());
            left_with(&x, &mut y, limit).over(n).launch(device).unwrap();
            assert_eq!(y.download().unwrap(), expected, "{n} {of} {limit}");
        }
    }
}

#[test]
fn places() {
    for device in DEVICES.iter() {
        for x in [
            (0..40).map(|i| i * 7 % 31).collect::<Vec<u32>>(),
            vec![1; 20],
            vec![5; 8],
        ] {
            let n = x.len();
            let mut expected = vec![0; n];
            let on_host = found_at::on_host(&x, &mut expected).over(n).launch();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(n).unwrap());
            let launched = found_at(&x, &mut y).over(n).launch(device);
            match on_host {
                Ok(_) => {
                    launched.unwrap();
                    assert_eq!(y.download().unwrap(), expected);
                }
                Err(_) => assert_eq!(fault_of(launched).unwrap().kind, FaultKind::Index),
            }
        }
    }
}
