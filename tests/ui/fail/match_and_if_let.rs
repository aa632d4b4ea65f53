#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    x[0] = match n {
        0 => 1.0,
        _ => 2.0,
    };
    if let 3 = n {
        x[1] = 0.0;
    }
    let 4 = n else { return };
}

fn main() {}
