//! Kernels and modules that metadata may be of.

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use vortex_kernel::meta::{
    Access, Alternative, ArgInfo, ArgKind, ArgMeta, ArgType, Attributes, Checks, Counted, Denied,
    Facts, FunctionFacts, FunctionInfo, GlobalInfo, Group, KernelInfo, Location, MOST_LISTED,
    ModuleInfo, ModuleValues, Qualifiers, Statistic, Statistics, VecHint, bf16, layout,
};
use vortex_kernel::tensor::{AT_LAUNCH, Axis, TensorLayout, TensorRecords};

fn arg() -> impl Strategy<Value = ArgMeta> {
    let scalars = prop_oneof![
        Just(ArgMeta::scalar::<u8>("a")),
        Just(ArgMeta::scalar::<bool>("a")),
        Just(ArgMeta::scalar::<i16>("a")),
        Just(ArgMeta::scalar::<u32>("a")),
        Just(ArgMeta::scalar::<f32>("a")),
        Just(ArgMeta::scalar::<usize>("a")),
    ];
    let memory = prop_oneof![
        Just(ArgMeta::ptr::<f32>("a")),
        Just(ArgMeta::ptr_mut::<u8>("a")),
        Just(ArgMeta::tensor::<f32, 8, 8>("a", None)),
        Just(ArgMeta::slice::<i32>("a")),
        Just(ArgMeta::slice_mut::<bool>("a")),
    ];
    prop_oneof![scalars, memory]
}

/// Arguments as kernels have them, and some of the kinds that only other compilers make.
pub(crate) fn args(
    names: impl Strategy<Value = String>,
) -> impl Strategy<Value = (u32, Vec<ArgInfo>)> {
    let foreign = (0..ArgKind::ALL.len(), 1..20u32, 0..3u32);
    let spelled = option::weighted(
        0.2,
        (name(), name(), any::<[bool; 3]>(), 0..Access::ALL.len()),
    );
    let one = (arg(), names, option::weighted(0.2, foreign), spelled);
    vec(one, 0..10).prop_map(|args| {
        let mut infos: Vec<ArgInfo> = Vec::new();
        let mut types = [ArgType::new(ArgKind::Unknown, 0, 1); 10];
        for (index, (meta, name, foreign, spelled)) in args.into_iter().enumerate() {
            let mut info = ArgInfo::from(&meta);
            info.name = name;
            info.index = index as u32;
            if let Some((kind, size, align)) = foreign {
                info.kind = ArgKind::ALL[kind];
                info.is_pointer = info.kind.is_pointer();
                info.address_space = info.kind.space();
                (info.size, info.align) = match info.kind {
                    ArgKind::Slice => (8, 4),
                    ArgKind::Scalar => (8, 4),
                    ArgKind::Opaque | ArgKind::Unknown => (size, 1 << align),
                    _ => (4, 4),
                };
                if info.kind == ArgKind::Scalar {
                    info.base_type = "ulong".to_owned();
                }
                if info.kind == ArgKind::Image {
                    info.access = Access::WriteOnly;
                    info.opencl_type = "image2d_t".to_owned();
                }
            }
            if let Some((rust, device, [is_const, is_restrict, is_volatile], access)) = spelled {
                // What no view takes for something else: `f32` is another type in MLIR than `i32`.
                info.rust_type = format!("Foreign {rust}");
                info.device_type = device;
                info.qualifiers = Qualifiers {
                    is_const,
                    is_restrict,
                    is_volatile,
                };
                info.access = Access::ALL[access];
            }
            types[index] = ArgType::new(info.kind, info.size as usize, info.align as usize);
            infos.push(info);
        }
        let laid_out = layout(types);
        for (info, offset) in infos.iter_mut().zip(laid_out.offsets) {
            info.offset = offset as u32;
        }
        (laid_out.total as u32, infos)
    })
}

/// Names as programs have them, and as nobody would write them.
pub(crate) fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_]{0,8}",
        "[a-z]{1,4}::[a-z]{1,4}<(f32|u8|&str|\\(u8, i16\\))(, [0-9]{1,3}){0,2}>",
        "[a-z]{1,3}\\.[A-Z_]{1,6}(\\.[0-9])?",
        "[a-zäöüßéλ名\"'\\\\ :,@{}<>()\\[\\]=\n\t#%]{0,12}",
        any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", any::<String>()]
}

/// A group with any of its values, whichever are declared.
fn group<G: Group + Debug>() -> impl Strategy<Value = G> {
    let declared = G::declared();
    let values: Vec<_> = declared
        .iter()
        .map(|value| option::of(of_type(value.ty)))
        .collect();
    values.prop_map(move |values| {
        let entries = declared.iter().zip(values);
        let entries = entries.filter_map(|(value, given)| Some((value.name.to_owned(), given?)));
        serde_json::from_value(serde_json::Value::Object(entries.collect())).unwrap()
    })
}

/// Values of a type that is declared for a group.
fn of_type(ty: &str) -> BoxedStrategy<serde_json::Value> {
    fn json<T: serde::Serialize + Debug>(
        values: impl Strategy<Value = T> + 'static,
    ) -> BoxedStrategy<serde_json::Value> {
        values
            .prop_map(|value| serde_json::to_value(value).unwrap())
            .boxed()
    }
    match ty {
        "bool" => json(any::<bool>()),
        "Integers" => json(vec(any::<i32>(), 0..=MOST_LISTED)),
        "u32" => json(any::<u32>()),
        "u64" => json(any::<u64>()),
        "[u32; 3]" | "(u32, u32, u32)" => json(any::<[u32; 3]>()),
        "String" => json(name()),
        "Vec<String>" => json(vec(name(), 0..3)),
        "VecHint" => json(prop::sample::select(VecHint::all().collect::<Vec<_>>())),
        "Checks" => json(prop::sample::select(vec![Checks::Full, Checks::None])),
        "Denied" => json(Just(Denied::Checks)),
        "Vec<(String, String)>" => json(vec((name(), name()), 0..3)),
        other => panic!("add values of type `{other}`"),
    }
}

pub(crate) fn kernel() -> impl Strategy<Value = KernelInfo> {
    let block = option::of(any::<[u32; 3]>());
    let alternatives = vec((block, any::<u32>()), 0..3);
    let place = (name(), any::<u32>(), any::<u32>());
    (
        name(),
        (name(), name(), place, option::of(text())),
        args(name()),
        group::<Attributes>(),
        group::<Facts>(),
        (tensors(), alternatives),
    )
        .prop_map(
            |(name, about, (args_size, args), attributes, facts, (tensors, alternatives))| {
                let (function, module, (file, line, column), doc) = about;
                KernelInfo {
                    name,
                    function,
                    module,
                    location: Location { file, line, column },
                    doc,
                    args_size,
                    args,
                    attributes,
                    facts,
                    tensors,
                    alternatives: alternatives
                        .into_iter()
                        .map(|(block, code_size)| Alternative { block, code_size })
                        .collect(),
                }
            },
        )
}

fn counted() -> impl Strategy<Value = Counted> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(Counted::Count),
        text().prop_map(Counted::Text)
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Counted::List))
}

pub(crate) fn module() -> impl Strategy<Value = ModuleInfo> {
    let functions = vec(
        (
            (name(), name()),
            (text(), any::<u32>(), any::<u32>()),
            vec(name(), 0..3),
            group::<FunctionFacts>(),
        ),
        0..3,
    );
    let globals = vec(
        (name(), any::<u32>(), any::<u32>(), any::<[bool; 3]>()),
        0..3,
    );
    let statistics = vec((option::of(name()), name(), text(), counted()), 0..4);
    (
        name(),
        group::<ModuleValues>(),
        vec(kernel(), 0..3),
        functions,
        globals,
        option::of(statistics),
    )
        .prop_map(
            |(name, values, kernels, functions, globals, statistics)| ModuleInfo {
                name,
                values,
                kernels,
                functions: functions
                    .into_iter()
                    .map(
                        |((name, module), (file, line, column), callers, facts)| FunctionInfo {
                            name,
                            module,
                            location: Location { file, line, column },
                            callers,
                            facts,
                        },
                    )
                    .collect(),
                globals: globals
                    .into_iter()
                    .map(
                        |(name, address, size, [is_const, is_extern, is_global])| GlobalInfo {
                            name,
                            address,
                            size,
                            is_const,
                            is_extern,
                            is_global,
                        },
                    )
                    .collect(),
                statistics: statistics.map(|records| Statistics {
                    records: records
                        .into_iter()
                        .map(|(function, pass, name, value)| Statistic {
                            function,
                            pass,
                            name,
                            value,
                        })
                        .collect(),
                }),
            },
        )
}

/// Records of tensors in layouts of all kinds, with names that files may have.
fn tensors() -> impl Strategy<Value = TensorRecords> {
    let both = &[Axis::M, Axis::N];
    let layouts = [
        TensorLayout::INTERLEAVED,
        TensorLayout::LINEAR.tile_shape(4, 8).depth(1),
        TensorLayout::sharded(both, &[2, 4])
            .tile_shape(16, 16)
            .in_l1(),
        TensorLayout::sharded(&[Axis::N], &[3])
            .tile_shape(8, 5)
            .align_tiles(false),
        TensorLayout::sharded(both, &[2, 2])
            .tile_shape(16, 16)
            .in_l1()
            .halo(1, 2)
            .depth(4),
    ];
    let args = vec(
        (
            prop::sample::select(layouts.to_vec()),
            any::<[bool; 2]>(),
            option::of(any::<u32>()),
        ),
        0..3,
    );
    args.prop_map(|given| {
        let names = ["a", "b", "strange \"name\""];
        let addresses: Vec<_> = given.iter().map(|(.., address)| *address).collect();
        let args = given.into_iter().zip(names);
        let args = args.map(|((layout, [is_written, at_launch], _), name)| {
            match (is_written, at_launch) {
                (false, false) => ArgMeta::tensor::<bf16, 64, 128>(name, Some(layout)),
                (true, false) => ArgMeta::tensor_mut::<i8, 64, 128>(name, Some(layout)),
                (_, true) => ArgMeta::tensor::<f32, AT_LAUNCH, AT_LAUNCH>(name, Some(layout)),
            }
        });
        let mut records = TensorRecords::of(&args.collect::<Vec<_>>(), None).unwrap();
        // Of a launch, where there is an address.
        for (address, name) in addresses.into_iter().zip(names) {
            if let Some(address) = address {
                records.bind(name, [64, 128], address).unwrap();
            }
        }
        records
    })
}
