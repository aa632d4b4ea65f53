//! Positions that stay within limits: steps while there is room for another, rings, and as many of a slice as are left
//! or allowed. Against rustc, with what fails named as it is.

use crate::harness::{DEVICES, fault_of};
use vortex::FaultKind;
use vortex::prelude::*;

#[vortex::device(host)]
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Words in steps of two, then of one, then what is left.
#[vortex::kernel(host)]
fn words(bytes: &[u8], starts: &[u32], y: &mut [u32]) {
    let i = global_id();
    let part = &bytes[starts[i] as usize..starts[i + 1] as usize];
    let mut at = 0;
    let mut sum = 0u32;
    while at + 8 <= part.len() {
        sum = (sum ^ word(part, at)).wrapping_mul(5) ^ word(part, at + 4);
        at += 8;
    }
    while at + 4 <= part.len() {
        sum = (sum ^ word(part, at)).wrapping_mul(7);
        at += 4;
    }
    for &byte in &part[at..] {
        sum = sum.wrapping_mul(31).wrapping_add(byte as u32);
    }
    y[i] = sum;
}

/// The sum may wrap: then there is no room, though the test says so.
#[vortex::kernel(host)]
fn from_anywhere(x: &[u32], starts: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut at = starts[i];
    let mut sum = 0u32;
    while at.wrapping_add(4) <= x.len() as u32 {
        sum = sum
            .wrapping_mul(3)
            .wrapping_add(x[at.wrapping_add(3) as usize]);
        at = at.wrapping_add(4);
    }
    y[i] = sum;
}

#[vortex::kernel(host)]
fn rings(x: &[u32], y: &mut [u32], step: usize, start: usize) {
    let i = global_id();
    let n = x.len();
    let mask = n - 1;
    let (mut at, mut masked) = (start, i & mask);
    let mut sum = 0u32;
    for k in 0..9 {
        sum = sum.wrapping_mul(3).wrapping_add(x[at]) ^ x[masked];
        at = (at + step + i) % n;
        if k % 3 != 1 {
            masked = (masked * 3 + k) & mask;
        }
    }
    while x[at] % 4 != 0 && sum % 5 != 0 {
        at = (at + 1) % n;
        sum /= 2;
    }
    y[i] = sum + at as u32;
}

#[vortex::kernel(host)]
fn runs(x: &[u32], limit: usize, y: &mut [u32]) {
    let i = global_id();
    let left = &x[i..];
    let first = x[i];
    let same = left.iter().take(limit).take_while(|&&v| v == first).count();
    let mut last = 0;
    for k in 0..left.len().min(limit) {
        last += left[k];
    }
    y[i] = same as u32 * 1000 + last;
}

/// How many there are before a 0, or the end.
#[vortex::kernel(host)]
fn before_zero(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut at = i;
    while x[at] != 0 {
        at += 1;
    }
    let mut back = at;
    while back > 0 && x[back - 1] > 2 {
        back -= 1;
    }
    y[i] = (at - i) as u32 * 100 + back as u32;
}

fn numbers(n: usize, of: u32) -> Vec<u32> {
    (0..n as u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 20) % of)
        .collect()
}

#[test]
fn steps_of_parts() {
    for device in DEVICES.iter() {
        for lengths in [[0, 3, 4, 7, 8], [16, 15, 12, 40, 1], [5, 0, 0, 11, 9]] {
            let mut starts = vec![0u32];
            for k in 0..30 {
                starts.push(starts[k] + lengths[k * 7 % 5]);
            }
            let bytes: Vec<u8> = numbers(starts[30] as usize, 256)
                .iter()
                .map(|x| *x as u8)
                .collect();
            let mut expected = vec![0; 30];
            words::on_host(&bytes, &starts, &mut expected)
                .over(30)
                .launch()
                .unwrap();
            let (b, s) = (
                device.upload(&bytes).unwrap(),
                device.upload(&starts).unwrap(),
            );
            let mut y = device.alloc(30).unwrap();
            words(&b, &s, &mut y).over(30).launch(device).unwrap();
            assert_eq!(y.download().unwrap(), expected);
            // A part that ends before it begins, and one that ends behind all bytes.
            for (at, wrong) in [(11, 0), (30, starts[30] + 1)] {
                let mut starts = starts.clone();
                starts[at] = wrong;
                let on_host = words::on_host(&bytes, &starts, &mut expected)
                    .over(30)
                    .launch();
                let s = device.upload(&starts).unwrap();
                let launched = words(&b, &s, &mut y).over(30).launch(device);
                match on_host {
                    Ok(_) => assert!(launched.is_ok()),
                    Err(_) => assert!(fault_of(launched).is_some()),
                }
            }
        }
    }
}

#[test]
fn steps_that_wrap() {
    for device in DEVICES.iter() {
        let x = numbers(21, 1000);
        for starts in [
            [0, 1, 2, 3, 17],
            [18, 21, 400, 1 << 31, 5],
            [4, 5, 6, u32::MAX - 2, 7],
        ] {
            let mut expected = vec![0; 5];
            let on_host = from_anywhere::on_host(&x, &starts, &mut expected)
                .over(5)
                .launch();
            let (x, s) = (device.upload(&x).unwrap(), device.upload(&starts).unwrap());
            let mut y = device.alloc(5).unwrap();
            let launched = from_anywhere(&x, &s, &mut y).over(5).launch(device);
            match on_host {
                Ok(_) => assert_eq!(launched.map(|_| y.download().unwrap()).unwrap(), expected),
                Err(_) => assert_eq!(fault_of(launched).unwrap().kind, FaultKind::Index),
            }
        }
    }
}

#[test]
fn positions_in_rings() {
    for device in DEVICES.iter() {
        for (n, step, start) in [
            (16, 3, 0),
            (1, 1, 0),
            (13, 5, 12),
            (32, 31, 7),
            (16, 1, 16),
            (12, 2, 40),
        ] {
            let x = numbers(n, 90);
            let mut expected = vec![0; 37];
            let on_host = rings::on_host(&x, &mut expected, step, start)
                .over(37)
                .launch();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(37).unwrap());
            let launched = rings(&x, &mut y, step, start).over(37).launch(device);
            match on_host {
                Ok(_) => assert_eq!(launched.map(|_| y.download().unwrap()).unwrap(), expected),
                Err(_) => assert_eq!(fault_of(launched).unwrap().kind, FaultKind::Index),
            }
        }
    }
}

#[test]
fn as_many_as_are_left() {
    for device in DEVICES.iter() {
        for (n, limit) in [(40, 5), (40, 1), (33, 100), (7, 0)] {
            let x = numbers(n, 2);
            let mut expected = vec![0; n];
            runs::on_host(&x, limit, &mut expected)
                .over(n)
                .launch()
                .unwrap();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(n).unwrap());
            runs(&x, limit, &mut y).over(n).launch(device).unwrap();
            assert_eq!(y.download().unwrap(), expected, "{n} {limit}");
        }
    }
}

#[test]
fn searches_with_and_without_an_end() {
    for device in DEVICES.iter() {
        for (n, last) in [(40, 0), (40, 1), (1, 0), (33, 3)] {
            let mut x = numbers(n, 6);
            x[n - 1] = last;
            let mut expected = vec![0; n];
            let on_host = before_zero::on_host(&x, &mut expected).over(n).launch();
            let (x, mut y) = (device.upload(&x).unwrap(), device.alloc(n).unwrap());
            let launched = before_zero(&x, &mut y).over(n).launch(device);
            match on_host {
                Ok(_) => assert_eq!(launched.map(|_| y.download().unwrap()).unwrap(), expected),
                Err(_) => assert_eq!(fault_of(launched).unwrap().kind, FaultKind::Index),
            }
        }
    }
}
