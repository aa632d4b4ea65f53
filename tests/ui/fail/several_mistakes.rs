use vortex::prelude::*;

#[vortex::kernel]
async fn everything(a: f64, x: &[f32], out: &mut [f32]) -> f32 {
    let i = global_id();
    let count = 0;
    count += 1;
    x[i] = out[i];
    dbg!(i);
    match i {
        _ => {}
    }
    frobnicate(i)
}

fn main() {}

// Mistakes: 7
