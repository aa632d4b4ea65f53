//! Images in files of their own, with what is known of each in a file beside it.
//!
//! A `.vxbin` file is what Vortex's runtime loads, and has no room for more. The file beside it, of the same name with `.vxmeta`
//! at its end, holds the module's description ([`ModuleInfo::to_bytes`]) and behind it what the host needs to run the image.

use serde::{Deserialize, Serialize};
use vortex_kernel::codegen::Image;
use vortex_kernel::meta::{KernelInfo, MetadataError, ModuleInfo};

use super::analyse::describe;
use super::builder::values_of;
use super::elf::Record;
use super::finalise::When;
use super::{Module, ModuleError, limits, written};
use crate::device::Device;
use vortex_sim::VxBin;

/// What stands behind the description.
#[derive(Debug, Serialize, Deserialize)]
struct Tail {
    record: Record,
    /// Of the image's bytes: files are easily mixed up.
    checksum: u64,
}

/// FNV-1a.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The contents of the file beside an image of the only kernel of a module.
pub(crate) fn sidecar(info: &ModuleInfo, block: Option<[u32; 3]>, image: &Image) -> Vec<u8> {
    let tail = Tail {
        record: Record::new(0, block, 0, image),
        checksum: checksum(&image.bytes),
    };
    written("metadata", postcard::to_extend(&tail, info.to_bytes()))
}

/// The description of a kernel that was compiled for a launch on a device.
pub(crate) fn of_launch(kernel: KernelInfo, image: &Image, device: &Device) -> ModuleInfo {
    let caps = device.caps();
    let mut info = ModuleInfo {
        values: values_of(
            device.target(),
            Some((caps.cores, caps.warps, caps.threads)),
        ),
        ..ModuleInfo::named(kernel.name.clone())
    };
    describe(&mut info, kernel, image);
    info
}

impl Module {
    /// A module of one kernel with one image: of what [`Module::write_dir`] wrote, or launches with `VORTEX_DUMP`.
    ///
    /// # Errors
    /// If the files are anything else, or do not belong together.
    pub fn from_image(vxbin: &[u8], sidecar: &[u8]) -> Result<Module, ModuleError> {
        let (mut info, tail) = ModuleInfo::read_bytes(sidecar)?;
        if tail.is_empty() {
            return Err(ModuleError::NoRecord);
        }
        let tail: Tail = postcard::from_bytes(tail).map_err(|_| MetadataError::Damaged)?;
        let vxbin = VxBin::parse(vxbin).map_err(|error| ModuleError::Damaged(error.to_string()))?;
        let is_its =
            vxbin.bytes().len() == tail.record.size() && checksum(vxbin.bytes()) == tail.checksum;
        if !is_its || info.kernels.len() != 1 || vxbin.bytes().is_empty() {
            return Err(ModuleError::OtherImage);
        }
        limits::check(&info, std::slice::from_ref(&tail.record))?;
        let variant = tail.record.into_variant(vxbin.bytes().to_vec());
        let kernel = &mut info.kernels[0];
        kernel.facts = variant.image.facts.clone();
        kernel.alternatives.clear();
        Module::new(info, vec![vec![variant]], When::AtFirstUse)
    }
}
