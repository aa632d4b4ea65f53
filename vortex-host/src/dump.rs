//! `VORTEX_DUMP`: writes the stages of a kernel's compilation to files.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use vortex_kernel::codegen::Image;

use crate::error::{Error, Result};
use crate::image::sidecar::checksum;

/// Where a `.vxbin` is loaded unless a loader knows better.
pub(crate) const DEFAULT_BASE: u32 = 0x8000_0000;

const IMAGE: &str = "vxbin";

/// The files of one launch: `DIR/0001-saxpy.vxbin` and so on.
pub(crate) struct Dump {
    stem: PathBuf,
    /// The file that every launch has, `DIR/0001-saxpy.vxbin`.
    image: File,
}

impl Dump {
    /// Numbers a launch of this process. Numbers that files in the directory have already are left out.
    ///
    /// The names can be guessed, and the directory may be one that others can write, such as `/tmp`: a file that is
    /// there is left as it is, and so is what a link of that name leads to.
    pub(crate) fn new(dir: &Path, kernel: &str) -> Result<Self> {
        static LAUNCHES: AtomicU32 = AtomicU32::new(1);
        fs::create_dir_all(dir).map_err(|cause| not_written(dir.to_owned(), cause))?;
        loop {
            let number = LAUNCHES.fetch_add(1, Ordering::Relaxed);
            let stem = dir.join(format!("{number:04}-{}", file_name(kernel)));
            let path = with_extension(&stem, IMAGE);
            match create(&path) {
                Ok(image) => return Ok(Self { stem, image }),
                Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(not_written(path, cause)),
            }
        }
    }

    /// Writes everything that is known about the launch; `sidecar` is for next to the image.
    pub(crate) fn write(&mut self, image: &Image, sidecar: &[u8], block: &[u8]) -> Result<()> {
        let written = self.image.write_all(&image.to_vxbin(DEFAULT_BASE));
        written.map_err(|cause| not_written(with_extension(&self.stem, IMAGE), cause))?;
        if let Some(listing) = &image.listing {
            self.file("staged.vir", listing.staged.as_bytes())?;
            self.file("optimised.vir", listing.optimised.as_bytes())?;
            self.file("clif", listing.clif.as_bytes())?;
            self.file("s", listing.disassembly.as_bytes())?;
        }
        self.file("vxmeta", sidecar)?;
        self.file("args", block)
    }

    fn file(&self, extension: &str, contents: &[u8]) -> Result<()> {
        let path = with_extension(&self.stem, extension);
        let written = create(&path).and_then(|mut file| file.write_all(contents));
        written.map_err(|cause| not_written(path, cause))
    }
}

fn not_written(path: PathBuf, cause: io::Error) -> Error {
    Error::Output {
        variable: "VORTEX_DUMP",
        path,
        cause,
    }
}

fn with_extension(stem: &Path, extension: &str) -> PathBuf {
    let mut path = stem.to_owned().into_os_string();
    path.push(".");
    path.push(extension);
    PathBuf::from(path)
}

/// A new file. That there is one, or a link, is an error.
fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

/// A kernel's name with everything replaced that a file system might object to. What is too long ends in a number of
/// its own.
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
