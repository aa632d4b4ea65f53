#[vortex::kernel]
fn sums(x: &mut [f32]) {
    let weights = [1.0, 2.0, 1.0];
    let zeros = [0.0; 4];
    let [a, b, c] = weights;
    x[0] = a + b + c;
}

fn main() {}
