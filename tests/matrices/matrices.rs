//! Matrices of the crate `ndarray`, as tensors.

#![allow(clippy::unwrap_used)]

use ndarray::{Array2, ArrayView2, s};
use vortex::prelude::*;
use vortex::{Error, MemoryError};

/// A device with room for groups of 64 work items.
fn device() -> Device {
    Device::builder()
        .cores(1)
        .warps(8)
        .threads(8)
        .open()
        .unwrap()
}

#[vortex::kernel]
fn negated(#[layout(tile_shape = [2, 4])] a: &Tensor<i32>, b: &mut Tensor<i32>) {
    let (col, row) = global_id_2d();
    b.write(row, col, -a.read(row, col));
}

/// What the kernel makes of a matrix, as another.
fn on_the_device(matrix: ArrayView2<'_, i32>) -> vortex::Result<Array2<i32>> {
    let device = device();
    let (rows, cols) = matrix.dim();
    let a = device.upload_tensor(&matrix, TensorLayout::INTERLEAVED.tile_shape(2, 4))?;
    let mut b = device.alloc_tensor_of(rows, cols, TensorLayout::INTERLEAVED)?;
    negated(&a, &mut b).over((cols, rows)).launch(&device)?;
    b.to_array()
}

#[test]
fn arrays_go_to_the_device_and_back() {
    let matrix = Array2::from_shape_fn((5, 7), |(row, col)| (10 * row + col) as i32);
    // Row by row in memory, column by column, backwards, and a part of one: in each, the same element is the same.
    for view in [
        matrix.view(),
        matrix.t(),
        matrix.slice(s![..;-1, ..]),
        matrix.slice(s![1..4, 2..;2]),
    ] {
        assert_eq!(on_the_device(view).unwrap(), view.mapv(|element| -element));
    }
}

#[test]
fn arrays_of_another_size_are_refused_or_padded() {
    let device = device();
    let matrix = Array2::from_elem((2, 3), 1.5f32);
    let layout = TensorLayout::INTERLEAVED.tile_shape(2, 2);
    let Err(error @ Error::Memory(MemoryError::TensorShape { .. })) =
        device.upload_tensor::<f32, 4, 4>(&matrix, layout)
    else {
        panic!("a matrix of 2 x 3 is no tensor of 4 x 4");
    };
    assert_eq!(
        error.to_string(),
        "a tensor of 4 x 4 elements cannot hold a matrix of 2 x 3: pass one of the same size, or use \
         `upload_tensor_padded` for a smaller one"
    );
    let padded: Tensor<f32, 4, 4> = device.upload_tensor_padded(&matrix, layout).unwrap();
    let found = padded.to_array().unwrap();
    assert_eq!(found.slice(s![..2, ..3]), matrix);
    assert_eq!(found.sum(), matrix.sum());
}
