//! A trait of both sides with a type of its own.

use vortex::prelude::*;

#[vortex::device(host)]
trait Source {
    type Item;

    fn at(&self, i: u32) -> Self::Item;
}

#[vortex::kernel]
fn nothing(out: &mut [u32]) {
    out[global_id()] = 1;
}

fn main() {}
