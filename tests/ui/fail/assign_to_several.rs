#[vortex::kernel]
fn swap(x: &mut [f32]) {
    let mut a = x[0];
    let mut b = x[1];
    (a, b) = (b, a);
    let mut pair = (a, b);
    pair.0 = 1.0;
    a + b = 2.0;
    x[0] = a + pair.0;
    x[1] = b;
}

fn main() {}
