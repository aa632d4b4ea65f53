#[vortex::kernel]
fn countdown(n: u32, x: &mut [u32], y: &mut [u32]) {
    while n > 0 {
        n -= 1;
    }
    x[0] = n;
    x = y;
}

fn main() {}

// Mistakes: 2
