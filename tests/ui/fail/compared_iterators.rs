// Mistakes: 3
use vortex::prelude::*;

#[vortex::kernel]
fn equal(x: &[u8], y: &[u8], out: &mut [u32]) {
    out[0] = x.iter().eq(y.iter()) as u32;
}

#[vortex::kernel]
fn less(x: &[u8], y: &[u8], out: &mut [u32]) {
    out[0] = x.iter().lt(y) as u32;
}

#[vortex::kernel]
fn from_the_end(x: &[u8], y: &[u8], out: &mut [u32]) {
    if x.iter().rev().cmp(y.iter().rev()).is_lt() {
        out[0] = 1;
    }
}

fn main() {}
