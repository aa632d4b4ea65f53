use vortex::prelude::*;

#[vortex::kernel]
fn unwrapped(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[i].unwrap();
    let a = x[i];
    y[i] = a.unwrap_or(1.0);
    if a.is_some() {
        y[i] = a.expect("a number");
    }
    y[i] = x[i + 1].map(|v| v + 1.0);
}

#[vortex::device]
fn asked(x: &[f32]) -> Option<f32> {
    let first = x[0]?;
    Some(first)
}

fn main() {}

// Mistakes: 6
