//! `Option` in kernels.

use vortex::prelude::*;

use crate::harness::{DEVICES, same};

#[vortex::device]
fn halved(x: i32) -> Option<i32> {
    if x % 2 != 0 {
        return None;
    }
    Some(x / 2)
}

#[vortex::device]
fn find(a: u32, b: u32) -> Option<(u32, bool)> {
    for i in 0..8 {
        if (a >> i) & 7 == b & 7 {
            return Some((i, i > 3));
        }
    }
    None
}

// The host's copies.
mod host {
    pub(super) fn halved(x: i32) -> Option<i32> {
        (x % 2 == 0).then_some(x / 2)
    }

    pub(super) fn find(a: u32, b: u32) -> Option<(u32, bool)> {
        (0..8).find(|i| (a >> i) & 7 == b & 7).map(|i| (i, i > 3))
    }
}

same! {
    matched(a: i32, b: i32) -> i32 {
        let half = match halved(a) {
            Some(0) => 17,
            Some(x @ 1..=100) => x,
            Some(x) if x < b => x ^ 5,
            Some(_) => 3,
            None => -1,
        };
        let rest = if let Some(x) = halved(b) { x } else { 9 };
        half ^ rest
    } => {
        use host::halved;
        let half = match halved(a) {
            Some(0) => 17,
            Some(x @ 1..=100) => x,
            Some(x) if x < b => x ^ 5,
            Some(_) => 3,
            None => -1,
        };
        let rest = if let Some(x) = halved(b) { x } else { 9 };
        half ^ rest
    }
    taken_apart(a: u32, b: u32) -> u32 {
        let mut sum = 0;
        if let Some((i, high)) = find(a, b) && i != 1 {
            sum += if high { 100 + i } else { i };
        }
        let found = find(b, a);
        sum += match (found, find(a, a)) {
            (Some((i, _)), Some((k, _))) => i * 8 + k,
            (None, Some((3, _))) => 1000,
            (None, _) => 2000,
            (Some(_), None) => 4000,
        };
        if found.is_none() { sum += 10_000; }
        sum
    } => {
        use host::find;
        let mut sum = 0;
        if let Some((i, high)) = find(a, b) && i != 1 {
            sum += if high { 100 + i } else { i };
        }
        let found = find(b, a);
        sum += match (found, find(a, a)) {
            (Some((i, _)), Some((k, _))) => i * 8 + k,
            (None, Some((3, _))) => 1000,
            (None, _) => 2000,
            (Some(_), None) => 4000,
        };
        if found.is_none() { sum += 10_000; }
        sum
    }
    methods(a: i32, b: i32) -> i32 {
        let half: Option<i32> = halved(a);
        let mut sum = half.unwrap_or(7) & 0xfff;
        sum += half.map(|x| x & 15).unwrap_or_else(|| b & 31);
        sum += half.and_then(halved).map_or(1, |x| x & 3);
        sum += half.or(halved(b)).map_or_else(|| 2, |x| x & 7);
        sum += half.and(halved(b)).map_or(5, |x| x & 3);
        sum += half.or_else(|| Some(b & 1)).unwrap() & 1;
        if half.is_some_and(|x| x > b) { sum += 4096; }
        if half.is_some() { sum += 8192; }
        sum
    } => {
        use host::halved;
        let half: Option<i32> = halved(a);
        let mut sum = half.unwrap_or(7) & 0xfff;
        sum += half.map(|x| x & 15).unwrap_or_else(|| b & 31);
        sum += half.and_then(halved).map_or(1, |x| x & 3);
        sum += half.or(halved(b)).map_or_else(|| 2, |x| x & 7);
        sum += half.and(halved(b)).map_or(5, |x| x & 3);
        sum += half.or_else(|| Some(b & 1)).unwrap() & 1;
        if half.is_some_and(|x| x > b) { sum += 4096; }
        if half.is_some() { sum += 8192; }
        sum
    }
    mutable_options(a: i32, b: i32) -> i32 {
        let mut best: Option<i32> = None;
        for i in 0..6 {
            let x = (a >> i) ^ b;
            if x % 3 == 0 { continue; }
            best = match best {
                Some(old) if old >= x => best,
                _ => Some(x),
            };
        }
        let Some(best) = best else { return };
        best
    } => {
        let mut best: Option<i32> = None;
        for i in 0..6 {
            let x = (a >> i) ^ b;
            if x % 3 == 0 { continue; }
            best = match best {
                Some(old) if old >= x => best,
                _ => Some(x),
            };
        }
        let Some(best) = best else { return 0 };
        best
    }
    nested(a: i32, b: i32) -> i32 {
        let deep = halved(a).map(|x| halved(x ^ b));
        let mut left = halved(b);
        let mut turns = 0;
        while let Some(x) = left && turns < 5 {
            left = halved(x);
            turns += 1;
        }
        turns * 10 + match deep {
            None => 0,
            Some(None) => 1,
            Some(Some(x)) => x & 0xff00,
        }
    } => {
        use host::halved;
        let deep = halved(a).map(|x| halved(x ^ b));
        let mut left = halved(b);
        let mut turns = 0;
        while let Some(x) = left && turns < 5 {
            left = halved(x);
            turns += 1;
        }
        turns * 10 + match deep {
            None => 0,
            Some(None) => 1,
            Some(Some(x)) => x & 0xff00,
        }
    }
}

same! {
    checked_signed(a: i32, b: i32) -> i32 {
        a.checked_add(b).unwrap_or(1)
            ^ a.checked_sub(b).map_or(2, |x| x ^ 99)
            ^ a.checked_mul(b).unwrap_or(3)
            ^ a.checked_div(b).unwrap_or(4)
            ^ a.checked_rem(b).unwrap_or(5)
            ^ a.checked_neg().unwrap_or(6)
            ^ a.checked_abs().unwrap_or(7)
            ^ a.checked_pow(b as u32 & 7).unwrap_or(8)
            ^ a.checked_shl(b as u32 & 63).unwrap_or(9)
    }
    checked_narrow(a: u8, b: u8) -> u8 {
        a.checked_add(b).unwrap_or(1)
            ^ a.checked_sub(b).unwrap_or(2)
            ^ a.checked_mul(b).unwrap_or(3)
            ^ a.checked_div(b).unwrap_or(4)
            ^ a.checked_rem(b).unwrap_or(5)
            ^ a.checked_shr(b as u32 & 15).unwrap_or(9)
    }
    checked_tiny(a: i8, b: i8) -> i8 {
        a.checked_add(b).unwrap_or(1)
            ^ a.checked_sub(b).unwrap_or(2)
            ^ a.checked_mul(b).unwrap_or(3)
            ^ a.checked_div(b).unwrap_or(4)
            ^ a.checked_rem(b).unwrap_or(5)
            ^ a.checked_neg().unwrap_or(6)
    }
}

#[vortex::kernel]
fn elements(x: &[i32], at: &[u32], out: &mut [i32]) {
    let i = global_id();
    if let Some(&at) = at.get(i) {
        let at = at as usize;
        let mut sum = 0;
        if let Some(v) = x.get(at) {
            sum += *v;
        }
        sum += x.get(at + 1).copied().unwrap_or(1000);
        sum += match x.get(at + 2) {
            Some(&7) => 70,
            Some(v) => *v,
            None => 5000,
        };
        sum += out.get(i).map(|v| *v).unwrap_or(0);
        sum += x.first().map(|&v| v * 2).unwrap_or(3) - *x.last().unwrap();
        out[i] = sum;
    }
}

#[vortex::kernel]
fn unwrapped(x: &[u32], at: usize, out: &mut [u32]) {
    out[0] = *x.get(at).unwrap() + 1;
}

#[test]
fn elements_that_may_be_missing() {
    let x = [3, 9, 7, -4, 11];
    let at: Vec<u32> = vec![0, 1, 2, 3, 4, 5, 6, u32::MAX - 2];
    let element = |i: u32| x.get(i as usize).copied();
    let expected: Vec<i32> = at
        .iter()
        .map(|&at| {
            let last = element(at + 2).unwrap_or(5000);
            element(at).unwrap_or(0)
                + element(at + 1).unwrap_or(1000)
                + if last == 7 { 70 } else { last }
                + 100
                + 3 * 2
                - 11
        })
        .collect();
    for device in DEVICES.iter() {
        let (x, at) = (device.upload(&x).unwrap(), device.upload(&at).unwrap());
        let mut out = device.upload(&[100; 8]).unwrap();
        elements(&x, &at, &mut out).over(11).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[test]
fn unwrap_of_nothing_is_a_fault() {
    for device in DEVICES.iter() {
        let (x, mut out) = (
            device.upload(&[5u32]).unwrap(),
            device.upload(&[0u32]).unwrap(),
        );
        unwrapped(&x, 0, &mut out).over(1).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [6]);
        let error = unwrapped(&x, 1, &mut out)
            .over(1)
            .launch(device)
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("`unwrap` of a value that is `None`"),
            "{text}"
        );
        assert!(text.contains("options.rs:"), "{text}");
    }
}
