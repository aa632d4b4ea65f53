//! `VORTEX_DUMP`: what became of a kernel, in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use vortex_kernel::codegen::Image;
use vortex_kernel::meta::KernelMeta;

use crate::error::{Error, Result};

/// Where a `.vxbin` is loaded unless a loader knows better.
const DEFAULT_BASE: u64 = 0x8000_0000;

/// The files of one launch: `DIR/0001-saxpy.vxbin` and so on.
pub(crate) struct Dump {
    stem: PathBuf,
}

impl Dump {
    /// Numbers a launch of this process.
    pub(crate) fn new(dir: &Path, meta: &KernelMeta) -> Result<Self> {
        static LAUNCHES: AtomicU32 = AtomicU32::new(1);
        fs::create_dir_all(dir).map_err(|source| Error::Dump {
            path: dir.to_owned(),
            source,
        })?;
        let number = LAUNCHES.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            stem: dir.join(format!("{number:04}-{}", file_name(meta.name))),
        })
    }

    /// Writes everything that is known about the launch.
    pub(crate) fn write(&self, image: &Image, block: &[u8]) -> Result<()> {
        if let Some(listing) = &image.listing {
            self.file("staged.vir", listing.staged.as_bytes())?;
            self.file("optimised.vir", listing.optimised.as_bytes())?;
            self.file("clif", listing.clif.as_bytes())?;
            self.file("s", listing.disassembly.as_bytes())?;
        }
        self.file("vxbin", &vxbin(image))?;
        self.file("args", block)
    }

    fn file(&self, extension: &str, contents: &[u8]) -> Result<()> {
        let mut path = self.stem.clone().into_os_string();
        path.push(".");
        path.push(extension);
        let path = PathBuf::from(path);
        fs::write(&path, contents).map_err(|source| Error::Dump { path, source })
    }
}

/// A kernel's name with everything replaced that a file system might object to.
fn file_name(name: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '_'
        }
    };
    name.chars().take(64).map(safe).collect()
}

/// An image as Vortex's own loaders read it.
fn vxbin(image: &Image) -> Vec<u8> {
    let end = DEFAULT_BASE + image.bytes.len() as u64 + u64::from(image.bss);
    let mut file = Vec::with_capacity(16 + image.bytes.len());
    file.extend(DEFAULT_BASE.to_le_bytes());
    file.extend(end.to_le_bytes());
    file.extend(&image.bytes);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vxbin_says_where_it_lies() {
        let image = Image {
            bytes: vec![1, 2, 3, 4],
            bss: 12,
            fault_sites: vec![],
            lines: vec![],
            listing: None,
        };
        let file = vxbin(&image);
        assert_eq!(file[..8], 0x8000_0000u64.to_le_bytes());
        assert_eq!(file[8..16], 0x8000_0010u64.to_le_bytes());
        assert_eq!(file[16..], [1, 2, 3, 4]);
    }

    #[test]
    fn names_are_safe() {
        assert_eq!(file_name("scale<f32>/../x"), "scale_f32_____x");
        assert_eq!(file_name("r#type"), "r_type");
        assert_eq!(file_name(&"é".repeat(1000)).len(), 64);
    }
}
