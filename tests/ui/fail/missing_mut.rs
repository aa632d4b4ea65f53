#[vortex::kernel]
fn sum(x: &[f32], out: &mut [f32]) {
    let total = 0.0;
    for i in 0..x.len() {
        total += x[i];
    }
    out[0] = total;
    let (a, mut b) = (1, 2);
    a = b;
    b = 3;
    out[b] = 0.0;
}

fn main() {}

// Mistakes: 2
