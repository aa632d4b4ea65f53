use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1u32])?;
    let y = device.download(&x)?;
    println!("{y:?}");
    Ok(())
}
