#[vortex::kernel]
fn clear(x: &mut [f32]) {
    x[global_id()] = 0.0;
}

fn main() {}
