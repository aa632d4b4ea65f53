#[vortex::kernel]
fn kernel(out: &mut [u32]) {
    fn twice(x: u32) -> u32 {
        2 * x
    }

    out[0] = twice(out[1]);
}

fn main() {}
