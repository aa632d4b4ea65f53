#[vortex::kernel]
fn copy(n: u32, x: &mut [u32]) {
    let m = n;
    x[0] = unsafe { *m };
}

fn main() {}
