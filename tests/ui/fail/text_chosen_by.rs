// What is chosen by is text, in several places.
// Mistakes: 4

use vortex::prelude::*;

#[vortex::kernel]
fn by_a_local(x: &mut [f32]) {
    let i = global_id();
    let op = "square";
    x[i] = match op {
        "square" => x[i] * x[i],
        _ => x[i],
    };
}

#[vortex::kernel]
fn by_a_parameter(op: &str, x: &mut [f32]) {
    let i = global_id();
    if op == "square" || op == "cube" {
        x[i] *= x[i];
    }
}

#[vortex::device]
fn chosen(op: &'static str, x: f32) -> f32 {
    match op {
        "square" => x * x,
        "cube" => x * x * x,
        _ => x,
    }
}

#[vortex::kernel]
fn by_an_argument(x: &mut [f32]) {
    let i = global_id();
    x[i] = chosen("square", x[i]) + chosen("cube", x[i]);
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut x = device.upload(&[1.0f32; 4])?;
    by_a_local(&mut x).over(4).launch(&device)?;
    by_an_argument(&mut x).over(4).launch(&device)?;
    Ok(())
}
