//! Module files of any content are modules or errors, and take memory in proportion to their size: run with
//! `-rss_limit_mb=1024 -malloc_limit_mb=256`. `tests/strangers.rs` is the same without libFuzzer, and launches what it
//! reads.

use vortex_host::load::Checked;
use vortex_host::{Device, Module};

thread_local! {
    static DEVICE: Device = match Device::builder().cores(1).warps(2).threads(4).open() {
        Ok(device) => device,
        Err(error) => panic!("{error}"),
    };
}

/// Reads the module that the bytes are.
pub fn run(file: &[u8]) -> bool {
    // The first half may be a `.vxbin` file, and the second the `.vxmeta` file beside it.
    let (first, second) = file.split_at(file.len() / 2);
    let mut is_read = false;
    let read = [Checked::read(file), Checked::read_pair(first, second)];
    for checked in read {
        match checked {
            Err(error) => drop(error.to_string()),
            Ok(checked) => {
                is_read = true;
                let analysed = checked.analyse();
                if !analysed.is_program() {
                    let _ = DEVICE.with(|device| analysed.for_device(device));
                }
            }
        }
    }
    if let Ok(module) = Module::from_elf(file) {
        let _ = module.filter(|kernel| kernel.args.is_empty()).to_elf();
    }
    is_read
}
