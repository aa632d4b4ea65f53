#[vortex::kernel]
fn literals(x: &mut [u8], y: &mut [i32]) {
    x[0] = 256;
    y[0] = 300 as u8 as i32;
    y[1] = 5_000_000_000;
    y[2] = -2_147_483_649;
}

fn main() {}

// Mistakes: 4
