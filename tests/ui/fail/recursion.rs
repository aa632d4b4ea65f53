#[vortex::kernel]
fn countdown(n: u32, x: &mut [u32]) {
    x[0] = n;
    if n > 0 {
        countdown(n - 1, x);
    }
}

fn main() {}
