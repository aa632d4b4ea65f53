//! Launches by name, of kernels in the program and in files.

use crate::said::said;
use std::path::{Path, PathBuf};
use std::process::Command;

use vortex::prelude::*;
use vortex::{Bundle, Error, LaunchError, LocalLen, Module};

use super::{add, device};

#[vortex::kernel]
fn kinds(flag: bool, n: usize, small: i8, from: *const u16, to: *mut u16, out: &mut [u32]) {
    // SAFETY: the host passes pointers to an element each.
    unsafe { *to = *from + 1 };
    out[0] = if flag { n as u32 + small as u32 } else { 0 };
}

/// An instance is no kernel of the program before it has been launched from there.
#[vortex::kernel]
fn sharpen<T: Num>(by: T, x: &[T], y: &mut [T]) {
    let i = global_id();
    y[i] = x[i] + by;
}

/// A directory of this test's own.
fn directory(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn kernels_of_the_program_are_launched_by_name() {
    let device = device();
    let stream = device.stream().unwrap();
    let x = device.upload(&[1; 6]).unwrap();
    let mut y = device.alloc::<i32>(6).unwrap();
    let launch = device.kernel("add").unwrap();
    assert_eq!(launch.info().args().len(), 3);
    let report = launch
        .args((5, &x, &mut y))
        .unwrap()
        .grid(3)
        .block(2)
        .launch(&device)
        .unwrap();
    assert!(report.choice().is_none());
    assert_eq!(y.download().unwrap(), [6; 6]);
    // Parts of buffers, on a stream.
    let (part, mut rest) = (x.slice(..2).unwrap(), y.slice_mut(4..).unwrap());
    let launch = device.kernel("runtime::add").unwrap();
    let launch = launch.args((7, &part, &mut rest)).unwrap().over(2);
    launch.on(&stream).launch().wait().unwrap();
    assert_eq!(y.download().unwrap(), [6, 6, 6, 6, 8, 8]);

    let from = device.upload(&[7u16]).unwrap();
    let mut to = device.alloc::<u16>(1).unwrap();
    let mut out = device.alloc::<u32>(1).unwrap();
    let args = (true, 4usize, -1i8, from.as_ptr(), to.as_mut_ptr(), &mut out);
    let launch = device.kernel("kinds").unwrap().args(args).unwrap();
    launch.over(1).launch(&device).unwrap();
    assert_eq!(
        (to.download().unwrap(), out.download().unwrap()),
        (vec![8], vec![3])
    );
}

#[test]
fn wrong_arguments_are_errors() {
    let device = device();
    let x = device.upload(&[1; 6]).unwrap();
    let mut y = device.alloc::<i32>(6).unwrap();
    let short = device.kernel("add").unwrap().args((5, &x)).unwrap_err();
    assert_eq!(
        short.to_string(),
        "kernel add: 2 arguments for 3 parameters: `by: i32`, `x: &[i32]`, `y: &mut [i32]`"
    );
    let scalar = device.kernel("add").unwrap().args((5u8, &x, &mut y));
    assert_eq!(
        scalar.unwrap_err().to_string(),
        "kernel add, argument `by`: expected `i32`, found `u8`"
    );
    let shared = device.kernel("add").unwrap().args((5, &x, &x));
    assert_eq!(
        shared.unwrap_err().to_string(),
        "kernel add, argument `y`: expected `&mut [i32]`, found `&[i32]`"
    );
    let pointer = device.kernel("add").unwrap().args((5, x.as_ptr(), &mut y));
    assert_eq!(
        pointer.unwrap_err().to_string(),
        "kernel add, argument `x`: expected `&[i32]`, found `*const i32`"
    );
    let missing = device.kernel("add").unwrap().over(1).launch(&device);
    assert!(matches!(
        missing,
        Err(Error::Refused {
            cause: LaunchError::MissingArgument { .. },
            ..
        })
    ));
}

#[vortex::kernel]
fn reversed(tile: &mut Local<[u32]>, x: &mut [u32]) {
    tile[local_id()] = x[global_id()];
    barrier();
    x[global_id()] = tile[local_size() - 1 - local_id()];
}

#[test]
fn local_memory_is_given_by_length() {
    let device = device();
    let mut x = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let launch = device.kernel("reversed").unwrap();
    let launch = launch.args((LocalLen(4), &mut x)).unwrap();
    launch.grid(1).block(4).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [4, 3, 2, 1]);
    let launch = device.kernel("reversed").unwrap();
    let error = launch.args((4usize, &mut x)).unwrap_err();
    assert!(error.to_string().ends_with("found `usize`"), "{error}");
}

#[vortex::kernel]
fn two_tiles(tile: &mut Local<[u32]>, other: &mut Local<[u8]>, x: &mut [u32]) {
    let i = local_id();
    tile[i] = x[global_id()];
    other[i] = i as u8;
    barrier();
    x[global_id()] = tile[local_size() - 1 - i] + other[i] as u32;
}

#[test]
fn local_memory_is_given_by_bytes() {
    let device = device();
    let stream = device.stream().unwrap();
    let mut x = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let launch = device.kernel("reversed").unwrap().args((&mut x,)).unwrap();
    let launch = launch.grid(1).block(4).local_mem(16).on(&stream).launch();
    launch.wait().unwrap();
    assert_eq!(x.download().unwrap(), [4, 3, 2, 1]);

    let launch = device.kernel("two_tiles").unwrap().args((&mut x,)).unwrap();
    let launch = launch.local("tile", 4).unwrap().local_mem(4);
    launch.grid(1).block(4).launch(&device).unwrap();
    assert_eq!(x.download().unwrap(), [1, 3, 5, 7]);

    let mut failure = |name: &str, bytes| {
        let launch = device.kernel(name).unwrap().args((&mut x,)).unwrap();
        let launch = launch.grid(1).block(4);
        let launch = match bytes {
            Some(bytes) => launch.local_mem(bytes),
            None => launch,
        };
        launch.launch(&device).unwrap_err()
    };
    assert!(matches!(
        failure("reversed", None),
        Error::Refused {
            cause: LaunchError::MissingArgument { .. },
            ..
        }
    ));
    assert!(matches!(
        failure("reversed", Some(6)),
        Error::Refused {
            cause: LaunchError::PartialElement { bytes: 6, .. },
            ..
        }
    ));
    assert_eq!(
        said(&failure("two_tiles", Some(16))),
        "kernel two_tiles: local memory could be meant for each of `tile`, `other`: give each its length, `.local(\"name\", elements)`"
    );
    let launch = device.kernel("nothing").unwrap().local_mem(4).over(1);
    let error = launch.launch(&device).unwrap_err().to_string();
    assert!(
        error.starts_with("kernel nothing: it takes no local memory"),
        "{error}"
    );
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Line {
    slope: f32,
    from: f32,
}

#[vortex::kernel]
fn along(line: Line, steps: [u32; 2], y: &mut [f32]) {
    y[global_id()] = line.from + line.slope * steps[global_id()] as f32;
}

#[test]
fn structs_and_arrays_are_arguments() {
    let device = device();
    let mut y = device.alloc::<f32>(2).unwrap();
    let line = Line {
        slope: 0.5,
        from: 1.0,
    };
    let launch = device.kernel("along").unwrap();
    let launch = launch.args((line, [2u32, 4], &mut y)).unwrap();
    launch.over(2).launch(&device).unwrap();
    assert_eq!(y.download().unwrap(), [2.0, 3.0]);
    let error = device.kernel("along").unwrap();
    let error = error.args((line, [2.0f32, 4.0], &mut y)).unwrap_err();
    assert!(error.to_string().contains("[u32; 2]"), "{error}");
}

/// The child half of [`kernels_are_found_in_files`].
#[test]
fn file_child() {
    if std::env::var_os("VORTEX_KERNEL_PATH").is_some() {
        let device = device();
        let x = device.upload(&[1; 2]).unwrap();
        let mut y = device.alloc::<i32>(2).unwrap();
        for _ in 0..2 {
            let launch = device.kernel("sharpen<i32>").unwrap().args((5, &x, &mut y));
            launch.unwrap().over(2).launch(&device).unwrap();
        }
        println!("{:?}", y.download().unwrap());
        // A kernel of the program has no image of a module to choose.
        let launch = device.kernel("add").unwrap();
        println!("add is in a file: {}", launch.choice(&device).is_some());
        let launch = device.kernel("sharpen<i32>").unwrap();
        println!(
            "sharpen<i32> is in a file: {}",
            launch.choice(&device).is_some()
        );
        println!("{}", device.kernel("bl/ur").unwrap_err());
        println!("{}", device.kernel("broken").unwrap_err());
        println!("{}", device.kernel("alone").unwrap_err());
        println!("{}", device.kernel("swapped").unwrap_err());
    }
}

#[test]
fn kernels_are_found_in_files() {
    let path = directory("kernels");
    let device = device();
    let module = Module::builder("m").kernel::<add>().device(&device);
    let module = module.build().unwrap();
    let files = module.write_dir(&path).unwrap();
    assert_eq!(files.len(), 3);
    let other = Module::builder("m").kernel::<kinds>().device(&device);
    other.build().unwrap().write_dir(&path).unwrap();
    let instance = Module::builder("m")
        .kernel::<sharpen<i32>>()
        .device(&device);
    instance.build().unwrap().write_dir(&path).unwrap();
    for (from, to) in [
        ("add.vxbin", "alone.vxbin"),
        ("add.vxbin", "swapped.vxbin"),
        ("kinds.vxmeta", "swapped.vxmeta"),
        ("add.vxbin", "broken.vxbin"),
        ("add.elf", "broken.vxmeta"),
    ] {
        std::fs::copy(path.join(from), path.join(to)).unwrap();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "by_name::file_child", "--nocapture"])
        .env(
            "VORTEX_KERNEL_PATH",
            std::env::join_paths([Path::new("/nowhere"), &path]).unwrap(),
        )
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let shown = path.display();
    for line in [
        "[6, 6]\n".to_owned(),
        "add is in a file: false\n".to_owned(),
        "sharpen<i32> is in a file: true\n".to_owned(),
        format!(
            "there is no kernel `bl/ur` in this program, and no file `bl_ur.vxbin` in /nowhere, {shown}; the program's kernels are `"
        ),
        format!("{shown}/broken.vxbin: this is no metadata of Vortex kernels\n"),
        format!(
            "{shown}/alone.vxbin: a .vxbin file is only code: `{shown}/alone.vxmeta`, which `Module::write_dir` writes beside it"
        ),
        format!("{shown}/swapped.vxbin: the metadata beside this file is of another image\n"),
    ] {
        assert!(out.contains(&line), "{line}\n{out}");
    }
}

#[test]
fn modules_are_read_from_files() {
    let path = directory("modules");
    let device = device();
    let module = Module::builder("m").kernel::<add>().device(&device);
    module.build().unwrap().write_dir(&path).unwrap();
    let x = device.upload(&[1; 2]).unwrap();
    let mut y = device.alloc::<i32>(2).unwrap();
    for file in ["add.vxbin", "add.elf"] {
        let module = device.module_from_file(path.join(file)).unwrap();
        let launch = module.launch("add").unwrap().args((2, &x, &mut y)).unwrap();
        let report = launch.over(2).launch(&device).unwrap();
        assert!(report.choice().is_some());
        assert_eq!(y.download().unwrap(), [3; 2]);
    }
    let message = |file: &str| {
        let error = device.module_from_file(path.join(file)).unwrap_err();
        let error = error.to_string();
        error
            .strip_prefix(&format!("{}/", path.display()))
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        message("none.elf"),
        "none.elf: No such file or directory (os error 2)"
    );
    assert_eq!(
        message("add.vxmeta"),
        "add.vxmeta: this is no file of kernels: neither an ELF file nor a bundle"
    );
    std::fs::write(
        path.join("half.elf"),
        &std::fs::read(path.join("add.elf")).unwrap()[..80],
    )
    .unwrap();
    assert!(message("half.elf").starts_with("half.elf: this ELF file is damaged: "));
    let other = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    std::fs::write(path.join("other.elf"), &other[..4096]).unwrap();
    assert_eq!(
        message("other.elf"),
        "other.elf: this ELF file is not for a little-endian 32-bit machine"
    );
    let mut other = std::fs::read(path.join("add.elf")).unwrap();
    other[18] = 40;
    std::fs::write(path.join("arm.elf"), &other).unwrap();
    assert_eq!(
        message("arm.elf"),
        "arm.elf: this ELF file is not for RISC-V"
    );
}

#[test]
fn a_bundle_has_the_module_for_a_device() {
    let module = |device: Option<&Device>| {
        let builder = Module::builder("m").kernel::<add>();
        match device {
            Some(device) => builder.device(device).build().unwrap(),
            None => builder.build().unwrap(),
        }
    };
    let bare = Device::builder().released().zicond(false).open().unwrap();
    let released = Device::builder().released().open().unwrap();
    let large = Device::builder().open().unwrap();
    let bundle = Bundle::new()
        .with("any", &module(None))
        .unwrap()
        .with("released", &module(Some(&released)))
        .unwrap();
    let again = bundle.clone().with("any", &module(None)).unwrap_err();
    assert_eq!(again.to_string(), "the bundle has an entry `any` already");
    let file = bundle.to_bytes();
    let read = Bundle::from_bytes(&file).unwrap();
    let ids: Vec<&str> = read.entries().map(|(id, _)| id).collect();
    assert_eq!(ids, ["any", "released"]);
    assert!(read.get("released").is_some() && read.get("other").is_none());

    let shape = |device: &Device| {
        device
            .module_from_bytes(&file)
            .map(|module| module.values().shape)
    };
    assert_eq!(shape(&released).unwrap(), Some((1, 4, 4)));
    assert_eq!(shape(&large).unwrap(), None);
    assert_eq!(
        shape(&bare).unwrap_err().to_string(),
        "no entry of the bundle is for this device, which has rv32im, f, zicsr, xvortex: \
         `any` needs rv32im, f, zicsr, a, zicond, xvortex, xvortexwarp; `released` needs rv32im, f, zicsr, zicond, xvortex"
    );
    // Damaged in every place: an error, or another bundle, but no panic.
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0x41;
        let _ = Bundle::from_bytes(&damaged);
        assert!(Bundle::from_bytes(&file[..at]).is_err());
    }
}
