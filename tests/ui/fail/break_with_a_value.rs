#[vortex::kernel]
fn search(n: u32, x: &mut [u32]) {
    let first = 'outer: for i in 0..n {
        while i > 3 {
            break 'outer i;
        }
        break i;
    };
    x[0] = 1;
}

#[vortex::kernel]
fn types(n: u32, x: &mut [u32]) {
    x[0] = loop {
        if n > 3 {
            break 1.5;
        }
        break n;
    };
    x[1] = 'found: {
        if n > 3 {
            break 'found n;
        }
        n > 4
    };
    x[2] = loop {
        if n > 3 {
            break;
        }
    };
}

fn main() {}

// Mistakes: 5
// One more error: rustc holds a `break` against the first, and the whole against what it is for.
