//! A device function that nothing calls.

#![deny(dead_code)]

use vortex::prelude::*;

#[vortex::device]
fn helper(x: u32) -> u32 {
    x + 1
}

#[vortex::device]
fn called(x: u32) -> u32 {
    x + 2
}

#[vortex::kernel]
pub fn calls(out: &mut [u32]) {
    let i = global_id();
    out[i] = called(out[i]);
}

fn main() {}
