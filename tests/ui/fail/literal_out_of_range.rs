#[vortex::kernel]
fn literals(x: &mut [u8], y: &mut [i32]) {
    x[0] = 256;
    x[1] = -1;
    y[0] = 300 as u8 as i32;
    y[1] = 1 << 40;
    y[2] = 5_000_000_000;
}

fn main() {}
