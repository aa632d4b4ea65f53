#![deny(unused_must_use)]

use vortex::prelude::*;

#[vortex::device]
fn small(v: u32) -> Result<u32, u32> {
    if v > 5 { Err(v) } else { Ok(v) }
}

#[vortex::kernel]
fn unseen(x: &mut [u32]) {
    let i = global_id();
    small(x[i]);
    x[i] = 1;
}

fn main() {}
