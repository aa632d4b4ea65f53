use vortex::prelude::*;

#[vortex::kernel]
fn debug(x: &[f32]) {
    println!("{}", x[global_id()]);
    dbg!(x[0]);
}

fn main() {}
