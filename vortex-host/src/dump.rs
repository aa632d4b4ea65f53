//! `VORTEX_DUMP`: what became of a kernel, in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use vortex_kernel::codegen::Image;

use crate::error::{Error, Result};
use crate::module::checksum;

/// Where a `.vxbin` is loaded unless a loader knows better.
pub(crate) const DEFAULT_BASE: u32 = 0x8000_0000;

/// The files of one launch: `DIR/0001-saxpy.vxbin` and so on.
pub(crate) struct Dump {
    stem: PathBuf,
}

impl Dump {
    /// Numbers a launch of this process.
    pub(crate) fn new(dir: &Path, kernel: &str) -> Result<Self> {
        static LAUNCHES: AtomicU32 = AtomicU32::new(1);
        fs::create_dir_all(dir).map_err(|cause| Error::Dump {
            path: dir.to_owned(),
            cause,
        })?;
        let number = LAUNCHES.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            stem: dir.join(format!("{number:04}-{}", file_name(kernel))),
        })
    }

    /// Writes everything that is known about the launch; `sidecar` is for beside the image.
    pub(crate) fn write(&self, image: &Image, sidecar: &[u8], block: &[u8]) -> Result<()> {
        if let Some(listing) = &image.listing {
            self.file("staged.vir", listing.staged.as_bytes())?;
            self.file("optimised.vir", listing.optimised.as_bytes())?;
            self.file("clif", listing.clif.as_bytes())?;
            self.file("s", listing.disassembly.as_bytes())?;
        }
        self.file("vxbin", &image.to_vxbin(DEFAULT_BASE))?;
        self.file("vxmeta", sidecar)?;
        self.file("args", block)
    }

    fn file(&self, extension: &str, contents: &[u8]) -> Result<()> {
        let mut path = self.stem.clone().into_os_string();
        path.push(".");
        path.push(extension);
        let path = PathBuf::from(path);
        fs::write(&path, contents).map_err(|cause| Error::Dump { path, cause })
    }
}

/// A kernel's name with everything replaced that a file system might object to. What is too long ends in a number of its own.
pub(crate) fn file_name(name: &str) -> String {
    const MOST: usize = 64;
    let safe = |c: char| match c.is_ascii_alphanumeric() {
        true => c,
        false => '_',
    };
    let whole: String = name.chars().map(safe).collect();
    if whole.len() <= MOST {
        return whole;
    }
    format!("{}_{:016x}", &whole[..MOST - 17], checksum(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        assert_eq!(file_name("scale<f32>/../x"), "scale_f32_____x");
        assert_eq!(file_name("r#type"), "r_type");
        let [one, other] =
            ["f32", "f64"].map(|ty| file_name(&format!("{}<{ty}>", "é".repeat(1000))));
        assert_eq!((one.len(), other.len()), (64, 64));
        assert_ne!(one, other);
    }
}
