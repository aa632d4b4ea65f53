#[vortex::kernel]
fn allocate(x: &mut [f32]) {
    let scratch = vec![0.0; 16];
    x[0] = include!("value.rs");
}

fn main() {}

// Mistakes: 2
