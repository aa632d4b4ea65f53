#[vortex::kernel]
fn k(a: Option<u32>, b: &[Option<f32>], out: &mut [u32]) {
    out[0] = 1;
}

fn main() {}

// Mistakes: 2
