//! Loops in loops as iterators, sorting, conversions that may fail, and references to parts, against Rust's own.

use vortex::prelude::*;

use crate::harness::same;

/// With methods that are handed to others by their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, vortex::DeviceType)]
#[repr(C)]
struct Tally {
    sum: u32,
    n: u32,
}

#[vortex::device(host)]
impl Tally {
    fn of(v: u32) -> Self {
        Tally { sum: v, n: 1 }
    }

    fn with(self, v: u32) -> Self {
        Tally {
            sum: self.sum.wrapping_mul(31) ^ v,
            n: self.n + 1,
        }
    }

    fn plus(self, other: Tally) -> Self {
        Tally {
            sum: self.sum.rotate_left(3) ^ other.sum,
            n: self.n + other.n,
        }
    }

    fn mean(&self) -> u32 {
        self.sum / self.n.max(1)
    }

    fn is_odd(&self) -> bool {
        self.sum & 1 != 0
    }
}

same! {
    methods_by_their_names(a: u32, b: u32) -> u32 {
        let x = [a, 9, b, a ^ b];
        let folded = x.iter().copied().fold(Tally::default(), Tally::with);
        let reduced = x.iter().copied().map(Tally::of).reduce(Tally::plus).unwrap_or_else(Tally::default);
        let both = [folded, reduced, Tally::of(a)];
        let means = both.iter().map(Tally::mean).fold(0, |h: u32, v| h.rotate_left(5) ^ v);
        let odd = both.iter().any(Tally::is_odd);
        let one = both.get(a as usize % 4).map(Tally::mean).unwrap_or(7);
        means ^ odd as u32 ^ one << 1 ^ folded.n ^ reduced.n << 4
    }

    loops_in_loops(a: u32, b: u32) -> u32 {
        let x = [[a, b, 3], [b, 7, a ^ b], [1, 2, a]];
        let n = a % 6;
        let mut h = 0u32;
        for v in x.iter().flatten() {
            if v % 5 == 0 {
                continue;
            }
            if *v == b {
                h ^= 77;
                continue;
            }
            h = h.wrapping_mul(31) ^ v;
        }
        for v in (0..n).flat_map(|i| i..n + 2) {
            if v == 6 {
                break;
            }
            h = h.wrapping_mul(31) ^ v;
        }
        for (i, v) in x.iter().flat_map(|row| row.iter().rev()).enumerate().skip(2).take(5) {
            h = h.wrapping_mul(31) ^ v ^ i as u32;
        }
        h = h.wrapping_add((1..n).flat_map(|i| (0..i).map(move |k| i * 10 + k)).sum::<u32>());
        h = h.wrapping_add(x[1].chunks(2).flatten().count() as u32);
        let found = x.iter().flatten().position(|v| *v % 7 == 3).unwrap_or(20);
        h ^ (found as u32) << 8
    }

    running(a: u32, b: u32) -> u32 {
        let x = [a & 255, b & 255, 3, 40, (a ^ b) & 255];
        let mut h = 0u32;
        for v in x.iter().scan(0u32, |sum, v| { *sum += v; Some(*sum) }) { h = h.wrapping_mul(31) ^ v; }
        for v in x.iter().scan(1u32, |product, v| {
            *product = product.wrapping_mul(*v + 1);
            if *product > 20_000 { None } else { Some(*product + 1) }
        }) {
            h ^= v >> 1;
        }
        h ^ (0..9).scan(a, |at, i| { *at ^= i; Some(*at >> 3) }).max().unwrap_or(0)
    }

    of_floats(a: f32, b: f32) -> f32 {
        let x = [a, 2.5, b, -0.0, 0.0];
        let least = x.iter().min_by(|p, q| p.total_cmp(q)).unwrap();
        let most = *x.iter().max_by(|p, q| p.total_cmp(q)).unwrap();
        let other = x.iter().max_by(|p, q| q.total_cmp(p)).unwrap();
        if least.is_nan() { 0.5 } else { *least * 0.25 + most + *other }
    }

    of_functions(a: f32, b: f32) -> f32 {
        let root: fn(f32) -> f32 = f32::sqrt;
        let most = f32::max;
        let power = f32::powi;
        let sum: fn(f32, f32) -> f32 = |p, q| p + q;
        sum(root(a.abs()), power(most(a, b), 2))
    }

    by_keys(a: u32, b: u32) -> u32 {
        let mut h = 0u32;
        let p = [a % 5, b % 5, 3, a % 7, (a ^ b) % 4];
        h += *p.iter().min_by(|v, w| v.cmp(w)).unwrap() + p.iter().max_by(|v, w| w.cmp(v)).unwrap() * 10;
        for (key, v) in [(a % 5, 1u32), (b % 5, 2)] { h = h.wrapping_mul(31) ^ key ^ v; }
        let far = (0..5usize).max_by(|i, k| p[*i].cmp(&p[*k])).unwrap();
        let near = (0..5usize).min_by(|i, k| p[*k].cmp(&p[*i])).unwrap();
        h.wrapping_mul(100) ^ (far * 10 + near) as u32
    }

    of_pairs(a: u32, b: u32) -> u32 {
        let x = [a, b, 3, a ^ b];
        let most = x.iter().enumerate().max_by(|p, q| (*p.1).cmp(&*q.1)).map_or(9, |p| p.0 as u32);
        let sum = x.iter().zip(&x).map(|p| (*p.0).wrapping_mul(*p.1)).fold(0u32, |h, v| h ^ v);
        let count = x.iter().zip(&[1, 2, 3, 4]).filter(|p| *p.0 > *p.1).count() as u32;
        most.wrapping_mul(31) ^ sum ^ count << 20
    }

    in_order(a: u32, b: u32) -> u32 {
        let x = [a % 3, b % 3, 1, b % 2, a % 2, 2, a % 3, b % 3];
        let mut h = 0u32;
        for n in 1..5 {
            let (p, q) = (&x[..n], &x[3..6]);
            h = h * 4 + u32::from(p < q) + 2 * u32::from(p >= q);
            h = h * 2 + u32::from(x[..n] > x[6..8]);
            h = h * 2 + u32::from(x[..n].cmp(&x[6..8]).is_le());
        }
        h
    }

    with_nan(a: f32, b: f32) -> u32 {
        let x = [a, b, 1.0, a, f32::NAN, b];
        let (p, q) = (&x[..3], &x[3..]);
        u32::from(p < q) | u32::from(p <= q) << 1 | u32::from(p > q) << 2 | u32::from(p[..1] < q[2..]) << 3
    }

    rotated(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 3, a ^ b, 5];
        let mut h = 0u32;
        x.rotate_left(2);
        for v in x { h = h.wrapping_mul(31) ^ v; }
        x.rotate_right(b as usize % 6);
        for v in x { h = h.wrapping_mul(31) ^ v; }
        x[1..4].rotate_left(a as usize % 4);
        for v in x { h = h.wrapping_mul(31) ^ v; }
        h = h.rotate_left(7);
        h.rotate_right(3)
    }

    sorted(a: u32, b: u32) -> u32 {
        let mut x = [a, 9, b, a ^ b, 3, b >> 3];
        let mut h = 0u32;
        x.sort();
        for v in x { h = h.wrapping_mul(31) ^ v; }
        x.sort_unstable_by_key(|v| v & 15);
        for v in x { h = h.wrapping_mul(31) ^ (v & 15); }
        x.sort_by_key(|v| !v);
        for v in x { h = h.wrapping_mul(31) ^ v; }
        x.sort_by_key(|v| v.checked_sub(9).filter(|v| v % 2 == 0));
        for v in x { h = h.wrapping_mul(31) ^ v; }
        x.sort_by_key(|v| v.checked_sub(5).ok_or(v & 1));
        for v in x { h = h.wrapping_mul(31) ^ v; }
        x.sort_by_key(|v| std::cmp::Reverse((v & 3, *v)));
        for v in x { h = h.wrapping_mul(31) ^ v; }
        let least = x.iter().enumerate().max_by_key(|(_, v)| { let low = **v & 7; std::cmp::Reverse(low) });
        let most = x.iter().enumerate().min_by_key(|(_, v)| std::cmp::Reverse(**v & 7));
        h ^= least.map_or(9, |(i, _)| i) as u32 ^ (most.map_or(9, |(i, _)| i) as u32) << 4;
        x.sort_by(|v, w| w.cmp(v));
        x.sort_by(|v, w| (v & 7).cmp(&(w & 7)));
        for v in x { h = h.wrapping_mul(31) ^ v; }
        h
    }

    sorted_floats(a: f32, b: f32) -> u32 {
        let mut x = [a, 0.0, b, -1.5, 2.25, -0.0];
        x.sort_by(|p, q| p.total_cmp(q));
        let mut h = 0u32;
        for v in x { h = h.wrapping_mul(31) ^ if v.is_nan() { 1 } else { v.to_bits() }; }
        x.sort_unstable_by(|p, q| q.total_cmp(p));
        for v in x { h = h.wrapping_mul(31) ^ if v.is_nan() { 1 } else { v.to_bits() }; }
        h
    }

    converted(a: u32, b: i32) -> u32 {
        let byte = u8::try_from(a).unwrap_or(200);
        let signed = i32::try_from(a).unwrap_or(-1);
        let small = i8::try_from(b).ok();
        let wide: u64 = a.into();
        let narrow: Option<u16> = wide.wrapping_mul(3).try_into().ok();
        let float: f32 = byte.into();
        let up: i64 = b.into();
        let mut h = byte as u32 ^ signed as u32 ^ small.unwrap_or(7) as u32 ^ narrow.unwrap_or(9) as u32;
        h ^= float as u32 ^ (up >> 3) as u32;
        if let Ok(unsigned) = u32::try_from(b) {
            h ^= unsigned << 1;
        }
        match u64::try_from(up) {
            Ok(v) => h ^= (v >> 2) as u32,
            Err(_) => h ^= 0x5555,
        }
        h ^ i64::try_from(wide << 31 | 5).is_ok() as u32 ^ u8::try_from(b).is_err() as u32
    }

    results(a: u32, b: u32) -> u32 {
        let x = [2u32, 5, 9, 40];
        let byte: Result<u8, _> = a.try_into();
        let mut h = byte.is_ok_and(|v| v > 9) as u32 | (byte.is_err_and(|_| true) as u32) << 1;
        h ^= byte.unwrap_or_default() as u32 * 5;
        h ^= byte.map_or(77, |v| v as u32 + 1) << 4;
        h ^= byte.map_or_else(|_| b, |v| v as u32 ^ b) << 8;
        let other = byte.or_else(|_| u8::try_from(b)).or(u8::try_from(3u32));
        h ^= other.unwrap() as u32;
        h ^= byte.and_then(|v| u8::try_from(v as u32 * 3)).unwrap_or(13) as u32;
        h ^= match byte {
            Ok(v @ 0..=20) => v as u32,
            Ok(v) => v as u32 * 7,
            Err(_) => 1 << 20,
        };
        let found = x.binary_search(&(a % 12));
        h ^= found.is_ok_and(|at| at == 2) as u32 | (found.is_err_and(|at| at < 2) as u32) << 3;
        h ^= (found.map_or_else(|at| at + 100, |at| at) as u32) << 12;
        let found = found.or_else(|at| x.binary_search(&(at as u32 * 3 + 2)));
        if let Err(missing) = found {
            h ^= (missing as u32) << 24;
        }
        h ^ found.unwrap_or(50) as u32 ^ found.err().map_or(0, |at| at as u32 + 1)
    }

    references(a: u32, b: u32) -> u32 {
        let mut x = [a, b, 3];
        let [first, _, last] = &mut x;
        *first ^= 5;
        *last += *first & 7;
        let mut others = [b, 7];
        let (one, step, other) = (&mut x[1], a & 3, &mut others[1]);
        *one ^= step;
        *other ^= *one;
        let mut pair = (a, b ^ others[1]);
        let (left, right) = &mut pair;
        *left ^= 1;
        *right ^= *left;
        let option = Some(pair.0);
        let mut h = 0u32;
        if let Some(ref v) = option { h ^= *v; }
        if let Some(v) = option.as_ref() { h ^= *v << 1; }
        let [ref v, _, w] = x;
        h ^= *v ^ w ^ pair.1;
        let mut k = 0;
        let found = loop {
            if x[k] % 3 == 0 || k == 2 {
                break &x[k];
            }
            k += 1;
        };
        let of_array = |y: &[u32; 3]| y[0] ^ y[2];
        let of_value = |y: &u32| *y + 1;
        h ^ *found ^ of_array(&x) ^ of_value(&h)
    }

    casts_at_the_beginning(a: u32, b: u32) -> u32 {
        let f = |v: u32| (v as u32).min(7) ^ v;
        let g = |v: u32| (v as u32).wrapping_mul(7) & v;
        f(a) ^ [a, b].iter().enumerate().map(|(k, v)| (k as u32).wrapping_mul(7) ^ *v).fold(0, |h: u32, v| h ^ v) ^ g(b)
    }

    filled(a: u32, b: u32) -> u32 {
        let x = std::array::from_fn::<u32, 4, _>(|i| a.wrapping_mul(i as u32 + 1));
        let mut y = x;
        for v in &mut y { *v ^= b; }
        let mut h = 0u32;
        for v in &y { h = h.wrapping_mul(31) ^ *v; }
        h
    }
}

/// Elements of a buffer, by one item.
#[vortex::kernel]
fn sort_rows(rows: &mut [f32], width: usize) {
    let i = global_id();
    let row = &mut rows[i * width..(i + 1) * width];
    row.sort_by(|a, b| a.total_cmp(b));
    for v in &mut *row {
        *v += 0.5;
    }
}

#[test]
fn rows_of_a_buffer_are_sorted() {
    let rows: Vec<f32> = (0..60u32).map(|i| (i * 37 % 61) as f32).collect();
    let mut expected = rows.clone();
    for row in expected.chunks_mut(12) {
        row.sort_by(f32::total_cmp);
        row.iter_mut().for_each(|v| *v += 0.5);
    }
    for device in &*crate::harness::DEVICES {
        let mut buffer = device.upload(&rows).unwrap();
        sort_rows(&mut buffer, 12).over(5).launch(device).unwrap();
        assert_eq!(buffer.download().unwrap(), expected);
    }
}
