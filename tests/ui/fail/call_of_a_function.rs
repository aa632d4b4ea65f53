use vortex::prelude::*;

#[vortex::kernel]
fn squares(x: &mut [f32]) {
    let i = global_id();
    x[i] = f32::total_cmp(x[i], 1.0);
    x[i] = std::mem::size_of::<f32>() as f32;
}

#[vortex::kernel]
fn of_other_types(x: &mut [f32]) {
    let i = global_id();
    x[i] = f32::from(x.len() as i64);
    x[i] = f32::sqrt(i);
    x[i] = f32::max(1.0, x[i], 2.0);
}

fn main() {}

// Mistakes: 5
