#[vortex::kernel]
fn nothing_to_match(x: &mut [u32]) {
    if let Some(n) = (return) {
        x[1] = n;
    }
}

#[vortex::kernel]
fn nothing_to_take_apart(x: &mut [u32]) {
    let Some(n) = (loop {
        x[0] += 1;
    }) else {
        return;
    };
    x[1] = n;
}

// Only a warning, as in Rust.
#[vortex::device]
fn after_what_never_ends(x: u32) -> u32 {
    loop {
        if x > 3 {
            return x;
            let _ = x;
        }
    }
    x + 1
}

fn main() {}

// Mistakes: 2
