//! `f32`: strict IEEE, no contraction.

use vortex::prelude::*;

use crate::harness::same;

const SCALE: f32 = 0.1;

same! {
    add(a: f32, b: f32) -> f32 { a + b }
    sub(a: f32, b: f32) -> f32 { a - b }
    mul(a: f32, b: f32) -> f32 { a * b }
    div(a: f32, b: f32) -> f32 { a / b }
    neg(a: f32, b: f32) -> f32 { -a * -1.5 + b }
    no_contraction(a: f32, b: f32) -> f32 { a * b + a }
    mul_add(a: f32, b: f32) -> f32 { a.mul_add(b, a) }
    mul_sub(a: f32, b: f32) -> f32 { a.mul_add(-b, -a) }
    sqrt(a: f32, b: f32) -> f32 { a.sqrt() + b.abs().sqrt() }
    less(a: f32, b: f32) -> bool { a < b }
    less_or_equal(a: f32, b: f32) -> bool { a <= b }
    greater(a: f32, b: f32) -> bool { a > b }
    greater_or_equal(a: f32, b: f32) -> bool { a >= b }
    equal(a: f32, b: f32) -> bool { a == b }
    not_equal(a: f32, b: f32) -> bool { a != b }
    not_less(a: f32, b: f32) -> bool { !(a < b) }
    branch_on_nan(a: f32, b: f32) -> f32 { if a < b { 1.0 } else if a >= b { 2.0 } else { 3.0 } }
    clamp(a: f32, b: f32) -> f32 { a.clamp(-2.0, 100.0) + b }
    constants(a: f32, b: f32) -> f32 { a * SCALE + b * 1e-3 + f32::EPSILON * 2.0 }
    compound(a: f32, b: f32) -> f32 {
        let mut x = a;
        x += b;
        x *= 3.0;
        x -= a;
        x /= 7.0;
        x
    }
    horner(a: f32, b: f32) -> f32 {
        let mut sum = 0.0;
        for _ in 0..6 {
            sum = sum * a + b;
        }
        sum
    }
}

/// Of two zeros of different sign Rust leaves open which one `min` and `max` return.
fn without_zeros((a, b): (Vec<f32>, Vec<f32>)) -> (Vec<f32>, Vec<f32>) {
    a.into_iter()
        .zip(b)
        .filter(|&(a, b)| a != 0.0 || b != 0.0)
        .unzip()
}

#[test]
fn min_and_max() {
    #[vortex::kernel]
    fn min(a: &[f32], b: &[f32], out: &mut [f32]) {
        let i = global_id();
        out[i] = a[i].min(b[i]);
    }

    #[vortex::kernel]
    fn max(a: &[f32], b: &[f32], out: &mut [f32]) {
        let i = global_id();
        out[i] = a[i].max(b[i]);
    }

    let inputs = || without_zeros(crate::harness::pairs());
    crate::harness::check(inputs(), f32::min, |a, b, out, device| {
        min(a, b, out).over(a.len()).launch(device).map(drop)
    });
    crate::harness::check(inputs(), f32::max, |a, b, out, device| {
        max(a, b, out).over(a.len()).launch(device).map(drop)
    });
}
