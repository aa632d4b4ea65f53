//! Parts of iterators and slices, and what is looked for in them, against Rust's own.

use vortex::prelude::*;

use crate::harness::same;

same! {
    first_and_rest(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, a ^ b, 5, 6, 7];
        let n = (a % 10) as usize;
        let m = (b % 4) as usize;
        let mut h = 0u32;
        for v in x.iter().take(n) { h = h.wrapping_mul(31) ^ *v; }
        for v in x.iter().skip(n) { h = h.wrapping_mul(31) ^ *v; }
        for v in x.iter().skip(m).take(n).rev() { h = h.wrapping_mul(31) ^ *v; }
        for (i, v) in x.iter().rev().enumerate().skip(m) { h = h.wrapping_mul(31) ^ *v ^ i as u32; }
        for (i, v) in x.iter().rev().skip(m).enumerate().take(n) { h = h.wrapping_mul(31) ^ *v ^ i as u32; }
        for v in x.iter().step_by(2).skip(m).take(2) { h = h.wrapping_mul(31) ^ *v; }
        for i in (0..a % 20).step_by(3).rev().skip(m).take(n) { h = h.wrapping_mul(31) ^ i; }
        for i in (1..=b % 7).take(n).skip(m) { h = h.wrapping_mul(31) ^ i; }
        for i in (0..u8::MAX).skip(m).step_by(100) { h = h.wrapping_mul(31) ^ i as u32; }
        for i in (0..a as u64).take(n) { h = h.wrapping_mul(31) ^ i as u32; }
        h
    }

    behind_other_adapters(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, a ^ b, 5, 6, 7];
        let y = [b, 9, a];
        let n = (a % 9) as usize;
        let mut h = 0u32;
        for v in x.iter().map(|v| v >> 1).rev().take(n) { h = h.wrapping_mul(31) ^ v; }
        for (v, w) in x.iter().zip(y.iter()).skip(1).step_by(n + 1) { h = h.wrapping_mul(31) ^ v ^ w >> 3; }
        for (i, v) in x.iter().chain(y.iter()).enumerate() {
            if i == n {
                continue;
            }
            h = h.wrapping_mul(31) ^ *v;
        }
        for v in x.iter().chain(&y).rev().take(n) { h = h.wrapping_mul(31) ^ *v; }
        h.wrapping_add((0..n as u32).chain(7..9).map(|i| i * i).sum::<u32>())
    }

    chosen(a: u32, b: u32) -> u32 {
        let x = [a & 15, b & 15, 3, (a ^ b) & 15, 5, 6, 7];
        let n = (a % 5) as usize;
        let mut h = 0u32;
        let mut seen = 0u32;
        for v in x.iter().map(|v| v + 1).filter(|v| v % 2 == 1).take(n) {
            if v == 7 {
                continue;
            }
            h = h.wrapping_mul(31) ^ v;
        }
        for (i, v) in x.iter().filter(|v| **v > 4).enumerate().skip(1) { h = h.wrapping_mul(31) ^ *v ^ i as u32; }
        for v in x.iter().take_while(|v| **v < 12) { seen += 1; h = h.wrapping_mul(31) ^ *v; }
        for v in x.iter().skip_while(|v| **v > 3) { h = h.wrapping_mul(31) ^ *v; }
        for v in x.iter().map_while(|v| v.checked_sub(3)) { h = h.wrapping_mul(31) ^ v; }
        for v in x.iter().filter_map(|v| v.checked_sub(5)).skip(1) { h = h.wrapping_mul(31) ^ v; }
        let found = x.iter().find_map(|v| (v % 3 == 1).then_some(v * 100)).unwrap_or(7);
        h ^ seen << 20 ^ found
    }

    picked_out(a: u32, b: u32) -> u32 {
        let x = [a & 31, b & 31, 3, (a ^ b) & 31];
        let n = (a % 5) as usize;
        let last = x.iter().take(n).last().copied().unwrap_or(77);
        let all = x.iter().copied().reduce(|a, b| a * 5 + b).unwrap();
        let none = x.iter().skip(n + 4).copied().reduce(|a, b| a + b).is_none() as u32;
        let least = x.iter().min_by_key(|v| **v % 7).unwrap();
        let (at, _) = x.iter().enumerate().max_by_key(|(_, v)| **v / 4).unwrap();
        let pair = x.iter().min_by_key(|v| (**v % 3, 31 - **v)).unwrap();
        let maybe = x.iter().max_by_key(|v| v.checked_sub(4).filter(|v| v % 3 > 0)).unwrap();
        last ^ all << 3 ^ none << 30 ^ *least << 7 ^ (at as u32) << 13 ^ *pair << 20 ^ *maybe << 25
    }

    greatest_of_floats(a: f32, b: f32) -> f32 {
        let x = [a, b, 1.0, a * 0.5];
        x.iter().copied().reduce(f32::max).unwrap() - x.iter().skip(1).copied().reduce(f32::min).unwrap()
    }

    in_chunks(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, a ^ b, 5, 6, 7, 8];
        let n = (a % 9) as usize + 1;
        let mut h = 0u32;
        for (i, c) in x.chunks(n).enumerate() {
            h = h.wrapping_mul(31) ^ c[0] ^ c[c.len() - 1] ^ i as u32;
        }
        for c in x.chunks(n).rev() { h = h.wrapping_mul(31) ^ c.len() as u32 ^ c[0]; }
        for c in x[1..].chunks_exact(n) { h = h.wrapping_mul(31) ^ c[n - 1]; }
        for w in x.windows(n) { h = h.wrapping_mul(31) ^ w[0].wrapping_add(w[n - 1]); }
        for w in x.windows(n + 5).rev() { h = h.wrapping_mul(31) ^ w[1]; }
        let mut y = x;
        for c in y.chunks_mut(3) {
            c[0] ^= 1;
            c.reverse();
        }
        for (c, w) in y.chunks_exact_mut(2).zip(x.windows(3)) {
            c[1] = c[1].wrapping_add(w[2]);
        }
        let sums: u32 = y.chunks(2).map(|c| c.iter().fold(0u32, |s, v| s.rotate_left(3) ^ *v)).fold(0, |s, v| s ^ v);
        h ^ sums
    }

    searched(a: u32, b: u32) -> u32 {
        let x = [a & 3, b & 3, 3, 1];
        let pair = [b & 3, 3];
        let n = (a % 5) as usize;
        let tests = [
            x.contains(&2),
            x[n..].contains(&1),
            x.starts_with(&pair),
            x[1..].starts_with(&pair),
            x.ends_with(&x[n..]),
            x.starts_with(&[]),
            pair.ends_with(&x),
            x[..2] == pair,
            x[1..3] == pair,
            pair != x[1..3],
            x[n..] == x[..4 - n],
            pair == [1, 3],
        ];
        tests.iter().fold(0u32, |bits, &test| bits << 1 | test as u32)
    }

    ranges_with_names(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, a ^ b, 5, 6, 7];
        let inside = (a % 4) as usize..(b % 8) as usize;
        let closed = 1..=b % 5;
        let mut h = 0u32;
        for i in inside.clone() { h = h.wrapping_mul(31) ^ x[i]; }
        for i in closed.clone().rev() { h = h.wrapping_mul(31) ^ i; }
        if inside.contains(&5) { h ^= 1 << 30; }
        h = h.wrapping_add(inside.len() as u32);
        if inside.start <= inside.end {
            for (i, v) in x[inside.clone()].iter().enumerate() { h = h.wrapping_mul(31) ^ *v ^ i as u32; }
        }
        for inside in 0..3 { h = h.wrapping_add(inside); }
        {
            let inside = h;
            h = inside.rotate_left(3);
        }
        let inside = |inside: u32| inside ^ 5;
        inside(h) ^ closed.contains(&3) as u32
    }

    places_in_closures(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 3, a ^ b];
        let y = [b, 7, a];
        x.iter_mut().for_each(|v| *v >>= 1);
        x.iter_mut().zip(y.iter()).for_each(|(v, w)| *v ^= *w);
        x.iter_mut().enumerate().for_each(|(i, v)| *v = v.wrapping_add(i as u32));
        x.chunks_mut(3).for_each(|c| c[0] = c[0].rotate_left(9));
        let mut last = 0;
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            if dx == (a % 3) as i32 - 1 {
                continue;
            }
            last = last * 7 + dx + 3 * dy;
        }
        for &(n, on) in [(3u32, a > b), (5, true)].iter() {
            if on { last += n as i32; }
        }
        x.iter().fold(last as u32, |h, v| h.wrapping_mul(31) ^ *v)
    }

    halved(a: u32, b: u32) -> u32 {
        let x = [1u32, 4, 9, 16, 25, 36, 49];
        let n = (b % 8) as usize;
        let (left, right) = x.split_at(n);
        let point = x[..n].partition_point(|v| *v < a % 64);
        let found = match x.binary_search(&(a % 50)) {
            Ok(i) => i as u32,
            Err(i) => 100 + i as u32,
        };
        let is_in = right.binary_search(&(b % 50)).is_ok() as u32;
        left.iter().sum::<u32>() ^ (right.len() as u32) << 9 ^ (point as u32) << 12 ^ found << 16 ^ is_in << 30
    }

    halved_by(a: u32, b: u32) -> u32 {
        let x = [49u32, 36, 25, 16, 9, 4, 1];
        let y = [-1.5f32, 0.0, 2.25, 7.0];
        let wanted = (b % 9) as f32 - 1.5;
        let number = |found: Result<usize, usize>| match found {
            Ok(i) => i as u32,
            Err(i) => 50 + i as u32,
        };
        let mut h = number(x.binary_search_by(|v| (a % 50).cmp(v)));
        h = h * 100 + number(y.binary_search_by(|v| v.total_cmp(&wanted)));
        h = h * 100 + number(y[1..].binary_search_by(|v| v.partial_cmp(&wanted).unwrap()));
        h * 100 + number(x.binary_search_by_key(&(100 - b % 101), |v| 100 - v))
    }

    moved(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 3, 4, 5];
        let from = [7u32, a, 9];
        let n = (a % 6) as usize;
        x[..n].reverse();
        x.swap(0, n % 5);
        x[1..4].copy_from_slice(&from);
        {
            let (left, right) = x.split_at_mut(n % 4);
            right[0] ^= left.len() as u32;
            left.reverse();
        }
        x[3..].fill(b);
        let mut y = [0; 2];
        y.copy_from_slice(&x[n % 4..n % 4 + 2]);
        y[0].rotate_left(5) ^ y[1] ^ x.iter().fold(0u32, |h, v| h.wrapping_mul(31) ^ *v)
    }

    mapped(a: f32, b: f32) -> f32 {
        let x = [a, b, 2.0].map(|v| v * b);
        let y = x.map(|v| v > a).clone();
        x[0] + if y[1] { x[1] } else { x[2] }
    }
}

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Interval {
    from: f32,
    to: f32,
}

#[vortex::device]
impl Interval {
    /// Named as a method of slices is.
    fn contains(&self, x: f32) -> bool {
        x >= self.from && x < self.to
    }

    fn reverse(&mut self) {
        *self = Interval {
            from: -self.to,
            to: -self.from,
        };
    }
}

#[vortex::kernel]
fn places(intervals: &mut [Interval], x: &[f32], out: &mut [u32]) {
    let i = global_id();
    intervals[i].reverse();
    let unit = Interval { from: 0.0, to: 1.0 };
    let inside = intervals[i].contains(x[i]);
    let among = intervals.contains(&unit);
    out[i] = inside as u32 | (unit.contains(x[i]) as u32) << 1 | (among as u32) << 2;
}

#[test]
fn methods_of_the_user_with_names_of_slices() {
    let device = Device::open().unwrap();
    let interval = |from, to| Interval { from, to };
    let mut intervals = device
        .upload(&[interval(-1.0, 0.0), interval(2.0, 3.0)])
        .unwrap();
    let x = device.upload(&[0.5f32, 0.5]).unwrap();
    let mut out = device.alloc(2).unwrap();
    places(&mut intervals, &x, &mut out)
        .over(2)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), [7, 6]);
    assert!(intervals.download().unwrap()[1] == interval(-3.0, -2.0));
}

#[vortex::kernel]
fn steps(n: usize, x: &[u32], out: &mut [u32]) {
    match global_id() {
        0 => out[0] = x.chunks(n).count() as u32,
        1 => out[1] = x.chunks_exact(n).count() as u32,
        2 => out[2] = x.windows(n).count() as u32,
        3 => out[3] = x.split_at(n + 4).0.len() as u32,
        _ => out[..n + 1].copy_from_slice(x),
    }
}

#[test]
fn what_panics_in_rust_is_a_fault() {
    let device = Device::open().unwrap();
    let x = device.upload(&[1u32, 2, 3]).unwrap();
    for (first, item) in [(0usize, 0), (1, 1), (2, 2), (3, 3), (4, 4)] {
        let mut out = device.upload(&[9u32; 8]).unwrap();
        let error = steps(0, &x, &mut out)
            .over(first + 1)
            .launch(&device)
            .unwrap_err()
            .to_string();
        assert!(error.contains("sequences.rs"), "{item}: {error}");
    }
    let mut out = device.upload(&[9u32; 8]).unwrap();
    steps(2, &x, &mut out).over(3).launch(&device).unwrap();
    assert_eq!(out.download().unwrap()[..4], [2, 1, 2, 9]);
}
