#[vortex::device]
fn first(x: &[u32]) -> u32 {
    let first = x.get(0)?;
    *first
}

#[vortex::device]
fn nothing(x: &mut [u32]) {
    x[0] = *x.get(1)?;
}

fn main() {}

// Mistakes: 2
