//! Divergent control flow of all kinds.

use vortex::prelude::*;

use crate::harness::same;

same! {
    if_else(a: i32, b: i32) -> i32 { if a < b { a } else { b } }
    else_if(a: i32, b: i32) -> i32 {
        if a < 0 { 1 } else if a < b { 2 } else if a == b { 3 } else { 4 }
    }
    nested_ifs(a: i32, b: i32) -> i32 {
        let mut x = 0;
        if a > 3 {
            if b > 3 {
                x = 1;
            } else {
                x = 2;
                if b < -3 {
                    x += 10;
                }
            }
            x += 100;
        } else if b > 3 {
            x = 3;
        }
        x
    }
    short_circuit(a: u32, b: u32) -> bool { a != 0 && b / a > 2 || b != 0 && a % b == 1 }
    short_circuit_values(a: bool, b: bool) -> bool { (a && !b) || (b && (a || !a)) }
    while_loop(a: u32, b: u32) -> u32 {
        let mut n = a & 63;
        let mut turns = 0;
        while n != 1 && n != 0 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            turns += 1;
        }
        turns + (b & 1)
    }
    loop_with_break(a: u32, b: u32) -> u32 {
        let mut x = a & 255;
        loop {
            if x > 300 {
                break;
            }
            x += 1 + (b & 7);
            if x % 13 == 5 {
                break;
            }
        }
        x
    }
    loop_with_continue(a: u32, b: u32) -> u32 {
        let mut sum = 0;
        let mut i = 0;
        while i < (a & 31) {
            i += 1;
            if i % 3 == (b & 3) {
                continue;
            }
            sum += i;
        }
        sum
    }
    for_exclusive(a: i32, b: i32) -> i32 {
        let mut sum = 0;
        for i in (a & 15) - 3..(b & 15) {
            sum = sum * 3 + i;
        }
        sum
    }
    for_inclusive(a: i32, b: i32) -> i32 {
        let mut sum = 0;
        for i in (a & 15) - 3..=(b & 15) {
            sum = sum * 3 + i;
        }
        sum
    }
    for_to_the_last_value(a: u8, b: u8) -> u32 {
        let mut sum = 0;
        for i in (a | 240)..=255 {
            sum += i as u32 * 3;
        }
        for i in (b as i8 | 96)..=127 {
            sum += (i == b as i8) as u32;
        }
        sum
    }
    empty_ranges(a: u8, b: u8) -> u32 {
        let mut turns = 0;
        for _ in a..b {
            turns += 1;
        }
        for _ in b..=a {
            turns += 1000;
        }
        turns
    }
    mutable_counter(a: u32, b: u32) -> u32 {
        let mut sum = 0;
        for mut i in 0..(a & 7) {
            i *= b & 15;
            sum += i;
        }
        sum
    }
    bounds_are_evaluated_once(a: u32, b: u32) -> u32 {
        let mut end = a & 15;
        let mut turns = 0;
        for _ in 0..end {
            end += 1;
            turns += 1;
        }
        turns * 100 + end + (b & 1)
    }
    breaks_in_nested_loops(a: u32, b: u32) -> u32 {
        let mut count = 0;
        for i in 0..(a & 15) {
            for k in 0..(b & 15) {
                if k > i {
                    break;
                }
                if (i + k) % 3 == 0 {
                    continue;
                }
                count += 1;
            }
            if count > 20 {
                break;
            }
            count += 1;
        }
        count
    }
    loops_in_branches_in_loops(a: u32, b: u32) -> u32 {
        let mut x = a & 0xff;
        let mut y = b & 0xff;
        for round in 0..5 {
            if x > y {
                while x > y {
                    if x < 10 {
                        break;
                    }
                    x -= 1 + round;
                }
            } else {
                loop {
                    if y <= x || y % 17 == 0 {
                        break;
                    }
                    y -= 1;
                }
                x += 3;
                if y < 5 {
                    break;
                }
            }
            y += round;
        }
        x * 1000 + y
    }
    shadowing_and_tuples(a: i32, b: i32) -> i32 {
        let (x, mut y) = if a < b { (a, 1) } else { (b, 2) };
        let x = x ^ y;
        y += 1;
        {
            let y = x;
            let _ = y ^ 3;
        }
        x ^ (y << 4)
    }
    values_live_across_divergence(a: i32, b: i32) -> i32 {
        let p = a ^ 1;
        let q = b ^ 2;
        let mut r = p & q;
        if p > q {
            let mut k = q & 7;
            while k > 0 {
                r ^= p;
                k -= 1;
            }
        } else {
            r ^= q;
        }
        r ^ p ^ q
    }
    gcd(a: u16, b: u16) -> u16 {
        let mut x = a;
        let mut y = b;
        while y != 0 {
            let rest = x % y;
            x = y;
            y = rest;
        }
        x
    }
    exponentiation(a: u32, b: u32) -> u32 {
        let mut base = a;
        let mut exponent = b & 31;
        let mut result = 1;
        loop {
            if exponent == 0 {
                break;
            }
            if exponent & 1 != 0 {
                result *= base;
            }
            base *= base;
            exponent >>= 1;
        }
        result
    } => { a.wrapping_pow(b & 31) }
    newton(a: f32, b: f32) -> f32 {
        let target = a.abs().min(1e6) + 1.0;
        let mut x = target;
        let mut turns = 0;
        while turns < 30 {
            let next = 0.5 * (x + target / x);
            if next == x {
                break;
            }
            x = next;
            turns += 1;
        }
        if b > 0.0 { x } else { turns as f32 }
    }
}

/// A `return` in a kernel ends the item; what it wrote before stays.
mod returns {
    use super::*;

    #[vortex::kernel]
    fn early(a: &[i32], b: &[i32], out: &mut [i32]) {
        let i = global_id();
        let (a, b) = (a[i], b[i]);
        out[i] = 1;
        if a < 0 {
            return;
        }
        out[i] = 2;
        let mut k = 0;
        while k < 20 {
            if k == (b & 31) {
                out[i] = 3 + k;
                return;
            }
            for n in 0..k {
                if n * 3 == (a & 15) {
                    out[i] = 100 + n;
                    return;
                }
            }
            k += 1;
        }
        if b == 7 {
            return;
        } else {
            out[i] += 40;
        }
        out[i] += 5;
    }

    fn on_host(a: i32, b: i32) -> i32 {
        if a < 0 {
            return 1;
        }
        let mut k = 0;
        while k < 20 {
            if k == (b & 31) {
                return 3 + k;
            }
            for n in 0..k {
                if n * 3 == (a & 15) {
                    return 100 + n;
                }
            }
            k += 1;
        }
        if b == 7 { 2 } else { 47 }
    }

    #[test]
    fn from_loops_and_branches() {
        crate::harness::check(crate::harness::pairs(), on_host, |a, b, out, device| {
            early(a, b, out).over(a.len()).launch(device).map(drop)
        });
    }

    #[vortex::kernel]
    fn both_arms(a: &[i32], b: &[i32], out: &mut [i32]) {
        let i = global_id();
        let x = if a[i] < b[i] {
            a[i]
        } else {
            out[i] = -1;
            return;
        };
        if x < 0 {
            out[i] = x;
            return;
        } else {
            out[i] = b[i];
            return;
        }
    }

    #[test]
    fn from_both_arms() {
        let on_host = |a: i32, b: i32| match a {
            a if a >= b => -1,
            a if a < 0 => a,
            _ => b,
        };
        crate::harness::check(crate::harness::pairs(), on_host, |a, b, out, device| {
            both_arms(a, b, out).over(a.len()).launch(device).map(drop)
        });
    }
}

/// Ids in one, two and three dimensions.
mod ids {
    use super::*;
    use crate::harness::DEVICES;

    #[vortex::kernel]
    fn coordinates(linear: &mut [u32], x: &mut [u32], y: &mut [u32], z: &mut [u32]) {
        let i = global_id();
        let (cx, cy, cz) = global_id_3d();
        linear[i] = i as u32;
        x[i] = cx as u32;
        y[i] = cy as u32;
        z[i] = cz as u32;
    }

    #[test]
    fn every_item_runs_once() {
        for device in DEVICES.iter() {
            for (w, h, d) in [
                (1, 1, 1),
                (7, 1, 1),
                (1, 9, 5),
                (5, 3, 7),
                (64, 33, 2),
                (3, 1000, 1),
            ] {
                let n = w * h * d;
                let mut out: Vec<_> = (0..4).map(|_| device.alloc::<u32>(n).unwrap()).collect();
                let [linear, x, y, z] = &mut out[..] else {
                    unreachable!()
                };
                coordinates(linear, x, y, z)
                    .over((w, h, d))
                    .launch(device)
                    .unwrap();
                let read: Vec<Vec<u32>> = out
                    .iter()
                    .map(|buffer| buffer.download().unwrap())
                    .collect();
                let expected = (0..n).map(|i| [i, i % w, i / w % h, i / w / h].map(|id| id as u32));
                for (i, expected) in expected.enumerate() {
                    let found = [read[0][i], read[1][i], read[2][i], read[3][i]];
                    let caps = device.caps();
                    assert_eq!(found, expected, "item {i} of {w} x {h} x {d} on {caps:?}");
                }
            }
        }
    }

    #[vortex::kernel]
    fn transpose(width: usize, height: usize, input: &[u16], output: &mut [u16]) {
        let (x, y) = global_id_2d();
        output[x * height + y] = input[y * width + x];
    }

    #[test]
    fn grid_times_block_items() {
        let (width, height) = (24, 10);
        let input: Vec<u16> = (0..width * height).map(|i| i as u16).collect();
        for device in &DEVICES[1..] {
            let source = device.upload(&input).unwrap();
            let mut target = device.alloc(input.len()).unwrap();
            let launch = transpose(width, height, &source, &mut target)
                .grid((6, 5))
                .block((4, 2));
            assert_eq!(launch.launch(device).unwrap().items(), 240);
            let result = target.download().unwrap();
            assert!((0..240).all(|i| result[i % width * height + i / width] == input[i]));
        }
    }
}
