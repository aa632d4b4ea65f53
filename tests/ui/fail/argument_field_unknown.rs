#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    y[0] = alpha * x[0];
}

fn alpha(args: &vortex::Args<saxpy>) -> f32 {
    args.alfa
}

fn main() {}
