//! `match`, `if let` and the like, over all kinds of patterns.

use vortex::prelude::*;

use crate::harness::same;

const SEVEN: i32 = 7;
const LOW: u8 = 3;
const HIGH: u8 = 200;

/// Matched without `PartialEq`, as Rust has it.
#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(u32)]
enum Turn {
    Left,
    Right,
    Back,
}

#[vortex::device(host)]
fn turn(n: u32) -> Turn {
    match n % 3 {
        0 => Turn::Left,
        1 => Turn::Right,
        _ => Turn::Back,
    }
}

const STEPS: [(u32, bool); 3] = [(1, true), (10, false), (100, true)];
static NESTED: &[(u32, (i8, Turn)); 2] = &[(5, (-1, Turn::Left)), (6, (1, Turn::Back))];

same! {
    variants_without_equality(a: u32, b: u32) -> u32 {
        let first = match (turn(a), turn(b)) {
            (Turn::Left, Turn::Left | Turn::Back) => 1,
            (Turn::Right, _) => 2,
            (_, Turn::Right) => 3,
            _ => 4,
        };
        first + if let Turn::Back = turn(a ^ b) { 10 } else { 20 }
    }

    tables_of_tuples(a: u32, b: u32) -> u32 {
        let mut sum = 0u32;
        for (step, twice) in STEPS {
            if a % 7 == 3 { continue; }
            sum = sum.wrapping_add(step.wrapping_mul(if twice { 2 } else { a }));
        }
        for &(step, _) in STEPS.iter() {
            if step > b { break; }
            sum ^= step;
        }
        sum
    }
    rows_of_tables(a: u32, b: u32) -> u32 {
        let (step, twice) = STEPS[a as usize % 3];
        let last = STEPS[STEPS.len() - 1].0;
        let (n, (sign, kind)) = NESTED[b as usize % 2];
        let sum: u32 = STEPS.iter().rev().map(|&(step, twice)| if twice { step } else { a & 7 }).sum();
        let at = STEPS.iter().position(|&(step, _)| step > b % 200).unwrap_or(3);
        let found = NESTED.get(a as usize).map_or(9, |row| row.0);
        let turned = match (kind, STEPS[b as usize % 3]) {
            (Turn::Left, (1, _)) => 1,
            (_, (steps, true)) if steps > 10 => 2,
            _ => 3,
        };
        let table = STEPS;
        [step, last, n, sum, at as u32, found, turned, (sign as u32) ^ table[a as usize % 3].0, twice as u32]
            .iter()
            .fold(0, |all, part| all.wrapping_mul(31).wrapping_add(*part))
    }
}

same! {
    matches_of_the_standard_library(a: u32, b: u32) -> u32 {
        let tests = (matches!(a, 0 | 3..=9 | 100..), matches!((a, b), (1..50, n) if n > a), matches!(Some(b), Some(0..=7),));
        tests.0 as u32 | (tests.1 as u32) << 1 | (!tests.2 as u32) << 2
    }
    literals(a: i32, b: i32) -> i32 {
        match a { 0 => 10, 1 => 11, -1 => 12, SEVEN => b, i32::MAX => 14, _ => a }
    }
    ranges(a: u8, b: u8) -> u8 {
        match a {
            0..LOW => 1,
            LOW..=100 => b,
            101..HIGH => 2,
            HIGH.. => 3,
        }
    }
    signed_ranges(a: i8, b: i8) -> i8 {
        match a { ..-100 => 1, -100..=-1 => 2, 0 => 3, 1.. => b }
    }
    alternatives(a: u32, b: u32) -> u32 {
        match a { 0 | 2 | 7 => 1, 3 | 30..=40 => 2, x => x ^ b }
    }
    bools(a: bool, b: bool) -> u32 {
        match (a, b) { (true, true) => 1, (false, _) => 2, (_, false) => 3 }
    }
    bindings(a: i32, b: i32) -> i32 {
        match a & 15 {
            n @ 1..=5 => n ^ b,
            n @ (7 | 9) => n | b,
            0 => b,
            mut other => {
                other |= 32;
                other &= b;
                other
            }
        }
    }
    guards(a: i32, b: i32) -> i32 {
        match a {
            n if n == b => 1,
            n @ 0..=7 if n & 1 == 1 => 2,
            0 | 2 if b > 3 => 3,
            n if n < 0 && n % 3 == -1 => n,
            _ if b < 0 => 4,
            n => n ^ b,
        }
    }
    all_arms_guarded_but_one_in_the_middle(a: u32, b: u32) -> u32 {
        match a { n if n > b => n, n => n & b }
    }
    tuples(a: i32, b: i32) -> i32 {
        match (a & 3, (b & 3, a > b)) {
            (0, (y, true)) => y,
            (x, (0, _)) => x * 10,
            (x @ (1 | 2), (y, false)) if x == y => 50 + x,
            (.., (3, _)) => 7,
            (x, ..) => x - 9,
        }
    }
    rest_in_front(a: i32, b: i32) -> i32 {
        match (1, a & 1, b & 3, a & 7) { (.., x, y @ 0..=3) => x * 4 + y, (.., 1, _) => 99, (_, z, ..) => z }
    }
    names_in_alternatives(a: i32, b: i32) -> i32 {
        match (a & 3, b & 3) { (0, x) | (x, 0) => x + 100, (1, y) | (y, _) => y }
    }
    a_fault_stays_in_its_arm(a: u32, b: u32) -> u32 {
        match b { 0 => 1, 1..=9 => a / b, _ => match a { 0 => 5, n => b % n } }
    }
    as_statement(a: i32, b: i32) -> i32 {
        let mut x = 0;
        match a & 7 {
            0 => x = b,
            1 | 2 => {
                x = 1;
                if b > 0 { x = 2; }
            }
            3 => {}
            n => x += n,
        }
        match b & 1 { 0 => x ^= 3, _ => () }
        x
    }
    jumps_in_arms(a: u32, b: u32) -> u32 {
        let mut sum = 0u32;
        let mut i = 0;
        loop {
            i += 1;
            let step = match (i ^ a) & 15 {
                0..=2 => continue,
                5 if b & 1 == 1 => break,
                6 => { sum ^= 2; 8 }
                n => n,
            };
            sum = ((sum & 0xffff) << 2) + step;
            match i { 20.. => break, _ => {} }
        }
        sum
    }
    all_arms_jump(a: u32, b: u32) -> u32 {
        let mut i = a & 7;
        loop {
            i += 1;
            match i % 5 { 0 => break, _ => continue }
        }
        i + (b & 1)
    }
    floats(a: f32, b: f32) -> f32 {
        match a { 0.0 => 1.0, 0.5..=3.0 => b, f32::MAX => 2.0, _ => a }
    }
    nested(a: i32, b: i32) -> i32 {
        match a & 3 {
            0 => match b & 3 { 0 => 1, n => match n { 1 => 10, m => m } },
            n => if let 2 = b & 3 { n } else { -n },
        }
    }
    scrutinee_is_evaluated_once(a: u32, b: u32) -> u32 {
        let mut n = a & 7;
        match { n += 1; n } { 1 => n + 10, x @ 2..=4 => n + x, _ => n + b % 2 }
    }
    if_let(a: i32, b: i32) -> i32 {
        let mut x = if let 0..=9 | 100 = a { 1 } else if let n @ -9..=-1 = b { n } else { 3 };
        if let (3.., y) = (a, b & 15) { x += y; }
        x
    }
    let_chains(a: i32, b: i32) -> i32 {
        let x = if a > 0 && let n @ 0..=100 = b && n & 1 == 0 { n } else { -1 };
        let mut y = x;
        if let m @ 1.. = a & 7 && m > 2 { y ^= m; }
        if let 0 = a & 1 && let 0 = b & 1 { y += 1000 } else if b > 3 { y += 500 } else { y += 100 }
        y
    }
    while_let(a: u32, b: u32) -> u32 {
        let mut n = a & 63;
        while let m @ 1.. = n {
            n = m / 2;
            if m == (b & 15) { break; }
            if m & 1 == 0 { continue; }
            n = m >> 2;
        }
        let mut k = 0;
        while k < 20 && let 0..=9 = (n + k) & 15 { k += 1; }
        n * 100 + k
    }
    let_else(a: u32, b: u32) -> u32 {
        let mut sum = 0;
        for i in 0..(a & 7) {
            let n @ 0..=9 = (b + i) & 15 else { continue };
            let (0..=5, m) = (n, i) else { break; };
            sum += n * 10 + m;
        }
        sum
    } => {
        let mut sum = 0;
        for i in 0..(a & 7) {
            let n @ 0..=9 = b.wrapping_add(i) & 15 else { continue };
            let (0..=5, m) = (n, i) else { break; };
            sum += n * 10 + m;
        }
        sum
    }
    let_with_at(a: u32, b: u32) -> u32 {
        let n @ m = a ^ b;
        let (x @ _, mut y) = (n & 1, m & 2);
        y += x;
        y
    }
    usize_matches(a: u32, b: u32) -> u32 {
        match a as usize { 0 => 1, 2..=7 => 2, n => n as u32 & b }
    }
}

#[vortex::kernel]
fn early_ends(codes: &[u32], out: &mut [u32]) {
    let i = global_id();
    let n @ 1.. = codes[i] else { return };
    match n {
        1 => return,
        2 | 3 => out[i] = 2,
        n if n > 10 => {
            out[i] = n;
            return;
        }
        _ => {}
    }
    out[i] += 100;
}

#[test]
fn arms_and_let_else_end_the_item() {
    for device in crate::harness::DEVICES.iter() {
        let codes = device.upload(&[0u32, 1, 2, 3, 4, 11, 12, 5]).unwrap();
        let mut out = device.upload(&[0u32; 8]).unwrap();
        early_ends(&codes, &mut out).over(8).launch(device).unwrap();
        assert_eq!(out.download().unwrap(), [0, 0, 102, 102, 100, 11, 12, 100]);
    }
}
