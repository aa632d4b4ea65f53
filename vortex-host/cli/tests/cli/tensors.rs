//! What the command shows of tensors.

use vortex::Module;
use vortex::prelude::*;

use crate::{file, path, printed};

/// `c = a * b`, with a shard of `b` in each group.
#[vortex::kernel(block = 64, grid = (8, 8))]
fn mixed(
    #[layout(tile_shape = [16, 16], depth = 4)] a: &Tensor<bf16>,
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]))] b: &Tensor<
        bf16,
        256,
        256,
    >,
    #[layout(layout = sharded, shard(axes = [N], grid = [3]), align_tiles = false, tile_shape = [8, 8])]
    d: &Tensor<i8, 16, 50>,
    c: &mut Tensor<f32, 256, 256>,
) {
    let (col, row) = global_id_2d();
    c.write(
        row,
        col,
        a.read(row, col).to_f32() + b.read(row, col).to_f32() + d.read(0, 0) as f32,
    );
}

/// Shards below each other, with a rim.
#[vortex::kernel(block = 8)]
fn rimmed(
    #[layout(
        memory = l1, layout = sharded, shard(axes = [M, N], grid = [2, 10]), order = col_major, halo = [1, 2],
        tile_shape = [4, 4]
    )]
    plate: &mut Tensor<f32, 8, 40>,
) {
    let shard = plate.shard();
    shard.write(0, 0, 1.0);
    shard.flush();
}

#[test]
fn inspect_shows_layouts_as_a_table_and_shards_as_a_picture() {
    let module = Module::builder("tensors").kernel::<mixed>();
    let module = module.kernel::<rimmed>().build().unwrap();
    let elf = path(&file("tensors.elf", module.to_elf()));
    let text = printed(&["inspect", &elf, "--kernel", "mixed"]);
    let table = "\
  tensor       memory layout       dtype  tile     buffer   page size depth stride  
  a            DRAM   interleaved  bf16   16x16    cb_in0         512     4 tiled    as many tiles as the launch says
  b            L1     sharded      bf16   32x32    cb_in1        2048     2 sharded  8 x 8 shards
  d            DRAM   sharded      i8     8x8      cb_in2          64     2 sharded  1 x 3 shards
  c            DRAM   interleaved  f32    32x32    cb_out0       4096     2 tiled    64 tiles, 8 in a row, the default layout

  b: 8 x 8 shards of 32 x 32 elements, 1 x 1 tiles each; each with its group
  +-----+-----+-----+-----+-----+-----+-----+-----+
  |  0  |  1  |  2  |  3  |  4  |  5  |  6  |  7  |
  +-----+-----+-----+-----+-----+-----+-----+-----+
  |  8  |  9  | 10  | 11  | 12  | 13  | 14  | 15  |
";
    assert!(text.contains(table), "{text}");
    let end = "
  | 56  | 57  | 58  | 59  | 60  | 61  | 62  | 63  |
  +-----+-----+-----+-----+-----+-----+-----+-----+

  d: 1 x 3 shards of 16 x 17 elements, 2 x 3 tiles each; each with its group
  +-----+-----+-----+
  |  0  |  1  |  2  |
  +-----+-----+-----+
";
    assert!(text.contains(end), "{text}");
    let text = printed(&["inspect", &elf, "--kernel", "rimmed"]);
    let picture = "
  plate: 2 x 10 shards of 4 x 4 elements, 1 x 1 tiles each, with a rim of 1 x 2; each with its group
  +-----+-----+-----+-----+-----+-----+-----+-----+
  |  0  |  2  |  4  |  6  |  8  | 10  | 12  | 14  | ..
  +-----+-----+-----+-----+-----+-----+-----+-----+
  |  1  |  3  |  5  |  7  |  9  | 11  | 13  | 15  | ..
  +-----+-----+-----+-----+-----+-----+-----+-----+
";
    assert!(text.contains(picture), "{text}");
}
