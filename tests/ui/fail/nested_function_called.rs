#[vortex::kernel]
fn kernel(out: &mut [u32]) {
    const fn twice(x: u32) -> u32 {
        2 * x
    }

    out[0] = twice(out[1]);
}

fn main() {}
