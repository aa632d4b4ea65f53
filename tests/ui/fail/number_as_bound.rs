//! A constant of a generic kernel, of a device function and of a method, without `const`.
// Mistakes: 3

use vortex::prelude::*;

#[vortex::kernel]
fn moving_sum<N: usize>(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    for k in 0..N {
        sum += x[i + k];
    }
    y[i] = sum;
}

#[vortex::device]
fn mean<T: Num, N: u32>(sum: T) -> T {
    sum + sum
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Counter {
    count: u32,
}

#[vortex::device]
impl Counter {
    fn multiple<N: i32>(self) -> i32 {
        self.count as i32 * N
    }
}

#[vortex::kernel]
fn uses(counters: &[Counter], x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = mean::<f32, 4>(x[i]) + counters[i].multiple::<2>() as f32;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32; 8])?;
    let mut y = device.alloc::<f32>(4)?;
    moving_sum::<4>(&x, &mut y).over(4).launch(&device)?;
    Ok(())
}
