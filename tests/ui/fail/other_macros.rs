#[vortex::kernel]
fn allocate(x: &mut [f32]) {
    let scratch = vec![0.0; 16];
    x[0] = include!("value.rs");
    if cfg!(target_pointer_width = "64") {
        x[1] = 1.0;
    }
}

fn main() {}

// Mistakes: 3
