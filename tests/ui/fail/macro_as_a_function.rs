use vortex::prelude::*;

#[vortex::kernel]
fn show(x: &[u32]) {
    let i = global_id();
    println("item {i} has {}", x[i]);
}

fn main() {}
