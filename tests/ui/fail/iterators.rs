#[vortex::kernel]
fn refused(x: &[f32], out: &mut [f32]) {
    let kept = x.iter();
    let later = x.iter().map(|v| v * 2.0);
    for v in x.iter().inspect(|v| println!("{v}")) {
        out[0] += v;
    }
    #[unroll]
    for (v, w) in x.iter().zip(x) {
        out[0] += v * w;
    }
    out[1] = x.iter().try_fold(0.0, |a, b| Some(a + b));
    let all = x.iter().map(|v| v * 2.0).collect::<Vec<f32>>();
    if (1.0..).contains(&x[0]) {
        out[2] = 1.0;
    }
    for v in x.iter().zip(x) {
        out[3] += 1.0;
    }
    let mut range = 0..x.len();
    for v in x.iter().filter(|v| **v > 1.0).rev() {
        out[4] += v;
    }
    let same = x.iter().eq(x);
}

#[vortex::kernel]
fn mistaken(x: &[f32], flags: &[bool], out: &mut [f32]) {
    out[0] = x.iter().max().unwrap();
    let sum = flags.iter().sum::<bool>();
    out[2] = x.iter().map(|v| v > 1.0).count();
}

#[vortex::kernel]
fn numbers(x: &[f32], out: &mut [f32]) {
    out[3] = x.iter().filter(|v| v * 2.0).sum();
}

fn main() {}

// Mistakes: 15
