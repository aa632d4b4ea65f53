//! Modules as ELF files.

use vortex::Module;

use crate::{distances, group_sums};

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
