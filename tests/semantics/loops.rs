//! Labels, loops and blocks with a value, ranges backwards and in steps.

use vortex::prelude::*;

use crate::harness::same;

same! {
    a_value_at_break(a: u32, b: u32) -> u32 {
        // A constant, what the iteration has, where it was, and what was there in the one before.
        let (mut found, mut at, mut what, mut before) = (7u32, 99, a, b);
        for k in 0..(b & 31) {
            let now = a.rotate_left(k) ^ k;
            if now % 7 == 3 {
                found = b;
                at = k;
                what = now;
                break;
            }
            before = now;
        }
        found.wrapping_add(at * 1_000).wrapping_add(what) ^ before
    }
    a_value_at_the_other_end(a: u32, b: u32) -> u32 {
        let mut last = 1;
        let mut k = b & 15;
        while k < 24 {
            if a >> (k & 31) & 3 != 2 {
                k += 1;
            } else {
                last = k + a;
                break;
            }
        }
        last ^ k
    }
    a_value_that_is_used_before_it_is_given(a: u32, b: u32) -> u32 {
        let (mut mask, mut sum) = (b | 1, 0u32);
        for k in 0..20 {
            sum = sum.wrapping_add(mask.rotate_left(k));
            if sum & 0xf == a & 0xf {
                mask = sum;
                break;
            }
        }
        sum ^ mask.rotate_right(3)
    }
    floats_that_are_no_numbers_do_not_break(a: u32, b: u32) -> u32 {
        let mut at = 50;
        let x = f32::from_bits(a);
        for k in 0..10 {
            if x * (k as f32) < f32::from_bits(b) {
                at = k;
                break;
            }
        }
        at
    }
    break_to_a_label(a: u32, b: u32) -> u32 {
        let mut count = 0;
        'outer: for i in 0..(a & 15) {
            for j in 0..(b & 15) {
                if i * j > 20 { break 'outer; }
                if (i + j) % 7 == 6 { continue 'outer; }
                count += 1;
            }
            count += 100;
        }
        count
    }
    labels_of_while_and_loop(a: u32, b: u32) -> u32 {
        let mut n = a & 31;
        let mut k = 0;
        'walk: while n > 0 {
            n -= 1;
            'inner: loop {
                k += 1;
                if k % 5 == 0 { continue 'walk; }
                if k > (b & 63) { break 'walk; }
                if k % 3 == 0 { break 'inner; }
                while k & 1 == 0 {
                    k += 1;
                    if k % 11 == 0 { continue 'inner; }
                }
            }
            k += 2;
        }
        k * 32 + n
    }
    loop_with_a_value(a: u32, b: u32) -> u32 {
        let mut n = (a & 0xff) + 1;
        let found = loop {
            n += 1 + (b & 7);
            if n % 5 == 0 { break n; }
            if n > 300 { break 7 }
            if n % 3 == 0 { continue; }
            n |= 1;
        };
        found * 2 + (n & 1)
    }
    value_through_two_loops(a: i32, b: i32) -> i32 {
        let (x, late) = 'search: loop {
            for i in 0..(a & 15) {
                let step = loop {
                    if i > 9 { break 'search (i, true); }
                    break i * 2;
                };
                if step == (b & 15) { break 'search (step, false); }
            }
            break (-1, false);
        };
        if late { x + 100 } else { x }
    }
    blocks_with_a_value(a: i32, b: i32) -> i32 {
        let x = 'found: {
            if a < 0 { break 'found 1; }
            if b < 0 {
                if a > 100 { break 'found 2; }
            } else if a == b {
                break 'found 3
            }
            4
        };
        let mut y = x;
        'skip: {
            if y > 2 { break 'skip; }
            y += 10;
            for i in 0..5 {
                if i == (b & 7) { break 'skip; }
                y += i;
            }
            y += 1000;
        }
        y
    }
    backwards(a: i32, b: i32) -> i32 {
        let mut sum = 0;
        for i in ((a & 7) - 3..b & 7).rev() { sum = (sum & 0xffff) * 3 + i; }
        for i in ((a & 7) - 3..=b & 7).rev() {
            if i == 2 { continue; }
            if i == -2 { break; }
            sum = (sum & 0xffff) * 3 + i;
        }
        sum
    }
    backwards_over_all_values(a: u8, b: i8) -> u32 {
        let mut sum = 0;
        for i in (0..=a).rev() { sum = (sum & 0xffff) * 3 + i as u32; }
        for i in (i8::MIN..b).rev() { sum = (sum & 0xffff) * 3 + (i as u32 & 0xff); }
        sum
    }
    in_steps(a: u8, b: u8) -> u32 {
        let mut sum = 0;
        for i in (a..b).step_by(3) { sum = (sum & 0xffff) * 3 + i as u32; }
        for i in (a..=255).step_by((b & 31) as usize + 1) { sum = (sum & 0xffff) * 3 + i as u32; }
        for i in (a..=b).step_by(1000) { sum += i as u32; }
        sum
    }
    signed_steps(a: i8, b: i8) -> i32 {
        let mut sum = 0;
        for i in (a..b).step_by(100) { sum = (sum & 0xffff) * 3 + i as i32; }
        for i in (-128..=b).step_by(7).rev() { sum = (sum & 0xffff) * 3 + i as i32; }
        for i in (a..=127).rev().step_by(9) { sum = (sum & 0xffff) * 3 + i as i32; }
        sum
    }
    steps_of_steps(a: i32, b: i32) -> i32 {
        let mut sum = 0;
        for i in (a & 15..b & 63).step_by(2).rev().step_by(3).rev() { sum = (sum & 0xffff) * 3 + i; }
        sum
    }
}

const TURNS: usize = 3;

// The host knows no `#[unroll]`, so its copy is written out.
same! {
    unrolled(a: u32, b: u32) -> u32 {
        let mut sum = a & 0xff;
        #[unroll]
        for i in 0..5 {
            if i == (b & 7) { continue; }
            if i * sum > 3000 { break; }
            sum = (sum & 0xffff) * 3 + i;
        }
        #[unroll]
        for i in (2..=9i8).rev().step_by(TURNS) { sum += i as u32; }
        #[unroll]
        for _ in 4..4 { sum += 1000; }
        'outer: for i in 0..(a & 3) {
            #[unroll]
            for k in 0..TURNS {
                if k as u32 == b % 5 { continue 'outer; }
                if sum % 17 == 1 { break 'outer; }
                sum += i + k as u32;
            }
            sum += 7;
        }
        sum
    } => {
        let mut sum = a & 0xff;
        for i in 0..5 {
            if i == (b & 7) { continue; }
            if i * sum > 3000 { break; }
            sum = (sum & 0xffff) * 3 + i;
        }
        for i in (2..=9i8).rev().step_by(TURNS) { sum += i as u32; }
        'outer: for i in 0..(a & 3) {
            for k in 0..TURNS {
                if k as u32 == b % 5 { continue 'outer; }
                if sum % 17 == 1 { break 'outer; }
                sum += i + k as u32;
            }
            sum += 7;
        }
        sum
    }
    unrolled_by_some(a: u8, b: u8) -> u32 {
        let mut sum = 0;
        #[unroll(4)]
        for i in a..b { sum = (sum & 0xffff) * 3 + i as u32; }
        #[unroll(TURNS)]
        for i in (a..=b).rev() {
            if i % 8 == 3 { continue; }
            if i % 32 == 30 { break; }
            sum = (sum & 0xffff) * 3 + i as u32;
        }
        #[unroll(5)]
        for i in (a..=255).step_by((b & 31) as usize + 1) { sum = (sum & 0xffff) * 3 + i as u32; }
        #[unroll(1)]
        for i in (a as i8..b as i8).step_by(60) { sum = (sum & 0xffff) * 3 + (i as u32 & 0xff); }
        sum
    } => {
        let mut sum = 0;
        for i in a..b { sum = (sum & 0xffff) * 3 + i as u32; }
        for i in (a..=b).rev() {
            if i % 8 == 3 { continue; }
            if i % 32 == 30 { break; }
            sum = (sum & 0xffff) * 3 + i as u32;
        }
        for i in (a..=255).step_by((b & 31) as usize + 1) { sum = (sum & 0xffff) * 3 + i as u32; }
        for i in (a as i8..b as i8).step_by(60) { sum = (sum & 0xffff) * 3 + (i as u32 & 0xff); }
        sum
    }
}

#[vortex::kernel]
fn stepped(step: usize, out: &mut [u32]) {
    for i in (0..out.len()).step_by(step) {
        out[i] = 1;
    }
}

#[test]
fn a_step_of_zero_is_a_fault() {
    for device in crate::harness::DEVICES.iter() {
        let mut out = device.upload(&[0u32; 5]).unwrap();
        stepped(2, &mut out).over(1).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [1, 0, 1, 0, 1]);
        let error = stepped(0, &mut out).over(1).launch(device).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("a range is stepped by zero"), "{text}");
    }
}

/// Loops that are unrolled, with a step that the host gives and lanes that start at different numbers: all counts of
/// iterations, and steps and ends at which sums of steps would wrap.
#[test]
fn strides_that_only_the_launch_knows() {
    #[vortex::kernel]
    fn strides(end: u32, step: u32, apart: u32, x: &[u32], y: &mut [u32]) {
        let i = global_id();
        let mut sum = 0;
        for k in (i as u32 * apart..end).step_by(step as usize) {
            sum = sum * 31 + (k ^ x[k as usize & 7]);
        }
        y[i] = sum;
    }

    let device = Device::builder()
        .cores(1)
        .warps(2)
        .threads(4)
        .open()
        .unwrap();
    let numbers: Vec<u32> = (0..8).map(|n| n * 0x1234_5677).collect();
    let x = device.upload(&numbers).unwrap();
    let quarter = u32::MAX / 4;
    let mut cases: Vec<[u32; 3]> = Vec::new();
    for step in [1, 2, 3, 7] {
        cases.extend((0..40).map(|end| [end, step, 1]));
    }
    for step in [
        quarter - 1,
        quarter,
        quarter + 1,
        quarter + 2,
        u32::MAX / 2 + 1,
        u32::MAX - 1,
        u32::MAX,
    ] {
        for end in [0, 1, quarter, u32::MAX - 1, u32::MAX] {
            cases.extend([0, 1, quarter, 0x2000_0000].map(|apart| [end, step, apart]));
        }
    }
    for [end, step, apart] in cases {
        let mut y = device.alloc::<u32>(11).unwrap();
        let launch = strides(end, step, apart, &x, &mut y);
        launch.over(11).launch(&device).unwrap();
        let of = |i: u32| {
            let range = (i.wrapping_mul(apart)..end).step_by(step as usize);
            let next = |sum: u32, k: u32| {
                sum.wrapping_mul(31)
                    .wrapping_add(k ^ numbers[k as usize & 7])
            };
            range.fold(0, next)
        };
        let expected: Vec<u32> = (0..11).map(of).collect();
        assert_eq!(
            y.download().unwrap(),
            expected,
            "..{end} by {step}, {apart} apart"
        );
    }
}

/// What a loop loads in each iteration from the same place is loaded before it, but not if there is no iteration.
#[test]
fn loads_that_do_not_change() {
    #[vortex::kernel]
    fn scaled(x: &[u32], by: &[u32], y: &mut [u32]) {
        let i = global_id();
        let mut sum = 1;
        for k in 0..by.len() {
            sum = sum * 3 + x[i] * by[k];
        }
        y[i] = sum;
    }

    let device = Device::builder()
        .cores(1)
        .warps(2)
        .threads(4)
        .open()
        .unwrap();
    let x = device.upload(&[2, 3, 5, 7, 11, 13]).unwrap();
    let nothing = device.alloc::<u32>(0).unwrap();
    let mut y = device.alloc::<u32>(6).unwrap();
    for by in [vec![], vec![1], vec![4, 9], (0..21).collect()] {
        let factors = device.upload(&by).unwrap();
        let launch = scaled(&x, &factors, &mut y);
        launch.over(6).launch(&device).unwrap();
        let of = |x: u32| {
            by.iter()
                .fold(1u32, |sum, by| sum.wrapping_mul(3).wrapping_add(x * by))
        };
        let expected: Vec<u32> = [2, 3, 5, 7, 11, 13].map(of).to_vec();
        assert_eq!(y.download().unwrap(), expected);
    }
    let launch = scaled(&nothing, &nothing, &mut y);
    launch.over(6).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [1; 6]);
    let one = device.upload(&[1u32]).unwrap();
    let error = scaled(&nothing, &one, &mut y).over(6).launch(&device);
    let error = error.unwrap_err().to_string();
    let what = "index 0 is out of bounds of a slice of 0 elements";
    assert!(error.contains(what), "{error}");
}
