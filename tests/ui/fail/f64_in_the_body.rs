#[vortex::kernel]
fn precise(x: &mut [f32]) {
    let a = 1.0f64;
    let b: f64 = 2.0;
    let c = x[0] as f64;
    let d = 5u128;
    x[1] = -1.0f64;
}

fn main() {}

// Mistakes: 5
