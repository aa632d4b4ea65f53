//! Metadata that says what cannot be, as files from strangers may: an error where it is read, and no panic later.

use std::fs;
use std::path::PathBuf;

use vortex::meta::{GlobalInfo, KernelInfo, ModuleInfo};
use vortex::{Device, Error, Module, ModuleError};

use crate::{distances, group_sums, module};

/// A module of one kernel as the two files that `Module::write_dir` writes.
fn files(name: &str) -> (Vec<u8>, Vec<u8>) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("wild_{name}"));
    let _ = fs::remove_dir_all(&directory);
    let module = module().filter(|kernel| kernel.name == name);
    let files = module.write_dir(&directory).unwrap();
    let of = |ending: &str| {
        let named = |file: &&PathBuf| file.extension().is_some_and(|found| found == ending);
        fs::read(files.iter().find(named).unwrap()).unwrap()
    };
    (of("vxbin"), of("vxmeta"))
}

/// What reading these files says after their metadata was changed.
fn changed(
    (image, metadata): &(Vec<u8>, Vec<u8>),
    change: impl FnOnce(&mut ModuleInfo),
) -> Result<Module, ModuleError> {
    let (mut info, rest) = ModuleInfo::read_bytes(metadata).unwrap();
    change(&mut info);
    Module::from_image(image, &[&info.to_bytes(), rest].concat())
}

/// What is wrong with arguments that are elsewhere than they have to be, or that are too many.
const ARGUMENTS: &str = "its arguments do not lie in their struct as they are laid out";

/// What cannot be, if that is what was found.
fn problem(read: Result<Module, ModuleError>) -> &'static str {
    match read {
        Err(ModuleError::Kernel { problem, .. }) => problem,
        Err(ModuleError::Arguments { .. }) => ARGUMENTS,
        other => panic!("{other:?}"),
    }
}

type Change = fn(&mut KernelInfo);

#[test]
fn impossible_metadata_is_refused() {
    let files = files("distances");
    assert!(changed(&files, |_| {}).is_ok());
    let name = "its name has a zero byte in it, where names in files end";
    let none = "a group of no work items cannot cover any work";
    let many = "a group of more than 1024 work items fits no Vortex";
    let lanes = "`subgroup` is 1, 2, 4, 8, 16 or 32";
    let args = ARGUMENTS;
    let cases: &[(Change, &str)] = &[
        (|kernel| kernel.name.push('\0'), name),
        (|kernel| kernel.attributes.block = Some([4, 0, 1]), none),
        (|kernel| kernel.attributes.block = Some([u32::MAX; 3]), many),
        (
            |kernel| kernel.attributes.block = Some([1 << 16, 1 << 16, 1]),
            many,
        ),
        (|kernel| kernel.attributes.subgroup = Some(0), lanes),
        (|kernel| kernel.args_size = u32::MAX, args),
        (|kernel| kernel.args_size = 0, args),
        (|kernel| kernel.args[1].offset += 4, args),
        (|kernel| kernel.args[0].offset = u32::MAX, args),
        (|kernel| kernel.args[0].size = u32::MAX, args),
        (|kernel| kernel.args[0].size = 4, args),
        (|kernel| kernel.args[0].align = 0, args),
        (|kernel| kernel.args[0].align = 3, args),
        (|kernel| kernel.args[0].align = 1 << 31, args),
        (|kernel| kernel.args[2].index = 7, args),
        (|kernel| drop(kernel.args.pop()), args),
    ];
    for (number, (change, expected)) in cases.iter().enumerate() {
        let read = changed(&files, |info| change(&mut info.kernels[0]));
        assert_eq!(problem(read), *expected, "case {number}");
    }
    let read = changed(&files, |info| {
        info.kernels[0].name = "a\0\u{1b}[2J".to_owned()
    });
    assert_eq!(
        read.unwrap_err().to_string(),
        format!("what is said of kernel `a\\0\\u{{1b}}[2J` cannot be: {name}")
    );
}

#[test]
fn groups_of_an_image_can_be() {
    let (image, metadata) = files("group_sums");
    // What the host needs to run the image stands after the description, and begins with the kernel's number and its
    // groups.
    let (info, rest) = ModuleInfo::read_bytes(&metadata).unwrap();
    assert_eq!(rest[..2], [0, 0]);
    for (x, expected) in [(0, "no work items"), (5, "")] {
        let record = [&[0, 1, x, 1, 1], &rest[2..]].concat();
        let read = Module::from_image(&image, &[info.to_bytes(), record].concat());
        match read {
            Ok(_) => assert_eq!(expected, ""),
            Err(error) => assert!(!expected.is_empty() && error.to_string().contains(expected)),
        }
    }
}

#[test]
fn sizes_that_add_up_to_anything_are_added() {
    let files = files("distances");
    let read = changed(&files, |info| {
        let own = (0..3).map(|number| GlobalInfo {
            name: format!("distances.{number}"),
            address: u32::MAX,
            size: u32::MAX - number,
            is_const: true,
            is_extern: false,
            is_global: false,
        });
        info.globals = own.collect();
        info.values.globals_size = Some(u32::MAX);
    });
    let read = read.unwrap();
    let all = [
        read.filter(|_| true),
        Module::merge("both", [&read, &read]).unwrap(),
        Module::from_elf(&read.to_elf()).unwrap(),
    ];
    for module in all {
        assert_eq!(module.globals().len(), 3);
        assert_eq!(module.values().globals_size, Some(u32::MAX));
        let device = Device::open().unwrap();
        module.attributes("distances", &device).unwrap();
    }
}

#[test]
fn alternatives_are_groups_that_can_be() {
    for (block, expected) in [
        ([0, 1, 1], "a group of no work items cannot cover any work"),
        (
            [1 << 16, 1 << 16, 1],
            "a group of more than 1024 work items fits no Vortex",
        ),
        (
            [u32::MAX; 3],
            "a group of more than 1024 work items fits no Vortex",
        ),
    ] {
        let builder = Module::builder("wild").kernel::<group_sums>();
        let error = builder.alternative(block).build().unwrap_err();
        assert!(matches!(error, Error::Compile { .. }));
        assert_eq!(
            error.to_string(),
            format!(
                "kernel group_sums: no launch can be as the kernel is to be compiled for: {expected}"
            )
        );
    }
    let builder = Module::builder("wild").kernel::<distances>();
    builder.alternative([1024, 1, 1]).build().unwrap();
}
