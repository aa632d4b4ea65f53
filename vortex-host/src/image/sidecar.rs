//! What is in the file next to an image.

use serde::{Deserialize, Serialize};
use vortex_kernel::codegen::{Image, Target};
use vortex_kernel::meta::{KernelInfo, ModuleInfo};

use super::describe::{describe, values_of};
use super::record::{Record, written};
use crate::driver::Caps;

/// What is after the description.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tail {
    pub(crate) record: Record,
    /// Of the image's bytes: files are easily mixed up.
    pub(crate) checksum: u64,
}

/// FNV-1a.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The contents of the file next to an image of the only kernel of a module.
pub(crate) fn sidecar(info: &ModuleInfo, block: Option<[u32; 3]>, image: &Image) -> Vec<u8> {
    let tail = Tail {
        record: Record::new(0, block, 0, image),
        checksum: checksum(&image.bytes),
    };
    written("metadata", postcard::to_extend(&tail, info.to_bytes()))
}

/// The description of a kernel that was compiled for a launch on a device.
pub(crate) fn of_launch(
    kernel: KernelInfo,
    image: &Image,
    target: Target,
    caps: &Caps,
) -> ModuleInfo {
    let mut info = ModuleInfo {
        values: values_of(target, Some((caps.cores, caps.warps, caps.threads))),
        ..ModuleInfo::named(kernel.name.clone())
    };
    describe(&mut info, kernel, image);
    info
}
