//! Vortex's `mpi_dotproduct`: two vectors are scattered in shares of different length, each rank's device multiplies
//! and adds up in groups, and a reduction adds up the ranks.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_dotproduct
//! ```

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::{Reduction, World};

const LEN: usize = 10_007;

/// The items of a group.
const GROUP: usize = 8;

/// `sums[g]` becomes the sum of group `g`'s products: half of the items add the other half's to theirs, again and
/// again.
#[vortex::kernel]
fn group_sums(a: &[i32], b: &[i32], sums: &mut [i32]) {
    let products = local::<[i32; GROUP]>();
    let (i, here) = (global_id(), local_id());
    products[here] = if i < a.len() { a[i] * b[i] } else { 0 };
    barrier();
    let mut half = GROUP / 2;
    while half > 0 {
        if here < half {
            products[here] += products[here + half];
        }
        barrier();
        half /= 2;
    }
    if here == 0 {
        sums[group_id()] = products[0];
    }
}

/// One item adds up the groups.
#[vortex::kernel]
fn total(sums: &[i32], all: &mut [i32]) {
    let mut sum = 0;
    for &other in sums {
        sum += other;
    }
    all[0] = sum;
}

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let a: Vec<i32> = (0..LEN).map(|i| (i % 100) as i32 - 50).collect();
    let b: Vec<i32> = (0..LEN).map(|i| (i % 37) as i32).collect();

    let a_whole = world.only_on(0, || device.upload(&a))?;
    let b_whole = world.only_on(0, || device.upload(&b))?;
    let share = world.share(LEN).len();
    let (mut a_part, mut b_part) = world
        .together(|| -> vortex::Result<_> { Ok((device.alloc(share)?, device.alloc(share)?)) })?;
    world.scatter(0, a_whole.as_deref(), &mut a_part)?;
    world.scatter(0, b_whole.as_deref(), &mut b_part)?;

    let groups = share.div_ceil(GROUP);
    let mine = world.together(|| -> vortex::Result<_> {
        let (mut sums, mut mine) = (device.alloc(groups)?, device.alloc(1)?);
        group_sums(&a_part, &b_part, &mut sums)
            .grid(groups)
            .block(GROUP)
            .launch(device)?;
        total(&sums, &mut mine).over(1).launch(device)?;
        Ok(mine)
    })?;
    let mut sum = world.only_on(0, || device.alloc(1))?;
    world.reduce(0, Reduction::Sum, &mine, sum.as_deref_mut())?;

    if let Some(sum) = sum {
        let expected: i32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert_eq!(sum.download()?, [expected]);
        println!(
            "the dot product of {LEN} elements is {expected} on {} ranks, as on the host",
            world.ranks()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
