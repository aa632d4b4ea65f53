#[vortex::kernel]
fn leave(x: &mut [f32]) {
    if x[0] > 1.0 {
        break;
    }
    while if x[1] > 1.0 { continue } else { true } {
        x[0] = 2.0;
    }
    return 3;
}

fn main() {}

// Mistakes: 3
