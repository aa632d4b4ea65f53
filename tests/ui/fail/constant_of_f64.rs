#[vortex::kernel]
fn circle(x: &mut [f32]) {
    x[0] = std::f64::consts::PI;
    x[1] = u128::MAX;
}

fn main() {}

// Mistakes: 2
