// What a kernel has if its attributes ask for it, called of one whose attributes do not.
// Mistakes: 3

use vortex::prelude::*;

#[vortex::kernel]
fn halve(x: &mut [f32]) {
    x[global_id()] *= 0.5;
}

#[vortex::kernel]
fn scale<const N: usize>(x: &mut [f32]) {
    x[global_id()] *= N as f32;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut expected = vec![1.0f32, 2.0];
    halve::on_host(&mut expected).over(2).launch()?;
    scale::<2>::on_host(&mut expected).over(2).launch()?;
    let mut x = device.upload(&[1.0f32, 2.0])?;
    halve(&mut x).over_each().launch(&device)?;
    halve::tuned(&mut x).over_each().launch(&device)?;
    assert_eq!(x.download()?, expected);
    Ok(())
}
