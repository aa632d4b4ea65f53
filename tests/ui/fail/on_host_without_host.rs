use vortex::prelude::*;

#[vortex::kernel]
fn halve(x: &mut [f32]) {
    let i = global_id();
    x[i] *= 0.5;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut expected = vec![1.0f32, 2.0];
    halve::on_host(&mut expected).over(2).launch()?;
    let mut x = device.upload(&[1.0f32, 2.0])?;
    halve(&mut x).over_each().launch(&device)?;
    assert_eq!(x.download()?, expected);
    Ok(())
}
