//! Kernels of which lanes do items of several groups at once, against the host: objects in local memory that groups of
//! a row or of a column fill alike, and others; groups that do not divide into blocks; branches that groups part at.

use crate::harness::{SHAPES, unwatched};
use vortex::explain::CoarseFate;
use vortex::prelude::*;

fn devices() -> impl Iterator<Item = Device> {
    SHAPES.into_iter().map(unwatched)
}

#[vortex::kernel]
fn product(a: &[u32], b: &[u32], c: &mut [u32], n: usize) {
    let left = local::<[[u32; 2]; 2]>();
    let right = local::<[[u32; 2]; 2]>();
    let (x, y) = local_id_2d();
    let (col, row) = global_id_2d();
    let mut sum = 0;
    for tile in 0..n / 2 {
        left[y][x] = a[row * n + tile * 2 + x];
        right[y][x] = b[(tile * 2 + y) * n + col];
        barrier();
        for k in 0..2 {
            sum += left[y][k] * right[k][x];
        }
        barrier();
    }
    c[row * n + col] = sum + group_id() as u32;
}

#[test]
fn tiles_are_shared_by_rows_and_columns() {
    for device in devices().filter(|device| device.caps().max_group() >= 4) {
        for n in [2, 4, 6, 8, 16, 32] {
            let (a, b): (Vec<u32>, Vec<u32>) =
                (0..(n * n) as u32).map(|i| (i * i % 97, i % 89)).unzip();
            let (from, by) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let mut to = device.alloc::<u32>(n * n).unwrap();
            let launch = product(&from, &by, &mut to, n);
            launch
                .grid((n / 2, n / 2))
                .block((2, 2))
                .launch(&device)
                .unwrap();
            let expected: Vec<u32> = (0..n * n)
                .map(|i| {
                    let (x, y) = (i % n, i / n);
                    let sum: u32 = (0..n).map(|k| a[y * n + k] * b[k * n + x]).sum();
                    sum + (y / 2 * (n / 2) + x / 2) as u32
                })
                .collect();
            assert_eq!(to.download().unwrap(), expected, "{n}, {:?}", device.caps());
        }
    }
}

#[test]
fn they_are_done_in_blocks() {
    let device = unwatched((1, 4, 4, true));
    let a = device.alloc::<u32>(256).unwrap();
    let mut c = device.alloc::<u32>(256).unwrap();
    let launch = product(&a, &a, &mut c, 16).grid((8, 8)).block((2, 2));
    let explanation = launch.explain(&device).unwrap();
    let CoarseFate::Groups(each @ [columns, rows, 1]) = *explanation.coarsening() else {
        panic!("{:?}", explanation.coarsening());
    };
    assert!(columns > 1 && rows > 1);
    // Of launches, those whose rows are of whole blocks.
    for (width, expected) in [(8, Some((each, 256))), (7, None)] {
        let launch = product(&a, &a, &mut c, 16).grid((width, 8)).block((2, 2));
        let shape = launch.profile(&device).unwrap().launch;
        assert_eq!(shape.coarse, expected);
    }
}

#[vortex::kernel]
fn counts(part: &mut Local<[u32]>, x: &[u32], out: &mut [u32], at: &mut [u32]) {
    let i = local_id();
    let bins = local::<[u32; 2]>();
    part[i] = x[global_id()];
    if i < 2 {
        bins[i] = 0;
    }
    barrier();
    // Groups part here, and each comes to its own barrier.
    if group_id() % 3 != 1 {
        let next = part[(i + 1) % local_size()];
        barrier();
        part[i] += next;
    }
    barrier();
    bins.atomic((part[i] % 2) as usize).fetch_add(1, Relaxed);
    barrier();
    out[global_id()] = part[i] ^ bins[0] << 16;
    at[global_id()] = group::reduce_add(part[i]);
}

#[test]
fn other_objects_are_of_each_group() {
    for device in devices().filter(|device| device.caps().max_group() >= 4) {
        for groups in [1, 3, 8, 13, 64] {
            let x: Vec<u32> = (0..4 * groups as u32).map(|i| i * 7 % 31).collect();
            let from = device.upload(&x).unwrap();
            let mut to = device.alloc::<u32>(x.len()).unwrap();
            let mut sums = device.alloc::<u32>(x.len()).unwrap();
            let launch = counts(LocalLen(4), &from, &mut to, &mut sums);
            launch.grid(groups).block(4).launch(&device).unwrap();
            let (mut expected, mut totals) = (Vec::new(), Vec::new());
            for (group, x) in x.chunks(4).enumerate() {
                let next = |i: usize| if group % 3 == 1 { 0 } else { x[(i + 1) % 4] };
                let part: Vec<u32> = (0..4).map(|i| x[i] + next(i)).collect();
                let even = part.iter().filter(|x| *x % 2 == 0).count() as u32;
                expected.extend(part.iter().map(|x| x ^ even << 16));
                totals.extend([part.iter().sum::<u32>(); 4]);
            }
            assert_eq!(
                to.download().unwrap(),
                expected,
                "{groups}, {:?}",
                device.caps()
            );
            assert_eq!(
                sums.download().unwrap(),
                totals,
                "{groups}, {:?}",
                device.caps()
            );
        }
    }
}
