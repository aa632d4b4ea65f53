//! All operations, on however many ranks, against what the host computes. It is run by `tests/ranks.rs`.

#![allow(clippy::expect_used, reason = "it is a test")]

use std::fmt::Debug;
use std::process::ExitCode;

use mpi::traits::*;
use vortex::prelude::*;
use vortex_mpi::{Number, Packet, Reduction, Result, World, mpi};

/// With a `bool`, an enum, and bytes between its fields.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Body {
    fixed: bool,
    mass: f32,
    kind: Kind,
    charge: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u32)]
enum Kind {
    Star = 1,
    Planet = 7,
}

fn body(i: usize) -> Body {
    Body {
        fixed: i.is_multiple_of(3),
        mass: i as f32 / 4.0,
        kind: if i.is_multiple_of(2) {
            Kind::Star
        } else {
            Kind::Planet
        },
        charge: u64::MAX - i as u64,
    }
}

#[vortex::kernel]
fn increment(buffer: &mut [u32]) {
    let i = global_id();
    if i < buffer.len() {
        buffer[i] += 1;
    }
}

/// Broadcast, scatter, gather and all-gather of any type, with each rank as the root, now and in a stream.
fn moves<T: vortex::meta::Element + Copy + Debug + PartialEq>(
    world: &World,
    value: fn(usize) -> T,
    len: usize,
) -> Result<()> {
    let device = world.device();
    let stream = device.stream()?;
    let all: Vec<T> = (0..len).map(value).collect();
    let share = world.share(len);
    for root in 0..world.ranks() {
        let is_root = world.rank() == root;
        let whole = world.only_on(root, || device.upload(&all))?;
        for in_stream in [false, true] {
            let mut part = device.upload(&vec![value(0); share.len()])?;
            match in_stream {
                false => world.scatter(root, whole.as_deref(), &mut part)?,
                true => world
                    .on(&stream)
                    .scatter(root, whole.as_deref(), &mut part)
                    .wait()?,
            }
            assert_eq!(part.download()?, all[share.clone()]);

            let mut back = is_root
                .then(|| device.upload(&vec![value(0); len]))
                .transpose()?;
            let mut everywhere = device.upload(&vec![value(0); len])?;
            match in_stream {
                false => {
                    world.gather(root, &part, back.as_deref_mut())?;
                    world.all_gather(&part, &mut everywhere)?;
                }
                true => {
                    let ranks = world.on(&stream);
                    ranks.gather(root, &part, back.as_deref_mut()).detach();
                    ranks.all_gather(&part, &mut everywhere).detach();
                    stream.wait()?;
                }
            }
            assert_eq!(everywhere.download()?, all);
            if let Some(back) = back {
                assert_eq!(back.download()?, all);
            }

            let mut copy = match is_root {
                true => device.upload(&all)?,
                false => device.upload(&vec![value(1); len])?,
            };
            match in_stream {
                false => world.broadcast(root, &mut copy)?,
                true => world.on(&stream).broadcast(root, &mut copy).wait()?,
            }
            assert_eq!(copy.download()?, all);
        }
    }
    Ok(())
}

fn reductions<T>(
    world: &World,
    value: fn(usize) -> T,
    add: fn(T, T) -> T,
    multiply: fn(T, T) -> T,
) -> Result<()>
where
    T: Number + Default + PartialOrd + PartialEq + Debug,
{
    let device = world.device();
    let stream = device.stream()?;
    let of = |rank: usize| (0..9).map(|i| value(rank * 9 + i)).collect::<Vec<T>>();
    let mine = device.upload(&of(world.rank()))?;
    let minimum: fn(T, T) -> T = |a, b| if b < a { b } else { a };
    let maximum: fn(T, T) -> T = |a, b| if b > a { b } else { a };
    for (reduction, by) in [
        (Reduction::Sum, add),
        (Reduction::Product, multiply),
        (Reduction::Minimum, minimum),
        (Reduction::Maximum, maximum),
    ] {
        let expected = (1..world.ranks()).map(of).fold(of(0), |one, other| {
            one.into_iter()
                .zip(other)
                .map(|(one, other)| by(one, other))
                .collect()
        });
        let mut result = device.alloc::<T>(9)?;
        world.all_reduce(reduction, &mine, &mut result)?;
        assert_eq!(result.download()?, expected, "{reduction}");
        let mut result = device.alloc::<T>(9)?;
        world
            .on(&stream)
            .all_reduce(reduction, &mine, &mut result)
            .wait()?;
        assert_eq!(result.download()?, expected, "{reduction}");
        let root = world.ranks() - 1;
        let mut result = world.only_on(root, || device.alloc::<T>(9))?;
        world.reduce(root, reduction, &mine, result.as_deref_mut())?;
        if let Some(result) = result {
            assert_eq!(result.download()?, expected, "{reduction}");
        }
    }
    Ok(())
}

/// Rings of sends that all begin before any receive, of a few bytes and of more than MPI takes at once.
fn rings(world: &World) -> Result<()> {
    let device = world.device();
    let next = (world.rank() + 1) % world.ranks();
    let before = (world.rank() + world.ranks() - 1) % world.ranks();
    for len in [0, 1, 1000, 700_000] {
        let value = |rank: usize, i: usize| (rank * 7 + i) as u32;
        let mine: Vec<u32> = (0..len).map(|i| value(world.rank(), i)).collect();
        let expected: Vec<u32> = (0..len).map(|i| value(before, i)).collect();
        let (mine, mut came) = (device.upload(&mine)?, device.alloc::<u32>(len)?);
        world.send(next, &mine)?;
        world.send(next, &mine)?;
        world.receive(before, &mut came)?;
        assert_eq!(came.download()?, expected);
        let mut again = device.alloc::<u32>(len)?;
        // In one stream on all ranks, the send first.
        let stream = device.stream()?;
        let ranks = world.on(&stream);
        ranks.send(next, &mine)?.detach();
        ranks.receive(before, &mut again)?.detach();
        ranks.receive(before, &mut came)?.wait()?;
        assert_eq!(
            (again.download()?, came.download()?),
            (expected.clone(), expected)
        );
    }
    Ok(())
}

/// Operations of two streams, of which another one has its elements first on each rank.
fn two_streams(world: &World) -> Result<()> {
    let device = world.device();
    let (one, other) = (device.stream()?, device.stream()?);
    let (mut a, mut b) = (device.alloc::<u32>(64)?, device.alloc::<u32>(64)?);
    let (mut sum_a, mut sum_b) = (device.alloc::<u32>(64)?, device.alloc::<u32>(64)?);
    for round in 1..=5u32 {
        // Slow on every second rank in one stream, on the others in the other.
        let slow = if world.rank().is_multiple_of(2) {
            (20, 1)
        } else {
            (1, 20)
        };
        for _ in 0..slow.0 {
            one.launch(increment(&mut a).over(64)).detach();
        }
        for _ in 0..slow.1 {
            other.launch(increment(&mut b).over(64)).detach();
        }
        world
            .on(&one)
            .all_reduce(Reduction::Sum, &a, &mut sum_a)
            .detach();
        world
            .on(&other)
            .all_reduce(Reduction::Sum, &b, &mut sum_b)
            .detach();
        let even = world.ranks().div_ceil(2) as u32;
        let odd = world.ranks() as u32 - even;
        let (a_sum, b_sum) = ((20 * even + odd) * round, (even + 20 * odd) * round);
        // The host's own operation comes after both.
        let mine = device.upload(&[round])?;
        let mut all = device.alloc(1)?;
        world.all_reduce(Reduction::Maximum, &mine, &mut all)?;
        assert_eq!(all.download()?, [round]);
        assert_eq!(sum_a.download()?, vec![a_sum; 64]);
        assert_eq!(sum_b.download()?, vec![b_sum; 64]);
    }
    one.wait()?;
    Ok(other.wait()?)
}

/// A packet through crate `mpi`'s own functions.
fn by_hand(world: &World) -> Result<()> {
    let bodies: Vec<Body> = (0..5).map(body).collect();
    let mut packet = match world.rank() {
        0 => Packet::of(&bodies)?,
        _ => Packet::zeroed(5)?,
    };
    // Zeros are no `Kind`.
    assert_eq!(packet.values().is_some(), world.rank() == 0);
    world.mpi(|communicator| communicator.process_at_rank(0).broadcast_into(&mut packet));
    assert_eq!(packet.values(), Some(bodies));
    Ok(())
}

/// An error on all ranks is over once it has been returned.
fn errors_end(world: &World) -> Result<()> {
    let device = world.device();
    let mut buffer = device.alloc::<u32>(3 + world.rank())?;
    assert_eq!(world.broadcast(0, &mut buffer).is_err(), world.ranks() > 1);
    let failed = world.together(|| match world.rank() {
        0 => Err("not today"),
        _ => Ok(()),
    });
    let text = failed.expect_err("it failed on rank 0").to_string();
    assert_eq!(text, "`together` failed on rank 0: not today");
    let stream = device.stream()?;
    let mut three = device.alloc::<u32>(3)?;
    let mut four = device.alloc::<u32>(4)?;
    let wrong = world.on(&stream).scatter(0, Some(&three), &mut four);
    let error = vortex_mpi::Error::from(wrong.wait().expect_err("the parts are more"));
    assert!(matches!(error, vortex_mpi::Error::Counts { .. }), "{error}");
    stream.wait()?;
    world.on(&stream).broadcast(0, &mut three).wait()?;
    assert!(matches!(
        world.send(99, &three),
        Err(vortex_mpi::Error::NoRank { rank: 99, .. })
    ));
    assert!(matches!(World::open(), Err(vortex_mpi::Error::Initialised)));
    Ok(())
}

fn program(world: &World) -> Result<()> {
    moves(world, |i| i as f32 * 0.5, 103)?;
    moves(world, |i| i % 3 == 0, 10)?;
    moves(world, |i| f16::from_f32(i as f32), 33)?;
    moves(world, |i| (i as u64) << 40, 8)?;
    moves(world, body, 21)?;
    moves(world, |i| vec3(i as f32, 1.0, 2.0), 5)?;
    // Fewer than ranks, and none.
    moves(world, |i| i as u32 + 5, 2)?;
    moves(world, |i| i as u8, 0)?;
    moves(world, |i| i as u32, 400_000)?;
    reductions(world, |i| i as i8, i8::wrapping_add, i8::wrapping_mul)?;
    reductions(
        world,
        |i| i as i16 - 9,
        i16::wrapping_add,
        i16::wrapping_mul,
    )?;
    reductions(
        world,
        |i| i as i32 - 20,
        i32::wrapping_add,
        i32::wrapping_mul,
    )?;
    reductions(
        world,
        |i| (i as i64) << 33,
        i64::wrapping_add,
        i64::wrapping_mul,
    )?;
    reductions(world, |i| i as u8, u8::wrapping_add, u8::wrapping_mul)?;
    reductions(
        world,
        |i| i as u16 * 999,
        u16::wrapping_add,
        u16::wrapping_mul,
    )?;
    reductions(
        world,
        |i| i as u32 * 99_999,
        u32::wrapping_add,
        u32::wrapping_mul,
    )?;
    reductions(
        world,
        |i| (i as u64) << 50,
        u64::wrapping_add,
        u64::wrapping_mul,
    )?;
    // Exact in any order.
    reductions(world, |i| i as f32 - 8.0, |a, b| a + b, |a, b| a * b)?;
    rings(world)?;
    two_streams(world)?;
    by_hand(world)?;
    errors_end(world)?;
    if world.rank() == 0 {
        println!(
            "all operations on {} ranks, with {}",
            world.ranks(),
            world.threads()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    vortex_mpi::run(program)
}
