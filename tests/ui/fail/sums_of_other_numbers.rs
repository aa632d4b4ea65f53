#[vortex::kernel]
fn sum_int_float(x: &[f32], out: &mut [f32]) {
    let mut s = 0;
    for i in 0..x.len() {
        s += x[i];
    }
    out[0] = s;
}

#[vortex::kernel]
fn count_type(x: &[u32], y: &mut [u32]) {
    y[0] = x.iter().filter(|v| **v > 3).count();
}

#[vortex::kernel]
fn iter_sum_cast(x: &[f32], y: &mut [u32]) {
    y[0] = x.iter().sum::<f32>();
}

#[vortex::kernel]
fn position_eq(x: &[u32], y: &mut [u32]) {
    y[0] = x.iter().position(|v| v == 3).unwrap();
}

#[vortex::kernel]
fn avg_len(x: &[f32], out: &mut [f32]) {
    let mut s = 0.0;
    for v in x {
        s += v;
    }
    out[0] = s / x.len();
}

#[vortex::kernel]
fn sum_of_elements(x: &[f32], out: &mut [f32]) {
    let mut s = 0;
    for v in x {
        s += v;
    }
    out[0] = s;
}

#[vortex::kernel]
fn sum_of_products(x: &[f32], y: &[f32], out: &mut [f32]) {
    let mut s = 0;
    for i in 0..x.len() {
        let product = x[i] * y[i];
        s += product.abs();
    }
    out[0] = s;
}

#[vortex::kernel]
fn sum_of_squares(x: &[f32], out: &mut [f32]) {
    let mut s = 1;
    for v in x.iter() {
        s += *v * *v;
    }
    out[0] = s;
}

fn main() {}

// Mistakes: 8
