//! Work groups: ids, local memory, barriers.

use crate::said::said;
use vortex::Error;
use vortex::prelude::*;

use crate::harness::DEVICES;

/// Runs `f` on each device that can run groups of that many items.
fn on_devices(items: usize, mut f: impl FnMut(&Device)) {
    let mut ran = 0;
    for device in DEVICES.iter() {
        if device.caps().max_group() as usize >= items {
            f(device);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[vortex::kernel]
fn ids(out: &mut [u32]) {
    let (gx, gy, gz) = global_id_3d();
    let (lx, ly, lz) = local_id_3d();
    let (wx, wy, wz) = group_id_3d();
    let (sx, sy, sz) = local_size_3d();
    let (nx, ny, nz) = group_count_3d();
    let (tx, ty, tz) = global_size_3d();
    let right = gx == wx * sx + lx
        && gy == wy * sy + ly
        && gz == wz * sz + lz
        && tx == nx * sx
        && ty == ny * sy
        && tz == nz * sz
        && global_id() == (gz * ty + gy) * tx + gx
        && local_id() == (lz * sy + ly) * sx + lx
        && group_id() == (wz * ny + wy) * nx + wx
        && local_size() == sx * sy * sz
        && group_count() == nx * ny * nz
        && global_size() == tx * ty * tz;
    out[global_id()] = if right {
        (group_id() * local_size() + local_id()) as u32 + 1
    } else {
        0
    };
}

#[test]
fn ids_fit_together() {
    type Extent = (usize, usize, usize);
    let cases: [(Extent, Extent); 6] = [
        ((1, 1, 1), (1, 1, 1)),
        ((7, 1, 1), (3, 1, 1)),
        ((5, 3, 1), (4, 2, 1)),
        ((3, 2, 4), (2, 3, 2)),
        ((40, 1, 3), (1, 5, 1)),
        ((2, 2, 2), (16, 1, 1)),
    ];
    for (grid, block) in cases {
        let items = block.0 * block.1 * block.2;
        let (w, h) = (grid.0 * block.0, grid.1 * block.1);
        let total = items * grid.0 * grid.1 * grid.2;
        on_devices(items, |device| {
            let mut out = device.upload(&vec![0u32; total]).unwrap();
            ids(&mut out)
                .grid(grid)
                .block(block)
                .launch(device)
                .unwrap();
            for (i, number) in out.download().unwrap().into_iter().enumerate() {
                let [x, y, z] = [i % w, i / w % h, i / w / h];
                let group = (z / block.2 * grid.1 + y / block.1) * grid.0 + x / block.0;
                let local = (z % block.2 * block.1 + y % block.1) * block.0 + x % block.0;
                assert_eq!(number as usize, group * items + local + 1);
            }
        });
    }
}

const TILE: usize = 8;

#[vortex::kernel]
fn tiled_sgemm(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = local::<[f32; TILE * TILE]>();
    let right = local::<[f32; TILE * TILE]>();
    let (lx, ly) = local_id_2d();
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for tile in 0..n / TILE {
        left[ly * TILE + lx] = a[row * n + tile * TILE + lx];
        right[ly * TILE + lx] = b[(tile * TILE + ly) * n + column];
        barrier();
        for k in 0..TILE {
            sum += left[ly * TILE + k] * right[k * TILE + lx];
        }
        barrier();
    }
    c[row * n + column] = sum;
}

#[test]
fn a_tiled_product_is_the_product() {
    for n in [8, 24, 32] {
        let a: Vec<f32> = (0..n * n).map(|i| (i % 13) as f32 - 5.0).collect();
        let b: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 * 0.5).collect();
        let mut expected = vec![0.0f32; n * n];
        for (i, c) in expected.iter_mut().enumerate() {
            for k in 0..n {
                *c += a[i / n * n + k] * b[k * n + i % n];
            }
        }
        on_devices(TILE * TILE, |device| {
            let a = device.upload(&a).unwrap();
            let b = device.upload(&b).unwrap();
            let mut c = device.upload(&vec![0.0f32; n * n]).unwrap();
            tiled_sgemm(n, &a, &b, &mut c)
                .grid((n / TILE, n / TILE))
                .block((TILE, TILE))
                .launch(device)
                .unwrap();
            assert_eq!(c.download().unwrap(), expected);
        });
    }
}

#[vortex::kernel]
fn reduce(x: &[i32], sums: &mut [i32]) {
    let part = local::<[i32; 64]>();
    let total = local::<i32>();
    let i = local_id();
    let at = global_id();
    part[i] = 0;
    if at < x.len() {
        part[i] = x[at];
    }
    barrier();
    let mut width = local_size() / 2;
    while width > 0 {
        if i < width {
            part[i] += part[i + width];
        }
        barrier();
        width /= 2;
    }
    if i == 0 {
        *total = part[0];
    }
    barrier();
    // All of them know it.
    if i + 1 == local_size() {
        sums[group_id()] = *total;
    }
}

#[test]
fn groups_reduce() {
    let x: Vec<i32> = (0..1000).map(|i| i * i % 91 - 40).collect();
    for block in [1, 2, 4, 16, 32, 64] {
        let groups = 1000usize.div_ceil(block);
        let expected: Vec<i32> = x.chunks(block).map(|part| part.iter().sum()).collect();
        on_devices(block, |device| {
            let x = device.upload(&x).unwrap();
            let mut sums = device.upload(&vec![0; groups]).unwrap();
            reduce(&x, &mut sums)
                .grid(groups)
                .block(block)
                .launch(device)
                .unwrap();
            assert_eq!(sums.download().unwrap(), expected);
        });
    }
}

#[vortex::kernel]
fn reversed(x: &mut [u8]) {
    let part = local::<[u8; 13]>();
    let (i, n) = (local_id(), local_size());
    part[i] = x[global_id()];
    barrier();
    x[global_id()] = part[n - 1 - i];
}

#[test]
fn groups_that_fill_no_warp() {
    let x: Vec<u8> = (0..13 * 11).collect();
    for block in [1, 3, 5, 13] {
        let groups = x.len() / block;
        on_devices(block, |device| {
            let mut y = device.upload(&x).unwrap();
            reversed(&mut y)
                .grid(groups)
                .block(block)
                .launch(device)
                .unwrap();
            let mut expected = x.clone();
            expected[..groups * block]
                .chunks_mut(block)
                .for_each(<[u8]>::reverse);
            assert_eq!(y.download().unwrap(), expected);
        });
    }
}

#[vortex::kernel]
fn beyond(x: &mut [u32], at: usize) {
    let tile = local::<[u32; 16]>();
    tile[local_id()] = 7;
    barrier();
    if global_id() == 21 {
        x[0] = tile[at];
    }
}

#[test]
fn an_index_beyond_local_memory_is_a_fault() {
    on_devices(4, |device| {
        let mut x = device.upload(&[1u32]).unwrap();
        let mut run = |at| beyond(&mut x, at).grid(8).block(4).launch(device);
        run(3).unwrap();
        let Err(Error::Fault(fault)) = run(16) else {
            panic!("no fault");
        };
        assert_eq!((fault.item, fault.operands), (21, [16, 16]));
    });
}

#[vortex::kernel]
fn too_much(x: &mut [f32]) {
    let tile = local::<[f32; 1 << 20]>();
    tile[0] = 1.0;
    x[0] = tile[0];
}

#[test]
fn launches_that_do_not_fit_are_errors() {
    let device = &DEVICES[1];
    let mut x = device.upload(&[0i32; 4]).unwrap();
    let y = x.download().unwrap();
    let y = device.upload(&y).unwrap();
    let error = reduce(&y, &mut x).over(4).launch(device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel reduce uses work groups (local memory, barriers or group ids), so its launch has to say how many \
         there are, and how many items each has: write `.grid(groups).block(items)`"
    );
    // As many groups as there are, of as many items as nothing says.
    let alone = reduce(&y, &mut x).grid(4).launch(device).unwrap_err();
    assert_eq!(
        said(&alone),
        "kernel reduce: `.grid` says how many work groups there are, and nothing how many work items each of them has: \
         add `.block(64)`, or write `.over(n)` in place of both"
    );
    let error = reduce(&y, &mut x)
        .grid(1)
        .block(17)
        .launch(device)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "kernel reduce: a group of 17 x 1 x 1 work items does not fit a core of this device, which runs 16 at a time: \
             make groups smaller, and as many more, such as `.grid(n.div_ceil(16)).block(16)`; local \
             memory that the kernel has for groups of that size changes with it"
    );
    let mut z = device.upload(&[0.0f32]).unwrap();
    let error = too_much(&mut z)
        .grid(1)
        .block(1)
        .launch(device)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "kernel too_much needs 4194304 bytes of local memory for each work group, but a core of this device has 16384"
    );
}

/// Until no item of the group changes anything: `rounds` is how often that took.
#[vortex::kernel]
fn until_nothing_changes(x: &mut [u32], rounds: &mut [u32]) {
    let i = global_id();
    let mut n = 0;
    loop {
        let mut changed = false;
        if x[i] > 3 {
            x[i] -= 1;
            changed = true;
        }
        n += 1;
        if !group::reduce_or(changed) {
            break;
        }
    }
    rounds[i] = n;
}

/// The same by local memory.
#[vortex::kernel]
fn until_a_flag_is_unset(x: &mut [u32], rounds: &mut [u32]) {
    let i = global_id();
    let changed = local::<u32>();
    let mut n = 0;
    loop {
        if local_id() == 0 {
            *changed = 0;
        }
        barrier();
        if x[i] > 3 {
            x[i] -= 1;
            changed.atomic().fetch_or(1, Relaxed);
        }
        barrier();
        n += 1;
        if group::reduce_max(*changed) == 0 {
            break;
        }
    }
    rounds[i] = n;
}

#[test]
fn loops_end_by_what_a_group_agrees_on() {
    for block in [1, 3, 4, 16] {
        let x: Vec<u32> = (0..block as u32 * 3).map(|i| i * 5 % 11).collect();
        let most = |group: &[u32]| group.iter().map(|v| v.saturating_sub(3)).max().unwrap() + 1;
        let expected: Vec<u32> = (x.chunks(block).map(most))
            .flat_map(|n| vec![n; block])
            .collect();
        on_devices(block, |device| {
            for kernel in 0..2 {
                let mut values = device.upload(&x).unwrap();
                let mut rounds = device.alloc(x.len()).unwrap();
                match kernel {
                    0 => until_nothing_changes(&mut values, &mut rounds)
                        .grid(3)
                        .block(block)
                        .launch(device)
                        .unwrap(),
                    _ => until_a_flag_is_unset(&mut values, &mut rounds)
                        .grid(3)
                        .block(block)
                        .launch(device)
                        .unwrap(),
                };
                assert_eq!(rounds.download().unwrap(), expected);
                let most = values.download().unwrap().into_iter().max();
                assert!(most.is_some_and(|most| most <= 3));
            }
        });
    }
}
