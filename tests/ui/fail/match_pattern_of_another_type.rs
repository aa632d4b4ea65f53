#[vortex::kernel]
fn choose(n: u32, x: &vortex::Texture<f32>, y: &mut [f32]) {
    y[0] = match n {
        true => 1.0,
        _ => 2.0,
    };
    y[1] = match (n, n) {
        (a, b, c) => 3.0,
    };
    match x {
        _ => {}
    }
}

fn main() {}

// Two errors at one place: rustc checks patterns as such, and what is compared with them.
// Mistakes: 3
// One more error: rustc checks patterns as such, and what their names are bound to.
