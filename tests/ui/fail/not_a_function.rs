#[vortex::kernel]
struct Saxpy {
    alpha: f32,
}

#[vortex::kernel]
pub mod kernels {}

fn main() {
    let _ = Saxpy { alpha: 1.0 };
}

// Mistakes: 2
