//! Iterators as expressions and in `for`, and functions of Rust's library, against Rust's own.

use std::{cmp, mem};

use vortex::prelude::*;

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, vortex::DeviceType)]
#[repr(C)]
struct Rank {
    of: u32,
    at: u32,
}

same! {
    sums(a: u32, b: u32) -> u32 {
        let x = [a >> 4, b >> 3, 7, a & 15];
        let y = [1, b & 3, 5];
        let dot: u32 = x.iter().zip(y.iter()).map(|(x, y)| (x & 0xffff) * y).sum();
        let odd = x.iter().filter(|x| **x % 2 == 1).count() as u32;
        let product = y.iter().map(|&y| y | 1).product::<u32>();
        dot ^ (odd << 20) ^ product
    }

    effects_of_what_is_skipped(a: u32, b: u32) -> u32 {
        let x = [a, b, 7, a ^ b, 9];
        let (mut called, mut last, mut pairs) = (0, 0, 0);
        let kept = x.iter().map(|v| { called += 1; *v >> 1 }).skip((a % 7) as usize).fold(0, |h, v| h ^ v);
        let third = x.iter().map(|v| { last = *v; *v }).nth((b % 6) as usize).unwrap_or(3);
        let both = x.iter().enumerate().map(|(i, v)| { pairs += i as u32; *v ^ i as u32 }).skip(2).max().unwrap_or(1);
        let pure = x.iter().map(|v| { let mut own = *v; own ^= 1; own }).skip(3).step_by(2).fold(0, |h, v| h ^ v);
        kept ^ (called << 20) ^ third ^ last ^ (pairs << 16) ^ both ^ pure
    }

    greater_and_lesser(a: u32, b: u32) -> u32 {
        let (p, q) = ((a % 5, b), (b % 5, a));
        let (more, less) = (cmp::max(p, q), p.min(q));
        let (r, s) = (Rank { of: a % 3, at: 1 }, Rank { of: b % 3, at: 2 });
        let (high, low) = (r.max(s), cmp::min(r, s));
        let bytes = cmp::max(a as u8 as i8, -3) as u32;
        more.0 ^ more.1 ^ less.1.rotate_left(5) ^ high.of << 9 ^ high.at << 11 ^ low.at << 13 ^ bytes
            ^ (a < b).max(a > 9) as u32
    }

    extremes_of_more_than_numbers(a: u32, b: u32) -> u32 {
        let x = [a % 5, b % 5, 3, (a ^ b) % 5];
        let least = x.iter().enumerate().map(|(i, v)| (*v, i)).min();
        let greatest = x.iter().enumerate().map(|(i, v)| (*v, i as u32, true)).max().unwrap_or((0, 0, false));
        let first = x.iter().map(|v| *v > 2).min().unwrap_or(true);
        let shapes = [Rank { of: x[0], at: 7 }, Rank { of: x[1], at: 5 }, Rank { of: x[2], at: 5 }];
        let most = shapes.iter().max().map_or(9, |rank| rank.of * 10 + rank.at);
        let bytes = x.iter().map(|v| *v as u8 as i8).min().unwrap_or(0);
        let (value, at) = least.unwrap_or((9, 9));
        value ^ (at as u32) << 4 ^ greatest.0 << 8 ^ greatest.1 << 12 ^ (first as u32) << 16 ^ most << 17 ^ bytes as u32
    }

    sums_of_floats(a: f32, b: f32) -> f32 {
        let x = [a, b, 0.5, a];
        let nothing: f32 = x.iter().filter(|_| false).sum();
        x.iter().sum::<f32>() + x.iter().copied().product::<f32>() + 1.0 / nothing
    }

    folds(a: u32, b: u32) -> u32 {
        let from = a % 9;
        let down = (0..from).rev().fold(b, |h, i| h.wrapping_mul(31) ^ i);
        let steps = (from..20).step_by(3).map(|i| i * i).sum::<u32>();
        let closed = (0..=from).filter(|i| i & b & 1 == 0).count() as u32;
        let wide = (0..from as u64).map(|i| i << 30).sum::<u64>();
        down ^ (steps << 8) ^ (closed << 25) ^ (wide >> 3) as u32
    }

    searches(a: u32, b: u32) -> u32 {
        let x = [a & 7, b & 7, 3, (a ^ b) & 7];
        let any = x.iter().any(|&v| v == 3);
        let all = x.iter().all(|v| *v < 6);
        let at = x.iter().position(|&v| v == a % 5).unwrap_or(9) as u32;
        let found = x.iter().find(|&&v| v > 4).copied().unwrap_or_default();
        let least = x.iter().copied().min().unwrap();
        let greatest = *x.iter().max().unwrap();
        let none = (0..a % 2).max().is_none() as u32;
        any as u32 | (all as u32) << 1 | at << 2 | found << 8 | least << 12 | greatest << 16 | none << 20
    }

    in_a_for(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, 4, 5];
        let mut y = [b; 4];
        let mut h = 0u32;
        for (place, &v) in y.iter_mut().zip(x.iter().rev()) {
            *place = place.wrapping_sub(v);
        }
        for (i, (v, w)) in x.iter().zip(y.iter()).enumerate() {
            if i == (a % 6) as usize {
                continue;
            }
            h = h.rotate_left(3) ^ v.wrapping_mul(*w) ^ i as u32;
        }
        for (i, k) in (0..b % 5).zip((10..30u32).step_by(4)) {
            h = h.wrapping_add(i * k);
        }
        for v in x.iter().filter(|v| **v > 4).map(|v| v >> 1) {
            if v == 77 {
                break;
            }
            h ^= v;
        }
        for (i, v) in (3..6u32).enumerate() {
            h = h.wrapping_add(v << i);
        }
        h
    }

    ranges_contain(a: i32, b: i32) -> u32 {
        let inside = (-3..b).contains(&a) as u32;
        let closed = (-3..=b).contains(&a) as u32;
        let floats = (0.0..1.0f32).contains(&(a as f32 / 100.0)) as u32;
        inside | closed << 1 | floats << 2
    }

    exchanges(a: u32, b: u32) -> u32 {
        let (mut x, mut y) = (a, b);
        std::mem::swap(&mut x, &mut y);
        let old = mem::replace(&mut x, 5);
        let taken = core::mem::take(&mut y);
        (x, y) = (y ^ taken, x.wrapping_add(old));
        let mut z = [x, y, 3];
        (z[0], (_, z[1])) = (z[1], (0, z[0]));
        z[0] ^ z[1].rotate_left(7) ^ cmp::min(a, b) ^ std::cmp::max(a, 17)
    }

    exchanges_by_name(a: u32, b: u32) -> u32 {
        use std::cmp::{max, min};
        use std::mem::{replace, swap, take};
        let (mut x, mut y) = (min(a, 500), max(b, a / 2));
        swap(&mut x, &mut y);
        let mut z = [x, y, 3];
        swap(&mut z[min(1, (a % 3) as usize)], &mut y);
        let old = replace(&mut x, 5);
        z[0] ^ z[1].rotate_left(7) ^ old.rotate_left(11) ^ take(&mut y) ^ x ^ y
    }

    options_more(a: i32, b: i32) -> i32 {
        let half = (a % 2 == 0).then_some(a / 2);
        let third = (b % 3 == 0).then(|| b / 3);
        let both = half.zip(third).map_or(-1, |(x, y)| x ^ y);
        let big = half.filter(|x| *x > 100).unwrap_or_default();
        let fine = half.is_none_or(|x| x < 9) as i32;
        both ^ big ^ fine
    }

    letters(a: u8, b: u8) -> u32 {
        let tests = [
            a.is_ascii(), a.is_ascii_digit(), a.is_ascii_lowercase(), a.is_ascii_uppercase(),
            a.is_ascii_alphabetic(), a.is_ascii_alphanumeric(), a.is_ascii_whitespace(),
        ];
        let bits = tests.iter().fold(0u32, |bits, &test| bits << 1 | test as u32);
        bits << 16 | (a.to_ascii_lowercase() as u32) << 8 | b.to_ascii_uppercase() as u32
    }

    degrees(a: f32, b: f32) -> f32 {
        a.to_degrees() - b.to_radians()
    }
}

mod own {
    use vortex::prelude::*;

    #[vortex::device]
    pub(super) fn min(a: f32, b: f32) -> f32 {
        if a < b { a } else { b * 2.0 }
    }

    #[vortex::device]
    pub(super) fn max<T: Num>(a: T, b: T) -> T {
        if a < b { b } else { a }
    }

    #[vortex::device]
    pub(super) fn swap(a: &mut f32, b: &mut f32) {
        let old = *a;
        *a = *b;
        *b = old + 1.0;
    }
}

#[vortex::kernel]
fn by_name(x: &mut [f32]) {
    use own::{max, min, swap};
    let (mut a, mut b) = (min(4.0, x[0]), max(x[1], 1.0));
    swap(&mut a, &mut b);
    x[0] = a;
    x[1] = b;
}

#[test]
fn functions_of_the_user_are_called_by_such_names() {
    let device = Device::open().unwrap();
    let mut x = device.upload(&[3.0f32, 0.5]).unwrap();
    by_name(&mut x).over(1).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [1.0, 7.0]);
}

#[test]
fn letters_of_all_bytes() {
    #[vortex::kernel]
    fn fold(bytes: &mut [u8], kinds: &mut [u8]) {
        let i = global_id();
        let c = bytes[i];
        kinds[i] = c.is_ascii_alphanumeric() as u8 | (c.is_ascii_whitespace() as u8) << 1;
        bytes[i] = if i < 256 {
            c.to_ascii_lowercase()
        } else {
            c.to_ascii_uppercase()
        };
    }

    let bytes: Vec<u8> = (0..512).map(|i| i as u8).collect();
    let kind = |c: &u8| c.is_ascii_alphanumeric() as u8 | (c.is_ascii_whitespace() as u8) << 1;
    for device in DEVICES.iter().take(2) {
        let mut folded = device.upload(&bytes).unwrap();
        let mut kinds = device.alloc::<u8>(512).unwrap();
        fold(&mut folded, &mut kinds)
            .over(512)
            .launch(device)
            .unwrap();
        let folded = folded.download().unwrap();
        assert_eq!(folded[..256], bytes[..256].to_ascii_lowercase());
        assert_eq!(folded[256..], bytes[256..].to_ascii_uppercase());
        assert_eq!(
            kinds.download().unwrap(),
            bytes.iter().map(kind).collect::<Vec<_>>()
        );
    }
}

#[vortex::kernel]
fn rows(columns: usize, x: &[f32], out: &mut [f32]) {
    let row = global_id();
    let xs = &x[row * columns..(row + 1) * columns];
    let ys = &mut out[row * columns..(row + 1) * columns];
    let mean = xs.iter().sum::<f32>() / columns as f32;
    let variance = xs.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / columns as f32;
    for (y, x) in ys.iter_mut().zip(xs) {
        *y = (x - mean) / variance.sqrt();
    }
    if row % 2 == 1 {
        ys.swap(0, columns - 1);
    }
    if row == 2 {
        ys.fill(mean);
    }
}

fn rows_on_host(columns: usize, x: &[f32], out: &mut [f32]) {
    for (row, (xs, ys)) in x.chunks(columns).zip(out.chunks_mut(columns)).enumerate() {
        let mean = xs.iter().sum::<f32>() / columns as f32;
        let variance = xs.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / columns as f32;
        for (y, x) in ys.iter_mut().zip(xs) {
            *y = (x - mean) / variance.sqrt();
        }
        if row % 2 == 1 {
            ys.swap(0, columns - 1);
        }
        if row == 2 {
            ys.fill(mean);
        }
    }
}

#[test]
fn rows_are_normalised() {
    const COLUMNS: usize = 7;
    let x: Vec<f32> = (0..COLUMNS * 9)
        .map(|i| (i * i % 23) as f32 * 0.25)
        .collect();
    let mut expected = vec![0.0; x.len()];
    rows_on_host(COLUMNS, &x, &mut expected);
    for device in DEVICES.iter() {
        let x = device.upload(&x).unwrap();
        let mut out = device.alloc(x.len()).unwrap();
        rows(COLUMNS, &x, &mut out).over(9).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// Ranges of more numbers than a `usize` counts.
#[vortex::kernel]
fn beside_long_ranges(x: &[u32], out: &mut [u64]) {
    let i = global_id();
    let mut sum = i as u64;
    for (n, v) in (3u64..5_000_000_000).step_by(2).zip(x.iter()) {
        sum += n * *v as u64;
    }
    for (n, v) in (1u64..=4_294_967_296).zip(x.iter()) {
        sum += n * *v as u64;
    }
    for (n, v) in (0..=u32::MAX).zip(x.iter()) {
        sum += (n ^ *v) as u64;
    }
    out[i] = sum;
}

#[test]
fn long_ranges_are_no_shorter_than_slices() {
    let x = [7, 1, 0, 90, 3, 11];
    let of = |from: u64, by: u64| (0..6).map(move |i| from + by * i).zip(x);
    let mut sum: u64 = of(3, 2).map(|(n, v)| n * u64::from(v)).sum();
    sum += of(1, 1).map(|(n, v)| n * u64::from(v)).sum::<u64>();
    sum += of(0, 1).map(|(n, v)| n ^ u64::from(v)).sum::<u64>();
    for device in DEVICES.iter() {
        let x = device.upload(&x).unwrap();
        let mut out = device.alloc(5).unwrap();
        beside_long_ranges(&x, &mut out)
            .over(5)
            .launch(device)
            .unwrap();
        assert_eq!(out.download().unwrap(), [0, 1, 2, 3, 4].map(|i| i + sum));
    }
}
