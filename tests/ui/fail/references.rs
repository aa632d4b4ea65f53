#[vortex::kernel]
fn borrow(x: &mut [f32]) {
    let first = &x[0];
    let second = &mut x[1];
    let address = &raw const x[2];
    let &third = first;
    let ref fourth = x[3];
}

fn main() {}
