//! `Result` in kernels, against Rust's own: functions with twins on the host.

// `ok_or_else` is there to be tried.
#![allow(clippy::unnecessary_lazy_evaluations)]

use std::num::TryFromIntError;

use vortex::prelude::*;

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, vortex::DeviceType)]
#[repr(u32)]
enum Refusal {
    Odd,
    TooBig,
}

#[derive(Clone, Copy, PartialEq, Debug, vortex::DeviceType)]
#[repr(C)]
struct Where {
    at: u32,
    value: i32,
}

#[vortex::device(host)]
fn halved(x: i32) -> Result<i32, Refusal> {
    if x % 2 != 0 {
        return Err(Refusal::Odd);
    }
    if x > 1 << 20 {
        Err(Refusal::TooBig)
    } else {
        Ok(x / 2)
    }
}

#[vortex::device(host)]
fn quartered(x: i32) -> Result<i32, Refusal> {
    let half = halved(x)?;
    Ok(halved(half)? ^ halved(half)?.min(3))
}

#[vortex::device(host)]
fn even(x: i32) -> Result<(), u32> {
    halved(x).map(|_| ()).map_err(|refusal| refusal as u32 + 7)
}

#[vortex::device(host)]
fn both_even(a: i32, b: i32) -> Result<(), u32> {
    even(a)?;
    even(b)?;
    Ok(())
}

#[vortex::device(host)]
fn byte(n: u32) -> Result<u8, TryFromIntError> {
    let byte = u8::try_from(n & 0x1ff)?;
    Ok(byte ^ 3)
}

#[vortex::device(host)]
fn located(a: i32, b: i32) -> Result<(i32, bool), Where> {
    for at in 0..4 {
        let value = a >> (at * 3);
        if value == b {
            return Ok((value, at > 1));
        }
        if value < b && value & 1 == 1 {
            return Err(Where { at, value });
        }
    }
    Err(Where { at: 9, value: b })
}

#[vortex::device(host)]
fn first_of(
    x: &[i32],
    is: impl Fn(i32) -> Result<bool, Refusal>,
) -> Result<Option<usize>, Refusal> {
    for (i, v) in x.iter().enumerate() {
        if is(*v)? {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

#[vortex::device(host)]
fn by_option(a: i32, b: i32) -> Result<i32, Refusal> {
    let sum = a.checked_add(b).ok_or(Refusal::TooBig)?;
    let product = a
        .checked_mul(b)
        .ok_or_else(|| if a > b { Refusal::Odd } else { Refusal::TooBig })?;
    Ok(sum ^ product)
}

#[vortex::device(host)]
fn of_result(a: i32) -> Option<i32> {
    let half = halved(a).ok()?;
    let refusal = halved(half).err();
    refusal.map(|refusal| refusal as i32 + half)
}

same! {
    matched_results(a: i32, b: i32) -> i32 {
        let half = match halved(a) {
            Ok(0) => 17,
            Ok(x @ 1..=100) => x,
            Ok(x) if x < b => x ^ 5,
            Ok(_) => 3,
            Err(Refusal::Odd) => -1,
            Err(refusal) => -2 - refusal as i32,
        };
        let rest = if let Ok(x) = quartered(b) { x } else { 9 };
        let Err(refusal) = quartered(a) else { return };
        half ^ rest ^ ((refusal == Refusal::Odd) as i32) << 9
    } => {
        let half = match halved(a) {
            Ok(0) => 17,
            Ok(x @ 1..=100) => x,
            Ok(x) if x < b => x ^ 5,
            Ok(_) => 3,
            Err(Refusal::Odd) => -1,
            Err(refusal) => -2 - refusal as i32,
        };
        let rest = if let Ok(x) = quartered(b) { x } else { 9 };
        let Err(refusal) = quartered(a) else { return 0 };
        half ^ rest ^ ((refusal == Refusal::Odd) as i32) << 9
    }

    results_of_many_kinds(a: i32, b: i32) -> i32 {
        let mut h = match both_even(a, b) {
            Ok(()) => 5,
            Err(code) => code as i32,
        };
        h = h.wrapping_mul(31) ^ match located(a, b) {
            Ok((value, late)) => if late { value ^ 1 } else { value },
            Err(Where { at: 9, .. }) => -9,
            Err(place) => place.at as i32 * 100 ^ place.value,
        };
        h = h.wrapping_mul(31) ^ byte(a as u32).map_or(-1, |byte| byte as i32);
        let x = [a, b, 4, 6];
        h = h.wrapping_mul(31) ^ match first_of(&x, |v| Ok(halved(v)? == 3)) {
            Ok(Some(at)) => at as i32,
            Ok(None) => 40,
            Err(_) => 50,
        };
        h = h.wrapping_mul(31) ^ by_option(a, b).unwrap_or_else(|refusal| refusal as i32);
        h ^ of_result(a).unwrap_or(77)
    }

    methods_of_results(a: i32, b: i32) -> i32 {
        let half = halved(a);
        let other: Result<i32, Refusal> = halved(b);
        let mut h = half.unwrap_or(7) & 0xfff;
        h += half.map(|x| x & 15).unwrap_or_else(|refusal| refusal as i32 ^ b & 31);
        h += half.and_then(quartered).map_or(1, |x| x & 3);
        h += half.or(other).map_or_else(|refusal| refusal as i32, |x| x & 7);
        let instead = half.or_else(|refusal| if refusal == Refusal::Odd { other } else { Err(refusal) });
        h += instead.unwrap_or_default() & 63;
        h ^= half.and(other).unwrap_or(11) << 7;
        h += half.map_err(|refusal| refusal as i32 * 3).err().unwrap_or(11);
        h ^= half.is_ok_and(|x| x > b) as i32 | (half.is_err_and(|r| r == Refusal::TooBig) as i32) << 1;
        h ^= (half.is_ok() as i32) << 2 | (other.is_err() as i32) << 3;
        h ^= (half == other) as i32 | ((half == Ok(4)) as i32) << 1 | ((other != Err(Refusal::Odd)) as i32) << 2;
        h ^= ((half < other) as i32) << 5 | ((other >= half) as i32) << 6;
        h ^= a.checked_add(b).ok_or(5u32).is_ok() as i32;
        h ^= halved(a & !1 & 0xffff).unwrap() ^ halved(b & 0xfffe).expect("even");
        h ^= halved(a | 1).unwrap_err() as i32;
        let nested = Some(half).transpose();
        h ^= match nested { Ok(Some(x)) => x, Ok(None) => 3, Err(_) => 4 };
        let turned = half.map(|x| if x > 9 { Some(x) } else { None }).transpose();
        h ^ match turned { None => 5, Some(Ok(x)) => x & 31, Some(Err(_)) => 6 }
    }

    results_that_change(a: i32, b: i32) -> i32 {
        let mut best: Result<i32, u32> = Err(0);
        for i in 0..6 {
            let x = (a >> i) ^ b;
            best = match (best, halved(x)) {
                (Ok(old), Ok(_)) if old >= x => best,
                (_, Ok(_)) => Ok(x),
                (Err(count), Err(_)) => Err(count + 1),
                (Ok(_), Err(_)) => best,
            };
        }
        let check = |x: i32| -> Result<i32, u32> {
            if x == b { return Err(4); }
            Ok(best? ^ x)
        };
        let unsaid = |x: i32| { let v = check(x)?; Ok(v.wrapping_add(1)) };
        let last: Result<i32, u32> = unsaid(a & 7);
        match last {
            Ok(x) => x,
            Err(count) => count as i32 * 1000,
        }
    }
}

#[vortex::kernel]
fn unwrapped_results(x: &[i32], how: usize, out: &mut [i32]) {
    out[0] = match how {
        0 => halved(x[0]).unwrap(),
        1 => halved(x[0]).expect("half of it"),
        2 => halved(x[0]).unwrap_err() as i32,
        _ => byte(x[0] as u32).unwrap() as i32,
    };
}

#[test]
fn unwrap_of_an_error_says_the_error() {
    let cases = [
        (3, 0, "called `Result::unwrap()` on an `Err` value: Odd"),
        (3, 1, "half of it: Odd"),
        (4, 2, "called `Result::unwrap_err()` on an `Ok` value: 2"),
        (
            300,
            3,
            "called `Result::unwrap()` on an `Err` value: TryFromIntError(())",
        ),
    ];
    for device in DEVICES.iter() {
        let mut out = device.upload(&[0]).unwrap();
        for (x, how, says) in cases {
            let x = device.upload(&[x]).unwrap();
            let error = unwrapped_results(&x, how, &mut out)
                .over(1)
                .launch(device)
                .unwrap_err();
            let text = error.to_string();
            assert!(text.contains(says), "{text}");
            assert!(text.contains("results.rs:"), "{text}");
        }
        let x = device.upload(&[8]).unwrap();
        unwrapped_results(&x, 0, &mut out)
            .over(1)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [4]);
    }
}

#[vortex::kernel]
fn printed_results(x: &[i32]) {
    println!("{:?} {:?}", halved(x[global_id()]), even(x[global_id()]));
}

#[test]
fn results_are_printed_as_on_the_host() {
    let device = &DEVICES[0];
    let x = [3, 8, 1 << 21];
    let buffer = device.upload(&x).unwrap();
    let report = printed_results(&buffer).over(3).launch(device).unwrap();
    let expected: String = x
        .iter()
        .map(|&x| format!("{:?} {:?}\n", halved(x), even(x)))
        .collect();
    assert_eq!(report.printed(), expected);
}
