//! Local memory whose length the launch gives, and parts of local memory and of arrays as slices.

use crate::said::said;
use vortex::prelude::*;
use vortex::{Error, LaunchError, Module};

use crate::harness::DEVICES;

/// Those that run groups of 16 items.
fn devices() -> impl Iterator<Item = &'static Device> {
    DEVICES
        .iter()
        .filter(|device| device.caps().max_group() >= 16)
}

#[vortex::kernel]
fn reversed(tile: &mut Local<[u32]>, input: &[u32], output: &mut [u32]) {
    let i = local_id();
    tile[i] = input[global_id()];
    barrier();
    output[global_id()] = tile[tile.len() - 1 - i];
}

#[test]
fn a_length_is_given_at_launch() {
    for device in devices() {
        for items in [1usize, 3, 16, 32] {
            if items > device.caps().max_group() as usize {
                continue;
            }
            let data: Vec<u32> = (0..items as u32 * 5).collect();
            let input = device.upload(&data).unwrap();
            let mut output = device.alloc(data.len()).unwrap();
            reversed(LocalLen(items), &input, &mut output)
                .grid(5)
                .block(items)
                .launch(device)
                .unwrap();
            let expected: Vec<u32> = (data.chunks(items))
                .flat_map(|group| group.iter().rev().copied())
                .collect();
            assert_eq!(output.download().unwrap(), expected);
        }
    }
}

/// Two of them, of other types, and one that the kernel declares.
#[vortex::kernel]
fn several(bytes: &mut Local<[u8]>, words: &mut Local<[u64]>, out: &mut [u64]) {
    let fixed = local::<[u32; 5]>();
    let i = local_id();
    if i == 0 {
        for n in 0..bytes.len() {
            bytes[n] = n as u8 + 1;
        }
        for n in 0..words.len() {
            words[n] = u64::MAX - n as u64;
        }
        for n in 0..5 {
            fixed[n] = 1000 + n as u32;
        }
    }
    barrier();
    let mut sum = 0;
    for byte in bytes.iter() {
        sum += byte as u64;
    }
    for word in words {
        sum += word;
    }
    for word in fixed {
        sum += word as u64;
    }
    out[global_id()] = sum;
}

#[test]
fn several_do_not_overlap() {
    for device in devices() {
        for (bytes, words) in [(1, 1), (17, 3), (5, 0), (0, 9), (33, 40)] {
            let mut out = device.alloc(6).unwrap();
            several(LocalLen(bytes), LocalLen(words), &mut out)
                .grid(3)
                .block(2)
                .launch(device)
                .unwrap();
            let sum = (1..=bytes as u64).sum::<u64>();
            let sum = (0..words as u64).fold(sum, |sum, n| sum.wrapping_add(u64::MAX - n));
            let expected = sum.wrapping_add(5010);
            assert_eq!(out.download().unwrap(), [expected; 6]);
        }
    }
}

#[test]
fn lengths_are_bounds() {
    for device in devices() {
        let input = device.upload(&[1u32, 2]).unwrap();
        let mut output = device.alloc(2).unwrap();
        let launch = reversed(LocalLen(1), &input, &mut output).grid(1).block(2);
        let Err(Error::Fault(fault)) = launch.launch(device) else {
            panic!("no fault");
        };
        let text = fault.to_string();
        assert!(
            text.contains("index 1") && text.contains("local_memory.rs:"),
            "{text}"
        );
    }
}

#[test]
fn lengths_are_held_against_the_device() {
    let device = Device::builder().local_memory(4096).open().unwrap();
    let mut out = device.alloc(1).unwrap();
    let launch = several(LocalLen(16), LocalLen(510), &mut out)
        .grid(1)
        .block(1);
    let error = launch.launch(&device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel several needs 4128 bytes of local memory for each work group (4096 by the lengths given to this launch), \
         but a core of this device has 4096"
    );
    several(LocalLen(16), LocalLen(506), &mut out)
        .grid(1)
        .block(1)
        .launch(&device)
        .unwrap();
    let launch = several(LocalLen(usize::MAX), LocalLen(1), &mut out)
        .grid(1)
        .block(1);
    assert!(matches!(
        launch.launch(&device),
        Err(Error::Refused {
            cause: LaunchError::ArgumentTooLarge { .. },
            ..
        })
    ));
    let launch = several(
        LocalLen(u32::MAX as usize),
        LocalLen(u32::MAX as usize),
        &mut out,
    )
    .grid(1)
    .block(1);
    assert!(matches!(
        launch.launch(&device),
        Err(Error::Refused {
            cause: LaunchError::LocalMemoryTooLarge { .. },
            ..
        })
    ));
    let launch = several(LocalLen(1), LocalLen(1), &mut out).over(1);
    assert!(matches!(
        launch.launch(&device),
        Err(Error::Refused {
            cause: LaunchError::NeedsGroups,
            ..
        })
    ));
}

#[test]
fn a_module_takes_lengths_by_name() {
    let device = Device::open().unwrap();
    let module = Module::builder("m").kernel::<reversed>().build().unwrap();
    let arg = &module.kernels()[0].args()[0];
    assert_eq!(arg.rust_type, "&mut Local<[u32]>");
    assert_eq!(
        (arg.kind, arg.address_space as u8, arg.size),
        (vortex::meta::ArgKind::LocalSize, 3, 4)
    );
    let data = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let mut out = device.alloc::<u32>(4).unwrap();
    let launch = module.launch("reversed").unwrap();
    let launch = launch
        .local("tile", 2)
        .unwrap()
        .slice("input", &data)
        .unwrap();
    launch
        .slice_mut("output", &mut out)
        .unwrap()
        .grid(2)
        .block(2)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), [2, 1, 4, 3]);
    let error = module
        .launch("reversed")
        .unwrap()
        .local("input", 2)
        .unwrap_err();
    assert!(error.to_string().contains("&[u32]"), "{error}");
}

/// Generic over the type in local memory.
#[vortex::kernel]
fn swapped<T>(tile: &mut Local<[T]>, values: &mut [T]) {
    let (i, n) = (local_id(), tile.len());
    put(tile, i, values[i]);
    barrier();
    values[i] = tile[n - 1 - i];
}

#[vortex::device]
fn put<T>(tile: &mut Local<[T]>, at: usize, value: T) {
    tile[at] = value;
}

#[test]
fn a_generic_kernel_has_them_too() {
    let device = Device::open().unwrap();
    let mut halves = device.upload(&[1u16, 2, 3]).unwrap();
    swapped(LocalLen(3), &mut halves)
        .grid(1)
        .block(3)
        .launch(&device)
        .unwrap();
    assert_eq!(halves.download().unwrap(), [3, 2, 1]);
    let mut floats = device.upload(&[1.0f32, 2.0]).unwrap();
    swapped::<f32>(LocalLen(2), &mut floats)
        .grid(1)
        .block(2)
        .launch(&device)
        .unwrap();
    assert_eq!(floats.download().unwrap(), [2.0, 1.0]);
}

#[vortex::device]
fn sum(values: &[u32]) -> u32 {
    let mut sum = 0;
    for value in values {
        sum += value;
    }
    sum
}

#[vortex::device]
fn double(values: &mut [u32]) {
    for value in values.iter_mut() {
        *value *= 2;
    }
}

#[vortex::device]
fn fill(tile: &mut Local<[u32; 8]>, value: u32) {
    for i in 0..tile.len() {
        tile[i] = value + i as u32;
    }
}

#[vortex::kernel]
fn parts_of_local_memory(sized: &mut Local<[u32]>, out: &mut [u32]) {
    let tile = local::<[u32; 8]>();
    if local_id() == 0 {
        fill(&mut tile, 10);
        double(&mut tile[2..4]);
        double(&mut tile);
        for i in 0..sized.len() {
            sized[i] = 1;
        }
        double(&mut sized[1..]);
        let last = &mut sized[..3];
        last[2] = 100;
    }
    barrier();
    let i = global_id();
    out[i] = sum(&tile[i..i + 4]) + sum(&sized[..]) + sum(&tile);
}

#[test]
fn parts_of_local_memory_are_slices() {
    for device in devices() {
        let mut out = device.alloc(4).unwrap();
        parts_of_local_memory(LocalLen(5), &mut out)
            .grid(1)
            .block(4)
            .launch(device)
            .unwrap();
        let mut tile: Vec<u32> = (10..18).map(|n| n * 2).collect();
        tile[2] *= 2;
        tile[3] *= 2;
        let sized = 1 + 2 + 100 + 2 + 2;
        let expected: Vec<u32> = (0..4)
            .map(|i| tile[i..i + 4].iter().sum::<u32>() + sized + tile.iter().sum::<u32>())
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[vortex::kernel]
fn parts_of_arrays(from: usize, out: &mut [u32]) {
    let i = global_id() as u32;
    let mut own = [i, i + 1, i + 2, i + 3];
    double(&mut own[from..from + 2]);
    let constant = [7, 8, 9];
    let known = [i, i * 2];
    let mut grid = [[i; 3]; 2];
    double(&mut grid[from - 1][1..]);
    own[0] += 1;
    let part = &own[..];
    own[1] += part[1];
    out[global_id()] = sum(part)
        + sum(&constant[from..]) * 1000
        + sum(&known[..from])
        + sum(&grid[0][..])
        + sum(&grid[1][..2]);
}

#[test]
fn parts_of_arrays_are_slices() {
    for device in devices() {
        let mut out = device.alloc(40).unwrap();
        parts_of_arrays(1, &mut out)
            .over(40)
            .launch(device)
            .unwrap();
        let expected: Vec<u32> = (0..40u32)
            .map(|i| {
                let own = [i + 1, (i + 1) * 4, (i + 2) * 2, i + 3];
                own.iter().sum::<u32>() + 17000 + i + 5 * i + 2 * i
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// A slice of whatever memory, chosen when the kernel runs.
#[vortex::kernel]
fn either(which: u32, input: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 4]>();
    let mut own = [1, 2, 3, 4];
    let mut written = &mut own[1..];
    if which != 1 {
        written = &mut own[..1];
    }
    let before = own[0];
    written[0] = 50;
    let after = own[0];
    tile[local_id()] = 10 + local_id() as u32;
    barrier();
    let mut some = &input[1..];
    if which == 1 {
        some = &tile[..];
    } else if which == 2 {
        some = &own[..3];
    }
    let first = some[0];
    let other = if which == 0 { &own[1..] } else { some };
    out[global_id()] = sum(some) * 100 + first + other[0] + before * 10_000 + after * 10_000;
}

#[test]
fn slices_of_different_memory_meet() {
    for device in devices() {
        let input = device.upload(&[5u32, 6, 7]).unwrap();
        for (which, expected) in [
            (0, 510_000 + 13 * 100 + 6 + 2),
            (1, 20_000 + 46 * 100 + 20),
            (2, 510_000 + 55 * 100 + 100),
        ] {
            let mut out = device.alloc(4).unwrap();
            either(which, &input, &mut out)
                .grid(1)
                .block(4)
                .launch(device)
                .unwrap();
            assert_eq!(out.download().unwrap(), [expected; 4]);
        }
    }
}

/// Rows and columns in local memory.
#[vortex::kernel]
fn transposed(input: &[f32], out: &mut [f32]) {
    let tile = local::<[[f32; 4]; 4]>();
    let (x, y) = local_id_2d();
    tile[y][x] = input[y * 4 + x];
    barrier();
    out[y * 4 + x] = tile[x][y] + last(&tile[y][..]);
}

#[vortex::device]
fn last(row: &[f32]) -> f32 {
    row[row.len() - 1]
}

#[test]
fn local_memory_has_rows() {
    for device in devices() {
        let data: Vec<f32> = (0..16).map(|n| n as f32).collect();
        let input = device.upload(&data).unwrap();
        let mut out = device.alloc(16).unwrap();
        transposed(&input, &mut out)
            .grid(1)
            .block((4, 4))
            .launch(device)
            .unwrap();
        let expected: Vec<f32> = (0..16)
            .map(|n| data[n % 4 * 4 + n / 4] + data[n / 4 * 4 + 3])
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}
