#[vortex::kernel]
fn blocks(x: &mut [f32]) {
    x[0] = const { 1.0 + 2.0 };
    let later = async { 3.0 };
}

fn main() {}

// Mistakes: 2
