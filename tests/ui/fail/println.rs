use vortex::prelude::*;

#[vortex::kernel]
fn texts(x: &[f32], n: u32) {
    println!(n);
    println!("{n}" n);
    println!("{n}", "text");
    dbg!(x[0]);
}

#[vortex::kernel]
fn types(x: &[f32], n: u32) {
    let i = global_id();
    println!("{} {}", x[i]);
    println!("{:x}", x[i]);
    println!("{}", x);
    println!("{missing}");
    println!("{}", (n, i));
}

fn main() {}

// Mistakes: 9
