#[vortex::kernel]
fn debug(x: &[f32]) {
    println!("{}", x[1]);
    dbg!(x[0]);
}

fn main() {}
