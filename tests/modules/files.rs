//! Modules as ELF files.

use std::path::{Path, PathBuf};
use std::process::Command;

use vortex::prelude::*;
use vortex::{KernelOrigin, ListedKernel, Module, ModuleError, registry};

use crate::{distances, group_sums, sums};

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
fn elf_files_are_read_by_others() {
    let module = Module::builder("example")
        .kernel::<distances>()
        .kernel::<group_sums>();
    let module = module.build().unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("others.elf");
    std::fs::write(&path, module.to_elf()).unwrap();
    for (tool, args, parts) in [
        (
            "readelf",
            &["-hlS"][..],
            &["RISC-V", ".vortex.metadata", "LOAD"][..],
        ),
        (
            "readelf",
            &["-sW"],
            &["FUNC", " distances\n", " group_sums\n"],
        ),
        (
            "llvm-readelf",
            &["-hlS"],
            &["RISC-V", ".vortex.metadata", "LOAD"],
        ),
        (
            "llvm-objdump",
            &["-d", "--mattr=+m,+f"],
            &["<distances>:", "<group_sums>:", "csrr", "flw"],
        ),
    ] {
        let Ok(output) = Command::new(tool).args(args).arg(&path).output() else {
            println!("skipped: there is no {tool} here");
            continue;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && complaints.is_empty(),
            "{tool}: {complaints}"
        );
        for part in parts {
            assert!(text.contains(part), "{tool} {args:?}: {part} in {text}");
        }
    }
}

#[test]
fn images_are_files_with_what_is_known_beside_them() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
    let module = Module::builder("example")
        .kernel::<distances>()
        .kernel::<group_sums>()
        .alternative([64, 1, 1])
        .build()
        .unwrap();
    module.write_dir(&directory).unwrap();
    let single = Module::builder("single").kernel::<group_sums>().single();
    let single = single.build().unwrap();
    single.write_dir(directory.join("single")).unwrap();
    let read = |name: &str| {
        (
            std::fs::read(directory.join(format!("{name}.vxbin"))).unwrap(),
            std::fs::read(directory.join(format!("{name}.vxmeta"))).unwrap(),
        )
    };
    let (image, beside) = read("distances");
    let distances = Module::from_image(&image, &beside).unwrap();
    assert_eq!(distances.kernels(), &module.kernels()[..1]);
    assert_eq!(distances.functions(), module.functions());
    let (image, beside) = read("single/group_sums");
    let alone = Module::from_image(&image, &beside).unwrap();
    assert_eq!(alone.images("group_sums")[0].0, Some([16, 1, 1]));
    assert_eq!(alone.kernels()[0].args(), module.kernels()[1].args());
    let device = Device::open().unwrap();
    assert_eq!(sums(&alone, &device, 64, Some(16)).0, [16; 4]);

    // Only what belongs together.
    assert_eq!(
        Module::from_image(&read("group_sums").0, &beside).unwrap_err(),
        ModuleError::OtherImage
    );
    assert_eq!(
        Module::from_image(&image, &alone.info().to_bytes()).unwrap_err(),
        ModuleError::NoRecord
    );
    for at in 0..beside.len() {
        let mut damaged = beside.clone();
        damaged[at] ^= 0x81;
        let _ = Module::from_image(&image, &damaged);
        assert!(Module::from_image(&image, &beside[..at]).is_err());
    }
    for length in 0..image.len() {
        assert!(Module::from_image(&image[..length], &beside).is_err());
    }
}

/// A file of two kernels, of which `group_sums` has a word in its code that is no instruction.
fn half_damaged(name: &str) -> PathBuf {
    let module = Module::builder("example")
        .kernel::<distances>()
        .kernel::<group_sums>()
        .build()
        .unwrap();
    let mut file = module.to_elf();
    let code = &module.images("group_sums")[0].1.bytes;
    let found = file.windows(code.len()).position(|bytes| bytes == code);
    let at = found.unwrap();
    file[at + 8..at + 12].copy_from_slice(&[0xff; 4]);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).unwrap();
    path
}

const DAMAGE: &str =
    "the image of kernel `group_sums` is damaged: there is no instruction at its byte 8";

#[test]
fn code_in_files_is_checked_when_it_is_used() {
    let path = half_damaged("lazily.elf");
    let device = Device::open().unwrap();
    let module = device.module_from_file(&path).unwrap();
    assert_eq!(module.kernels().len(), 2);
    let message = format!("{}: {DAMAGE}", path.display());
    // Again and again, and in modules that are made of it.
    let merged = Module::merge("merged", [&module]).unwrap();
    for module in [&module, &module, &merged, &merged.filter(|_| true)] {
        let error = module.launch("group_sums").unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(matches!(error, vortex::Error::InFile { .. }));
        let error = module.attributes("group_sums", &device).unwrap_err();
        assert_eq!(error.to_string(), message);
        // The other kernel is as good as ever.
        drop(module.launch("distances").unwrap());
        module.attributes("distances", &device).unwrap();
    }
    let mut sums = device.alloc::<u32>(4).unwrap();
    let x = device.upload(&[1u32; 16]).unwrap();
    let error = group_sums(&x, &mut sums)
        .grid(4)
        .block(4)
        .launch_from(&module, &device);
    assert_eq!(error.unwrap_err().to_string(), message);
    // Who says so at once does not wait for that.
    let error = device.module_from_bytes(&std::fs::read(&path).unwrap());
    assert_eq!(error.unwrap_err().to_string(), DAMAGE);
    std::fs::remove_file(path).unwrap();
}

/// The child half of [`code_in_files_is_checked_at_once_if_asked_for`].
#[test]
fn eager_child() {
    if let Some(file) = std::env::var_os("EAGER_FILE") {
        let device = Device::open().unwrap();
        println!("{:?}", device.module_from_file(file).err());
    }
}

#[test]
fn code_in_files_is_checked_at_once_if_asked_for() {
    let path = half_damaged("eagerly.elf");
    let read = |lazy: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "files::eager_child", "--nocapture"]);
        child.env("EAGER_FILE", &path).env("VORTEX_LAZY_JIT", lazy);
        String::from_utf8(child.output().unwrap().stdout).unwrap()
    };
    let eagerly = read("0");
    assert!(
        eagerly.contains(&format!("Some({}: {DAMAGE})", path.display())),
        "{eagerly}"
    );
    let lazily = read("1");
    assert!(lazily.contains("None"), "{lazily}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn kernels_of_files_are_listed_with_their_origin_and_counters() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("listed");
    let module = Module::builder("listed")
        .kernel::<distances>()
        .build()
        .unwrap();
    module.write_dir(&directory).unwrap();
    let device = Device::open().unwrap();
    let listed = |origin: &KernelOrigin| -> Vec<ListedKernel> {
        let all = registry().list().into_iter();
        all.filter(|kernel| kernel.origin == *origin).collect()
    };
    for name in ["distances.vxbin", "distances.elf"] {
        let path = directory.join(name);
        let origin = KernelOrigin::File(path.clone().into());
        assert_eq!(origin.to_string(), path.display().to_string());
        assert!(listed(&origin).is_empty());
        let read = device.module_from_file(&path).unwrap();
        let handle = read.clone();
        let [kernel] = &listed(&origin)[..] else {
            panic!("{:?}", registry().list());
        };
        assert_eq!(kernel.name, "distances");
        assert_eq!(kernel.location, module.kernels()[0].location);
        assert_eq!((kernel.cache.images, kernel.cache.hits), (1, 0));
        let other = Device::builder().cores(2).open().unwrap();
        for device in [&device, &device, &other] {
            let x = device.upload(&[1.0f32; 4]).unwrap();
            let mut out = device.alloc::<f32>(4).unwrap();
            let launch = read.launch("distances").unwrap();
            let launch = launch.args((&x, &x, &mut out)).unwrap();
            launch.over(4).launch(device).unwrap();
        }
        let [kernel] = &listed(&origin)[..] else {
            panic!("{:?}", registry().list());
        };
        assert_eq!((kernel.cache.builds, kernel.cache.hits), (0, 3));
        drop(read);
        assert_eq!(listed(&origin).len(), 1);
        drop(handle);
        assert!(listed(&origin).is_empty());
    }
    let in_memory = listed(&KernelOrigin::Memory).len();
    let read = device.module_from_bytes(&module.to_elf()).unwrap();
    assert!(listed(&KernelOrigin::Memory).len() > in_memory, "{read:?}");
    let own = listed(&KernelOrigin::Program);
    // Other tests add instances meanwhile.
    let all = registry().kernels();
    assert!(
        own.len()
            >= all
                .iter()
                .filter(|kernel| !kernel.name().contains('<'))
                .count()
    );
    assert!(own.iter().any(|kernel| kernel.name == "distances"));
}
