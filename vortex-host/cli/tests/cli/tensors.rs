//! Tensors: what the command shows of them, and `vortex run`.

use vortex::Module;
use vortex::prelude::*;

use crate::{dir, file, npy, path, printed, refused};

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

/// `c = a * b`, element by element.
#[vortex::kernel]
fn multiplied(
    #[layout(tile_shape = [4, 4])] a: &Tensor<bf16>,
    #[layout(layout = sharded, shard(axes = [M], grid = [2]), align_tiles = false, tile_shape = [2, 2])]
    b: &Tensor<bf16, 3, 5>,
    c: &mut Tensor<f32, 3, 5>,
) {
    let (col, row) = global_id_2d();
    c.write(
        row,
        col,
        a.read(row, col).to_f32() * b.read(row, col).to_f32(),
    );
}

/// Runs it with these values of its arguments.
fn command<'a>(elf: &'a str, args: &[&'a str], outs: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["run", elf, "-q", "--over", "5x3"];
    all.extend(args.iter().flat_map(|arg| ["--arg", arg]));
    all.extend(outs.iter().flat_map(|out| ["--out", out]));
    all
}

/// A file of this kernel, of its own for each test.
fn multiplication(name: &str) -> String {
    let module = Module::builder("tensors").kernel::<multiplied>().build();
    path(&file(name, module.unwrap().to_elf()))
}

/// 15 numbers as `bf16`.
fn halves(number: impl Fn(usize) -> f32) -> Vec<u8> {
    let number = |n| bf16::from_f32(number(n)).to_le_bytes();
    (0..15).flat_map(number).collect()
}

#[test]
fn tensors_come_from_files_and_go_to_files() {
    let elf = multiplication("multiplied.elf");
    // Packages that know `bf16` tell NumPy that it is anything of two bytes.
    let a = npy("halves.npy", "<V2", "(3, 5)", &halves(|n| n as f32));
    let b = path(&file("halves.bin", halves(|n| 0.5 + n as f32)));
    let [array, plain, own] =
        ["products.npy", "products.bin", "own.npy"].map(|name| path(&dir().join(name)));
    let (a, b) = (format!("a={a}"), format!("b={b}"));
    let outs = [format!("c={array}"), format!("a={own}")];
    let outs = outs.each_ref().map(String::as_str);
    printed(&command(&elf, &[&a, &b, "c=zeros"], &outs));
    let products = (0..15).map(|n| n as f32 * (0.5 + n as f32));
    let products: Vec<u8> = products.flat_map(f32::to_le_bytes).collect();
    let found = std::fs::read(&array).unwrap();
    assert!(
        String::from_utf8_lossy(&found)
            .contains("'descr': '<f4', 'fortran_order': False, 'shape': (3, 5,)")
    );
    assert!(found.ends_with(&products));
    let found = std::fs::read(&own).unwrap();
    assert!(String::from_utf8_lossy(&found).contains("'descr': '<V2'"));
    assert!(found.ends_with(&halves(|n| n as f32)));
    let out = format!("c={plain}");
    printed(&command(&elf, &["a=zeros:3x5", &b, "c=zeros:3x5"], &[&out]));
    assert_eq!(std::fs::read(&plain).unwrap(), [0; 60]);
}

#[test]
fn tensors_that_cannot_be_are_errors_in_one_line() {
    let elf = multiplication("not_multiplied.elf");
    let floats = npy("floats.npy", "<f4", "(3, 5)", &[0; 60]);
    let square = npy("square.npy", "<V2", "(2, 2)", &[0; 8]);
    let list = npy("list.npy", "<V2", "(15,)", &[0; 30]);
    let short = path(&file("short.bin", [0; 4]));
    for (a, b, says) in [
        (
            &*floats,
            "zeros",
            "DIR/floats.npy: the elements are `<f4`, and `a` is &Tensor<bf16>, which takes `<V2`",
        ),
        (
            "zeros:3x5",
            &*square,
            "DIR/square.npy: the array's shape is [2, 2], and `b` is &Tensor<bf16, 3, 5>, with rows and columns",
        ),
        (
            &*list,
            "zeros",
            "DIR/list.npy: the array's shape is [15], and `a` is &Tensor<bf16>, with rows and columns",
        ),
        (
            &*short,
            "zeros",
            "DIR/short.bin: nothing says how many rows and columns `a` has, which is &Tensor<bf16>; give it a `.npy` file",
        ),
        (
            "zeros:3x5",
            &*short,
            "DIR/short.bin: `b` is &Tensor<bf16, 3, 5>, which has 30 bytes, and the file 4",
        ),
        (
            "zeros:3",
            "zeros",
            "`a=zeros:3`: it is &Tensor<bf16>: write its rows and columns as zeros:MxN",
        ),
        (
            "zeros",
            "zeros",
            "`a=zeros`: it is &Tensor<bf16>: write its rows and columns as zeros:MxN",
        ),
        (
            "zeros:3x5",
            "zeros:5x3",
            "`b=zeros:5x3`: it is &Tensor<bf16, 3, 5>: write its rows and columns as zeros:3x5",
        ),
        (
            "zeros:99999x99999",
            "zeros",
            "`a=zeros:99999x99999`: this is more than a device can hold",
        ),
        (
            "zeros:0x4",
            "zeros",
            "`a=zeros:0x4`: a tensor of 0 x 4 elements: the extent M of a tensor must not be zero",
        ),
        (
            "none.npy",
            "zeros",
            "there is no file `none.npy`; `a` is &Tensor<bf16>: its value is the name of an array (.npy), of a file of its \
             elements row by row, or `zeros:MxN`",
        ),
    ] {
        let (a, b) = (format!("a={a}"), format!("b={b}"));
        let error = refused(&command(&elf, &[&a, &b, "c=zeros"], &[]));
        assert!(error.ends_with(says), "{error}");
    }
    let missing = refused(&command(&elf, &["a=zeros:3x5"], &[]));
    assert!(
        missing.contains("add `--arg b=FILE.npy` or `zeros:MxN`"),
        "{missing}"
    );
}
