// What does not coerce.

#[vortex::device]
fn total(values: &[f32]) -> f32 {
    let mut sum = 0.0;
    for v in values {
        sum += *v;
    }
    sum
}

#[vortex::device]
fn clear(values: &mut [f32]) {
    for v in values {
        *v = 0.0;
    }
}

#[vortex::kernel]
fn number(x: &[f32], y: &mut [f32]) {
    let n = 3.0;
    y[0] = total(&n);
}

#[vortex::kernel]
fn other_elements(x: &[[i32; 4]], y: &mut [f32]) {
    y[0] = total(&x[0]);
}

#[vortex::kernel]
fn shared_for_exclusive(x: &[f32], y: &mut [f32]) {
    clear(x);
    let mut a = [1.0f32, 2.0];
    clear(&a);
    y[0] = a[1];
}

fn main() {}

// Mistakes: 4
