#[vortex::kernel]
fn sums(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for value in x {
        sum += value;
    }
    for value in x.iter() {
        sum += value;
    }
    for i in 0.. {
        sum += x[i];
    }
    let all = 0..x.len();
    out[0] = sum;
}

fn main() {}
