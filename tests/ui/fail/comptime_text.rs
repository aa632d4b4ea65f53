use vortex::prelude::*;

#[vortex::kernel]
fn reduce_rows(#[comptime] mode: &str, columns: usize, x: &[f32], out: &mut [f32]) {
    let row = global_id();
    let mut acc = x[row * columns];
    for k in 1..columns {
        let v = x[row * columns + k];
        if mode == "max" {
            acc = acc.max(v);
        } else {
            acc += v;
        }
    }
    out[row] = acc;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut out = device.alloc(2)?;
    reduce_rows("max", 2, &x, &mut out).over(2).launch(&device)?;
    Ok(())
}
