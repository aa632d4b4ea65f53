use vortex::prelude::*;

#[vortex::kernel]
fn values(x: &[f32], n: &[u32], y: &mut [f32]) {
    y[0] = x.iter().fold(|acc, v| acc + v);
    y[1] = n.iter().map(|v| v + 1).fold(|a, b| a.max(b)) as f32;
    y[2] = x.iter().reduce(0.0, |a, b| a + b).unwrap();
    y[3] = x.iter().sum(0.0);
    y[4] = x.iter().min_by_key().unwrap();
    y[5] = x.iter().scan(|s, v| Some(v)).sum();
}

#[vortex::kernel]
fn loops(x: &[f32], y: &mut [f32]) {
    for v in x.iter().take() {
        y[0] += v;
    }
    for i in (0..4).step_by() {
        y[i] += 1.0;
    }
    for (i, v) in x.iter().enumerate(1) {
        y[i] = v;
    }
    y[1] = x.iter().zip().map(|(a, b)| a * b).sum();
}

fn main() {}

// Mistakes: 10
