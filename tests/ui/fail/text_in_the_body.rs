#[vortex::kernel]
fn text(x: &mut [u8]) {
    let name = "vortex";
    x[0] = 'v';
    x[1] = 'v' as u8;
}

fn main() {}

// Mistakes: 2
