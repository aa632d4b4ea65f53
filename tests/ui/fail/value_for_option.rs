// Mistakes: 4
use vortex::prelude::*;

#[vortex::kernel]
fn in_both_arms(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut best: Option<u32> = None;
    if y[i] > 1 {
        best = if i > 3 { x[i] } else { x[0] };
    }
    y[i] = best.unwrap_or(0);
}

#[vortex::kernel]
fn in_one_arm(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let best: Option<u32> = if i > 3 { x[i] } else { None };
    y[i] = best.unwrap_or(0);
}

#[vortex::kernel]
fn of_a_match(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut best = None;
    for v in x {
        best = match v {
            0 => Some(1),
            _ => x[i] + 1,
        };
    }
    y[i] = best.unwrap_or(0);
}

#[vortex::kernel]
fn alone(x: &[f32], y: &mut [f32]) {
    let first: Option<f32> = x[0];
    y[0] = first.unwrap_or(0.0);
}

fn main() {}
