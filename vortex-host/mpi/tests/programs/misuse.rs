//! Programs with a mistake, each of which has to end on all ranks, with an error that says what it was. They are run
//! by `tests/ranks.rs`, on four ranks.

#![allow(clippy::expect_used, reason = "it is a test")]

use std::process::{self, ExitCode};

use vortex::prelude::*;
use vortex::{Error, Result};
use vortex_mpi::{Reduction, World};

#[vortex::kernel]
fn write_beyond(buffer: &mut [u32]) {
    buffer[global_id() + 3] = 1;
}

/// An error of the device on rank 2.
fn launch(world: &World, buffer: &mut Buffer<u32>) -> Result<()> {
    if world.rank() == 2 {
        write_beyond(buffer).over(4).launch(world.device())?;
    }
    Ok(())
}

fn misuse(world: &World, case: &str) -> vortex_mpi::Result<()> {
    let (device, rank) = (world.device(), world.rank());
    let second = rank == 2;
    let mut four = device.upload(&[1u32, 2, 3, 4])?;
    let mut result = device.alloc::<u32>(4)?;
    match case {
        "panic" => {
            if second {
                panic!("something is wrong");
            }
            world.all_reduce(Reduction::Sum, &four, &mut result)
        }
        // As it unwinds, this rank comes to a handle that waits for the others, and they for it.
        "panic in between" => {
            let stream = device.stream()?;
            let ranks = world.on(&stream);
            if second {
                let _came = ranks.receive(1, &mut result)?;
                panic!("something is wrong");
            }
            world.broadcast(0, &mut four)
        }
        "inside" => world.mpi(|_| world.broadcast(0, &mut four)),
        "exit" => {
            if second {
                process::exit(3);
            }
            world.all_reduce(Reduction::Sum, &four, &mut result)
        }
        "exit without an error" => {
            if second {
                process::exit(0);
            }
            world.all_reduce(Reduction::Sum, &four, &mut result)
        }
        "abort" => {
            if second {
                process::abort();
            }
            let part = device.alloc::<u32>(1)?;
            world.all_gather(&part, &mut result)
        }
        "broadcast count" => {
            world.broadcast(1, &mut *device.alloc::<f32>(if second { 5 } else { 4 })?)
        }
        "scatter count" => {
            let whole = (rank == 0).then_some(&*four);
            world.scatter(0, whole, &mut *device.alloc(if second { 2 } else { 1 })?)
        }
        "gather count" => {
            let whole = (rank == 3).then_some(&mut *result);
            world.gather(3, &*four.slice(..2)?, whole)
        }
        "all_gather count" => world.all_gather(
            &*four.slice(..1)?,
            &mut *device.alloc(4 + usize::from(second))?,
        ),
        "reduce count" => {
            let mut five = device.alloc::<u32>(5)?;
            world.reduce(0, Reduction::Sum, &four, (rank == 0).then_some(&mut *five))
        }
        "receive count" => {
            if rank == 0 {
                world.send(1, &*device.alloc::<f32>(5)?)?;
            }
            if rank == 1 {
                // Handled, and yet the others are to hear of it.
                let error = world.receive(0, &mut four).expect_err("it does not fit");
                println!("rank 1 goes on after: {error}");
            }
            world.broadcast(0, &mut result)
        }
        "type" => match second {
            true => world.broadcast(0, &mut *device.alloc::<f32>(4)?),
            false => world.broadcast(0, &mut four),
        },
        "operation" => match second {
            true => world.all_reduce(Reduction::Maximum, &four, &mut result),
            false => world.broadcast(0, &mut four),
        },
        "root" => world.broadcast(rank / 2, &mut four),
        "no rank" => world.broadcast(7, &mut four),
        "only on different ranks" => {
            world.only_on(rank / 2, || launch(world, &mut four))?;
            Ok(())
        }
        "only on one, and on all" => match second {
            true => world.together(|| Ok::<_, Error>(())),
            false => world.only_on(0, || Ok::<_, Error>(())).map(|_| ()),
        },
        "only on no rank" => {
            let only = if second { 7 } else { 0 };
            world.only_on(only, || Ok::<_, Error>(()))?;
            Ok(())
        }
        "only on a rank that fails" => {
            world.only_on(2, || launch(world, &mut four))?;
            Ok(())
        }
        "no whole" => world.gather(2, &four, None),
        "device" => {
            world.together(|| launch(world, &mut four))?;
            world.broadcast(0, &mut four)
        }
        "device in a stream" => {
            let stream = device.stream()?;
            if second {
                stream.launch(write_beyond(&mut four).over(4)).detach();
            }
            Ok(world
                .on(&stream)
                .all_reduce(Reduction::Sum, &four, &mut result)
                .wait()?)
        }
        "send in a stream" => {
            let stream = device.stream()?;
            if second {
                stream.launch(write_beyond(&mut four).over(4)).detach();
                return Ok(world.on(&stream).send(1, &four)?.wait()?);
            }
            if rank == 1 {
                world.receive(2, &mut four)?;
            }
            Ok(())
        }
        "own error" => {
            launch(world, &mut four)?;
            world.broadcast(0, &mut four)
        }
        "own end" => {
            if second {
                return Ok(());
            }
            if rank == 1 {
                return world.receive(2, &mut four);
            }
            world.broadcast(0, &mut four)
        }
        "deadlock" => world.receive(rank ^ 1, &mut four),
        "unreceived" => {
            if rank == 0 {
                world.send(3, &*device.alloc::<u32>(2_000_000)?)?;
                world.send(3, &four)?;
            }
            Ok(())
        }
        other => panic!("there is no case `{other}`"),
    }
}

/// Rank 1 has no device.
fn open() -> vortex_mpi::Result<World> {
    World::open_with(|rank, _| match rank {
        1 => Device::builder().cores(0).open(),
        _ => Device::open(),
    })
}

fn main() -> ExitCode {
    let case = std::env::args().nth(1).unwrap_or_default();
    match &*case {
        "open" => match open() {
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
            Ok(_) => ExitCode::SUCCESS,
        },
        // A `World` of one's own, whose errors are returned after its end.
        "unshared error" => {
            let program = || -> Result<(), Error> {
                let world = World::open().expect("there is a device");
                let mut four = world.device().alloc(4)?;
                launch(&world, &mut four)?;
                if let Err(error) = world.broadcast(0, &mut four) {
                    eprintln!("rank {}: {error}", world.rank());
                }
                Ok(())
            };
            match program() {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            }
        }
        case => vortex_mpi::run(|world| misuse(world, case)),
    }
}
