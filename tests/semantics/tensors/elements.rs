use crate::said::said;
use vortex::prelude::*;
use vortex::{Error, FaultKind};

use super::device;

#[vortex::kernel]
fn doubled(
    a: &Tensor<i32, 5, 7>,
    #[layout(layout = linear, tile_shape = [2, 4])] b: &mut Tensor<i32, 5, 7>,
) {
    let (col, row) = global_id_2d();
    b.write(row, col, 2 * a.read(row, col));
}

#[test]
fn elements_are_found_in_all_layouts() {
    let device = device();
    let numbers: Vec<i32> = (0..35).collect();
    let a = device
        .upload_tensor(&numbers, TensorLayout::INTERLEAVED)
        .unwrap();
    let mut b = device
        .alloc_tensor(TensorLayout::LINEAR.tile_shape(2, 4))
        .unwrap();
    doubled(&a, &mut b).over((7, 5)).launch(&device).unwrap();
    let twice: Vec<i32> = numbers.iter().map(|n| 2 * n).collect();
    assert_eq!(b.download().unwrap(), twice);
}

#[test]
fn elements_outside_are_faults() {
    let device = device();
    let a = device
        .upload_tensor(&vec![1; 35], TensorLayout::INTERLEAVED)
        .unwrap();
    let mut b = device
        .alloc_tensor(TensorLayout::LINEAR.tile_shape(2, 4))
        .unwrap();
    let Err(Error::Fault(fault)) = doubled(&a, &mut b).over((8, 5)).launch(&device) else {
        panic!("column 7 is outside");
    };
    assert_eq!((fault.kind, fault.operands), (FaultKind::Element, [7, 7]));
    assert!(
        fault
            .to_string()
            .contains("coordinate 7 is out of bounds of a tensor that has 7 along that axis")
    );
}

/// Whatever the layout, the matrix is the same.
#[vortex::kernel]
fn transposed(
    #[layout(layout = sharded, shard(axes = [N, M], grid = [3, 2]), order = col_major, align_tiles = false,
        tile_shape = [4, 4])]
    a: &Tensor<f32>,
    #[layout(tile_shape = [3, 5])] b: &mut Tensor<f32>,
) {
    let (col, row) = global_id_2d();
    if row < a.rows() && col < a.cols() {
        b.write(col, row, a.read(row, col));
    }
}

#[test]
fn extents_may_come_with_the_launch() {
    let device = device();
    for (rows, cols) in [(6, 9), (11, 17), (4, 30)] {
        let numbers: Vec<f32> = (0..rows * cols).map(|n| n as f32).collect();
        let layout = TensorLayout::sharded(&[Axis::N, Axis::M], &[3, 2]);
        let layout = layout
            .order(vortex::ShardOrder::ColMajor)
            .align_tiles(false)
            .tile_shape(4, 4);
        let a = device
            .upload_tensor(&(&numbers[..], rows, cols), layout)
            .unwrap();
        let mut b = device
            .alloc_tensor_of(cols, rows, TensorLayout::INTERLEAVED.tile_shape(3, 5))
            .unwrap();
        transposed(&a, &mut b)
            .over((32, 16))
            .launch(&device)
            .unwrap();
        let found = b.download().unwrap();
        for (number, value) in numbers.into_iter().enumerate() {
            assert_eq!(found[number % cols * rows + number / cols], value);
        }
    }
}

#[test]
fn launches_look_at_layouts() {
    let device = device();
    let numbers = vec![0.0f32; 36];
    let plain = device
        .upload_tensor(&(&numbers[..], 6, 6), TensorLayout::INTERLEAVED)
        .unwrap();
    let mut out = device
        .alloc_tensor_of(6, 6, TensorLayout::INTERLEAVED.tile_shape(3, 5))
        .unwrap();
    let error = transposed(&plain, &mut out)
        .over((6, 6))
        .launch(&device)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "kernel transposed: the tensor `a` is declared as `layout = sharded, tile_shape = [4, 4], shard(axes = [N, \
         M], grid = [3, 2]), order = col_major, align_tiles = false`, but the one passed rests as `layout = \
         interleaved, tile_shape = [32, 32]`"
    );
    // Two rows cannot be cut into shards of which each has one, three times.
    let layout = TensorLayout::sharded(&[Axis::M], &[4]).align_tiles(false);
    let error = device
        .upload_tensor::<f32, 6, 6>(&numbers, layout)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "a tensor of 6 x 6 elements: Shard grid mismatch: 4 shards along M, but the tensor fills only 3"
    );
    let error = device
        .upload_tensor::<f32, 6, 7>(&[[0.0; 6]; 6], TensorLayout::INTERLEAVED)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "a tensor of 6 x 7 elements cannot hold a matrix of 6 x 6: pass one of the same size, or use \
         `upload_tensor_padded` for a smaller one"
    );
    let padded: Tensor<f32, 6, 7> = device
        .upload_tensor_padded(&[[1.0; 2]; 2], TensorLayout::INTERLEAVED.tile_shape(4, 4))
        .unwrap();
    let found = padded.download().unwrap();
    assert_eq!(&found[..9], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    assert!(found[9..].iter().all(|element| *element == 0.0));
}

#[vortex::kernel(block = 8, grid = (2, 3))]
fn groups_of_attributes(out: &mut [u32]) {
    out[global_id()] = group_count() as u32;
}

#[test]
fn the_attribute_says_how_many_groups_there_are() {
    let device = device();
    let mut out = device.alloc(48).unwrap();
    groups_of_attributes(&mut out).launch(&device).unwrap();
    assert_eq!(out.download().unwrap(), [6; 48]);
    let error = groups_of_attributes(&mut out)
        .grid(6)
        .launch(&device)
        .unwrap_err();
    assert_eq!(
        said(&error),
        "kernel groups_of_attributes: every launch has 2 x 3 groups (`grid = (2, 3)`), but this one has 6"
    );
}
