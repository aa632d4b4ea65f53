//! What the session in docs/host.md steps through.

use vortex::prelude::*;

#[vortex::kernel(host)]
fn blur(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let left = x[i.saturating_sub(1)];
    let right = x[(i + 1).min(x.len() - 1)];
    let mean = (left + x[i] + right) / 3.0;
    y[i] = mean;
}

fn main() -> vortex::Result<()> {
    let x = [3.0, 6.0, 0.0, 9.0];
    let mut y = [0.0; 4];
    blur::on_host(&x, &mut y).over_each().launch()?;
    println!("{y:?}");
    Ok(())
}
