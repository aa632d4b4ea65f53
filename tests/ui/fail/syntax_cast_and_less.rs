#[vortex::kernel]
fn kernel(a: u32, x: &mut [f32]) {
    let i = vortex::prelude::global_id();
    if a as usize < i {
        x[i] = 2.0;
    }
}

fn main() {}
