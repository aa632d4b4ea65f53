#[vortex::kernel]
fn operators(n: u32, b: bool, x: &mut [f32]) {
    let sum = b + b;
    let root = n.sqrt();
}

#[vortex::kernel]
fn shifted(x: &mut [f32]) {
    x[0] = x[0] << 1.0;
}

#[vortex::kernel]
fn negated(n: u32, x: &mut [i32]) {
    x[0] = -n;
}

fn main() {}

// Mistakes: 4
