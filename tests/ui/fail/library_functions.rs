#[vortex::kernel]
fn exchanged(x: &[f32], out: &mut [f32]) {
    let y = x[0];
    std::mem::swap(&mut y, &mut out[0]);
    std::mem::swap(&mut out[1], &mut out[2]);
    std::mem::drop(y);
}

#[vortex::kernel]
fn of_other_types(x: &[f32], out: &mut [f32]) {
    out[0] = std::cmp::min(x[0], x[1]);
    out[1] = std::mem::replace(&mut out[2], 1u32);
}

fn main() {}

// Mistakes: 5
