use vortex::prelude::*;

#[vortex::kernel]
fn numbers(text: &[u8], out: &mut [u32]) {
    let i = global_id();
    out[i] = std::str::from_utf8(&text[i..i + 2]).unwrap().parse().unwrap();
}

fn main() {}
