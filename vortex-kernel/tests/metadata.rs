//! Metadata as text and bytes: golden files, and that whatever is written reads back.
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use vortex_kernel::meta::view::{ArgumentList, CHeader, Dump, Metadata, MetadataOp, Record, View};
use vortex_kernel::meta::{
    Access, ArgKind, ArgMeta, Attributes, Facts, FunctionFacts, KernelInfo, KernelMeta,
    MetadataError, ModuleInfo, ModuleValues, Qualifiers, Space, arguments, bf16, schema,
};
use vortex_kernel::tensor::{Axis, TensorLayout};

#[path = "support/json_schema.rs"]
mod json_schema;
#[path = "metadata/mlir.rs"]
mod mlir;
#[path = "metadata/strategies.rs"]
mod strategies;

use json_schema::Schema;
use strategies::{args, kernel, module, name};

const METADATA_KERNEL: KernelMeta = KernelMeta::new(
    "metadata_kernel",
    "golden",
    "metadata.rs",
    1,
    1,
    &arguments([
        ArgMeta::scalar::<i32>("count"),
        ArgMeta::ptr::<i32>("input"),
        ArgMeta::scalar::<f32>("scale"),
        ArgMeta::ptr_mut::<i32>("output"),
    ]),
);

const SLICES: KernelMeta = KernelMeta::new(
    "slices<u8>",
    "golden",
    "metadata.rs",
    1,
    1,
    &arguments([
        ArgMeta::scalar::<u8>("register"),
        ArgMeta::slice::<f32>("x"),
        ArgMeta::slice_mut::<u16>("y"),
        ArgMeta::scalar::<usize>("n"),
        ArgMeta::scalar::<bool>("last"),
    ]),
)
.with_attributes(Attributes {
    block: Some([16, 1, 1]),
    ..Attributes::NONE
});

/// A kernel of the signature that programs for Vortex have: a count, and pointers.
const fn of_pointers(name: &'static str, args: &'static [ArgMeta]) -> KernelMeta {
    KernelMeta::new(name, "golden", "metadata.rs", 1, 1, args)
}

/// As Vortex's regression test of that name takes its arguments.
const BASIC: KernelMeta = of_pointers(
    "basic",
    &arguments([
        ArgMeta::scalar::<u32>("count"),
        ArgMeta::ptr::<i32>("src"),
        ArgMeta::ptr_mut::<i32>("dst"),
    ]),
);

/// As Vortex's regression test of that name takes its arguments.
const VECADD: KernelMeta = of_pointers(
    "vecadd",
    &arguments([
        ArgMeta::scalar::<u32>("num_points"),
        ArgMeta::ptr::<f32>("src0"),
        ArgMeta::ptr::<f32>("src1"),
        ArgMeta::ptr_mut::<f32>("dst"),
    ]),
);

/// As OpenCL programs take them, with a sum for each group in local memory.
const DOTPRODUCT: KernelMeta = of_pointers(
    "dotproduct",
    &arguments([
        ArgMeta::ptr::<f32>("a"),
        ArgMeta::ptr::<f32>("b"),
        ArgMeta::ptr_mut::<f32>("partial"),
        ArgMeta::local::<f32>("sums"),
        ArgMeta::scalar::<i32>("count"),
    ]),
);

/// A product of matrices that all rest in global memory tile by tile.
const MATMUL: KernelMeta = KernelMeta::new(
    "matmul",
    "golden",
    "metadata.rs",
    1,
    1,
    &arguments([
        ArgMeta::tensor::<bf16, 256, 256>("a", Some(TensorLayout::INTERLEAVED)),
        ArgMeta::tensor::<bf16, 256, 256>("b", Some(TensorLayout::INTERLEAVED)),
        ArgMeta::tensor_mut::<bf16, 256, 256>("c", None),
    ]),
);

/// One of whose factors each group has a shard.
const SHARDED: KernelMeta = KernelMeta::new(
    "sharded",
    "golden",
    "metadata.rs",
    1,
    1,
    &arguments([
        ArgMeta::tensor::<bf16, 256, 256>("a", Some(TensorLayout::INTERLEAVED)),
        ArgMeta::tensor::<bf16, 256, 256>("b", Some(SHARDS)),
    ]),
);

const SHARDS: TensorLayout = TensorLayout::sharded(&[Axis::M, Axis::N], &[8, 8]).in_l1();

/// Compares with a file, or writes it if `VORTEX_BLESS` is set.
fn golden(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/metadata")
        .join(file);
    let text = format!("{text}\n");
    if std::env::var_os("VORTEX_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "{file}");
}

fn view<V: View + Debug + PartialEq>(meta: &KernelMeta, file: &str) {
    let view = V::of(&KernelInfo::from(meta));
    let text = view.to_string();
    assert_eq!(text.parse::<V>().unwrap(), view);
    golden(file, &text);
}

#[test]
fn views_are_as_they_should_be() {
    for (meta, name) in [
        (&METADATA_KERNEL, "metadata_kernel"),
        (&SLICES, "slices"),
        (&BASIC, "basic"),
        (&VECADD, "vecadd"),
        (&DOTPRODUCT, "dotproduct"),
        (&MATMUL, "matmul"),
        (&SHARDED, "sharded"),
    ] {
        view::<Dump>(meta, &format!("{name}.txt"));
        view::<CHeader>(meta, &format!("{name}.h"));
        view::<Metadata>(meta, &format!("{name}.attribute.mlir"));
        view::<MetadataOp>(meta, &format!("{name}.op.mlir"));
        view::<Record>(meta, &format!("{name}.record.mlir"));
        view::<ArgumentList>(meta, &format!("{name}.list.mlir"));
        let module = ModuleInfo {
            kernels: vec![KernelInfo::from(meta)],
            ..ModuleInfo::named("golden")
        };
        let json = serde_json::to_string_pretty(&module).unwrap();
        golden(&format!("{name}.json"), &json);
        assert_eq!(serde_json::from_str::<ModuleInfo>(&json).unwrap(), module);
    }
    assert_eq!(
        METADATA_KERNEL.to_string(),
        Dump::of(&KernelInfo::from(&METADATA_KERNEL)).to_string()
    );
}

/// Word for word what the records of an interleaved and of a sharded tensor are.
#[test]
fn records_of_tensors_are_these() {
    use serde_json::json;
    let records = serde_json::to_value(KernelInfo::from(&SHARDED).tensors).unwrap();
    let tiled = json!({"tile_height": 32, "tile_width": 32, "tiles_per_row": 8, "total_tiles": 64});
    let shards = json!({
        "tile_height": 32, "tile_width": 32, "shard_tiles_m": 1, "shard_tiles_n": 1,
        "grid_m": 8, "grid_n": 8
    });
    let nd_shard = json!({
        "axes": ["M", "N"], "grid": [8, 8], "shard_shape_elems": [32, 32], "order": "row_major",
        "align_tiles": true, "projected_grid": [8, 8], "projected_shard_tiles": [1, 1]
    });
    let expected = json!({
        "tt.buffer.a": {
            "memory": "DRAM", "layout": "interleaved", "tile_shape": [32, 32], "dtype": "bf16"
        },
        "tt.buffer.b": {
            "memory": "L1", "layout": "sharded", "tile_shape": [32, 32], "dtype": "bf16",
            "nd_shard": nd_shard
        },
        "tt.cb.a": {"cb_id": 0, "page_size": 2048, "depth": 2, "data_format": "bfloat16"},
        "tt.cb.b": {"cb_id": 1, "page_size": 2048, "depth": 2, "data_format": "bfloat16"},
        "tt.tensor_accessor.a": {
            "layout_ref": "tt.buffer.a", "stride_mode": "tiled", "tile_params": tiled,
            "runtime_binding": null
        },
        "tt.tensor_accessor.b": {
            "layout_ref": "tt.buffer.b", "stride_mode": "sharded", "tile_params": shards,
            "runtime_binding": null
        },
        "tt.accessor_summary": {
            "a": {"stride_mode": "tiled", "memory": "DRAM"},
            "b": {"stride_mode": "sharded", "memory": "L1"}
        }
    });
    assert_eq!(records, expected);
}

/// A module says how the tensors of all its kernels are reached, in texts, and nobody can say otherwise.
#[test]
fn modules_sum_up_their_accessors() {
    let module = ModuleInfo {
        kernels: vec![KernelInfo::from(&SHARDED), KernelInfo::from(&SLICES)],
        ..ModuleInfo::named("both")
    };
    let mut json = serde_json::to_value(&module).unwrap();
    let summary = serde_json::json!({
        "sharded.a": {"stride_mode": "tiled", "memory": "DRAM"},
        "sharded.b": {"stride_mode": "sharded", "memory": "L1"}
    });
    assert_eq!(json["tt.accessor_summary"], summary);
    assert_eq!(
        serde_json::from_value::<ModuleInfo>(json.clone()).unwrap(),
        module
    );
    json["tt.accessor_summary"]["sharded.b"]["memory"] = "DRAM".into();
    let error = serde_json::from_value::<ModuleInfo>(json).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the module's summary of accessors is not that of its kernels"
    );
    let without = ModuleInfo {
        kernels: vec![KernelInfo::from(&SLICES)],
        ..ModuleInfo::named("none")
    };
    let json = serde_json::to_value(without).unwrap();
    assert!(json.get("tt.accessor_summary").is_none());
    // Files that are not text have the records, from which it follows.
    let bytes = module.to_bytes();
    assert_eq!(ModuleInfo::from_bytes(&bytes).unwrap(), module);
}

#[test]
fn the_published_schema_is_that_of_this_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metadata.schema.json");
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("VORTEX_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap() == text,
        "docs/metadata.schema.json is out of date; VORTEX_BLESS=1 writes it"
    );
}

fn reads_back<V: View + Debug + PartialEq>(kernel: &KernelInfo) -> V {
    let view = V::of(kernel);
    let text = view.to_string();
    let read = text
        .parse::<V>()
        .unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(read, view, "{text}");
    assert_eq!(read.to_string(), text);
    read
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::new(&schema()));

/// Something to put in place of a part of a JSON value.
fn misfit() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        Just(serde_json::json!({ "unheard of": 1 })),
        Just(serde_json::json!([[1.5]])),
        Just(serde_json::json!(-1.5)),
    ]
}

/// A part of a JSON value, chosen by numbers of which each leads a step down.
fn part<'a>(mut value: &'a mut serde_json::Value, steps: &[usize]) -> &'a mut serde_json::Value {
    for &step in steps {
        let count = match value {
            serde_json::Value::Object(map) => map.len(),
            serde_json::Value::Array(list) => list.len(),
            _ => 0,
        };
        if count == 0 {
            break;
        }
        value = match value {
            serde_json::Value::Object(map) => map.values_mut().nth(step % count).unwrap(),
            serde_json::Value::Array(list) => &mut list[step % count],
            _ => unreachable!(),
        };
    }
    value
}

proptest! {
    #[test]
    fn the_schema_takes_what_reads_back(module in module(), steps in vec(any::<usize>(), 1..8), misfit in misfit()) {
        let json = serde_json::to_value(&module).unwrap();
        prop_assert_eq!(SCHEMA.complaint(&json), None, "{:#}", json);
        // And refuses what does not: there is nothing in a module that each of these could be.
        let mut damaged = json;
        *part(&mut damaged, &steps) = misfit;
        prop_assert!(serde_json::from_value::<ModuleInfo>(damaged.clone()).is_err(), "{:#}", damaged);
        prop_assert!(SCHEMA.complaint(&damaged).is_some(), "{:#}", damaged);
    }

    #[test]
    fn modules_read_back(module in module()) {
        prop_assert_eq!(&ModuleInfo::from_bytes(&module.to_bytes()).unwrap(), &module);
        let json = serde_json::to_string(&module).unwrap();
        prop_assert_eq!(&serde_json::from_str::<ModuleInfo>(&json).unwrap(), &module);
        for kernel in &module.kernels {
            prop_assert_eq!(&kernel.attributes.to_string().parse::<Attributes>().unwrap(), &kernel.attributes);
            prop_assert_eq!(&kernel.facts.to_string().parse::<Facts>().unwrap(), &kernel.facts);
        }
        for function in &module.functions {
            prop_assert_eq!(&function.facts.to_string().parse::<FunctionFacts>().unwrap(), &function.facts);
        }
        prop_assert_eq!(&module.values.to_string().parse::<ModuleValues>().unwrap(), &module.values);
    }

    #[test]
    fn views_read_back_and_agree(kernel in kernel()) {
        let offsets: Vec<u32> = kernel.args.iter().map(|arg| arg.offset).collect();
        let sizes: Vec<u32> = kernel.args.iter().map(|arg| arg.size).collect();
        macro_rules! agrees {
            ($view:ident, $total:ident) => {
                let view = reads_back::<$view>(&kernel);
                prop_assert_eq!(view.args.iter().map(|arg| arg.offset).collect::<Vec<_>>(), offsets.clone());
                prop_assert_eq!(view.args.iter().map(|arg| arg.size).collect::<Vec<_>>(), sizes.clone());
                prop_assert_eq!(view.$total, kernel.args_size);
            };
        }
        agrees!(Dump, size);
        agrees!(MetadataOp, total);
        agrees!(Record, size);
        agrees!(ArgumentList, size);
        let attribute = reads_back::<Metadata>(&kernel);
        prop_assert_eq!((attribute.offsets, attribute.sizes, attribute.total), (offsets, sizes, kernel.args_size));
        let header = reads_back::<CHeader>(&kernel);
        prop_assert_eq!(header.size, kernel.args_size);
    }

    #[test]
    fn damaged_bytes_are_an_error(module in module(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = module.to_bytes();
        prop_assert!(ModuleInfo::from_bytes(&bytes[..at.index(bytes.len())]).is_err());
        *at.get_mut(&mut bytes) = byte;
        // It may mean something else, but it must not panic, or take long.
        let _ = ModuleInfo::from_bytes(&bytes);
    }

    #[test]
    fn damaged_text_is_an_error(kernel in kernel(), at in any::<prop::sample::Index>(), noise in "[ -~]{0,2}") {
        for mut text in [Dump::of(&kernel).to_string(), Record::of(&kernel).to_string(), CHeader::of(&kernel).to_string()] {
            let mut place = at.index(text.len());
            while !text.is_char_boundary(place) {
                place -= 1;
            }
            text.insert_str(place, &noise);
            let _ = text.parse::<Dump>();
            let _ = text.parse::<Record>();
            let _ = text.parse::<CHeader>();
            let _ = text.parse::<Metadata>();
            let _ = text.parse::<MetadataOp>();
            let _ = text.parse::<ArgumentList>();
        }
    }
}

#[test]
fn other_formats_are_refused() {
    let bytes = ModuleInfo::named("m").to_bytes();
    let mut newer = bytes.clone();
    newer[6] = 4;
    for (bytes, error) in [
        (&b"\x7fELF"[..], "this is no metadata of Vortex kernels"),
        (
            &newer,
            "this metadata has format 4, and this version reads format 3",
        ),
        (&bytes[..7], "this metadata is damaged"),
        (&[&bytes[..], &[0]].concat(), "this metadata is damaged"),
    ] {
        assert_eq!(
            ModuleInfo::from_bytes(bytes).unwrap_err().to_string(),
            error
        );
    }
    assert_eq!(ModuleInfo::from_bytes(b""), Err(MetadataError::NoMetadata));
}

#[test]
fn clang_takes_the_header() {
    let version = Command::new("clang").arg("--print-targets").output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("riscv32")) {
        println!("skipped: there is no clang for riscv32 here");
        return;
    }
    let mut source = "typedef unsigned char uint8_t; typedef signed char int8_t; typedef unsigned short uint16_t;\n\
        typedef short int16_t; typedef unsigned uint32_t; typedef int int32_t; typedef unsigned long long uint64_t;\n\
        typedef _Bool bool;\n"
        .to_owned();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for number in 0..300 {
        let (args_size, args) = args(name()).new_tree(&mut runner).unwrap().current();
        let kernel = KernelInfo {
            name: format!("k{number}"),
            args_size,
            args,
            ..KernelInfo::default()
        };
        if kernel
            .args
            .iter()
            .any(|arg| arg.align > 4 || matches!(arg.kind, ArgKind::Opaque | ArgKind::Unknown))
        {
            // Their alignment is nothing that bytes in C have.
            continue;
        }
        let header = CHeader::of(&kernel);
        source += &format!("{header}\n");
        let mut members = header.members.iter();
        for arg in &kernel.args {
            let member = &members.next().unwrap().name;
            source += &format!(
                "_Static_assert(__builtin_offsetof(k{number}_args_t, {member}) == {}, \"\");\n",
                arg.offset
            );
            if arg.kind == ArgKind::Slice {
                members.next();
            }
        }
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers.c");
    std::fs::write(&path, &source).unwrap();
    let output = Command::new("clang")
        .args(["--target=riscv32", "-fsyntax-only", "-x", "c"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn kinds_have_spaces_and_qualifiers() {
    let info = KernelInfo::from(&SLICES);
    let [_, x, y, n, _] = info.args.as_slice() else {
        panic!("five arguments");
    };
    assert_eq!(
        (x.opencl_type.as_str(), x.base_type.as_str()),
        ("float*", "float*")
    );
    assert_eq!(
        x.qualifiers,
        Qualifiers {
            is_const: true,
            is_restrict: true,
            is_volatile: false
        }
    );
    assert_eq!(
        (x.access, x.address_space),
        (Access::ReadOnly, Space::Global)
    );
    assert_eq!(y.qualifiers.to_string(), "restrict");
    assert_eq!(y.access, Access::ReadWrite);
    assert_eq!(
        (n.opencl_type.as_str(), n.base_type.as_str()),
        ("size_t", "uint")
    );
    assert_eq!(
        (n.device_type.as_str(), n.address_space),
        ("u32", Space::Private)
    );
}

#[test]
fn what_is_not_known_has_a_storage_class_of_its_own() {
    assert_eq!(ArgKind::Unknown.space(), Space::Unknown);
    let mut module = ModuleInfo {
        kernels: vec![KernelInfo::from(&BASIC)],
        ..ModuleInfo::named("foreign")
    };
    let arg = &mut module.kernels[0].args[1];
    (arg.kind, arg.address_space) = (ArgKind::Unknown, Space::Unknown);
    let json = serde_json::to_value(&module).unwrap();
    let class = &json["kernels"][0]["args"][1]["address_space"];
    assert_eq!(class, &serde_json::json!(4));
    assert_eq!(SCHEMA.complaint(&json), None);
    assert_eq!(serde_json::from_value::<ModuleInfo>(json).unwrap(), module);
    assert_eq!(ModuleInfo::from_bytes(&module.to_bytes()).unwrap(), module);
    for (number, class) in Space::ALL.into_iter().enumerate() {
        assert_eq!(usize::from(u8::from(class)), number);
        assert_eq!(Space::try_from(number as u8), Ok(class));
    }
    let error = serde_json::from_str::<Space>("5").unwrap_err();
    assert_eq!(
        error.to_string(),
        "storage classes are numbered from 0 to 4"
    );
}

#[test]
fn members_of_the_header_have_names_of_their_own() {
    const META: KernelMeta = KernelMeta::new(
        "größen::halve<f32, 4>",
        "tests",
        "metadata.rs",
        1,
        1,
        &arguments([
            ArgMeta::slice::<f32>("x"),
            ArgMeta::scalar::<u32>("x_len"),
            ArgMeta::scalar::<u32>("größe"),
            ArgMeta::scalar::<u32>("gräße"),
            ArgMeta::scalar::<u32>("class"),
        ]),
    );
    let header = CHeader::of(&KernelInfo::from(&META));
    let names: Vec<_> = header.members.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        ["x", "x_len", "x_len_2", "gr__e", "gr__e_2", "class_"]
    );
    assert_eq!(header.name, "gr__en__halve_f32__4");
    assert_eq!(header.to_string().parse::<CHeader>().unwrap(), header);
}

#[test]
fn strange_names_are_in_quotes() {
    let mut kernel = KernelInfo::from(&SLICES);
    kernel.name = "a: \"b\"\n".to_owned();
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        first_line(Dump::of(&kernel).to_string()),
        r#"kernel "a: \"b\"\n": 5 arguments, 28 bytes"#
    );
    assert_eq!(
        first_line(MetadataOp::of(&kernel).to_string()),
        r#"vortex.kernel_metadata @"a: \"b\"\n" {"#
    );
}
