//! Vortex's `mpi_sgemm`: a product of matrices. Rows of the first are scattered, the second is broadcast, rows of the
//! product are gathered.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_sgemm
//! ```

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::World;

/// Rows and columns.
const N: usize = 30;

#[vortex::kernel]
fn sgemm(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let a: Vec<f32> = (0..N * N).map(|i| (i % 19) as f32 - 9.0).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i % 23) as f32 * 0.125).collect();

    let a_whole = world.only_on(0, || device.upload(&a))?;
    let rows = world.share(N).len();
    let (mut a_rows, mut b_all) = world.together(|| -> vortex::Result<_> {
        let b_all = match world.rank() {
            0 => device.upload(&b)?,
            _ => device.alloc(N * N)?,
        };
        Ok((device.alloc(rows * N)?, b_all))
    })?;
    world.scatter(0, a_whole.as_deref(), &mut a_rows)?;
    world.broadcast(0, &mut b_all)?;
    let c_rows = world.together(|| -> vortex::Result<_> {
        let mut c_rows = device.alloc(rows * N)?;
        sgemm(N, &a_rows, &b_all, &mut c_rows)
            .over((N, rows))
            .launch(device)?;
        Ok(c_rows)
    })?;
    let mut c = world.only_on(0, || device.alloc(N * N))?;
    world.gather(0, &c_rows, c.as_deref_mut())?;

    if let Some(c) = c {
        let product =
            |i: usize| (0..N).fold(0.0, |sum, k| sum + a[i / N * N + k] * b[k * N + i % N]);
        assert_eq!(c.download()?, (0..N * N).map(product).collect::<Vec<_>>());
        println!(
            "a product of {N} x {N} matrices on {} ranks, as on the host",
            world.ranks()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
