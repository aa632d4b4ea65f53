//! What tensors cannot be used for, which recording a kernel shows.

use vortex::prelude::*;

use super::device;

/// Does something wrong with tensors, unless the number is 0.
#[vortex::kernel(block = 8)]
fn mistaken(
    #[comptime] mistake: u32,
    #[layout(tile_shape = [8, 4])] a: &Tensor<f32, 16, 16>,
    #[layout(tile_shape = [8, 4])] b: &Tensor<f32, 16, 16>,
    #[layout(memory = l1, layout = sharded, shard(axes = [M], grid = [2]), tile_shape = [4, 4])] c: &Tensor<f32>,
    #[layout(tile_shape = [64, 64], depth = 1)] d: &mut Tensor<f32>,
) {
    if mistake == 1 {
        let (first, again) = (a.buffer(), a.buffer());
        first.push();
        again.push();
    } else if mistake == 2 {
        let (first, again) = (c.shard(), c.shard());
        d.write(0, 0, first.read(0, 0) + again.read(0, 0));
    } else if mistake == 3 {
        let shard = a.shard();
        d.write(0, 0, shard.read(0, 0));
    } else if mistake == 4 {
        let sums = d.accumulator();
        sums.clear();
    } else if mistake == 5 {
        let page = d.buffer();
        page.load_tile(a.tile(0, 0));
    } else if mistake == 6 {
        let shard = c.shard();
        shard.flush();
    } else if mistake == 7 {
        let either = if global_id() > 3 { a } else { b };
        d.write(0, 0, either.read(0, 0));
    } else if mistake == 8 {
        let pages = d.buffer_in(a.buffer());
        d.write(0, 0, pages.read(0, 0));
    }
}

/// The same of a product.
#[vortex::kernel(block = 8)]
fn of_products(
    #[comptime] mistake: u32,
    #[layout(tile_shape = [8, 4])] a: &Tensor<f32, 16, 16>,
    #[layout(tile_shape = [8, 4])] b: &Tensor<f32, 16, 16>,
    #[layout(tile_shape = [8, 8])] c: &mut Tensor<f32, 16, 16>,
) {
    let (left, right, sums) = (a.buffer(), b.buffer(), c.accumulator());
    if mistake == 1 {
        sums.mma(left, right);
    } else if mistake == 2 {
        sums.store_to(left);
    }
}

/// Groups of any size.
#[vortex::kernel]
fn in_any_groups(#[comptime] mistake: bool, a: &Tensor<f32, 32, 32>) {
    if mistake {
        let page = a.buffer();
        page.load_tile(a.tile(0, 0));
    }
}

/// The error says this, in the line of the kernel.
fn says(error: vortex::Error, text: &str) {
    let error = error.to_string();
    assert!(
        error.contains(text) && error.contains("mistakes.rs:"),
        "{error}"
    );
}

/// A product of tiles that are too large for the registers of a group, or of which it is not known.
macro_rules! squares {
    ($(#[$attribute:meta] $name:ident;)*) => {$(
        #[$attribute]
        fn $name(#[comptime] products: usize, a: &Tensor<f32, 32, 32>, c: &mut Tensor<f32, 32, 32>) {
            let (factor, out) = (a.buffer(), c.buffer());
            factor.reserve();
            factor.load_tile(a.tile(0, 0));
            factor.push();
            factor.wait();
            let sums = c.accumulator();
            for _ in comptime!(0..products) {
                sums.mma(factor, factor);
            }
            out.reserve();
            sums.store_to(out);
            out.push();
            out.wait();
            out.store_tile(c.tile(0, 0));
        }
    )*};
}

squares! {
    #[vortex::kernel] square_in_any_groups;
    #[vortex::kernel(block = 8)] square_in_small_groups;
}

#[test]
fn what_a_kernel_cannot_do_with_tensors_is_said_with_its_line() {
    let device = device();
    let layout = TensorLayout::INTERLEAVED.tile_shape(8, 4);
    let a = device.alloc_tensor(layout).unwrap();
    let shards = TensorLayout::sharded(&[Axis::M], &[2]).tile_shape(4, 4);
    let c = device.alloc_tensor_of(16, 16, shards).unwrap();
    let mut d = device
        .alloc_tensor_of(16, 16, TensorLayout::INTERLEAVED.tile_shape(64, 64))
        .unwrap();
    let mut launch = |mistake: u32| {
        mistaken(mistake, &a, &a, &c, &mut d)
            .grid(2)
            .launch(&device)
    };
    launch(0).unwrap();
    for (mistake, text) in [
        (
            1,
            "this tensor's circular buffer exists already: call `.buffer()` once",
        ),
        (
            2,
            "this tensor's shard exists already, and the launch, which says how large it is, gives local memory to one",
        ),
        (3, "only tensors in L1 have shards in local memory"),
        (
            4,
            "a tile of 64 x 64 is too much for the registers of this group: up to 64 elements for each work item",
        ),
        (
            5,
            "a tile of 8 x 4 does not go through a page of 64 x 64: give both tensors the same `tile_shape`",
        ),
        (
            6,
            "this tensor cannot be written: declare it as `&mut Tensor<..>`",
        ),
        (
            7,
            "this tensor has no accessor: use the kernel's parameter itself",
        ),
        (
            8,
            "a tile of 64 x 64 elements of `f32` has 16384 bytes, and a page of this circular buffer 128: use the \
             buffer of the tensor with the largest tiles",
        ),
    ] {
        says(launch(mistake).unwrap_err(), text);
    }
    let mut c = device
        .alloc_tensor(TensorLayout::INTERLEAVED.tile_shape(8, 8))
        .unwrap();
    for (mistake, text) in [
        (
            1,
            "the product of a tile of 8 x 4 and one of 8 x 4 is no tile of 8 x 8: see to it that the `tile_shape`s fit",
        ),
        (2, "sums of a tile of 8 x 8 do not fit a page of 8 x 4"),
    ] {
        says(
            of_products(mistake, &a, &a, &mut c)
                .grid(1)
                .launch(&device)
                .unwrap_err(),
            text,
        );
    }
    let a = device.alloc_tensor(TensorLayout::INTERLEAVED).unwrap();
    in_any_groups(false, &a).over(1).launch(&device).unwrap();
    let mut c = device.alloc_tensor(TensorLayout::INTERLEAVED).unwrap();
    says(
        square_in_any_groups(1, &a, &mut c)
            .grid(1)
            .block(64)
            .launch(&device)
            .unwrap_err(),
        "tiles are the work of whole groups, whose size has to be known when the kernel is compiled",
    );
    says(
        square_in_small_groups(1, &a, &mut c)
            .grid(1)
            .launch(&device)
            .unwrap_err(),
        "a tile of 32 x 32 is too much for the registers of this group: up to 64 elements for each work item",
    );
    says(
        in_any_groups(true, &a).over(1).launch(&device).unwrap_err(),
        "tiles are the work of whole groups, whose size has to be known when the kernel is compiled",
    );
}
