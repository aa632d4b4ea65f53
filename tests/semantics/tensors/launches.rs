//! Tensors as arguments of launches.

use crate::said::said;
use serde_json::json;
use vortex::meta::{KernelInfo, ModuleInfo};
use vortex::prelude::*;
use vortex::tensor::TensorRecords;
use vortex::{
    ArgCounts, ClientVisitor, DeviceVisitor, Error, LaunchError, Module, ShardOrder, VisitedArg,
};

use super::device;

#[vortex::kernel]
fn scaled(by: i32, #[layout(tile_shape = [4, 4])] a: &Tensor<i32, 6, 7>, b: &mut Tensor<i32>) {
    let (col, row) = global_id_2d();
    b.write(row, col, by * a.read(row, col));
}

/// What a visitor is shown, and its words.
#[derive(Default)]
struct Seen(Vec<(&'static str, String, Vec<u32>)>);

impl Seen {
    fn note(&mut self, what: &'static str, arg: &VisitedArg<'_>) {
        let words = arg.bytes().unwrap_or_default().as_chunks::<4>().0;
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        self.0.push((what, arg.name().to_owned(), words.collect()));
    }
}

impl ClientVisitor for Seen {
    fn value(&mut self, arg: &VisitedArg<'_>) {
        self.note("value", arg);
    }
    fn tensor(&mut self, arg: &VisitedArg<'_>) {
        self.note("tensor", arg);
    }
}

impl DeviceVisitor for Seen {
    fn value(&mut self, arg: &VisitedArg<'_>) {
        self.note("value", arg);
    }
    fn address(&mut self, arg: &VisitedArg<'_>) {
        self.note("address", arg);
    }
    fn extents(&mut self, arg: &VisitedArg<'_>) {
        self.note("extents", arg);
    }
}

#[test]
fn visitors_see_tensors() {
    let device = device();
    let layout = TensorLayout::INTERLEAVED.tile_shape(4, 4);
    let a = device.alloc_tensor(layout).unwrap();
    let mut b = device
        .alloc_tensor_of(6, 7, TensorLayout::INTERLEAVED)
        .unwrap();
    let [first, second] = [a.binding(), b.binding()].map(|binding| binding.base_address);
    let launch = scaled(3, &a, &mut b);
    let (mut client, mut sent) = (Seen::default(), Seen::default());
    launch.visit_client(&mut client);
    launch.visit_device(&mut sent);
    let seen = |all: &[(&'static str, &str, &[u32])]| -> Vec<_> {
        let all = all.iter();
        all.map(|(what, name, words)| (*what, (*name).to_owned(), words.to_vec()))
            .collect()
    };
    // None of them has a shard in local memory.
    let expected = seen(&[
        ("value", "by", &[3]),
        ("tensor", "a", &[first, 0, 6, 7]),
        ("tensor", "b", &[second, 0, 6, 7]),
    ]);
    assert_eq!(client.0, expected);
    let expected = seen(&[
        ("value", "by", &[3]),
        ("address", "a", &[first]),
        ("extents", "a", &[0, 6, 7]),
        ("address", "b", &[second]),
        ("extents", "b", &[0, 6, 7]),
    ]);
    assert_eq!(sent.0, expected);
    let counts = ArgCounts::of(&KernelInfo::from(&scaled::META).args);
    assert_eq!((counts.client, counts.device), (3, 5));
}

/// Adds up each element and those above and to the left of it, in shards of any size.
#[vortex::kernel(block = 16)]
fn corners(
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [2, 3]), tile_shape = [4, 4], halo = [1, 1],
        order = col_major, align_tiles = false)]
    a: &Tensor<i32>,
    #[layout(memory = l1, layout = sharded, shard(axes = [N, M], grid = [3, 2]), tile_shape = [4, 4], order = col_major,
        align_tiles = false)]
    b: &mut Tensor<i32>,
    counts: &mut Local<[u32]>,
) {
    counts[local_id()] = 0;
    let (from, to) = (a.shard(), b.shard());
    for n in (local_id()..to.rows() * to.cols()).step_by(16) {
        let (row, col) = (n / to.cols(), n % to.cols());
        to.write(
            row,
            col,
            from.read(row, col) + from.near(row, col, -1, 0) + 100 * from.near(row, col, 0, -1),
        );
        counts[local_id()] += 1;
    }
    to.flush();
    if counts[local_id()] > to.rows() as u32 * to.cols() as u32 {
        to.write(0, 0, -1);
    }
}

const SHARDED: TensorLayout = TensorLayout::sharded(&[Axis::M, Axis::N], &[2, 3])
    .tile_shape(4, 4)
    .order(ShardOrder::ColMajor)
    .align_tiles(false);

fn matrix(rows: usize, cols: usize) -> Vec<i32> {
    (0..rows * cols).map(|n| 3 * n as i32 + 1).collect()
}

#[test]
fn shards_in_local_memory_are_as_large_as_the_launch_says() {
    let device = device();
    for (rows, cols) in [(15, 22), (2, 3), (8, 12), (40, 33)] {
        let numbers = matrix(rows, cols);
        let a = device
            .upload_tensor(&(&numbers[..], rows, cols), SHARDED)
            .unwrap();
        let mut b = device.alloc_tensor_of(rows, cols, SHARDED).unwrap();
        let launch = corners(&a, &mut b, LocalLen(16)).grid(6);
        launch.launch(&device).unwrap();
        for (n, found) in b.download().unwrap().into_iter().enumerate() {
            let (row, col) = (n / cols, n % cols);
            let above = if row > 0 { numbers[n - cols] } else { 0 };
            let left = if col > 0 { numbers[n - 1] } else { 0 };
            assert_eq!(
                found,
                numbers[n] + above + 100 * left,
                "{row}, {col} of {rows} x {cols}"
            );
        }
    }
}

#[test]
fn shards_that_the_launch_shows_to_be_impossible_are_its_errors() {
    let device = device();
    let refused = |rows: usize, cols: usize, groups: usize| {
        // It rests in a way that any size can have.
        let a = device.alloc_tensor_of(rows, cols, SHARDED);
        let a = a.or_else(|_| device.alloc_tensor_of(rows, cols, TensorLayout::INTERLEAVED));
        let mut b = device
            .alloc_tensor_of(rows, cols, TensorLayout::INTERLEAVED)
            .unwrap();
        let a = a.unwrap();
        let error = corners(&a, &mut b, LocalLen(16))
            .grid(groups)
            .launch(&device)
            .unwrap_err();
        said(&error)
    };
    let begins = |error: String, text: &str| assert!(error.starts_with(text), "{error}");
    begins(
        refused(128, 192, 6),
        "kernel corners: the tensor `a`: L1 shard exceeds capacity: 17424 bytes required, 16384 bytes available, \
         declared at ",
    );
    begins(
        refused(16, 2, 6),
        "kernel corners: the tensor `a`: Shard grid mismatch: 3 shards along N, but the tensor fills only 2, \
         declared at ",
    );
    let sized = |rows: usize, cols: usize, groups: usize| {
        let a = device.alloc_tensor_of(rows, cols, SHARDED).unwrap();
        let mut b = device.alloc_tensor_of(rows, cols, SHARDED).unwrap();
        let error = corners(&a, &mut b, LocalLen(16))
            .grid(groups)
            .launch(&device)
            .unwrap_err();
        said(&error)
    };
    assert_eq!(
        sized(15, 22, 5),
        "kernel corners: the tensor `a` has 6 shards in L1, one for each group, but the launch has 5 groups"
    );
    // Each fits, but not both.
    assert_eq!(
        sized(64, 186, 6),
        "kernel corners needs 16704 bytes of local memory for each work group (16704 by the lengths given to this \
         launch), but a core of this device has 16384"
    );
}

/// A record, by its key.
fn record(records: &TensorRecords, key: &str) -> serde_json::Value {
    serde_json::to_value(records).unwrap()[key].clone()
}

#[test]
fn launches_fill_bindings_and_complete_records() {
    let device = device();
    let a = device.alloc_tensor_of(16, 30, SHARDED).unwrap();
    let mut b = device.alloc_tensor_of(16, 30, SHARDED).unwrap();
    let [first, second] = [a.binding(), b.binding()].map(|binding| binding.base_address);
    let declared = KernelInfo::from(&corners::META).tensors;
    assert!(record(&declared, "tt.tensor_accessor.a")["runtime_binding"].is_null());
    assert!(record(&declared, "tt.buffer.a")["nd_shard"]["shard_shape_elems"].is_null());

    let launch = corners(&a, &mut b, LocalLen(16));
    let records = launch.tensors().unwrap();
    let accessor = |base_address: u32, name: &str| {
        json!({
            "layout_ref": format!("tt.buffer.{name}"), "stride_mode": "sharded",
            "tile_params": {
                "tile_height": 4, "tile_width": 4, "shard_tiles_m": 2, "shard_tiles_n": 3, "grid_m": 2, "grid_n": 3
            },
            // From a tile to the one below: the three of a row of tiles. Shards belong to groups column by column.
            "runtime_binding": {
                "base_address": base_address, "strides": [48, 16], "shard_owner": [0, 2, 4, 1, 3, 5]
            }
        })
    };
    assert_eq!(
        record(&records, "tt.tensor_accessor.a"),
        accessor(first, "a")
    );
    assert_eq!(
        record(&records, "tt.tensor_accessor.b"),
        accessor(second, "b")
    );
    let shard = record(&records, "tt.buffer.a")["nd_shard"].clone();
    assert_eq!(shard["shard_shape_elems"], json!([8, 10]));
    assert_eq!(shard["projected_shard_tiles"], json!([2, 3]));
    // They are completed where they were not, and nothing else.
    assert!(records.are_laid_out_like(&declared) && records != declared);
    drop(launch);

    // Tiles and rows.
    let plain = TensorLayout::INTERLEAVED.tile_shape(4, 4);
    let small = device.alloc_tensor(plain).unwrap();
    let mut large = device
        .alloc_tensor_of(40, 70, TensorLayout::INTERLEAVED)
        .unwrap();
    let records = scaled(2, &small, &mut large).tensors().unwrap();
    let strides = |name: &str| {
        let accessor = record(&records, &format!("tt.tensor_accessor.{name}"));
        let binding = &accessor["runtime_binding"];
        assert!(binding["shard_owner"].is_null());
        (binding["strides"].clone(), accessor["tile_params"].clone())
    };
    let tiles = |side: u32, across: u32, all: u32| {
        json!({
            "tile_height": side, "tile_width": side, "tiles_per_row": across, "total_tiles": all
        })
    };
    assert_eq!(strides("a"), (json!([32, 16]), tiles(4, 2, 4)));
    assert_eq!(strides("b"), (json!([3072, 1024]), tiles(32, 3, 6)));

    // What a launch would refuse has no binding.
    let wrong = device.alloc_tensor(TensorLayout::INTERLEAVED).unwrap();
    let refused = scaled(2, &wrong, &mut large).tensors().unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Refused {
                cause: LaunchError::TensorMismatch { .. },
                ..
            }
        ),
        "{refused}"
    );
}

fn module() -> Module {
    let module = Module::builder("tensors").kernel::<scaled>();
    module.kernel::<corners>().build().unwrap()
}

#[test]
fn launches_by_name_take_tensors() {
    let device = device();
    // As a file has them.
    let module = device.module_from_bytes(&module().to_elf()).unwrap();
    let numbers = matrix(6, 7);
    let records = &module.kernel("scaled").unwrap().tensors;
    let layout = |name: &str| records.tensor(name).unwrap().buffer.unwrap().layout();
    let a: Tensor<i32> = device
        .upload_tensor(&(&numbers[..], 6, 7), layout("a"))
        .unwrap();
    let mut b = device.alloc_tensor_of::<i32>(6, 7, layout("b")).unwrap();
    let launch = module
        .launch("scaled")
        .unwrap()
        .args((5, &a, &mut b))
        .unwrap();
    let bound = launch.tensors().unwrap();
    assert_eq!(
        record(&bound, "tt.tensor_accessor.a")["runtime_binding"]["strides"],
        json!([32, 16])
    );
    launch.over((7, 6)).launch(&device).unwrap();
    let expected: Vec<i32> = numbers.iter().map(|n| 5 * n).collect();
    assert_eq!(b.download().unwrap(), expected);

    // Shards that the launch sizes, of a kernel of this program.
    let numbers = matrix(15, 22);
    let a: Tensor<i32> = device
        .upload_tensor(&(&numbers[..], 15, 22), SHARDED)
        .unwrap();
    let mut b = device.alloc_tensor_of::<i32>(15, 22, SHARDED).unwrap();
    let launch = module.launch("corners").unwrap();
    let launch = launch
        .tensor("a", &a)
        .unwrap()
        .tensor_mut("b", &mut b)
        .unwrap();
    launch
        .local("counts", 16)
        .unwrap()
        .grid(6)
        .launch(&device)
        .unwrap();
    assert_eq!(
        b.download().unwrap()[24],
        numbers[24] + numbers[2] + 100 * numbers[23]
    );
}

#[test]
fn launches_by_name_look_at_tensors() {
    let device = device();
    let module = module();
    let plain = TensorLayout::INTERLEAVED.tile_shape(4, 4);
    let launch = || module.launch("scaled").unwrap();
    let error = |result: vortex::Result<vortex::ModuleLaunch<'_>>| result.unwrap_err().to_string();
    let floats: Tensor<f32, 6, 7> = device.alloc_tensor(plain).unwrap();
    assert_eq!(
        error(launch().tensor("a", &floats)),
        "kernel scaled, argument `a`: expected `&Tensor<i32, 6, 7>`, found `&Tensor<f32, 6, 7>`"
    );
    let mut small = device.alloc_tensor_of::<i32>(6, 6, plain).unwrap();
    assert_eq!(
        error(launch().tensor("a", &small)),
        "kernel scaled, argument `a`: expected `&Tensor<i32, 6, 7>`, found `&Tensor<i32, 6, 6>`"
    );
    assert_eq!(
        error(launch().tensor_mut("a", &mut small)),
        "kernel scaled, argument `a`: expected `&Tensor<i32, 6, 7>`, found `&mut Tensor<i32, 6, 6>`"
    );
    assert_eq!(
        error(launch().tensor("by", &small)),
        "kernel scaled, argument `by`: expected `i32`, found `&Tensor<i32, 6, 6>`"
    );
    let a: Tensor<i32, 6, 7> = device.alloc_tensor(TensorLayout::LINEAR).unwrap();
    let given = launch().scalar("by", 1).unwrap().tensor("a", &a).unwrap();
    let given = given.tensor_mut("b", &mut small).unwrap();
    assert!(matches!(
        given.tensors(),
        Err(Error::Refused {
            cause: LaunchError::TensorMismatch { .. },
            ..
        })
    ));
    let refused = given.over(1).launch(&device).unwrap_err().to_string();
    assert!(
        refused.starts_with("kernel scaled: the tensor `a` is declared as `layout = interleaved, tile_shape = [4, 4]`"),
        "{refused}"
    );
}

#[test]
fn a_tensor_without_records_is_an_error() {
    let device = device();
    let module = Module::builder("tensors")
        .kernel::<scaled>()
        .build()
        .unwrap();
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("tensors");
    module.write_dir(&dir).unwrap();
    let read = |extension: &str| std::fs::read(dir.join(format!("scaled.{extension}"))).unwrap();
    let sidecar = read("vxmeta");
    let (mut info, tail) = ModuleInfo::read_bytes(&sidecar).unwrap();
    info.kernels[0].tensors = TensorRecords::default();
    let stripped = [&info.to_bytes(), tail].concat();
    let module = Module::from_image(&read("vxbin"), &stripped).unwrap();
    let a = device
        .alloc_tensor_of::<i32>(6, 7, TensorLayout::INTERLEAVED)
        .unwrap();
    let error = module
        .launch("scaled")
        .unwrap()
        .tensor("a", &a)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel scaled: the tensor `a` has no accessor: the metadata of the kernel has no records of its layout"
    );
    // It is another kernel than the program's, whose tensors are laid out.
    assert!(module.kernel_of::<scaled>().is_none());
}
