//! One module of several, and less of one.

use vortex::prelude::*;
use vortex::{Error, LookupError, Module, ModuleError};

use crate::{count, distances, module, other, sums};

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
            "two kernels are called `count`: one in module `example` (tests/modules/main.rs:{}:15), one in module `clash` \
             (tests/modules/main.rs:{}:19)",
            lines[0], lines[1]
        )
    );
    let twice = Module::builder("m")
        .kernel::<count>()
        .kernel::<other::count>()
        .build();
    assert!(matches!(
        twice,
        Err(Error::Lookup(LookupError::DuplicateKernel { .. }))
    ));
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
