// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn find(key: u32, x: &[u32], at: &mut [u32], marks: &mut [u8]) {
    let i = global_id();
    at[i] = -1;
    if x[i] == key {
        at[i] = i as u32;
        marks[i] = (-2);
    }
}

fn main() {}
