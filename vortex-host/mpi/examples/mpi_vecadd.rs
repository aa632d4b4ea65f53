//! Vortex's `mpi_vecadd`: two vectors are scattered, each rank's device adds its parts, the sums are gathered.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_vecadd
//! ```

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::World;

/// No multiple of the ranks, so that their shares differ.
const LEN: usize = 4099;

#[vortex::kernel]
fn add(a: &[f32], b: &[f32], sum: &mut [f32]) {
    let i = global_id();
    if i < sum.len() {
        sum[i] = a[i] + b[i];
    }
}

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let a: Vec<f32> = (0..LEN).map(|i| i as f32 * 0.5).collect();
    let b: Vec<f32> = (0..LEN).map(|i| 1000.0 - i as f32).collect();

    // Rank 0 has the vectors, and every rank a share of them.
    let a_whole = world.only_on(0, || device.upload(&a))?;
    let b_whole = world.only_on(0, || device.upload(&b))?;
    let share = world.share(LEN).len();
    let part = || world.together(|| device.alloc(share));
    let (mut a_part, mut b_part, mut sum_part) = (part()?, part()?, part()?);

    world.scatter(0, a_whole.as_deref(), &mut a_part)?;
    world.scatter(0, b_whole.as_deref(), &mut b_part)?;
    world.together(|| {
        add(&a_part, &b_part, &mut sum_part)
            .over(share)
            .launch(device)
    })?;
    let mut sum = world.only_on(0, || device.alloc(LEN))?;
    world.gather(0, &sum_part, sum.as_deref_mut())?;

    if let Some(sum) = sum {
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(sum.download()?, expected);
        println!("{LEN} sums on {} ranks, as on the host", world.ranks());
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
