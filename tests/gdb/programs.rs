//! The programs that are debugged: each is a test that only runs when it is asked for by its name.

use crate::kernels::*;
use vortex::prelude::*;

fn numbers(count: u32) -> Vec<u32> {
    (0..count).collect()
}

fn particles() -> Vec<Particle> {
    let particle = |n: u32| Particle {
        pos: Vec3 {
            x: n as f32,
            y: 1.0,
            z: 0.25,
        },
        mass: 2.0,
        id: 100 + n,
    };
    (0..8).map(particle).collect()
}

/// A kernel of hundreds of items.
#[test]
#[ignore = "for the debugger"]
fn one_kernel() {
    let device = Device::open().unwrap();
    let x: Vec<f32> = (0..200).map(|n| n as f32).collect();
    let mut y = device.upload(&[1.0f32; 200]).unwrap();
    let x = device.upload(&x).unwrap();
    let launch = saxpy(3.0, &x, &mut y).over(200).launch(&device);
    launch.unwrap();
    println!("y[199] = {}", y.download().unwrap()[199]);
}

/// So many items that a lane does several at once, where nobody asks which.
#[test]
#[ignore = "for the debugger"]
fn many_items() {
    let device = Device::open().unwrap();
    let x: Vec<f32> = (0..4096).map(|n| n as f32).collect();
    let mut y = device.upload(&[1.0f32; 4096]).unwrap();
    let x = device.upload(&x).unwrap();
    let launch = saxpy(3.0, &x, &mut y).over(4096).launch(&device);
    launch.unwrap();
    println!("y[4095] = {}", y.download().unwrap()[4095]);
}

/// One kernel after the other.
#[test]
#[ignore = "for the debugger"]
fn many_kernels() {
    let device = Device::open().unwrap();
    let mut floats = device.upload(&[0.0f32; 8]).unwrap();
    let mut out = device.upload(&[0u32; 64]).unwrap();
    let given = device.upload(&particles()).unwrap();
    values(&given, Mode::Slow, &mut floats)
        .over(8)
        .launch(&device)
        .unwrap();
    shadows(&mut out).over(8).launch(&device).unwrap();
    called_twice(21, &mut out).over(8).launch(&device).unwrap();
    partly_gone(1, &mut out).over(8).launch(&device).unwrap();
    parted(&mut out).over(8).launch(&device).unwrap();
    let x = device.upload(&numbers(64)).unwrap();
    reversed(&x, &mut out)
        .grid(4)
        .block(16)
        .launch(&device)
        .unwrap();
    picture(&mut out).over((8, 4)).launch(&device).unwrap();
    counted(&mut out).over(8).launch(&device).unwrap();
    println!("out[0] = {}", out.download().unwrap()[0]);
}

/// An index that is out of bounds.
#[test]
#[ignore = "for the debugger"]
fn a_fault() {
    let device = Device::open().unwrap();
    let x = device.upload(&numbers(20)).unwrap();
    let mut out = device.upload(&[0u32; 16]).unwrap();
    let result = beyond(&x, &mut out).over(16).launch(&device);
    println!("{}", result.unwrap_err());
}

/// A store to memory that is nobody's.
#[test]
#[ignore = "for the debugger"]
fn a_trap() {
    let device = Device::open().unwrap();
    let mut out = device.upload(&[0u32; 16]).unwrap();
    let to = out.as_mut_ptr();
    let result = stray(to, &mut out).over(16).launch(&device);
    println!("{}", result.unwrap_err());
    let result = racing(&mut out).over(256).launch(&device);
    println!("{}", result.unwrap_err());
}

/// A loop that never ends.
#[test]
#[ignore = "for the debugger"]
fn a_loop() {
    let device = Device::open().unwrap();
    let mut out = device.upload(&[0u32; 2]).unwrap();
    let result = spinning(&mut out).over(1).launch(&device);
    match result {
        Ok(_) => println!("out[1] = {}", out.download().unwrap()[1]),
        Err(error) => println!("{error}"),
    }
}

/// A kernel that prints.
#[test]
#[ignore = "for the debugger"]
fn printing() {
    let device = Device::open().unwrap();
    let x = device.upload(&numbers(4)).unwrap();
    talking(&x).over(4).launch(&device).unwrap();
}
