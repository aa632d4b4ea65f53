// Mistakes: 5
use vortex::prelude::*;

#[vortex::kernel]
fn square_all(x: &[f32], out: &mut Vec<f32>) {
    let i = global_id();
    out[i] = x[i] * x[i];
}

#[vortex::kernel]
fn numbers(out: &mut [usize]) {
    out[global_id()] = global_id();
}

#[vortex::kernel]
fn pairs<T: Num>(x: &[T], out: &mut [(T, T)]) {
    let i = global_id();
    out[i] = (x[i], x[i]);
}

#[vortex::kernel]
fn letters(out: &mut [char]) {
    out[global_id()] = 65 as char;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32, 2.0, 3.0])?;
    let mut squares = device.alloc(3)?;
    square_all(&x, &mut squares).over(3).launch(&device)?;
    let mut indices = device.alloc(3)?;
    numbers(&mut indices).over(3).launch(&device)?;
    let mut both = device.alloc(3)?;
    pairs(&x, &mut both).over_each().launch(&device)?;
    let mut text = device.alloc(3)?;
    letters(&mut text).over(3).launch(&device)?;
    println!("{:?} {:?}", squares.download()?, indices.download()?);
    Ok(())
}
