#[vortex::kernel]
fn of_a_value(n: u32, y: &mut [f32]) {
    let part = &n[1..3];
    y[0] = 1.0;
}

#[vortex::kernel]
fn written(x: &[f32], y: &mut [f32]) {
    let part = &mut x[1..3];
    part[0] = y[0];
}

#[vortex::kernel]
fn written_through_a_shared_one(y: &mut [f32]) {
    let part = &y[1..3];
    part[0] = 1.0;
}

#[vortex::kernel]
fn ends_of_another_type(n: u32, y: &mut [f32]) {
    let part = &y[..n];
    y[0] = part[0];
}

fn main() {}

// Mistakes: 4
