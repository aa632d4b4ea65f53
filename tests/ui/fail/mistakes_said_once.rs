use vortex::prelude::*;

#[vortex::kernel]
fn once(n: &mut u32, x: &[u32], y: &mut [u32]) {
    *n += x[0];
    let v: Vec<u32> = x.iter().map(|a| a * 2).collect();
    let s: String = format!("{}", y[0]);
    y[global_id()] = 1;
}

fn main() {}

// Mistakes: 3
