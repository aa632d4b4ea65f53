//! Device functions and closures.

use crate::harness::{check, pairs, same};
use vortex::prelude::*;

mod far {
    /// Between two values.
    #[vortex::device]
    pub(crate) fn lerp(a: f32, b: f32, t: f32) -> f32 {
        a + (b - a) * t
    }

    pub(crate) mod away {
        use super::lerp;

        #[vortex::device]
        pub(crate) fn middle(a: f32, b: f32) -> f32 {
            lerp(a, b, 0.5)
        }
    }
}

#[vortex::device]
fn sign(x: i32) -> i32 {
    if x > 0 {
        return 1;
    }
    if x < 0 {
        return -1;
    }
    0
}

#[vortex::device]
fn first_multiple(of: u32, from: u32) -> u32 {
    for i in from..from + 40 {
        if i % of == 0 {
            return i;
        }
    }
    return u32::MAX;
}

#[vortex::device]
fn largest<T: Num>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[vortex::device]
fn times<const N: u32>(x: u32) -> u32 {
    x * N
}

#[vortex::device]
fn swap(a: &mut u32, b: &mut u32) {
    let old = *a;
    *a = *b;
    *b = old;
}

#[vortex::device]
fn add_twice(sum: &mut u32, x: &u32) {
    accumulate(sum, *x);
    accumulate(&mut *sum, *x);
}

#[vortex::device]
fn accumulate(sum: &mut u32, x: u32) {
    *sum += x;
}

#[vortex::device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

#[vortex::device]
fn count<F: Fn(u32) -> bool>(up_to: u32, is: F) -> u32 {
    let mut n = 0;
    for i in 0..up_to {
        if is(i) {
            n += 1;
        }
    }
    n
}

#[vortex::device]
fn halve(mut x: f32) -> f32 {
    x *= 0.5;
    x
}

#[vortex::device]
fn total(values: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..values.len() {
        sum += values[i];
    }
    sum
}

#[vortex::device]
fn put<T: Num>(values: &mut [T], at: usize, value: T) {
    if at >= values.len() {
        return;
    }
    values[at] = value;
}

same! {
    modules(a: f32, b: f32) -> f32 {
        far::away::middle(a, b) + far::lerp(b, a, 0.25)
    } => {
        (a + (b - a) * 0.5) + (b + (a - b) * 0.25)
    }

    early_return(a: i32, b: i32) -> i32 {
        sign(a) * 3 + sign(b)
    } => { a.signum() * 3 + b.signum() }

    return_from_a_loop(a: u32, b: u32) -> u32 {
        first_multiple(a % 50 + 1, b % 1000)
    } => {
        let (of, from) = (a % 50 + 1, b % 1000);
        (from..from + 40).find(|i| i % of == 0).unwrap_or(u32::MAX)
    }

    generic_over_floats(a: f32, b: f32) -> f32 { largest(a, b) } => { if a > b { a } else { b } }
    generic_over_integers(a: i16, b: i16) -> i16 { largest::<i16>(a, b) } => { a.max(b) }
    generic_with_a_literal(a: i32, b: i32) -> i32 { largest(a, 7) } => { a.max(7) }
    const_generic(a: u32, b: u32) -> u32 { times::<3>(a) ^ times::<5>(b) } => {
        a.wrapping_mul(3) ^ b.wrapping_mul(5)
    }

    exclusive_references(a: u32, b: u32) -> u32 {
        let mut x = a / 8;
        let mut y = b / 8;
        if x < y {
            swap(&mut x, &mut y);
        }
        add_twice(&mut y, &3);
        x - y / 2
    } => {
        let (x, y) = (a / 8, b / 8);
        let (x, y) = (x.max(y), x.min(y));
        x.wrapping_sub((y + 6) / 2)
    }

    closures(a: f32, b: f32) -> f32 {
        let scale = |x: f32| x * b;
        let shifted = |x: f32| -> f32 {
            if x < 0.0 {
                return scale(x);
            }
            x + 1.0
        };
        apply(shifted, a) + apply(|x| x - a, b) + apply(halve, a) + scale(2.0)
    } => {
        let scale = |x: f32| x * b;
        let shifted = |x: f32| if x < 0.0 { scale(x) } else { x + 1.0 };
        shifted(shifted(a)) + ((b - a) - a) + (a * 0.5) * 0.5 + scale(2.0)
    }

    closures_of_several_kinds(a: u32, b: u32) -> u32 {
        let limit = b % 16;
        let mut calls = 0;
        let even = count(a % 16, |i| i % 2 == 0);
        let small = count(a % 16, |i| {
            calls += 1;
            i < limit
        });
        even * 100 + small * 1000 + calls
    } => {
        let n = a % 16;
        n.div_ceil(2) * 100 + n.min(b % 16) * 1000 + n
    }
}

#[test]
fn slices_are_passed_on() {
    #[vortex::kernel]
    fn kernel(a: &[u32], _b: &[u32], out: &mut [u32]) {
        let i = global_id();
        put(out, i, total(a) + a[i]);
    }

    let (a, b) = pairs::<u32, u32>();
    let a: Vec<u32> = a.iter().map(|a| a % 1000).collect();
    let sum: u32 = a.iter().sum();
    check(
        (a, b),
        |a, _: u32| sum + a,
        |a, b, out, device| {
            let items = out.len();
            kernel(a, b, out).over(items).launch(device).map(drop)
        },
    );
}
