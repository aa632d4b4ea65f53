#[vortex::kernel]
fn late(x: &mut [f32]) {
    let first;
    first = x[0];
    x[1] = first;
}

fn main() {}
