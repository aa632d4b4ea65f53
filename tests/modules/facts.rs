//! What the compiler finds out, and what it counts.

use vortex::Module;
use vortex::meta::{Counted, Facts, collect};
use vortex::prelude::*;

use crate::{distances, module, other};

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
        (Some(true), Some(true))
    );
}

#[vortex::kernel]
fn tabled(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let mut table = [0u32; 8];
    for k in 0..x.len() {
        table[(x[i] as usize + k) % 8] += x[k];
    }
    out[i] = table[i % 8];
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
        ("weigh.WEIGHTS", 16, true)
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

mod rows {
    pub(super) const MATRIX: [[f32; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    pub(super) const OTHER: [u32; 4] = [9, 8, 7, 6];
}

#[vortex::kernel]
fn several(out: &mut [f32]) {
    let i = global_id();
    let other = rows::OTHER;
    let steps = [0.5, 1.5][i % 2] + [2.5, 3.5, 4.5][i % 3];
    out[i] = rows::MATRIX[1][i % 3] + WEIGHTS[i % 4] as f32 + other[i % 4] as f32 + steps;
}

#[test]
fn every_constant_table_has_its_name() {
    let module = Module::builder("several").kernel::<several>().build();
    let module = module.unwrap();
    let mut tables: Vec<_> = (module.globals().iter())
        .map(|table| (&*table.name, table.size))
        .collect();
    tables.sort_unstable();
    assert_eq!(
        tables,
        [
            ("several.WEIGHTS", 16),
            ("several.constants", 8),
            ("several.constants.2", 12),
            ("several.rows::MATRIX", 12),
            ("several.rows::OTHER", 16),
        ]
    );
    assert_eq!(module.values().globals_size, Some(64));
    let image = module.images("several")[0].1;
    let other = module
        .globals()
        .iter()
        .find(|table| table.name.ends_with("OTHER"));
    let start = other.unwrap().address as usize;
    assert_eq!(image.bytes[start..start + 8], [9, 0, 0, 0, 8, 0, 0, 0]);
    let read = Module::from_elf(&module.to_elf()).unwrap();
    assert_eq!(read.info(), module.info());
    assert_eq!(read.images("several")[0].1.tables, image.tables);
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
    let declared = "fn square(";
    let line = include_str!("main.rs")
        .lines()
        .position(|line| line.contains(declared));
    assert_eq!(
        square.location.to_string(),
        format!("tests/modules/main.rs:{}:15", line.unwrap() + 1)
    );
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
    assert_eq!(
        values.language_version.as_deref(),
        Some(vortex::meta::LANGUAGE_VERSION)
    );
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
    for (pass, what) in [
        ("gvn", "fired"),
        ("gvn", "instructions removed"),
        ("simplify", "checks removed"),
        ("loop_versioning", "loops with checks before them"),
        ("loop_versioning", "checks before loops"),
        ("strength", "running pointers"),
        ("codegen", "splits"),
    ] {
        assert!(
            matches!(of(pass, what), Some(Counted::Count(1..))),
            "{pass}: {what}\n{one}"
        );
    }
    // Of three checks each, in two versions of the loop and in the loop as it was.
    let checks = |name: &str, what: &str| match of(name, what) {
        Some(Counted::Count(count)) => count,
        _ => 0,
    };
    assert!(checks("simplify", "checks removed") >= 3, "{one}");
    // Stores to private memory are no spills.
    let tabled = Module::builder("m").kernel::<tabled>().statistics();
    let tabled = tabled.build().unwrap();
    let statistics = tabled.info().statistics.as_ref().unwrap();
    assert_eq!(
        statistics.get(Some("tabled"), "codegen", "spills"),
        Some(&Counted::Count(0)),
        "{statistics}"
    );
    assert!(tabled.kernels()[0].facts.stack.unwrap() >= 32);
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

    // Of the module: what there is in it, how it has been used, and how long each stage took.
    let of_module = |pass: &str, what: &str| match one.get(None, pass, what) {
        Some(Counted::Count(count)) => *count,
        other => panic!("{pass}, {what}: {other:?}\n{one}"),
    };
    let built = build();
    let bytes: usize = (built.images("distances").iter())
        .map(|(_, image)| image.bytes.len())
        .sum();
    assert_eq!(of_module("module", "kernels"), 1);
    assert_eq!(of_module("module", "images"), 1);
    assert_eq!(of_module("module", "bytes"), bytes as u64);
    let stages = [
        "recording",
        "structuring",
        "optimisation",
        "lowering",
        "cranelift",
        "linking",
    ];
    let times = stages.map(|stage| of_module("time", &format!("{stage} (us)")));
    assert!(times.iter().sum::<u64>() > 0, "{one}");
    for use_ in ["builds", "hits", "evicted"] {
        of_module("cache", use_);
    }
    // Without being asked only what there is.
    let plain = module().statistics();
    assert_eq!(plain.records.len(), 3, "{plain}");
    // A kernel that is in two modules is there once, and what is dropped is not counted.
    let merged = Module::merge("all", [&built, &tabled, &built]).unwrap();
    let count =
        |module: &Module, what: &str| module.statistics().get(None, "module", what).cloned();
    assert_eq!(count(&merged, "kernels"), Some(Counted::Count(2)));
    let filtered = merged.filter(|kernel| kernel.name == "distances");
    assert_eq!(count(&filtered, "bytes"), Some(Counted::from(bytes)));

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

#[test]
fn uses_of_images_are_part_of_statistics() {
    #[vortex::kernel]
    fn used(x: &mut [f32]) {
        x[0] = 1.0;
    }

    let device = Device::open().unwrap();
    let mut x = device.upload(&[1.0f32]).unwrap();
    for _ in 0..3 {
        used(&mut x).over(1).launch(&device).unwrap();
    }
    let module = Module::builder("m").kernel::<used>().statistics();
    let statistics = module.build().unwrap().statistics();
    for all in [statistics, vortex::registry().statistics()] {
        let hits = all.get(None, "cache", "hits");
        assert!(matches!(hits, Some(Counted::Count(2..))), "{all}");
        let builds = all.get(None, "cache", "builds");
        assert!(matches!(builds, Some(Counted::Count(1..))), "{all}");
    }
}

#[test]
fn indirect_accesses_are_a_fact() {
    /// Where something lies.
    #[derive(Clone, Copy, vortex::DeviceType)]
    #[repr(C)]
    struct There {
        at: RawPtrMut<u32>,
    }

    #[vortex::global]
    static KEPT: RawPtr<u32> = RawPtr::null();

    #[vortex::kernel]
    fn by_table(table: &[*const u32], out: &mut [u32]) {
        // SAFETY: never launched.
        out[0] = unsafe { *table[0] };
    }

    #[vortex::kernel]
    fn by_struct(there: There) {
        // SAFETY: never launched.
        unsafe { *there.at = 1 };
    }

    #[vortex::kernel]
    fn by_structs(there: &[There]) {
        // SAFETY: never launched.
        unsafe { *there[0].at.add(1) = 1 };
    }

    #[vortex::kernel]
    fn by_pointer(p: *const *const u32, out: &mut [u32]) {
        // SAFETY: never launched.
        out[0] = unsafe { **p };
    }

    #[vortex::kernel]
    fn by_variable(out: &mut [u32]) {
        let kept = KEPT;
        // SAFETY: never launched.
        out[0] = unsafe { *kept };
    }

    #[vortex::kernel]
    fn only_compared(table: &[*const u32], out: &mut [u32]) {
        out[0] = if table[0].is_null() { 1 } else { 0 };
    }

    #[vortex::kernel]
    fn through_arguments(p: *const u32, n: usize, out: &mut [u32]) {
        // SAFETY: never launched.
        out[0] = unsafe { *p.add(n) };
    }

    let module = Module::builder("indirect")
        .kernel::<by_table>()
        .kernel::<by_struct>()
        .kernel::<by_structs>()
        .kernel::<by_pointer>()
        .kernel::<by_variable>()
        .kernel::<only_compared>()
        .kernel::<through_arguments>();
    let module = module.build().unwrap();
    let direct = |name: &str| {
        module
            .kernel(name)
            .unwrap()
            .facts()
            .no_indirect_global_access
    };
    for name in [
        "by_table",
        "by_struct",
        "by_structs",
        "by_pointer",
        "by_variable",
    ] {
        assert_eq!(direct(name), Some(false), "{name}");
    }
    for name in ["only_compared", "through_arguments"] {
        assert_eq!(direct(name), Some(true), "{name}");
    }
    let table = &module.kernel("by_table").unwrap().args[0];
    assert_eq!((&*table.rust_type, table.element_size), ("&[RawPtr]", 4));
}
