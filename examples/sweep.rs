//! Writes five kernels and a sweep of a thousand points over them, which the `vortex` command runs: which device suits
//! them?
//!
//! ```sh
//! cargo run --release --example sweep -- DIR
//! vortex sweep DIR/sweep.toml
//! vortex sweep report DIR/sweep.toml
//! ```

use std::path::Path;
use std::{env, fs};

use vortex::Module;
use vortex::prelude::*;

#[vortex::kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += a * x[i];
}

#[vortex::kernel]
fn sgemm(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

#[vortex::kernel]
fn transpose(n: usize, from: &[f32], to: &mut [f32]) {
    let (column, row) = global_id_2d();
    to[column * n + row] = from[row * n + column];
}

/// The mean of a place and its four neighbours; beyond the rim there is what is at the rim.
#[vortex::kernel]
fn stencil(from: &[f32], to: &mut [f32]) {
    let (x, y) = global_id_2d();
    let (width, height) = global_size_2d();
    let row = y * width;
    let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
    let (above, below) = (y.saturating_sub(1) * width, (y + 1).min(height - 1) * width);
    let around = from[row + left] + from[row + right] + from[above + x] + from[below + x];
    to[row + x] = (from[row + x] + around) * 0.2;
}

/// The sum of each group's elements.
#[vortex::kernel]
fn sums(x: &[f32], out: &mut [f32]) {
    let sum = group::reduce_add(x[global_id()]);
    if local_id() == 0 {
        out[group_id()] = sum;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = env::args().nth(1) else {
        eprintln!("usage: sweep DIR");
        std::process::exit(2);
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let module = Module::builder("kernels").registered().build()?;
    fs::write(folder.join("kernels.elf"), module.to_elf())?;
    fs::write(folder.join("sweep.toml"), include_str!("data/sweep.toml"))?;
    println!("vortex sweep {}", folder.join("sweep.toml").display());
    Ok(())
}
