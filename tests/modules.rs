//! Modules: what is known of kernels, files, variants, linking.

#![allow(clippy::unwrap_used)]

use vortex::meta::{Attributes, Counted, Facts, KernelInfo, collect};
use vortex::prelude::*;
use vortex::{Error, Module, ModuleError};

#[vortex::device]
fn square(x: f32) -> f32 {
    x * x
}

#[vortex::device]
fn distance(x: f32, y: f32) -> f32 {
    (square(x) + square(y)).sqrt()
}

/// How far points are from the origin.
#[vortex::kernel(vec_hint = f32)]
fn distances(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = distance(x[i], y[i]);
    }
}

#[vortex::kernel]
fn group_sums(x: &[u32], out: &mut [u32]) {
    let tile = local::<[u32; 256]>();
    tile[local_id()] = x[global_id()];
    barrier();
    if local_id() == 0 {
        let mut sum = 0;
        for k in 0..local_size() {
            sum += tile[k];
        }
        out[group_id()] = sum;
    }
}

#[vortex::kernel]
fn count(x: *const u32, counter: &mut [u32]) {
    // SAFETY: the host passes a pointer to as many elements as there are work items.
    let value = unsafe { *x.add(global_id()) };
    counter.atomic(0).fetch_add(value, Relaxed);
}

#[vortex::kernel]
fn raise<T: Num, const TIMES: usize>(by: T, x: &mut [T]) {
    let i = global_id();
    for _ in 0..TIMES {
        x[i] += by;
    }
}

#[test]
fn instances_of_a_generic_kernel_go_by_names_of_their_own() {
    let module = Module::builder("instances")
        .kernel::<raise<f32, 2>>()
        .kernel::<raise<u32, 3>>()
        .build()
        .unwrap();
    let names: Vec<&str> = module
        .kernels()
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect();
    assert_eq!(names, ["raise<f32, 2>", "raise<u32, 3>"]);
    // As they are in a file.
    let module = Module::from_elf(&module.to_elf()).unwrap();
    let device = Device::builder().released().open().unwrap();
    let mut floats = device.upload(&[1.0f32; 5]).unwrap();
    let mut words = device.upload(&[1u32; 5]).unwrap();
    raise::<f32, 2>(0.25, &mut floats)
        .over(5)
        .launch_from(&module, &device)
        .unwrap();
    raise::<u32, 3>(7, &mut words)
        .over(5)
        .launch_from(&module, &device)
        .unwrap();
    assert_eq!(floats.download().unwrap(), [1.5; 5]);
    assert_eq!(words.download().unwrap(), [22; 5]);
    let missing = raise::<u32, 4>(7, &mut words)
        .over(5)
        .launch_from(&module, &device)
        .unwrap_err();
    assert!(missing.to_string().contains("raise<u32, 4>"), "{missing}");
}

fn module() -> Module {
    let builder = Module::builder("example").kernel::<distances>();
    builder
        .kernel::<group_sums>()
        .kernel::<count>()
        .build()
        .unwrap()
}

#[test]
fn facts_are_what_the_code_does() {
    let module = module();
    let names: Vec<_> = module
        .kernels()
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect();
    assert_eq!(names, ["distances", "group_sums", "count"]);
    let facts = |name: &str| module.kernel(name).unwrap().facts().clone();

    let Facts {
        uses_groups,
        uses_barrier,
        uses_atomics,
        local_memory,
        recursion,
        function_calls,
        no_indirect_global_access,
        stack,
        fault_sites,
        code_size,
        ..
    } = facts("distances");
    assert_eq!(
        (uses_groups, uses_barrier, uses_atomics),
        (Some(false), Some(false), Some(false))
    );
    assert_eq!(
        (local_memory, recursion, stack),
        (Some(0), Some(false), Some(0))
    );
    assert_eq!(function_calls.unwrap(), ["distance", "square"]);
    assert_eq!(no_indirect_global_access, Some(true));
    assert_eq!(fault_sites, Some(3));
    assert_eq!(
        code_size.unwrap() as usize,
        module.images("distances")[0].1.bytes.len()
    );

    let sums = facts("group_sums");
    assert_eq!(
        (sums.uses_groups, sums.uses_barrier),
        (Some(true), Some(true))
    );
    assert_eq!(sums.local_memory, Some(1024));
    let count = facts("count");
    assert_eq!(
        (count.uses_atomics, count.no_indirect_global_access),
        (Some(true), Some(false))
    );
}

const WEIGHTS: [u32; 4] = [1, 20, 300, 4000];

#[vortex::kernel]
fn weigh(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i] = x[i] * WEIGHTS[i % 4];
}

#[test]
fn constant_tables_are_globals_of_the_module() {
    let module = Module::builder("tables")
        .kernel::<weigh>()
        .kernel::<distances>()
        .build()
        .unwrap();
    let [table] = module.globals() else {
        panic!("{:?}", module.globals());
    };
    assert_eq!(
        (table.name.as_str(), table.size, table.is_const),
        ("weigh.constants", 16, true)
    );
    assert_eq!(module.kernel("weigh").unwrap().facts.constants, Some(16));
    assert_eq!(module.values().globals_size, Some(16));
    let image = module.images("weigh")[0].1;
    assert_eq!(
        image.bytes[table.address as usize + 4..][..4],
        20u32.to_le_bytes()
    );
    assert_eq!(module.values().features.as_deref(), Some(&[][..]));
    let without = module.filter(|kernel| kernel.name != "weigh");
    assert!(without.globals().is_empty());
    assert_eq!(without.values().globals_size, Some(0));
    let all = Module::merge("all", [&module, &without]).unwrap();
    assert_eq!(all.globals(), module.globals());
}

#[test]
fn functions_know_their_callers() {
    let module = module();
    let functions: Vec<_> = module
        .functions()
        .iter()
        .map(|function| {
            (
                function.name.as_str(),
                function.callers.as_slice(),
                function.facts.call_sites,
            )
        })
        .collect();
    assert_eq!(
        functions,
        [
            ("distance", &["distances".to_owned()][..], Some(1)),
            ("square", &["distance".to_owned()][..], Some(2)),
        ]
    );
    let square = &module.functions()[1];
    assert_eq!(square.module, "modules");
    assert_eq!(
        square.facts.to_string(),
        "{inlined = true, call_sites = 2, recursive = false, address_taken = false}"
    );
}

#[test]
fn values_hold_for_the_module() {
    let device = Device::builder().released().open().unwrap();
    let values = Module::builder("bare")
        .kernel::<distances>()
        .device(&device)
        .build()
        .unwrap();
    let values = values.values().clone();
    assert_eq!(values.shape, Some((1, 4, 4)));
    assert_eq!(
        values.isa.unwrap(),
        ["rv32im", "f", "zicsr", "zicond", "xvortex"]
    );
    assert_eq!(values.features.unwrap(), [""; 0]);
    let values = module().values().clone();
    assert_eq!(values.features.unwrap(), ["atomics"]);
    assert_eq!(values.compiler.as_deref(), Some("vortex-gpgpu"));
}

#[test]
fn files_hold_all_of_it() {
    let module = Module::builder("example")
        .kernel::<distances>()
        .kernel::<group_sums>()
        .alternative([64, 1, 1])
        .statistics()
        .build()
        .unwrap();
    let file = module.to_elf();
    assert!(Module::is_module(&file));
    let read = Module::from_elf(&file).unwrap();
    assert_eq!(read.info(), module.info());
    for kernel in module.kernels() {
        let images = |module: &Module| -> Vec<_> {
            let images = module.images(&kernel.name).into_iter();
            let parts = images.map(|(block, image)| {
                (
                    block,
                    image.bytes.clone(),
                    image.groups,
                    image.fault_sites.clone(),
                    image.lines.clone(),
                )
            });
            parts.collect()
        };
        assert_eq!(images(&read), images(&module));
    }
    assert_eq!(read.to_elf(), file);

    // It is an executable like others too.
    let image = vortex::sim::Image::parse(&file).unwrap();
    assert_eq!(image.entry(), 0x8000_0000);

    for length in (0..file.len()).step_by(7) {
        assert!(Module::from_elf(&file[..length]).is_err());
    }
    let mut damaged = file.clone();
    for at in (0..file.len()).step_by(11) {
        damaged[at] ^= 0x5a;
        let _ = Module::from_elf(&damaged);
        damaged[at] = file[at];
    }
}

#[test]
fn kernels_are_launched_by_name() {
    let module = Module::from_elf(&module().to_elf()).unwrap();
    let device = Device::open().unwrap();
    let x = device.upload(&[3.0f32, 5.0]).unwrap();
    let y = device.upload(&[4.0f32, 12.0]).unwrap();
    let mut out = device.alloc::<f32>(2).unwrap();
    let launch = module.launch("distances").unwrap();
    let launch = launch.slice("x", &x).unwrap().slice("y", &y).unwrap();
    let report = launch
        .slice_mut("out", &mut out)
        .unwrap()
        .over(2)
        .launch(&device)
        .unwrap();
    assert_eq!(out.download().unwrap(), [5.0, 13.0]);
    assert_eq!(
        report.choice().unwrap().to_string(),
        "for groups of any size, the only one"
    );

    // An index out of bounds is told as for a kernel of the program.
    let launch = module.launch("distances").unwrap();
    let mut longer = device.alloc::<f32>(3).unwrap();
    let launch = launch.slice("x", &x).unwrap().slice("y", &y).unwrap();
    let error = launch
        .slice_mut("out", &mut longer)
        .unwrap()
        .over(3)
        .launch(&device)
        .unwrap_err();
    assert!(matches!(error, Error::Fault(_)));
    assert!(error.to_string().contains("tests/modules.rs:"), "{error}");
}

#[test]
fn launches_by_name_are_checked() {
    let module = module();
    let device = Device::open().unwrap();
    let x = device.upload(&[1.0f32]).unwrap();
    let numbers = device.upload(&[1u32]).unwrap();
    let message = |error: Error| error.to_string();
    assert_eq!(
        message(module.launch("distance").unwrap_err()),
        "there is no kernel `distance` in this module; its kernels are `distances`, `group_sums`, `count`"
    );
    assert_eq!(
        message(
            module
                .launch("distances")
                .unwrap()
                .slice("z", &x)
                .unwrap_err()
        ),
        "kernel distances has no argument `z`; its arguments are `x`, `y`, `out`"
    );
    assert_eq!(
        message(
            module
                .launch("distances")
                .unwrap()
                .slice("x", &numbers)
                .unwrap_err()
        ),
        "kernel distances, argument `x`: expected `&[f32]`, found `&[u32]`"
    );
    assert_eq!(
        message(
            module
                .launch("distances")
                .unwrap()
                .slice("out", &x)
                .unwrap_err()
        ),
        "kernel distances, argument `out`: expected `&mut [f32]`, found `&[f32]`"
    );
    assert_eq!(
        message(
            module
                .launch("distances")
                .unwrap()
                .scalar("x", 1.0f32)
                .unwrap_err()
        ),
        "kernel distances, argument `x`: expected `&[f32]`, found `f32`"
    );
    let launch = module.launch("distances").unwrap().slice("x", &x).unwrap();
    assert_eq!(
        message(launch.over(1).launch(&device).unwrap_err()),
        "kernel distances: the argument `y`, a `&[f32]`, is missing"
    );
}

fn sums(
    module: &Module,
    device: &Device,
    items: usize,
    block: Option<usize>,
) -> (Vec<u32>, String) {
    let x = device.upload(&vec![1u32; items]).unwrap();
    let mut out = device.alloc::<u32>(items).unwrap();
    let launch = module.launch("group_sums").unwrap();
    let launch = launch
        .slice("x", &x)
        .unwrap()
        .slice_mut("out", &mut out)
        .unwrap();
    let launch = match block {
        Some(block) => launch.grid(items / block).block(block),
        None => launch.over(items),
    };
    let report = launch.launch(device).unwrap();
    let choice = report.choice().unwrap().to_string();
    assert!(
        report
            .to_string()
            .contains(&format!("  image               {choice}\n"))
    );
    let sums = out.download().unwrap();
    (sums.into_iter().filter(|&sum| sum > 0).collect(), choice)
}

#[test]
fn images_are_chosen_by_shape_and_size() {
    let builder = Module::builder("variants").kernel::<group_sums>();
    let module = builder
        .alternative([16, 1, 1])
        .alternative([64, 1, 1])
        .alternative([256, 1, 1])
        .build()
        .unwrap();
    let blocks: Vec<_> = module.kernels()[0]
        .alternatives
        .iter()
        .map(|one| one.block)
        .collect();
    assert_eq!(
        blocks,
        [None, Some([16, 1, 1]), Some([64, 1, 1]), Some([256, 1, 1])]
    );
    assert_eq!(module.kernels()[0].facts.image_variants, Some(4));
    let device = Device::open().unwrap();
    assert_eq!(
        sums(&module, &device, 512, None),
        (
            vec![256; 2],
            "for groups of 256, one of 4: of the groups that divide 512 work items the largest that a core runs \
             at a time (512 items)"
                .to_owned()
        )
    );
    assert_eq!(sums(&module, &device, 320, None).0, [64; 5]);
    assert_eq!(
        sums(&module, &device, 320, Some(32)),
        (
            vec![32; 10],
            "for groups of any size, one of 4: there is none for groups of 32".to_owned()
        )
    );
    assert_eq!(
        sums(&module, &device, 320, Some(64)),
        (
            vec![64; 5],
            "for groups of 64, one of 4: the launch has these groups".to_owned()
        )
    );
    let small = Device::builder().released().open().unwrap();
    assert_eq!(sums(&module, &small, 320, None).0, [16; 20]);
}

#[test]
fn typed_launches_take_images_of_modules() {
    let builder = Module::builder("variants")
        .kernel::<group_sums>()
        .kernel::<other::count>();
    let module = builder.alternative([64, 1, 1]).build().unwrap();
    let device = Device::open().unwrap();
    let x = device.upload(&[1u32; 128]).unwrap();
    let mut out = device.alloc::<u32>(128).unwrap();
    let report = group_sums(&x, &mut out)
        .over(128)
        .launch_from(&module, &device)
        .unwrap();
    assert_eq!(report.choice().unwrap().block, Some([64, 1, 1]));
    assert_eq!(out.download().unwrap()[..3], [64, 64, 0]);
    let error = count(x.as_ptr(), &mut out)
        .over(1)
        .launch_from(&module, &device)
        .unwrap_err();
    assert!(matches!(error, Error::OtherKernel { .. }));
    let mut y = device.alloc(1).unwrap();
    let error = other::halve(&mut y)
        .over(1)
        .launch_from(&module, &device)
        .unwrap_err();
    assert!(matches!(error, Error::NoKernel { .. }));
}

#[test]
fn variants_have_the_same_metadata() {
    let of = |module: Module| -> Vec<KernelInfo> {
        let kernels = module.kernels().iter().cloned();
        // All that is not about the images.
        kernels
            .map(|kernel| KernelInfo {
                facts: Facts::default(),
                alternatives: Vec::new(),
                ..kernel
            })
            .collect()
    };
    let builder = || {
        Module::builder("m")
            .kernel::<distances>()
            .kernel::<group_sums>()
    };
    let plain = of(builder().build().unwrap());
    assert_eq!(
        of(builder().alternative([64, 1, 1]).build().unwrap()),
        plain
    );
    assert_eq!(of(builder().single().build().unwrap()), plain);
    assert_eq!(plain[1].attributes, Attributes::NONE);
}

#[test]
fn single_kernels_have_one_known_block() {
    let module = Module::builder("m")
        .kernel::<group_sums>()
        .single()
        .alternative([64, 1, 1])
        .build()
        .unwrap();
    assert_eq!(module.images("group_sums").len(), 1);
    assert_eq!(module.kernels()[0].facts.known_block, Some([16, 1, 1]));
    let device = Device::builder().released().open().unwrap();
    let (sums, choice) = sums(&module, &device, 64, None);
    assert_eq!(
        (sums, choice.as_str()),
        (vec![16; 4], "for groups of 16, the only one")
    );
    let x = device.upload(&[1u32; 64]).unwrap();
    let mut out = device.alloc::<u32>(64).unwrap();
    let launch = module.launch("group_sums").unwrap().slice("x", &x).unwrap();
    let launch = launch.slice_mut("out", &mut out).unwrap().grid(2).block(32);
    assert!(matches!(
        launch.launch(&device),
        Err(Error::BlockMismatch { .. })
    ));
}

mod other {
    use vortex::prelude::*;

    #[vortex::kernel]
    pub(crate) fn count(x: &[u32], counter: &mut [u32]) {
        counter.atomic(0).fetch_max(x[global_id()], Relaxed);
    }

    #[vortex::kernel]
    pub(crate) fn halve(x: &mut [f32]) {
        x[global_id()] *= 0.5;
    }
}

#[test]
fn modules_are_merged_by_name() {
    let a = module();
    let b = Module::builder("more")
        .kernel::<other::halve>()
        .kernel::<distances>()
        .build()
        .unwrap();
    let merged = Module::merge("all", [&a, &b]).unwrap();
    let names: Vec<_> = merged
        .kernels()
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect();
    assert_eq!(names, ["distances", "group_sums", "count", "halve"]);
    assert_eq!(merged.functions().len(), 2);
    assert_eq!(
        Module::from_elf(&merged.to_elf()).unwrap().info(),
        merged.info()
    );

    let clash = Module::builder("clash")
        .kernel::<other::count>()
        .build()
        .unwrap();
    let error = Module::merge("all", [&a, &clash]).unwrap_err();
    assert!(matches!(error, ModuleError::Collision { .. }));
    let lines = [count::META.line, other::count::META.line];
    assert_eq!(
        error.to_string(),
        format!(
            "two kernels are called `count`: one in module `example` (tests/modules.rs:{}:4), one in module `clash` \
             (tests/modules.rs:{}:19)",
            lines[0], lines[1]
        )
    );
    let twice = Module::builder("m")
        .kernel::<count>()
        .kernel::<other::count>()
        .build();
    assert!(matches!(twice, Err(Error::DuplicateKernel { .. })));
}

#[test]
fn kernels_are_dropped_by_name() {
    let some = module().filter(|kernel| kernel.name.starts_with("group"));
    assert_eq!(some.kernels().len(), 1);
    assert!(some.functions().is_empty());
    let device = Device::open().unwrap();
    assert_eq!(sums(&some, &device, 64, Some(32)).0, [32, 32]);
    assert!(some.to_elf().len() < module().to_elf().len());
}

#[test]
fn statistics_are_collected_when_asked_for() {
    assert!(module().info().statistics.is_none());
    let build = || {
        Module::builder("m")
            .kernel::<distances>()
            .statistics()
            .build()
            .unwrap()
    };
    let one = build().info().statistics.clone().unwrap();
    let of = |name: &str, what: &str| one.get(Some("distances"), name, what).cloned();
    assert!(matches!(
        of("codegen", "instructions"),
        Some(Counted::Count(20..))
    ));
    assert_eq!(of("codegen", "spills"), Some(Counted::Count(0)));
    assert!(matches!(of("gvn", "fired"), Some(Counted::Count(1..))));
    let table = one.to_string();
    assert!(table.starts_with("function   pass "), "{table}");
    let mut sum = one.clone();
    sum.merge(&build().info().statistics.clone().unwrap());
    assert_eq!(
        sum.get(Some("distances"), "codegen", "spills"),
        Some(&Counted::Count(0))
    );
    let Some(Counted::Count(instructions)) = of("codegen", "instructions") else {
        panic!("{table}");
    };
    assert_eq!(
        sum.totals().get(None, "codegen", "instructions"),
        Some(&Counted::Count(2 * instructions))
    );

    // Launches count too, when somebody collects.
    let device = Device::open().unwrap();
    let mut x = device.upload(&[1.0f32]).unwrap();
    let (report, statistics) = collect(|| other::halve(&mut x).over(1).launch(&device));
    report.unwrap();
    assert!(
        statistics
            .get(Some("halve"), "codegen", "instructions")
            .is_some()
    );
}
