#[vortex::kernel]
fn borrow(x: &mut [f32]) {
    let first = &x[0];
    let mut second = &mut x[1];
    *second += *first;
    *first += 1.0;
    let several = (&mut x[2], &x[3]);
    *several.0 += 1.0;
    let address = &raw const x[2];
    x[5] = &x[6];
    let ref mut fourth = x[3];
    let fifth: &mut f32 = &mut x[4];
    *fifth += 1.0;
    let value = 1.0;
    let sixth = &mut value;
    *sixth += 1.0;
}

fn main() {}

// Mistakes: 7
