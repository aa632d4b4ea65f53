//! Vortex's `mpi_put_dotproduct`: a dot product where each rank puts its sum into a place of its own in the memory of
//! rank 0's device, which adds them up.
//!
//! Vortex's uses a window of MPI's one-sided communication. A place in a device's memory cannot be one, for MPI sees
//! the host's memory only. So the ranks send, and rank 0 receives each into its place.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_put_dotproduct
//! ```

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::World;

const LEN: usize = 8190;

/// How many products an item adds up.
const CHUNK: usize = 16;

#[vortex::kernel]
fn chunk_sums(a: &[i32], b: &[i32], sums: &mut [i32]) {
    let i = global_id();
    let mut sum = 0;
    for k in i * CHUNK..((i + 1) * CHUNK).min(a.len()) {
        sum += a[k] * b[k];
    }
    sums[i] = sum;
}

/// One item adds up.
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
    let a: Vec<i32> = (0..LEN).map(|i| (i % 91) as i32 - 45).collect();
    let b: Vec<i32> = (0..LEN).map(|i| (i % 64) as i32 - 10).collect();

    let a_whole = world.only_on(0, || device.upload(&a))?;
    let b_whole = world.only_on(0, || device.upload(&b))?;
    let share = world.share(LEN).len();
    let (mut a_part, mut b_part) = world
        .together(|| -> vortex::Result<_> { Ok((device.alloc(share)?, device.alloc(share)?)) })?;
    world.scatter(0, a_whole.as_deref(), &mut a_part)?;
    world.scatter(0, b_whole.as_deref(), &mut b_part)?;

    let chunks = share.div_ceil(CHUNK);
    let mine = world.together(|| -> vortex::Result<_> {
        let (mut sums, mut mine) = (device.alloc(chunks)?, device.alloc(1)?);
        chunk_sums(&a_part, &b_part, &mut sums)
            .over(chunks)
            .launch(device)?;
        total(&sums, &mut mine).over(1).launch(device)?;
        Ok(mine)
    })?;

    // Every rank puts its sum into rank 0's place for it. Rank 0 does, too: a rank may send to itself.
    let mut places = world.only_on(0, || device.alloc(world.ranks()))?;
    world.send(0, &mine)?;
    if let Some(places) = &mut places {
        for rank in 0..world.ranks() {
            world.receive(rank, &mut *places.slice_mut(rank..rank + 1)?)?;
        }
    }
    let sum = world.together(|| -> vortex::Result<_> {
        let Some(places) = &places else {
            return Ok(None);
        };
        let mut sum = device.alloc(1)?;
        total(places, &mut sum).over(1).launch(device)?;
        Ok(Some(sum.download()?))
    })?;

    if let Some(sum) = sum {
        let expected: i32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert_eq!(sum, [expected]);
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
