//! Labels, loops and blocks with a value, ranges backwards and in steps.

use vortex::prelude::*;

use crate::harness::same;

same! {
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
