#[vortex::kernel]
fn literals(x: &mut [u8]) {
    x[0] = -1;
}

fn main() {}
