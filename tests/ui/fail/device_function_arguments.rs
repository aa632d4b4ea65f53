use vortex::prelude::*;

#[vortex::device]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
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
fn largest<T: Num>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[vortex::kernel]
fn wrong_types(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = lerp(x[i], n, 0.5);
    y[i] = lerp(x[i], 1, 0.5);
    y[i] = total(x) as f32;
    y[i] = largest(x[i], n);
    let _ = largest(i < 3, i > 5);
}

#[vortex::kernel]
fn wrong_numbers(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = lerp(x[i], 0.5);
    y[i] = lerp(x[i], 0.5, 0.5, x[i]);
    y[i] = no_such_function(x[i]);
}

fn main() {}

// Mistakes: 8
