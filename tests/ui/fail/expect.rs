#[vortex::kernel]
fn expected(x: &[u32], y: &mut [u32]) {
    y[2] = x[0].expect("two");
}

fn main() {}
