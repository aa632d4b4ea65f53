//! Adds a multiple of one vector to another, on a Vortex GPGPU.

use vortex::prelude::*;

/// `y = alpha * x + y`. The body is what one work item does: each has an element of its own.
#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i];
    }
}

fn main() -> vortex::Result<()> {
    let alpha = 3.0;
    let x: Vec<f32> = (0..10_000).map(|i| i as f32).collect();
    let y = vec![1.0; x.len()];

    // The device that comes with the library, unless the environment variable VORTEX_DRIVER says otherwise.
    let device = Device::open()?;
    let x_device = device.upload(&x)?;
    let mut y_device = device.upload(&y)?;
    // A work item for each element of `y`.
    let report = saxpy(alpha, &x_device, &mut y_device)
        .over_each()
        .launch(&device)?;

    // The same in plain Rust.
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| y + alpha * x).collect();
    assert_eq!(y_device.download()?, expected);
    println!("{report}");
    println!("all {} elements are right", expected.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saxpy_adds_a_multiple() -> vortex::Result<()> {
        // A device as small as this runs the same code.
        let device = Device::builder().cores(1).warps(4).threads(4).open()?;
        let x = device.upload(&[1.0, 2.0, 3.0])?;
        let mut y = device.upload(&[10.0, 20.0, 30.0])?;
        saxpy(2.0, &x, &mut y).over_each().launch(&device)?;
        assert_eq!(y.download()?, [12.0, 24.0, 36.0]);
        Ok(())
    }
}
