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
fn first<'a>(x: &'a [f32]) {}

#[vortex::kernel]
fn constrained(x: &[f32])
where
    f32: Copy,
{
}

fn main() {
    let device = Device::open().unwrap();
    let mut x = device.upload(&[1.0f32]).unwrap();
    scale(&mut x, 2.0).over(1).launch(&device).unwrap();
}
