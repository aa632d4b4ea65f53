#[vortex::kernel]
fn apply(x: &mut [f32]) {
    let double = |v: f32| 2.0 * v;
    x[0] = double(x[0]);
}

fn main() {}
