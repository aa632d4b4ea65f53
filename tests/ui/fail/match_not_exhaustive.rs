#[vortex::kernel]
fn choose(n: i32, flag: bool, x: &mut [f32]) {
    x[0] = match n {
        i32::MIN..0 => 1.0,
        0 => 2.0,
    };
    x[1] = match (flag, n > 3) {
        (true, _) => 1.0,
        (_, true) if flag => 2.0,
    };
    let 4 = n;
}

fn main() {}

// Mistakes: 3
