use vortex::prelude::*;

#[vortex::kernel(blok = 64)]
fn misspelt(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = *x.get(i).unwarp();
    y[0] = x.iter().filtr(|v| **v > 1).count() as u32;
}

#[vortex::kernel(hots)]
fn misspelt_host(y: &mut [u32]) {
    y[0] = 1;
}

#[vortex::kernel(nam = "text")]
fn misspelt_name(y: &mut [u32]) {
    y[0] = 1;
}

#[vortex::kernel(crat = vortex)]
fn misspelt_crate(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}

// Mistakes: 6
