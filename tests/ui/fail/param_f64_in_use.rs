#[vortex::kernel]
fn scale(by: f64, x: &[f64], y: &mut [f64], (a, b): (u32, u32)) {
    y[0] = by * x[0];
    y[a] += by;
    by = 2.0;
    let z = y;
    z[b] = -by;
}

fn main() {}

// Mistakes: 4
