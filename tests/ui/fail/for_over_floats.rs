#[vortex::kernel]
fn of_floats(x: &mut [f32]) {
    for t in 0.0..1.0 {
        x[0] = t;
    }
}

#[vortex::kernel]
fn of_another_index(n: u32, x: &mut [f32]) {
    for i in 0..n {
        x[i] = x[i] + 1.0;
    }
}

#[vortex::kernel]
fn to_a_float(x: &mut [f32]) {
    for i in 0..x[0] {
        x[1] = 0.0;
    }
}

fn main() {}

// Mistakes: 3
