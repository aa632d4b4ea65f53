#[vortex::kernel]
fn kernel(out: &mut [u32]) {
    use std::convert::identity as same;

    #[vortex::device]
    fn twice(x: u32) -> u32 {
        2 * x
    }

    out[0] = twice(same(out[1]));
    let text = "text";
}

fn main() {}
