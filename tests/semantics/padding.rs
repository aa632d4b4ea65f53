//! Objects in local memory whose columns would lie in one bank: words are left out in them, which nobody notices.

use vortex::Generation;
use vortex::prelude::*;

/// Those that run groups of 64 items, with warps of different numbers of lanes.
fn devices() -> impl Iterator<Item = Device> {
    let shapes = [(8, 8), (4, 16), (16, 16), (2, 32)];
    let generations = [Generation::V2, Generation::V3];
    shapes.into_iter().flat_map(move |(warps, lanes)| {
        generations.map(|generation| {
            let device = Device::builder().generation(generation);
            device.cores(1).warps(warps).threads(lanes).open().unwrap()
        })
    })
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    first: u32,
    second: u32,
}

#[vortex::device(host)]
fn sum_of(row: &[u32]) -> u32 {
    let mut sum = 0;
    for v in row {
        sum = sum * 3 + v;
    }
    sum
}

#[vortex::kernel(host)]
fn columns(x: &[u32], out: &mut [u32]) {
    let words = local::<[[u32; 8]; 8]>();
    let flat = local::<[u32; 256]>();
    let parts = local::<[[u32; 32]; 8]>();
    let bytes = local::<[[u8; 16]; 8]>();
    let pairs = local::<[[Pair; 8]; 8]>();
    let odd = local::<[[u32; 12]; 8]>();
    let (column, row) = local_id_2d();
    let i = local_id();
    let v = x[global_id()];
    words[row][column] = v;
    odd[row][column] = v ^ 1;
    bytes[row][column] = v as u8;
    pairs[row][column] = Pair {
        first: v,
        second: v + 1,
    };
    for k in 0..4 {
        flat[i * 4 + k] = v + k as u32;
    }
    #[unroll]
    for k in 0..4 {
        parts[row][column * 4 + k] = v * 2 + k as u32;
    }
    barrier();
    let mut sum = words[column][row] + odd[column][row] + bytes[column][row] as u32;
    sum += pairs[column][row].first * 5 + pairs[column][7 - row].second;
    sum += flat[(63 - i) * 4 + 3] + flat[(i * 5) % 256];
    #[unroll]
    for k in 0..4 {
        sum = sum * 7 + parts[column][row * 4 + k];
    }
    sum += sum_of(&words[column]) + sum_of(&words[column][2..5]);
    let whole = words[column];
    sum += whole[row] + words[(column + row) % 8][column.wrapping_sub(8).wrapping_add(8)];
    out[global_id()] = sum;
}

#[test]
fn columns_are_what_rows_were() {
    let x: Vec<u32> = (0..192).map(|i| i * 37 % 1009).collect();
    let mut expected = vec![0; 192];
    let launch = columns::on_host(&x, &mut expected).grid(3).block((8, 8));
    launch.launch().unwrap();
    for device in devices() {
        let input = device.upload(&x).unwrap();
        let mut out = device.alloc(192).unwrap();
        let launch = columns(&input, &mut out).grid(3).block((8, 8));
        launch.launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), expected, "{:?}", device.caps());
    }
}

#[vortex::kernel]
fn transposed(x: &[f32], y: &mut [f32], n: usize) {
    let tile = local::<[[f32; 8]; 8]>();
    let (column, row) = local_id_2d();
    let (group_x, group_y) = group_id_2d();
    tile[row][column] = x[(group_y * 8 + row) * n + group_x * 8 + column];
    barrier();
    y[(group_x * 8 + row) * n + group_y * 8 + column] = tile[column][row];
}

#[test]
fn no_lane_waits_for_a_bank() {
    let device = Device::builder().cores(1).warps(8).threads(8);
    let device = device.model(vortex::sim::Model::cycle()).open().unwrap();
    let x: Vec<f32> = (0..1024).map(|i| i as f32).collect();
    let input = device.upload(&x).unwrap();
    let mut y = device.alloc(1024).unwrap();
    let launch = transposed(&input, &mut y, 32).grid((4, 4)).block((8, 8));
    let report = launch.launch(&device).unwrap();
    let y = y.download().unwrap();
    assert!((0..1024).all(|i| y[i] == x[i % 32 * 32 + i / 32]));
    let timing = report.timing().unwrap();
    assert_eq!(timing.memory.local_conflicts, 0);
}

#[vortex::kernel]
fn forgotten(y: &mut [f32]) {
    let tile = local::<[[f32; 8]; 8]>();
    let (column, row) = local_id_2d();
    if row != 5 || column != 6 {
        tile[row][column] = 1.0;
    }
    barrier();
    y[global_id()] = tile[column][row];
}

#[test]
fn names_are_those_of_the_source() {
    for device in devices() {
        let mut y = device.alloc(64).unwrap();
        let launch = forgotten(&mut y).grid(1).block((8, 8));
        let error = launch.launch(&device).unwrap_err().to_string();
        assert!(error.contains("`tile[5][6]`"), "{error}");
    }
}
