#[vortex::kernel]
fn sums(n: u32, x: &mut [f32]) {
    for t in 0.0..1.0 {
        x[0] = t;
    }
    for i in 0..n {
        x[i] = 0.0;
    }
    for i in 0..x[0] {
        x[i] = 0.0;
    }
}

fn main() {}

// Mistakes: 3
