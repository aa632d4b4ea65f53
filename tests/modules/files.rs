//! Modules as ELF files.

use std::path::Path;
use std::process::Command;

use vortex::prelude::*;
use vortex::{Module, ModuleError};

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
