use vortex::prelude::*;

#[vortex::kernel]
fn square(x: &mut [f32]) {
    let i = global_id();
    x[i] = x[i] * x[i];
}

fn main() -> vortex::Result<()> {
    let device = Device::new()?;
    let mut x = device.upload(&[2.0f32; 4])?;
    square(&mut x).over(4).launch(&device)?;
    println!("{:?}", x.download()?);
    Ok(())
}
