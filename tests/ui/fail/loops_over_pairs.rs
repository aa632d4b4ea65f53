#[vortex::kernel]
fn for_tuple(x: &[f32], y: &mut [f32]) {
    for (i, v) in x {
        y[i] = v;
    }
}

fn main() {}
