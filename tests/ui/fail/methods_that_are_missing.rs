use vortex::prelude::*;

const WHY: &str = "one";

#[vortex::kernel]
fn missing(x: &[f32], y: &mut [u32], z: &mut [u32]) {
    let sorted = x.is_sorted();
    let quads = x.as_chunks::<4>();
    let parts = x.split_first();
    if let Some(first) = y.first_mut() {
        y[1] = 1;
    }
    z[0] = y[0].to_string().len();
    z[1] = x[0].cbrt() as u32;
    z[2] = x.first().expect(WHY) as u32;
    z[3].fetch_add(1, Relaxed);
}

#[vortex::kernel]
fn of_slices(x: &[f32], y: &mut [u32]) {
    y[0] = x.contains(&1);
    y[1] = x.starts_with(y);
    y[2] = x.largest();
    y.copy_from_slice(x);
    let i = x.binary_search(&1.0);
}

fn main() {}

// Mistakes: 14
