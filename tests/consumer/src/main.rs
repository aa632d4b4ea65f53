//! A user's program: strict lints, the library under another name, a kernel in a module of its own.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings)]
#![warn(clippy::pedantic)]

use gpu::prelude::*;

/// The kernels of this program.
pub mod kernels {
    use gpu::prelude::*;

    /// One step of a sum of products.
    #[gpu::device(crate = gpu)]
    #[must_use]
    pub fn step<T: Num>(alpha: T, x: T, y: T) -> T {
        y + alpha * x
    }

    /// `y := alpha * x + y`, one work item per element.
    #[gpu::kernel(crate = gpu)]
    pub fn axpy(alpha: f32, x: &[f32], y: &mut [f32]) {
        let i = global_id();
        if i < y.len() {
            y[i] = step(alpha, x[i], y[i]);
        }
    }
}

fn main() -> gpu::Result<()> {
    let device = Device::open()?;
    let x = device.upload(&[1.0f32, 2.0, 3.0])?;
    let mut y = device.upload(&[10.0f32, 20.0, 30.0])?;
    let report = kernels::axpy(2.0, &x, &mut y).over(3).launch(&device)?;
    println!("{:?}\n{report}", y.download()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::kernels;
    use gpu::prelude::*;

    #[test]
    fn axpy_is_what_the_host_computes() -> gpu::Result<()> {
        let device = Device::builder().cores(2).warps(2).threads(4).open()?;
        let x: Vec<f32> = (0u8..100).map(f32::from).collect();
        let y = vec![1.0f32; x.len()];
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| y + 0.5 * x).collect();
        let x = device.upload(&x)?;
        let mut y = device.upload(&y)?;
        kernels::axpy(0.5, &x, &mut y).over(100).launch(&device)?;
        assert_eq!(y.download()?, expected);
        Ok(())
    }

    #[test]
    fn a_fault_names_the_item_and_the_line() -> gpu::Result<()> {
        let device = Device::open()?;
        let x = device.upload(&[1.0f32; 4])?;
        let mut y = device.upload(&[1.0f32; 8])?;
        let error = kernels::axpy(1.0, &x, &mut y)
            .over(8)
            .launch(&device)
            .expect_err("x is shorter than y");
        let text = error.to_string();
        assert!(text.contains("axpy") && text.contains("main.rs"), "{text}");
        Ok(())
    }
}
