use super::*;
use crate::meta::{ArgMeta, arguments};
use crate::types::{bf16, f16};

const BOTH: &[Axis] = &[Axis::M, Axis::N];

fn problem(layout: TensorLayout, extents: [usize; 2]) -> Option<LayoutError> {
    BufferRecord::of(Dtype::Bf16, layout, extents).err()
}

#[test]
fn what_cannot_be_is_said_in_these_words() {
    let plain = TensorLayout::INTERLEAVED;
    let sharded = |grid: &[usize]| TensorLayout::sharded(BOTH, grid);
    for (layout, extents, text) in [
        (
            sharded(&[8, 8]).in_l1(),
            [240, 240],
            "L1 shard not tile-aligned: shard_shape [30, 30] must be multiples of tile_shape [32, 32]",
        ),
        (
            sharded(&[8, 8]),
            [240, 256],
            "DRAM shard not tile-aligned: shard_shape [30, 32] must be multiples of tile_shape [32, 32]",
        ),
        (
            plain.halo(1, 1),
            [64, 64],
            "Halo hints not supported: buffer  has halo [1, 1]; only shards in L1 have their neighbours' rim around \
             them",
        ),
        (
            sharded(&[2, 2]).in_l1().halo(33, 0),
            [64, 64],
            "Halo exceeds the neighbours: halo [33, 0] must be within shard_shape [32, 32]",
        ),
        (
            sharded(&[8]),
            [256, 256],
            "Shard grid mismatch: 2 in `axes` and 1 in `grid` must be as many",
        ),
        (
            TensorLayout::sharded(&[Axis::M, Axis::N, Axis::M], &[2, 2, 2]),
            [64, 64],
            "Shard rank mismatch: 3 in `axes`, but a tensor has the axes M and N",
        ),
        (
            TensorLayout::sharded(&[Axis::N, Axis::N], &[2, 2]),
            [64, 64],
            "Shard axes mismatch: N is there twice",
        ),
        (
            sharded(&[8, 1]).tile_shape(1, 32),
            [9, 32],
            "Shard grid mismatch: 8 shards along M, but the tensor fills only 5",
        ),
        (
            sharded(&[0, 8]),
            [64, 64],
            "an extent of a shard grid must not be zero",
        ),
        (plain, [0, 64], "the extent M of a tensor must not be zero"),
        (plain, [64, 0], "the extent N of a tensor must not be zero"),
        (
            plain.tile_shape(0, 4),
            [64, 64],
            "the height of a tile must not be zero",
        ),
        (
            plain.tile_shape(4, 0),
            [64, 64],
            "the width of a tile must not be zero",
        ),
        (
            plain.depth(0),
            [64, 64],
            "the depth of a circular buffer must not be zero",
        ),
        (
            plain,
            [1 << 20, 1 << 20],
            "a tensor is beyond the memory of any Vortex",
        ),
        (
            plain.tile_shape(1 << 16, 1 << 15),
            [64, 64],
            "a circular buffer is beyond the memory of any Vortex",
        ),
        (
            plain.arranged(Arrangement::Sharded),
            [64, 64],
            "layout = sharded needs shards: write `shard(axes = [M, N], grid = [8, 8])`",
        ),
        (
            plain.shard(BOTH, &[2, 2]),
            [64, 64],
            "shards are for `layout = sharded`: write that, or leave `shard(..)` out",
        ),
        (
            plain.in_l1(),
            [64, 64],
            "a tensor in L1 is cut into shards, one for each group: write `layout = sharded, shard(axes = [M, N], \
             grid = [8, 8])`",
        ),
    ] {
        let found = problem(layout, extents).map(|error| error.to_string());
        assert_eq!(found.as_deref(), Some(text));
    }
}

#[test]
fn shards_that_are_padded_need_not_be_aligned() {
    let layout = TensorLayout::sharded(BOTH, &[8, 8]).align_tiles(false);
    let shard = BufferRecord::of(Dtype::F32, layout, [240, 250])
        .unwrap()
        .nd_shard
        .unwrap();
    assert_eq!(shard.shard_shape_elems, Some([30, 32]));
    assert_eq!(shard.projected_shard_tiles, Some([1, 1]));
}

#[test]
fn one_axis_is_cut_alone() {
    let layout = TensorLayout::sharded(&[Axis::N], &[4]);
    let shard = BufferRecord::of(Dtype::I8, layout, [64, 128])
        .unwrap()
        .nd_shard
        .unwrap();
    assert_eq!(
        (shard.projected_grid, shard.shard_shape_elems),
        ([1, 4], Some([64, 32]))
    );
    let layout = TensorLayout::sharded(&[Axis::N, Axis::M], &[4, 2]);
    let shard = BufferRecord::of(Dtype::I8, layout, [64, 128])
        .unwrap()
        .nd_shard
        .unwrap();
    assert_eq!(
        (shard.projected_grid, shard.projected_shard_tiles),
        ([2, 4], Some([1, 1]))
    );
}

/// Inputs and outputs of several formats, declared in a mixed order.
fn mixed() -> [ArgMeta; 5] {
    let l1 = TensorLayout::sharded(BOTH, &[2, 2]).in_l1();
    arguments([
        ArgMeta::tensor_mut::<f32, 64, 64>("out", None),
        ArgMeta::tensor::<bf16, 64, 64>("a", Some(l1)),
        ArgMeta::scalar::<u32>("n"),
        ArgMeta::tensor::<i8, 64, 64>("b", Some(TensorLayout::LINEAR.depth(4))),
        ArgMeta::tensor_mut::<f16, 64, 64>("half", Some(TensorLayout::INTERLEAVED.depth(1))),
    ])
}

#[test]
fn buffers_are_numbered_inputs_first() {
    let records = TensorRecords::of(&mixed(), None).unwrap();
    let cb = |name: &str| records.tensor(name).unwrap().cb.unwrap();
    let facts = |name: &str| {
        let cb = cb(name);
        (cb.cb_id, cb.page_size, cb.depth, cb.data_format.name())
    };
    assert_eq!(facts("a"), (0, 2048, 2, "bfloat16"));
    assert_eq!(facts("b"), (1, 1024, 4, "int8"));
    assert_eq!(facts("out"), (2, 4096, 2, "float32"));
    assert_eq!(facts("half"), (3, 2048, 1, "float16"));
    assert_eq!(Role::Input.buffer_name(1), "cb_in1");
    assert_eq!(Role::Output.buffer_name(0), "cb_out0");
}

#[test]
fn passes_run_in_order_and_again() {
    let args = mixed();
    let mut records = TensorRecords::default();
    let missing = "there is no record `tt.buffer.a`: the passes have to run in order";
    let (number, error) = propagate_layout(&args, &mut records, None).unwrap_err();
    assert_eq!((number, error.to_string().as_str()), (1, missing));
    let mut records = TensorRecords::default();
    infer_layout(&args, &mut records, None).unwrap();
    let missing = "there is no record `tt.cb.out`: the passes have to run in order";
    let (number, error) = attach_accessor(&args, &mut records).unwrap_err();
    assert_eq!((number, error.to_string().as_str()), (0, missing));
    propagate_layout(&args, &mut records, None).unwrap();
    attach_accessor(&args, &mut records).unwrap();
    let once = records.clone();
    infer_layout(&args, &mut records, None).unwrap();
    propagate_layout(&args, &mut records, None).unwrap();
    attach_accessor(&args, &mut records).unwrap();
    assert_eq!(records, once);
    assert_eq!(TensorRecords::of(&args, None).unwrap(), once);
    // A pass leaves what the others write alone.
    let names: Vec<_> = once
        .tensors()
        .iter()
        .map(|tensor| tensor.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "half", "out"]);
}

#[test]
fn local_memory_is_what_a_device_has() {
    let args = mixed();
    // Circular buffers: 2 * 2048 + 4 * 1024 + 2 * 4096 + 2048; a shard of 32 x 32 next to them.
    let all = 4096 + 4096 + 8192 + 2048 + 2048;
    assert!(TensorRecords::of(&args, Some(all)).is_ok());
    let (number, error) = TensorRecords::of(&args, Some(all - 1)).unwrap_err();
    let text = "circular buffers and shards exceed local memory: 20480 bytes required, 20479 bytes available";
    assert_eq!((number, error.to_string().as_str()), (4, text));
    let (number, error) = TensorRecords::of(&args, Some(2047)).unwrap_err();
    let text = "L1 shard exceeds capacity: 2048 bytes required, 2047 bytes available";
    assert_eq!((number, error.to_string().as_str()), (1, text));
}

/// A layout that a tensor of these extents can have, made of random numbers.
fn layout(seed: &mut u64, [rows, cols]: [usize; 2]) -> TensorLayout {
    let mut below = |n: usize| {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % n
    };
    let tiles = TensorLayout::INTERLEAVED.tile_shape(1 + below(9), 1 + below(9));
    let order = [ShardOrder::RowMajor, ShardOrder::ColMajor][below(2)];
    match below(4) {
        0 => tiles,
        1 => tiles.arranged(Arrangement::Linear),
        _ => {
            let axes: &[&[Axis]] = &[&[Axis::M], &[Axis::N], BOTH, &[Axis::N, Axis::M]];
            let axes = axes[below(4)];
            let extent = |axis: &Axis| if *axis == Axis::M { rows } else { cols };
            let grid: Vec<usize> = axes
                .iter()
                .map(|axis| {
                    // As many shards as are filled.
                    let extent = extent(axis);
                    extent.div_ceil(1 + below(extent))
                })
                .collect();
            let grid: Vec<usize> = axes
                .iter()
                .zip(grid)
                .map(|(axis, parts)| extent(axis).div_ceil(extent(axis).div_ceil(parts)))
                .collect();
            let sharded = tiles.arranged(Arrangement::Sharded).shard(axes, &grid);
            sharded.order(order).align_tiles(false)
        }
    }
}

/// The place of an element, by counting: what is in memory, from its beginning, until the element comes.
fn counted(buffer: &BufferRecord, [rows, cols]: [u32; 2]) -> Vec<Option<[u32; 2]>> {
    let [height, width] = buffer.tile_shape;
    let mut places = Vec::new();
    let inside = |row: u32, col: u32, rows: u32, cols: u32| row < rows && col < cols;
    match (buffer.layout, buffer.nd_shard) {
        (Arrangement::Linear, _) => {
            for row in 0..rows.next_multiple_of(height) {
                for col in 0..cols.next_multiple_of(width) {
                    places.push(inside(row, col, rows, cols).then_some([row, col]));
                }
            }
        }
        (_, shard) => {
            let [down, across] = shard.map_or([1, 1], |shard| shard.projected_grid);
            let [own_rows, own_cols] = shard
                .and_then(|shard| shard.shard_shape_elems)
                .unwrap_or([rows, cols]);
            let by_rows = |n: u32| [n / across, n % across];
            let by_cols = |n: u32| [n % down, n / down];
            for n in 0..down * across {
                let [m, n] = match shard.map(|shard| shard.order) {
                    Some(ShardOrder::ColMajor) => by_cols(n),
                    _ => by_rows(n),
                };
                for tile_row in (0..own_rows).step_by(height as usize) {
                    for tile_col in (0..own_cols).step_by(width as usize) {
                        for row in tile_row..tile_row + height {
                            for col in tile_col..tile_col + width {
                                let at = [m * own_rows + row, n * own_cols + col];
                                let is_there = inside(row, col, own_rows, own_cols)
                                    && inside(at[0], at[1], rows, cols);
                                places.push(is_there.then_some(at));
                            }
                        }
                    }
                }
            }
        }
    }
    places
}

#[test]
fn every_element_has_the_place_that_counting_gives() {
    let mut seed: u64 = 20;
    for case in 0..500 {
        let mut extent = || {
            seed = seed * 31 % 1_000_003;
            1 + (seed % 37) as usize
        };
        let extents = [extent(), extent()];
        let mut random = seed.wrapping_mul(case + 1);
        let layout = layout(&mut random, extents);
        let buffer = BufferRecord::of(Dtype::F32, layout, extents).unwrap();
        let words = extents.map(|extent| extent as u32);
        let geometry = Geometry::of(&buffer, words);
        let places = counted(&buffer, words);
        assert_eq!(
            geometry.elements() as usize,
            places.len(),
            "{buffer} of {extents:?}"
        );
        let mut seen = vec![false; places.len()];
        for row in 0..words[0] {
            for col in 0..words[1] {
                let place = geometry.element(row, col) as usize;
                assert_eq!(places[place], Some([row, col]), "{buffer} of {extents:?}");
                assert!(
                    !std::mem::replace(&mut seen[place], true),
                    "{buffer}: {row}, {col}"
                );
            }
        }
        // Tiles begin where their first elements are.
        let [height, width] = buffer.tile_shape;
        if buffer.nd_shard.is_none() {
            for [down, across] in [[0, 0], [(words[0] - 1) / height, (words[1] - 1) / width]] {
                let first = geometry.element(down * height, across * width);
                assert_eq!(geometry.tile_start([down, across]), first, "{buffer}");
            }
        }
    }
}
