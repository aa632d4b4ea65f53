// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn last(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i] = x.get(i).copied().unwrap_or();
    out[i] += x.get(i + 1).map_or(|v| v + 1);
}

fn main() {}
