#[vortex::kernel]
fn sums(x: &[f32], n: usize, out: &mut [f32]) {
    let mut sum = 0.0;
    for v in x.rchunks(4) {
        sum += v;
    }
    for (a, b) in x.iter().zip(out.iter()) {
        sum += a * b;
    }
    for v in x.iter().enumerate() {
        sum += v;
    }
    for v in x.iter_mut() {
        *v = 1.0;
    }
    for v in x.iter() {
        *v = 1.0;
    }
    for v in out.iter_mut() {
        v = 1.0;
    }
    for i in 0.. {
        sum += x[i];
    }
    let all = &(0..x.len());
    out[0] = sum;
}

#[vortex::kernel]
fn typed(x: &[f32]) {
    let mut sum = 0;
    for v in x {
        sum += v;
    }
}

#[vortex::kernel]
fn over_a_number(n: usize, out: &mut [f32]) {
    for i in n {
        out[i] = 1.0;
    }
}

fn main() {}

// Mistakes: 8
