#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    let 0..=9 = n else {
        x[0] = 1.0;
    };
    let found = let 3 = n;
}

fn main() {}

// Two errors at one place: rustc says of `let` that it is no expression before the macro is asked.
// Mistakes: 2
