use vortex::prelude::*;

#[vortex::kernel]
fn add(a: &Buffer<f32>, b: &[f32], out: &mut Buffer<f32>) {
    let i = global_id();
    out[i] = a[i] + b[i];
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let a = device.upload(&vec![1.0f32; 64])?;
    let mut out = device.alloc(64)?;
    add(&a, &a, &mut out).over_each().launch(&device)?;
    println!("{:?}", out.download()?);
    Ok(())
}

// Mistakes: 2
