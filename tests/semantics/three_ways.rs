//! `Ordering` as a value, and sorting and choosing by any comparison, against Rust's own.

use std::cmp::Ordering;

use vortex::prelude::{DeviceType, global_id};

use crate::harness::{DEVICES, same};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, DeviceType)]
#[repr(u8)]
enum Level {
    Low = 3,
    Middle,
    High = 9,
}

#[vortex::device(host)]
fn number(ordering: Ordering) -> u32 {
    match ordering {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 5,
    }
}

#[vortex::device(host)]
fn by_remainder(a: u32, b: u32) -> Ordering {
    (a % 7).cmp(&(b % 7)).then(b.cmp(&a))
}

#[vortex::device(host)]
fn level(n: u32) -> Level {
    match n % 3 {
        0 => Level::Low,
        1 => Level::Middle,
        _ => Level::High,
    }
}

same! {
    three_ways_of_unsigned(a: u32, b: u32) -> u32 {
        let o = a.cmp(&b);
        let tests = [o.is_lt(), o.is_le(), o.is_gt(), o.is_ge(), o.is_eq(), o.is_ne()];
        let mut h = tests.iter().fold(0u32, |h, t| h * 2 + *t as u32);
        h = h * 8 + number(o.reverse());
        let mut changing = by_remainder(a, b);
        h = h * 8 + number(changing);
        changing = changing.reverse();
        h = h * 8 + number(changing.then_with(|| b.cmp(&a)));
        if o == Ordering::Greater { h += 1 << 20; }
        if let Ordering::Less = a.cmp(&7) { h += 1 << 21; }
        h + (matches!(a.cmp(&b), Ordering::Less | Ordering::Equal) as u32) * (1 << 22)
    }

    three_ways_of_signed(a: i32, b: i32) -> i32 {
        let pair = (a % 4, b).cmp(&(b % 4, a));
        a.cmp(&b) as i32 * 9 + pair as i32 * 3 + (a > 3).cmp(&(b > 3)) as i32
    }

    three_ways_of_wide(a: u64, b: u64) -> u64 {
        (a.cmp(&b) as i32 + 1) as u64 * 3 + (a as i64).cmp(&(b as i64)).reverse().is_lt() as u64
    }

    three_ways_of_floats(a: f32, b: f32) -> u32 {
        let some = a.partial_cmp(&b);
        let total = number(a.total_cmp(&b));
        total * 16 + some.map_or(0, |o| number(o)) + some.is_none() as u32 * 8
    }

    three_ways_of_parts_that_are_floats(a: f32, b: f32) -> u32 {
        let pair = (a, b).partial_cmp(&(b, a));
        let mixed = (a > 1.0, 3u32, a).partial_cmp(&(b > 1.0, 3u32, b));
        let first = (a, 3u32).partial_cmp(&(b, 4u32)).unwrap_or(Ordering::Equal);
        let of = pair.map_or(0, |o| number(o)) * 64 + mixed.map_or(0, |o| number(o)) * 8;
        of + pair.is_none() as u32 + first.is_le() as u32 * 2 + (mixed == Some(Ordering::Less)) as u32 * 512
    }

    three_ways_of_options(a: u32, b: u32) -> u32 {
        let x = if a % 3 == 0 { None } else { Some(a % 5) };
        let y = if b % 3 == 1 { None } else { Some(b % 5) };
        x.partial_cmp(&y).map_or(0, |o| number(o)) * 8 + x.partial_cmp(&Some(2)).map_or(0, |o| number(o))
    }

    three_keys(a: u32, b: u32) -> u32 {
        let by = (a % 3).cmp(&(b % 3)).then_with(|| (b % 5).cmp(&(a % 5)).then_with(|| a.cmp(&b).reverse()));
        let triple = (a % 3, b % 5, b).cmp(&(b % 3, a % 5, a));
        number(by) * 8 + number(triple) + by.is_gt() as u32 * 64 + (triple != Ordering::Equal) as u32 * 128
    }

    three_ways_of_enums(a: u32, b: u32) -> u32 {
        let (x, y) = (level(a), level(b));
        number(x.cmp(&y)) * 8 + x.partial_cmp(&y).map_or(7, |o| number(o))
    }

    chosen_by_any(a: u32, b: u32) -> u32 {
        let x = [a, b, a ^ b, a & b, a / 2, 9, 16];
        let least = *x.iter().min_by(|p, q| by_remainder(**p, **q)).unwrap();
        let most = *x.iter().max_by(|p, q| (*p % 5).cmp(&(*q % 5)).then_with(|| (*q / 3).cmp(&(*p / 3)))).unwrap();
        let first = x.iter().enumerate().min_by(|p, q| (p.1 % 3).cmp(&(q.1 % 3))).map_or(99, |p| p.0 as u32);
        let last = x.iter().enumerate().max_by(|p, q| (p.1 & 3).cmp(&(q.1 & 3))).map_or(99, |p| p.0 as u32);
        least ^ most.rotate_left(9) ^ first << 3 ^ last << 11
    }

    sorted_by_any(a: u32, b: u32) -> u32 {
        let mut x = [a, b, a ^ b, a & b, a / 2, 9, 16];
        x.sort_by(|p, q| (q % 5).cmp(&(p % 5)));
        let mut h = x.iter().fold(0u32, |h, v| h.wrapping_mul(31) ^ *v);
        x.sort_unstable_by(|p, q| by_remainder(*p, *q));
        for v in &x { h = h.wrapping_mul(31) ^ *v; }
        h
    }

    enums_in_order(a: u32, b: u32) -> u32 {
        let mut x = [level(a), level(b), level(a ^ b), level(a / 2), Level::Middle];
        let first = x.iter().enumerate().min_by(|p, q| p.1.cmp(q.1)).map_or(9, |p| p.0 as u32);
        let last = x.iter().enumerate().max_by(|p, q| p.1.cmp(q.1)).map_or(9, |p| p.0 as u32);
        let other = x.iter().enumerate().max_by(|p, q| q.1.cmp(p.1)).map_or(9, |p| p.0 as u32);
        x.sort_by(|p, q| p.cmp(q));
        let mut h = x.iter().fold(first + last * 8 + other * 64, |h, v| h.rotate_left(5) ^ *v as u32);
        x.sort_unstable_by(|p, q| q.cmp(p));
        for v in &x { h = h.rotate_left(5) ^ *v as u32; }
        h
    }

    by_pairs_and_truths(a: u32, b: u32) -> u32 {
        let mut x = [a, b, a ^ b, a & b, a / 2, 9, 16];
        let least = *x.iter().min_by(|p, q| (*p % 3, *p / 5).cmp(&(*q % 3, *q / 5))).unwrap();
        let even = *x.iter().max_by(|p, q| (*p % 2 == 0).cmp(&(*q % 2 == 0))).unwrap();
        x.sort_by(|p, q| (q % 3, *q).cmp(&(p % 3, *p)));
        let mut h = x.iter().fold(least ^ even.rotate_left(9), |h, v| h.wrapping_mul(31) ^ *v);
        x.sort_by(|p, q| (*p > 12).cmp(&(*q > 12)));
        for v in &x { h = h.wrapping_mul(31) ^ *v; }
        h
    }

    nearest(a: i32, b: i32) -> i32 {
        let x = [3, -8, 20, a % 50, b % 50];
        *x.iter().min_by(|p, q| (*p - 10).abs().cmp(&(*q - 10).abs())).unwrap()
    }
}

/// Floats by `partial_cmp`, whose `None` is the item's fault.
#[vortex::kernel]
fn sort_floats(rows: &mut [f32], least: &mut [f32]) {
    let i = global_id();
    let row = &mut rows[i * 5..(i + 1) * 5];
    row.sort_by(|a, b| b.partial_cmp(a).unwrap());
    least[i] = *row.iter().min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
}

#[test]
fn floats_are_sorted_by_partial_cmp_unless_one_is_none() {
    let rows: Vec<f32> = (0..20u32).map(|i| (i * 37 % 61) as f32 - 20.5).collect();
    let mut expected = rows.clone();
    let rows_of = expected.chunks_mut(5);
    rows_of.for_each(|row| row.sort_by(|a, b| b.partial_cmp(a).unwrap()));
    let last: Vec<f32> = expected.chunks(5).map(|row| row[4]).collect();
    for device in &*DEVICES {
        let mut buffer = device.upload(&rows).unwrap();
        let mut least = device.alloc(4).unwrap();
        sort_floats(&mut buffer, &mut least)
            .over(4)
            .launch(device)
            .unwrap();
        assert_eq!(buffer.download().unwrap(), expected);
        assert_eq!(least.download().unwrap(), last);

        let mut buffer = device.upload(&[1.0, f32::NAN, 2.0, 0.0, 4.0]).unwrap();
        let error = sort_floats(&mut buffer, &mut least)
            .over(1)
            .launch(device)
            .unwrap_err();
        assert!(error.to_string().contains("None"), "{error}");
    }
}
