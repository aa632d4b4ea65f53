#[vortex::kernel]
fn sums(n: usize, x: &mut [u32]) {
    #[unroll]
    while x[0] > 3 {
        x[0] -= 1;
    }
    #[unroll(n)]
    for i in 0..8 {
        x[i] += 1;
    }
    #[unroll(0)]
    for i in 0..8 {
        x[i] += 1;
    }
    #[unroll = 4]
    for i in 0..8 {
        x[i] += 1;
    }
    #[inline]
    for i in 0..8 {
        x[i] += 1;
    }
}

fn main() {}

// Mistakes: 5
