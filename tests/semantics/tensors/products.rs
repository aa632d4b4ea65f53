use crate::said::said;
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

/// Rows of the first factor, columns of the second and what is summed over: no tiles fit exactly.
const M: usize = 20;
const N: usize = 28;
const K: usize = 37;

/// A product of tensors of a type, with circular buffers of a depth, and its test.
macro_rules! products {
    ($($name:ident: $ty:ty, $sum:ty, $depth:literal, [$tm:literal, $tk:literal, $tn:literal], $from:expr, $to:expr;)*) => {$(
        mod $name {
            use super::*;

            #[vortex::kernel(block = 24)]
            fn product(
                #[layout(tile_shape = [$tm, $tk], depth = $depth)] a: &Tensor<$ty, M, K>,
                #[layout(tile_shape = [$tk, $tn], depth = $depth, layout = linear)] b: &Tensor<$ty, K, N>,
                #[layout(tile_shape = [$tm, $tn], depth = $depth)] c: &mut Tensor<$sum, M, N>,
            ) {
                let (column, row) = group_id_2d();
                let (left, right, out) = (a.buffer(), b.buffer(), c.buffer());
                let sums = c.accumulator();
                for k in 0..a.tile_cols() {
                    left.reserve();
                    left.load_tile(a.tile(row, k));
                    left.push();
                    right.reserve();
                    right.load_tile(b.tile(k, column));
                    right.push();
                    left.wait();
                    right.wait();
                    sums.mma(left, right);
                    left.pop();
                    right.pop();
                }
                out.reserve();
                sums.store_to(out);
                out.push();
                out.wait();
                out.store_tile(c.tile(row, column));
                out.pop();
            }

            #[test]
            fn is_that_of_plain_rust() {
                let device = device();
                let (from, to): (fn(i32) -> $ty, fn($sum) -> i32) = ($from, $to);
                let left: Vec<i32> = (0..M * K).map(|n| (n * 7 % 11) as i32 - 5).collect();
                let right: Vec<i32> = (0..K * N).map(|n| (n * 5 % 13) as i32 - 6).collect();
                let numbers = |all: &[i32]| all.iter().map(|n| from(*n)).collect::<Vec<$ty>>();
                let tiles = TensorLayout::INTERLEAVED;
                let a = device.upload_tensor(&numbers(&left), tiles.tile_shape($tm, $tk)).unwrap();
                let b = TensorLayout::LINEAR.tile_shape($tk, $tn);
                let b = device.upload_tensor(&numbers(&right), b).unwrap();
                let mut c = device.alloc_tensor(tiles.tile_shape($tm, $tn)).unwrap();
                let groups = (N.div_ceil($tn), M.div_ceil($tm));
                product(&a, &b, &mut c).grid(groups).launch(&device).unwrap();
                for (n, found) in c.download().unwrap().into_iter().enumerate() {
                    let (row, col) = (n / N, n % N);
                    let products = (0..K).map(|k| left[row * K + k] * right[k * N + col]);
                    assert_eq!(to(found), products.sum::<i32>(), "{row}, {col}");
                }
            }
        }
    )*};
}

products! {
    of_bf16: bf16, f32, 2, [8, 8, 8], |n| bf16::from_f32(n as f32), |n| n as i32;
    of_f16: f16, f32, 1, [8, 4, 12], |n| f16::from_f32(n as f32), |n| n as i32;
    of_f32: f32, f32, 4, [4, 8, 8], |n| n as f32, |n| n as i32;
    of_i8: i8, i32, 4, [5, 7, 9], |n| n as i8, |n| n;
    of_i32: i32, i32, 1, [16, 16, 16], |n| n, |n| n;
    // Rows of two words, of many elements in a loop, and of so many that lanes do not go round in them.
    of_short_rows: i8, i32, 2, [8, 8, 8], |n| n as i8, |n| n;
    of_large_tiles: f32, f32, 1, [32, 32, 32], |n| n as f32, |n| n as i32;
    of_odd_rows: f32, f32, 1, [32, 24, 32], |n| n as f32, |n| n as i32;
}

/// Products of several types in the same sums.
#[vortex::kernel(block = 16)]
fn sum_of_products(
    #[layout(tile_shape = [8, 8])] a: &Tensor<i8, 8, 8>,
    #[layout(tile_shape = [8, 8])] b: &Tensor<i32, 8, 8>,
    #[layout(tile_shape = [8, 8])] c: &mut Tensor<i32, 8, 8>,
) {
    let (bytes, words, out) = (a.buffer(), b.buffer(), c.buffer());
    let sums = c.accumulator();
    bytes.reserve();
    bytes.load_tile(a.tile(0, 0));
    bytes.push();
    words.reserve();
    words.load_tile(b.tile(0, 0));
    words.push();
    bytes.wait();
    words.wait();
    sums.mma(bytes, words);
    sums.mma(words, bytes);
    sums.mma(bytes, bytes);
    sums.mma(words, words);
    out.reserve();
    sums.store_to(out);
    out.push();
    out.wait();
    out.store_tile(c.tile(0, 0));
}

#[test]
fn sums_are_of_products_of_any_types() {
    let device = device();
    let layout = TensorLayout::INTERLEAVED.tile_shape(8, 8);
    let a: Vec<i8> = (0..64).map(|n| (n * 7 % 23) as i8 - 11).collect();
    let b: Vec<i32> = (0..64).map(|n| n * 11 % 29 - 14).collect();
    let bytes = device.upload_tensor(&a, layout).unwrap();
    let words = device.upload_tensor(&b, layout).unwrap();
    let mut c = device.alloc_tensor(layout).unwrap();
    sum_of_products(&bytes, &words, &mut c)
        .grid(1)
        .launch(&device)
        .unwrap();
    // (a + b) * (a + b)
    let both: Vec<i32> = a.iter().zip(&b).map(|(a, b)| i32::from(*a) + b).collect();
    for (n, found) in c.download().unwrap().into_iter().enumerate() {
        let (row, col) = (n / 8, n % 8);
        let products = (0..8).map(|k| both[row * 8 + k] * both[k * 8 + col]);
        assert_eq!(found, products.sum::<i32>(), "{row}, {col}");
    }
}

/// One buffer for tiles of three types and two shapes.
#[vortex::kernel(block = 8)]
fn in_one_buffer(
    #[layout(tile_shape = [4, 8])] a: &Tensor<i8, 8, 8>,
    #[layout(tile_shape = [8, 8])] b: &Tensor<bf16, 8, 8>,
    #[layout(tile_shape = [8, 8], depth = 3)] c: &mut Tensor<f32, 8, 8>,
) {
    let pages = c.buffer();
    let (bytes, halves) = (a.buffer_in(pages), b.buffer_in(pages));
    for half in 0..2 {
        bytes.reserve();
        bytes.load_tile(a.tile(half, 0));
        bytes.push();
        halves.reserve();
        halves.load_tile(b.tile(0, 0));
        halves.push();
        // The page of bytes is in front of that of halves.
        bytes.wait();
        let number = bytes.read(local_id() % 4, local_id()) as f32;
        bytes.pop();
        halves.wait();
        let product = number * halves.read(4 * half + local_id() % 4, local_id()).to_f32();
        halves.pop();
        pages.reserve();
        pages.write(0, local_id(), product);
        pages.push();
        pages.wait();
        c.write(
            4 * half + local_id() % 4,
            local_id(),
            pages.read(0, local_id()),
        );
        pages.pop();
    }
}

#[test]
fn a_circular_buffer_carries_pages_of_several_formats() {
    let device = device();
    let layout = TensorLayout::INTERLEAVED.tile_shape(8, 8);
    let number = |n: usize| n as f32 * 0.25 - 3.0;
    let bytes: Vec<i8> = (0..64i32).map(|n| (n * 5 % 31 - 15) as i8).collect();
    let halves: Vec<bf16> = (0..64).map(|n| bf16::from_f32(number(n))).collect();
    let a = device
        .upload_tensor(&bytes, TensorLayout::INTERLEAVED.tile_shape(4, 8))
        .unwrap();
    let b = device.upload_tensor(&halves, layout).unwrap();
    let mut c = device.alloc_tensor(layout).unwrap();
    in_one_buffer(&a, &b, &mut c)
        .grid(1)
        .launch(&device)
        .unwrap();
    for (n, found) in c.download().unwrap().into_iter().enumerate() {
        let expected = match n / 8 % 4 == n % 8 % 4 {
            true => f32::from(bytes[n]) * number(n),
            false => 0.0,
        };
        assert_eq!(found, expected, "{}, {}", n / 8, n % 8);
    }
}

/// As much local memory as there is, to the byte: two buffers of two pages of 32 x 32, and one of two pages of twice
/// the size.
#[vortex::kernel(block = 64)]
fn all_of_local_memory(
    a: &Tensor<bf16, 32, 32>,
    b: &Tensor<bf16, 32, 32>,
    c: &mut Tensor<f32, 32, 32>,
) {
    let (left, right, out) = (a.buffer(), b.buffer(), c.buffer());
    let sums = c.accumulator();
    left.reserve();
    left.load_tile(a.tile(0, 0));
    left.push();
    right.reserve();
    right.load_tile(b.tile(0, 0));
    right.push();
    left.wait();
    right.wait();
    sums.mma(left, right);
    out.reserve();
    sums.store_to(out);
    out.push();
    out.wait();
    out.store_tile(c.tile(0, 0));
}

#[test]
fn buffers_may_take_all_of_local_memory() {
    for bytes in [16 << 10, 8 << 10] {
        let device = Device::builder().cores(1).warps(8).threads(8);
        let device = device.local_memory(bytes).open().unwrap();
        let ones = vec![bf16::from_f32(1.0); 32 * 32];
        let a = device
            .upload_tensor(&ones, TensorLayout::INTERLEAVED)
            .unwrap();
        let mut c = device.alloc_tensor(TensorLayout::INTERLEAVED).unwrap();
        let done = all_of_local_memory(&a, &a, &mut c).grid(1).launch(&device);
        match bytes {
            16384 => {
                done.unwrap();
                assert_eq!(c.download().unwrap(), [32.0; 32 * 32]);
            }
            _ => assert_eq!(
                said(&done.unwrap_err()),
                "kernel all_of_local_memory needs 16384 bytes of local memory for each work group, but a core of \
                 this device has 8192"
            ),
        }
    }
}

/// More pages than there are, and fewer.
#[vortex::kernel(block = 8)]
fn unbalanced(too_many: bool, a: &Tensor<i8, 32, 32>) {
    let page = a.buffer();
    if too_many {
        for _ in 0..3 {
            page.reserve();
            page.push();
        }
    } else {
        page.wait();
    }
}

#[test]
fn waiting_for_ever_is_a_fault() {
    let device = device();
    let a = device.alloc_tensor(TensorLayout::INTERLEAVED).unwrap();
    for (too_many, says) in [
        (
            true,
            "a page is reserved of a circular buffer of 2 pages that are all pushed and not popped",
        ),
        (
            false,
            "a circular buffer is waited for of which no page has been pushed",
        ),
    ] {
        let error = unbalanced(too_many, &a)
            .grid(1)
            .launch(&device)
            .unwrap_err()
            .to_string();
        assert!(error.contains(says), "{error}");
    }
}
