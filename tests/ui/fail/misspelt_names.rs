use vortex::prelude::*;

#[vortex::kernel(blok = 64)]
fn misspelt(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = *x.get(i).unwarp();
    y[0] = x.iter().filtr(|v| **v > 1).count() as u32;
}

fn main() {}

// Mistakes: 3
