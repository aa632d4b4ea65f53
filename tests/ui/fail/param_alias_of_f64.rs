type Real = f64;

#[vortex::kernel]
fn scale(by: Real) {}

fn main() {}
