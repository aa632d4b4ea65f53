// Mistakes: 3
use vortex::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Point {
    x: f32,
}

#[vortex::kernel]
fn fill<T: Num>(v: T, y: &mut [T]) {
    y[global_id()] = v;
}

#[vortex::kernel]
fn mask<T>(bits: T, y: &mut [T])
where
    T: Int,
{
    y[global_id()] &= bits;
}

#[vortex::kernel]
fn show(x: &[f32]) {
    println!("{}", x[global_id()]);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut points = device.upload(&[Point { x: 1.0 }; 8])?;
    fill(Point { x: 2.0 }, &mut points).over(8).launch(&device)?;
    let mut y = device.upload(&[1.0f32; 8])?;
    mask(1.0, &mut y).over_each().launch(&device)?;
    show(&y).over_each().launch(&device)?;
    Ok(())
}
