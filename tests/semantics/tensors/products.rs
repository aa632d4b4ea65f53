use vortex::prelude::*;

use super::device;

#[vortex::kernel(block = 64)]
fn matmul(
    #[layout(tile_shape = [16, 16])] a: &Tensor<bf16, 64, 64>,
    #[layout(tile_shape = [16, 16])] b: &Tensor<bf16, 64, 64>,
    #[layout(tile_shape = [16, 16])] c: &mut Tensor<f32, 64, 64>,
) {
    let (column, row) = group_id_2d();
    let left = a.buffer();
    let right = b.buffer();
    let out = c.buffer();
    let sums = c.accumulator();
    left.reserve();
    left.load_tile(a.tile(row, 0));
    left.push();
    right.reserve();
    right.load_tile(b.tile(0, column));
    right.push();
    for k in 1..a.tile_cols() {
        left.wait();
        right.wait();
        left.reserve();
        left.load_tile(a.tile(row, k));
        left.push();
        right.reserve();
        right.load_tile(b.tile(k, column));
        right.push();
        sums.mma(left, right);
        left.pop();
        right.pop();
    }
    left.wait();
    right.wait();
    sums.mma(left, right);
    left.pop();
    right.pop();
    out.reserve();
    sums.store_to(out);
    out.push();
    out.wait();
    out.store_tile(c.tile(row, column));
    out.pop();
}

#[test]
fn products_of_tiles_are_those_of_the_matrices() {
    let device = device();
    let layout = TensorLayout::INTERLEAVED.tile_shape(16, 16);
    let number = |i: usize, by: usize| bf16::from_f32((i % by) as f32 - (by / 2) as f32);
    let a: Vec<bf16> = (0..64 * 64).map(|i| number(i, 19)).collect();
    let b: Vec<bf16> = (0..64 * 64).map(|i| number(i, 23)).collect();
    let left = device.upload_tensor(&a, layout).unwrap();
    let right = device.upload_tensor(&b, layout).unwrap();
    let mut out = device.alloc_tensor(layout).unwrap();
    matmul(&left, &right, &mut out)
        .grid((4, 4))
        .launch(&device)
        .unwrap();
    let found = out.download().unwrap();
    for row in 0..64 {
        for col in 0..64 {
            let products = (0..64).map(|k| a[row * 64 + k].to_f32() * b[k * 64 + col].to_f32());
            assert_eq!(found[row * 64 + col], products.sum::<f32>(), "{row}, {col}");
        }
    }
}
