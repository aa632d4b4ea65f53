//! 64-bit integers where any other value can be: arguments, locals, loops, patterns, memory, faults.

use vortex::FaultKind;
use vortex::prelude::*;

use crate::harness::{DEVICES, same};

const PRIME: u64 = 0xffff_ffff_ffff_ffc5;

same! {
    hash(a: u64, b: u64) -> u64 {
        let mut h = a ^ 0xcbf2_9ce4_8422_2325;
        for i in 0..8 {
            h = (h ^ (b >> (i * 8) & 255)) * 0x100_0000_01b3;
        }
        h % PRIME
    } => {
        let mut h = a ^ 0xcbf2_9ce4_8422_2325;
        for i in 0..8 {
            h = (h ^ (b >> (i * 8) & 255)).wrapping_mul(0x100_0000_01b3);
        }
        h % PRIME
    }
    greatest_common_divisor(a: u64, b: u64) -> u64 {
        let mut x = a;
        let mut y = b;
        while y != 0 {
            let rest = x % y;
            x = y;
            y = rest;
        }
        x
    }
    decimals(a: i64, b: i64) -> u32 {
        let mut n = a;
        let mut sum = 0u32;
        while n != 0 {
            sum += (n % 10).abs() as u32;
            n /= 10;
        }
        sum
    }
    ranges(a: i64, b: i64) -> i64 {
        let mut sum = 0;
        let start = b >> 1;
        for i in start..start + 5 {
            sum ^= i * a;
        }
        for i in (start - 7..=start).rev().step_by(3) {
            sum -= i;
        }
        sum
    } => {
        let mut sum = 0i64;
        let start = b >> 1;
        for i in start..start + 5 {
            sum ^= i.wrapping_mul(a);
        }
        for i in (start - 7..=start).rev().step_by(3) {
            sum = sum.wrapping_sub(i);
        }
        sum
    }
    patterns(a: i64, b: u64) -> u32 {
        match (a, b) {
            (0, _) => 1,
            (i64::MIN..=-1, 0x1_0000_0000..) => 2,
            (1..=5_000_000_000, n) if n > 7 => 3,
            (i64::MAX, _) => 4,
            _ => 5,
        }
    }
    of_fixed_point(a: i32, b: i32) -> i32 { ((a as i64 * b as i64) >> 16) as i32 }
    averages(a: u32, b: u32) -> u32 { ((a as u64 + b as u64) / 2) as u32 }
    in_branches(a: i64, b: i64) -> i64 {
        let larger = if a > b { a } else { b };
        let mut x = larger;
        if x & 1 == 0 { x >>= 1; } else { x = !x; }
        x
    }
}

#[vortex::device]
fn scaled<T: Int>(x: T, factor: T) -> T {
    x * factor
}

#[vortex::kernel]
fn arguments(narrow: u8, wide: i64, flag: bool, other: u64, x: &[u64], out: &mut [u64]) {
    let i = global_id();
    let sum = scaled(wide as u64, other) + narrow as u64;
    out[i] = if flag { x[i] - sum } else { sum };
}

#[test]
fn are_passed_as_two_words() {
    let layout = arguments::META
        .args
        .iter()
        .map(|arg| (arg.offset, arg.size));
    let expected = [(0, 1), (4, 8), (12, 1), (16, 8), (24, 8), (32, 8)];
    assert_eq!(layout.collect::<Vec<_>>(), expected);
    assert_eq!(size_of::<vortex::Args<arguments>>(), 40);
    for device in DEVICES.iter() {
        let x = device.upload(&[0, u64::MAX, 1 << 40]).unwrap();
        let mut out = device.alloc(3).unwrap();
        let sum = (-5_000_000_000i64 as u64)
            .wrapping_mul(PRIME)
            .wrapping_add(200);
        arguments(200, -5_000_000_000, true, PRIME, &x, &mut out)
            .over(3)
            .launch(device)
            .unwrap();
        let expected = [0, u64::MAX, 1 << 40].map(|x: u64| x.wrapping_sub(sum));
        assert_eq!(out.download().unwrap(), expected);
        arguments(200, -5_000_000_000, false, PRIME, &x, &mut out)
            .over(3)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [sum; 3]);
    }
}

#[vortex::kernel]
fn through_memory(from: *const i64, out: *mut i64) {
    let table = local::<[i64; 8]>();
    let here = local_id();
    // SAFETY: there are as many elements as items.
    table[here] = unsafe { *from.add(global_id()) };
    barrier();
    // SAFETY: as above, and every item has its own.
    unsafe {
        *out.add(global_id()) = table[7 - here] * 2;
    }
}

#[test]
fn lie_in_local_memory_and_behind_pointers() {
    let values: Vec<i64> = (0..16).map(|n| n * 0x1_0000_0001 - 5).collect();
    let expected: Vec<i64> = (0..16usize)
        .map(|n| values[n / 8 * 8 + 7 - n % 8] * 2)
        .collect();
    for device in DEVICES.iter().skip(1) {
        let from = device.upload(&values).unwrap();
        let mut out = device.alloc(16).unwrap();
        through_memory(from.as_ptr(), out.as_mut_ptr())
            .grid(2)
            .block(8)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn quotients(a: &[i64], b: &[i64], out: &mut [i64]) {
    let i = global_id();
    out[i] = a[i] / b[i];
}

#[test]
fn division_fails_as_in_rust() {
    for device in DEVICES.iter() {
        let fault = |a: &[i64], b: &[i64]| {
            let (a, b) = (device.upload(a).unwrap(), device.upload(b).unwrap());
            let mut out = device.alloc(a.len()).unwrap();
            match quotients(&a, &b, &mut out).over(a.len()).launch(device) {
                Err(vortex::Error::Fault(fault)) => fault,
                other => panic!("{other:?}"),
            }
        };
        let zero = fault(&[1, 2, 3], &[1 << 32, 0, 0]);
        assert_eq!((zero.kind, zero.item), (FaultKind::DivideByZero, 1));
        let overflow = fault(&[i64::MIN, i64::MIN], &[1, -1]);
        assert_eq!(
            (overflow.kind, overflow.item),
            (FaultKind::DivideOverflow, 1)
        );
        let message = overflow.to_string();
        assert!(
            message.contains("the division of -9223372036854775808 by -1 overflows"),
            "{message}"
        );
    }
}

#[test]
fn an_index_that_fails_reads_zero() {
    #[vortex::kernel]
    fn shifted(x: &[u64], out: &mut [u64]) {
        let i = global_id();
        out[i] = x[i + 1] | 1;
    }

    for device in DEVICES.iter() {
        let x = device.upload(&[u64::MAX; 4]).unwrap();
        let mut out = device.alloc(4).unwrap();
        assert!(shifted(&x, &mut out).over(4).launch(device).is_err());
        assert_eq!(out.download().unwrap(), [u64::MAX, u64::MAX, u64::MAX, 1]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Record {
    key: u64,
    count: u32,
    weight: f32,
}

#[test]
fn are_fields_of_structs() {
    #[vortex::kernel]
    fn update(records: &mut [Record]) {
        let i = global_id();
        records[i].key += 1 << 33;
        let key = records[i].key;
        records[i].count = (key >> 32) as u32;
    }

    for device in DEVICES.iter() {
        let record = |key, count| Record {
            key,
            count,
            weight: 0.5,
        };
        let mut records = device.upload(&[record(7, 0), record(u64::MAX, 9)]).unwrap();
        update(&mut records).over(2).launch(device).unwrap();
        assert_eq!(
            records.download().unwrap(),
            [record((2 << 32) + 7, 2), record((2 << 32) - 1, 1)]
        );
    }
}
