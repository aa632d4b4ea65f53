// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn find(text: &[u8], out: &mut [bool]) {
    let i = global_id();
    out[i] = text[i] == b"\n" || b"ab" == text[i];
}

fn main() {}
