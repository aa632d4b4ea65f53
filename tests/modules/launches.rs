//! Launches of kernels that are in a module.

use crate::said::said;
use vortex::meta::KernelMeta;
use vortex::prelude::*;
use vortex::{Error, LaunchError, LookupError, Module};

use crate::{count, group_sums, module, other};

#[vortex::kernel]
fn raise<T: Num, const TIMES: usize>(by: T, x: &mut [T]) {
    let i = global_id();
    for _ in 0..TIMES {
        x[i] += by;
    }
}

#[test]
fn instances_of_a_generic_kernel_have_metadata_of_their_own() {
    const OF_WORDS: &KernelMeta = &raise::<u32, 3>::META;
    const OF_BYTES: &KernelMeta = &raise::<i8, 3>::META;
    const SIZES: [usize; 2] = [OF_WORDS.args[0].size, OF_BYTES.args[0].size];
    assert_eq!(SIZES, [4, 1]);
    // What has no image yet goes by the name in the source.
    assert_eq!((OF_WORDS.name, OF_BYTES.name), ("raise", "raise"));
    assert_eq!(
        OF_BYTES.to_string(),
        "kernel raise: 2 arguments, 12 bytes\n\
         [0] by : offset=0, size=1, type=scalar (i8)\n\
         [1] x : offset=4, size=8, type=slice (&mut [i8])\n\
         padding: 3 bytes"
    );
    let module = Module::builder("instances").kernel::<raise<i8, 3>>();
    let module = module.build().unwrap();
    let kernel = &module.kernels()[0];
    assert_eq!(kernel.args()[1].rust_type, "&mut [i8]");
    assert_eq!((kernel.args_size, kernel.padding()), (12, 3));
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

    // An index out of bounds is reported as for a kernel of the program.
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
    assert!(
        error.to_string().contains("tests/modules/main.rs:"),
        "{error}"
    );
}

#[test]
fn launches_by_name_are_checked() {
    let module = module();
    let device = Device::open().unwrap();
    let x = device.upload(&[1.0f32]).unwrap();
    let numbers = device.upload(&[1u32]).unwrap();
    let message = |error: Error| said(&error);
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
    // By the item, a module has a kernel only if it is the same one.
    assert_eq!(
        module.kernel_of::<group_sums>(),
        module.kernel("group_sums")
    );
    assert!(module.kernel_of::<other::count>().is_some());
    assert!(module.kernel_of::<count>().is_none() && module.kernel("count").is_some());
    let error = count(x.as_ptr(), &mut out)
        .over(1)
        .launch_from(&module, &device)
        .unwrap_err();
    assert!(matches!(
        error,
        Error::Lookup(LookupError::OtherKernel { .. })
    ));
    let mut y = device.alloc(1).unwrap();
    let error = other::halve(&mut y)
        .over(1)
        .launch_from(&module, &device)
        .unwrap_err();
    assert!(matches!(error, Error::Lookup(LookupError::NoKernel { .. })));
}

#[test]
fn images_need_what_they_were_made_for() {
    let bare = Device::builder()
        .zicond(false)
        .atomics(false)
        .open()
        .unwrap();
    let x = bare.upload(&[1u32; 4]).unwrap();
    let mut counter = bare.alloc::<u32>(1).unwrap();
    let error = count(x.as_ptr(), &mut counter)
        .over(4)
        .launch_from(&module(), &bare)
        .unwrap_err();
    assert!(matches!(
        error,
        Error::Refused {
            cause: LaunchError::MissingExtension { .. },
            ..
        }
    ));
    assert_eq!(
        said(&error),
        "kernel count: its image uses conditional zeroing (Zicond), and this device has none; \
         make the module for it, with `.device(&device)`"
    );
}
