use vortex::prelude::*;

#[vortex::device]
fn mean_of(x: &[f32], list: &mut [f32]) -> f32 {
    list.push(1.0);
    x.iter().sum()
}

#[vortex::kernel]
fn lacking(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.lenght() {
        y[i] = x[i];
    }
    y.push(x[i]);
    y.revers();
    y[0] = x.sum();
    y[0..4].push_back(1.0);
    y[2] = x.frist().unwrap();
}

#[vortex::device]
fn of_others(x: &[f32]) -> f32 {
    x.mean() + x[0..4].norm(2)
}

#[vortex::kernel]
fn elsewhere(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = 2.0 * x.mean();
        y.scale_by(2.0, 1);
    }
}

fn main() {}

// Mistakes: 11
