#[vortex::kernel]
fn tail(x: &[f32], out: &mut [f32]) {
    let rest = x[1..];
    out[0] = rest[0];
}

fn main() {}
