#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    x[0] = match n {
        0 => 1.0,
        1 => n,
        _ => 2.0,
    };
    match n {
        0 => x[0] = 3.0,
        _ => 4.0,
    }
}

fn main() {}

// Mistakes: 2
