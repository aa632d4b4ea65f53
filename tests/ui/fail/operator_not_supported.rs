#[vortex::kernel]
fn operators(n: u32, b: bool, x: &mut [f32]) {
    let minus = -n;
    let shifted = x[0] << 1.0;
    let sum = b + b;
    let root = n.sqrt();
    x[0] = shifted;
}

fn main() {}

// Mistakes: 4
