use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.alloc::<f32>(10)?;
    println!("{}", x[0]);
    x[1] = 2.0;
    for v in &x {
        println!("{v}");
    }
    let sum: f32 = x.iter().sum();
    let copied: Vec<f32> = x.to_vec();
    Ok(())
}

// Mistakes: 5
