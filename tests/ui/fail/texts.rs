// Mistakes: 3
use vortex::prelude::*;

#[vortex::kernel]
fn names(y: &mut [f32]) {
    let i = global_id();
    let name = String::from("item");
    let text = format!("item {i}");
    let window = vec![0.0f32; 3];
    y[i] = window[0];
}

fn main() {}
