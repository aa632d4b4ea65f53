use vortex::prelude::*;

#[vortex::kernel]
fn scale<T>(x: &mut [T], by: T) {
    let i = global_id();
    x[i] = x[i] * by;
}

#[vortex::kernel]
fn tile<const N: usize>(x: &mut [f32]) {
    x[N] = 0.0;
}

#[vortex::kernel]
fn plus<T: Num>(x: &mut [T], by: T) {
    x[global_id()] += by;
}

fn main() {
    let device = Device::open().unwrap();
    let mut x = device.upload(&[1.0f32]).unwrap();
    tile(&mut x).over(1).launch(&device).unwrap();
    plus(&mut x, 2).over(1).launch(&device).unwrap();
}

// Mistakes: 2
