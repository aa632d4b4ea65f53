use vortex::prelude::*;

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut x = device.alloc::<f32>(2)?;
    stream.scope(|scope| {
        let data = [1.0, 2.0];
        scope.enqueue_write(&mut x, &data).detach();
    });
    let mut output = [0.0; 2];
    stream.scope(|scope| {
        scope.enqueue_read(&x, &mut output).detach();
        println!("{output:?}");
    });
    Ok(())
}

// Mistakes: 2
