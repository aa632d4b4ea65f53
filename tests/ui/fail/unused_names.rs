#![deny(unused)]

#[vortex::kernel]
fn unused(n: u32, x: &mut [f32]) {
    let first = x[0];
    let mut second = x[1];
    let (mut third, _fourth) = (second, 1);
    for i in 0..4 {
        x[0] = third;
    }
    unsafe { x[1] = 3.0 };
}

fn main() {}

// Mistakes: 6
