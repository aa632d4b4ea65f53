use vortex::prelude::*;

#[vortex::kernel]
fn roots<T: std::fmt::Display + Num>(x: &[T]) {
    println!("{}", x[global_id()].sqrt());
}

fn main() {}
