#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let i = vortex::prelude::global_id();
    let mut k = 0;
    k++;
    x[k + i] = 1.0;
}

fn main() {}
