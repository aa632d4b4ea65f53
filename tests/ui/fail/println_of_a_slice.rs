#[vortex::kernel]
fn shout(x: &[f32]) {
    println!("{:?}", x);
}

fn main() {}
