//! Images in separate files, each with its metadata in a file next to it.
//!
//! A `.vxbin` file is what Vortex's runtime loads, and has no room for metadata. The file next to it, of the same name
//! with `.vxmeta` at its end, holds the module's description ([`ModuleInfo::to_bytes`]) and after it what the host
//! needs to run the image.

use vortex_kernel::meta::{MetadataError, ModuleInfo};

use super::load::When;
use super::{Module, Variant, limits};
use crate::error::ModuleError;
use crate::image::sidecar::{Tail, checksum};
use vortex_sim::VxBin;

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
        let variant = Variant::read(tail.record, vxbin.bytes().to_vec());
        let kernel = &mut info.kernels[0];
        kernel.facts = variant.image.facts.clone();
        kernel.alternatives.clear();
        Module::new(info, vec![vec![variant]], When::AtFirstUse)
    }
}
