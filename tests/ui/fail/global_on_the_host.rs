use vortex::prelude::*;

#[vortex::global]
static HITS: u32 = 0;

#[vortex::kernel]
fn count(x: &[f32]) {
    if x[global_id()] > 0.5 {
        HITS.fetch_add(1, Relaxed);
    }
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0; 64])?;
    HITS.store(0, Relaxed);
    count(&x).over(64).launch(&device)?;
    println!("{} hits", HITS.load(Relaxed));
    println!("{} hits", device.global(&HITS).read()?);
    Ok(())
}

// Mistakes: 2
