// Mistakes: 3
use std::ops::{Add, Mul};
use vortex::prelude::*;

#[vortex::device]
fn sum<T: Copy + Add>(a: T, b: T, c: T) -> T {
    a + b + c
}

#[vortex::kernel]
fn axpy<T: Mul + Add>(a: T, x: &[T], y: &mut [T]) {
    let i = global_id();
    y[i] = a * x[i] + y[i];
}

fn main() {}
