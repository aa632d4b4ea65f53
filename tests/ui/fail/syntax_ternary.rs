#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let i = vortex::prelude::global_id();
    x[i] = i > 3 ? 1.0 : 2.0;
}

fn main() {}
