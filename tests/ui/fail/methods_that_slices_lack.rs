use vortex::prelude::*;

#[vortex::device]
fn mean_of(x: &[f32], list: &mut [f32]) -> f32 {
    list.push(1.0);
    x.mean()
}

#[vortex::kernel]
fn lacking(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.lenght() {
        y[i] = x.mean();
    }
    y.push(x[i]);
    y.revers();
    y[0] = x.sum();
    y[1] = x[0..4].norm(2);
    y[0..4].push_back(1.0);
    y[2] = x.frist().unwrap();
}

fn main() {}

// Mistakes: 10
