#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let i = vortex::prelude::global_id();
    for (k = 0; k < 3; k += 1) {
        x[i] += 1.0;
    }
}

fn main() {}
