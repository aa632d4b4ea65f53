use crate::said::said;
use vortex::prelude::*;
use vortex::{Error, FaultKind, TensorMemory};

use super::device;

const L1: TensorLayout = TensorLayout::sharded(&[Axis::M, Axis::N], &[2, 3])
    .tile_shape(4, 4)
    .in_memory(TensorMemory::L1);

/// Each element and those around it, as far as they are there.
#[vortex::kernel(block = 16, grid = (3, 2))]
fn around(
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [2, 3]), tile_shape = [4, 4], halo = [1, 1])]
    a: &Tensor<i32, 15, 22>,
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [2, 3]), tile_shape = [4, 4])]
    b: &mut Tensor<i32, 15, 22>,
) {
    let from = a.shard();
    let to = b.shard();
    for n in (local_id()..to.rows() * to.cols()).step_by(16) {
        let (row, col) = (n / to.cols(), n % to.cols());
        let sum = from.read(row, col)
            + from.near(row, col, -1, 0)
            + from.near(row, col, 1, 0)
            + 100 * from.near(row, col, 0, -1)
            + 10000 * from.near(row, col, 0, 1);
        to.write(row, col, sum);
    }
    to.flush();
}

#[test]
fn shards_have_their_neighbours_rim() {
    let device = device();
    let number = |row: i32, col: i32| {
        let inside = (0..15).contains(&row) && (0..22).contains(&col);
        if inside { 3 * row + col + 1 } else { 0 }
    };
    let matrix: Vec<i32> = (0..15 * 22).map(|n| number(n / 22, n % 22)).collect();
    let a = device.upload_tensor(&matrix, L1).unwrap();
    let mut b = device.alloc_tensor(L1).unwrap();
    around(&a, &mut b).launch(&device).unwrap();
    for (n, found) in b.download().unwrap().into_iter().enumerate() {
        let (row, col) = (n as i32 / 22, n as i32 % 22);
        let expected = number(row, col)
            + number(row - 1, col)
            + number(row + 1, col)
            + 100 * number(row, col - 1)
            + 10000 * number(row, col + 1);
        assert_eq!(found, expected, "{row}, {col}");
    }
}

#[vortex::kernel(block = 8)]
fn too_large(
    #[layout(memory = l1, layout = sharded, shard(axes = [M], grid = [2]))] a: &Tensor<
        f32,
        256,
        128,
    >,
    out: &mut [f32],
) {
    let shard = a.shard();
    out[global_id()] = shard.read(0, 0);
}

#[vortex::kernel(block = 8)]
fn beyond(
    #[layout(memory = l1, layout = sharded, shard(axes = [M], grid = [2]))] a: &Tensor<i8, 64, 32>,
    out: &mut [i8],
) {
    let shard = a.shard();
    out[global_id()] = shard.read(32, 0);
}

#[test]
fn shards_are_held_against_the_device() {
    let device = device();
    let layout = TensorLayout::sharded(&[Axis::M], &[2]).in_l1();
    let a = device.alloc_tensor(layout).unwrap();
    let mut out = device.alloc(16).unwrap();
    let error = too_large(&a, &mut out)
        .grid(2)
        .launch(&device)
        .unwrap_err()
        .to_string();
    let text = "kernel too_large: the tensor `a`: L1 shard exceeds capacity: 65536 bytes required, 16384 bytes \
        available, declared at ";
    assert!(
        error.starts_with(text) && error.contains("shards.rs:"),
        "{error}"
    );
    let a = device.alloc_tensor(layout).unwrap();
    let mut out = device.alloc(24).unwrap();
    let error = beyond(&a, &mut out).grid(3).launch(&device).unwrap_err();
    assert_eq!(
        said(&error),
        "kernel beyond: the tensor `a` has 2 shards in L1, one for each group, but the launch has 3 groups"
    );
    let Err(Error::Fault(fault)) = beyond(&a, &mut out).grid(2).launch(&device) else {
        panic!("a shard has 32 rows");
    };
    assert_eq!((fault.kind, fault.operands), (FaultKind::Element, [32, 32]));
}
