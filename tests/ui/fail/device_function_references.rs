#[vortex::device]
fn swap(a: &mut f32, b: &mut f32) {
    let old = *a;
    *a = *b;
    *b = old;
}

#[vortex::device]
fn assigned(a: &mut f32, n: u32, c: &f32) {
    a = 1.0;
    n = 2;
    *c = 3.0;
}

#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let a = x[0];
    let mut b = x[1];
    swap(&mut a, &mut b);
    swap(&mut b, &mut b);
    swap(&mut (b + 1.0), &mut b);
    swap(&mut x[2], &mut x[3]);
    b = 1.0;
}

fn main() {}

// Mistakes: 7
