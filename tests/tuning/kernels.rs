//! What is tuned here.

use vortex::prelude::*;

/// `c = a * b`, each `n` x `n`, by groups of `TILE` x `TILE` items.
#[vortex::kernel(block = (TILE, TILE))]
#[tune(TILE in [2, 4, 8])]
pub(crate) fn product<const TILE: usize>(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = local::<[f32; 64]>();
    let right = local::<[f32; 64]>();
    let (x, y) = local_id_2d();
    let (column, row) = global_id_2d();
    let own = y * TILE + x;
    let mut sum = 0.0;
    for start in (0..n).step_by(TILE) {
        left[own] = if row < n && start + x < n {
            a[row * n + start + x]
        } else {
            0.0
        };
        right[own] = if start + y < n && column < n {
            b[(start + y) * n + column]
        } else {
            0.0
        };
        barrier();
        for k in 0..TILE {
            sum += left[y * TILE + k] * right[k * TILE + x];
        }
        barrier();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

/// `y = y + x`, several elements for each item, in groups.
#[vortex::kernel]
#[tune(each in [1, 2, 4], block in [4, 8, 16, (4, 2)], where each * block.0 <= 32)]
pub(crate) fn add(#[comptime] each: usize, x: &[f32], y: &mut [f32]) {
    let first = global_id() * each;
    for i in first..first + each {
        if i < y.len() {
            y[i] += x[i];
        }
    }
}

/// What `order` does.
#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
pub(crate) enum Order {
    Forward,
    Backward,
}

/// Copies `x` to `y`, `N` times as large, in either order.
#[vortex::kernel]
#[tune(order in [Order::Forward, Order::Backward])]
pub(crate) fn enlarge<T: Num, const N: u32>(
    #[comptime] order: Order,
    #[comptime] twice: bool,
    x: &[T],
    y: &mut [T],
) {
    let i = match order {
        Order::Forward => global_id(),
        Order::Backward => y.len() - 1 - global_id(),
    };
    let mut sum = x[i];
    for _ in 1..N {
        sum += x[i];
    }
    y[i] = if comptime!(twice) { sum + sum } else { sum };
}

/// Reverses each part of `SIDE` elements, in local memory that the launch gives.
#[vortex::tune(SIDE in [4, 8, 16])]
#[vortex::kernel(block = SIDE)]
pub(crate) fn reverse<const SIDE: usize>(tile: &mut Local<[u32]>, y: &mut [u32]) {
    tile[local_id()] = y[global_id()];
    barrier();
    y[global_id()] = tile[SIDE - 1 - local_id()];
}

/// How many items there were, in all launches.
#[vortex::global]
pub(crate) static ITEMS: u32 = 0;

/// Counts its items, and fails for `step` 3.
#[vortex::kernel]
#[tune(step in [1, 3, 2])]
pub(crate) fn count(#[comptime] step: usize, y: &mut [u32]) {
    println!("item {} of step {}", global_id(), step);
    ITEMS.fetch_add(1, Relaxed);
    let i = global_id() / step * step;
    y[if comptime!(step == 3) { y.len() } else { i }] += 1;
}

/// How often [`repeat`] goes round for each of its numbers.
#[vortex::global]
pub(crate) static ROUNDS: u32 = 1;

/// How many of its items have run.
#[vortex::global]
pub(crate) static RUN: u32 = 0;

/// Takes as long as its numbers and [`ROUNDS`] say, and leaves other ones, with which it fails.
#[vortex::kernel]
#[tune(step in [1, 2])]
pub(crate) fn repeat(#[comptime] step: u32, x: &mut [u32]) {
    let i = global_id();
    assert!(x[i] < 64 && RUN.fetch_add(1, Relaxed) < 16);
    let mut sum = 0;
    for round in 0..x[i] * ROUNDS.load(Relaxed) {
        sum += (round ^ sum) * step;
    }
    x[i] += 64 + sum % 2;
}

/// How many items each group has, which all of its items count.
#[vortex::kernel]
#[tune(block in [16, 4])]
pub(crate) fn sizes(y: &mut [u32]) {
    let count = group::reduce_add(1u32);
    y[global_id()] = count;
}

/// Reads through a pointer.
#[vortex::kernel]
#[tune(each in [1, 2])]
pub(crate) unsafe fn through_a_pointer(#[comptime] each: usize, x: *const u32, y: &mut [u32]) {
    for k in 0..each {
        let i = global_id() * each + k;
        if i < y.len() {
            // SAFETY: the caller's `x` has as many elements as `y`.
            y[i] = unsafe { *x.add(i) };
        }
    }
}
