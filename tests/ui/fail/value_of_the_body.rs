#[vortex::kernel]
fn last(x: &mut [f32]) {
    x[0]
}

fn main() {}
