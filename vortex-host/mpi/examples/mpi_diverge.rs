//! Vortex's `mpi_diverge`: work items that part at branches, loops and a `match`. The source is broadcast, each rank
//! has a share of the items, and the results are gathered.
//!
//! ```sh
//! cargo build --release --examples && mpirun -n 4 target/release/examples/mpi_diverge
//! ```

use std::process::ExitCode;

use vortex::prelude::*;
use vortex_mpi::World;

const LEN: usize = 200;

/// What item `i` of `source` becomes. The device and the host run the same.
#[vortex::device(host)]
fn diverge(i: usize, source: &[i32]) -> i32 {
    let mut value = source[i];

    // Every second item goes along.
    for step in 0..source.len() {
        if i & 1 == 0 {
            value += step as i32 % 3;
        }
    }
    // None, some, all.
    if i >= 1 << 30 {
        value = 0;
    }
    if i > 1 {
        value += if i > 2 { 6 } else { 5 };
    } else {
        value += if i > 0 { 4 } else { 3 };
    }
    // As often as the item's number.
    for &before in &source[..i] {
        value += before % 5;
    }
    value = match i {
        0 => value + 1,
        1 => value - 1,
        2 => value * 3,
        3 => value * 5,
        _ => value,
    };
    value += if i > 5 { source[0] } else { i as i32 };
    value += source[i].min(value);
    value + source[i].max(value)
}

#[vortex::kernel]
fn diverge_all(first: usize, source: &[i32], result: &mut [i32]) {
    let i = global_id();
    if i < result.len() {
        result[i] = diverge(first + i, source);
    }
}

fn program(world: &World) -> vortex_mpi::Result<()> {
    let device = world.device();
    let values: Vec<i32> = (0..LEN as i32).map(|i| i * 7919 % 1009).collect();

    // Only rank 0 has the values.
    let mut source = world.together(|| match world.rank() {
        0 => device.upload(&values),
        _ => device.alloc(LEN),
    })?;
    world.broadcast(0, &mut source)?;
    let share = world.share(LEN);
    let part = world.together(|| -> vortex::Result<_> {
        let mut part = device.alloc(share.len())?;
        diverge_all(share.start, &source, &mut part)
            .over(share.len())
            .launch(device)?;
        Ok(part)
    })?;
    let mut result = world.only_on(0, || device.alloc(LEN))?;
    world.gather(0, &part, result.as_deref_mut())?;

    if let Some(result) = result {
        let expected: Vec<i32> = (0..LEN).map(|i| diverge(i, &values)).collect();
        assert_eq!(result.download()?, expected);
        println!(
            "{LEN} items that diverge on {} ranks, as on the host",
            world.ranks()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
