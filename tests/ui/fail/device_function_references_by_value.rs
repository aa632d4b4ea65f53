#[vortex::device]
fn bump(a: &mut f32) {
    *a += 1.0;
}

#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let mut b = x[1];
    b += 1.0;
    bump(b);
    let mut n = 1u32;
    bump(&mut n);
}

fn main() {}

// Mistakes: 2
