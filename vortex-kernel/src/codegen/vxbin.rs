//! The `.vxbin` container: where an image goes, and its bytes.
//!
//! `min_vma: u64, max_vma: u64` (little endian), then the bytes of `[min_vma, min_vma + len)`. Memory from there up to
//! `max_vma` is zero-filled and writable. Execution starts at `min_vma`.

use super::Image;
use thiserror::Error;

/// Size of the header in bytes.
pub const HEADER_SIZE: usize = 16;

/// What the header says, with the bytes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vxbin<'a> {
    /// Where the image starts, and where execution starts.
    pub min_vma: u64,
    /// Where its memory ends.
    pub max_vma: u64,
    /// What the memory holds from `min_vma` on.
    pub bytes: &'a [u8],
}

/// Why a file is no `.vxbin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VxbinError {
    /// Shorter than its header.
    #[error(
        "a .vxbin file starts with {HEADER_SIZE} bytes of header, this one has {0} bytes in all"
    )]
    Short(usize),
    /// The end lies before the bytes do.
    #[error(
        "the header says that the image occupies {min_vma:#x}..{max_vma:#x}, but {len} bytes follow"
    )]
    Range {
        /// Start.
        min_vma: u64,
        /// End.
        max_vma: u64,
        /// Bytes in the file.
        len: usize,
    },
    /// Not in the 32-bit address space.
    #[error("the image ends at {0:#x}, beyond the 32-bit address space")]
    TooHigh(u64),
    /// Nothing can be executed there.
    #[error("the image starts at {0:#x}, which is no multiple of 4")]
    Misaligned(u64),
}

impl<'a> Vxbin<'a> {
    /// Takes a file apart.
    ///
    /// # Errors
    /// If the header is missing or contradicts itself or the file.
    pub fn parse(file: &'a [u8]) -> Result<Self, VxbinError> {
        let short = VxbinError::Short(file.len());
        let (min, rest) = file.split_first_chunk().ok_or(short)?;
        let (max, bytes) = rest.split_first_chunk().ok_or(short)?;
        let (min_vma, max_vma) = (u64::from_le_bytes(*min), u64::from_le_bytes(*max));
        let end = min_vma.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > max_vma) {
            return Err(VxbinError::Range {
                min_vma,
                max_vma,
                len: bytes.len(),
            });
        }
        if max_vma > 1 << 32 {
            return Err(VxbinError::TooHigh(max_vma));
        }
        if min_vma % 4 != 0 {
            return Err(VxbinError::Misaligned(min_vma));
        }
        Ok(Self {
            min_vma,
            max_vma,
            bytes,
        })
    }
}

impl Image {
    /// The image as a `.vxbin` file that is loaded at `base`.
    #[must_use]
    pub fn to_vxbin(&self, base: u32) -> Vec<u8> {
        let end = u64::from(base) + self.bytes.len() as u64 + u64::from(self.bss);
        let mut file = Vec::with_capacity(HEADER_SIZE + self.bytes.len());
        file.extend(u64::from(base).to_le_bytes());
        file.extend(end.to_le_bytes());
        file.extend(&self.bytes);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(min: u64, max: u64, bytes: &[u8]) -> Vec<u8> {
        [&min.to_le_bytes()[..], &max.to_le_bytes(), bytes].concat()
    }

    #[test]
    fn an_image_comes_back() {
        let image = Image {
            bytes: vec![1, 2, 3, 4],
            bss: 64,
            fault_sites: Vec::new(),
            lines: Vec::new(),
            listing: None,
        };
        let file = image.to_vxbin(0x8000_0000);
        assert_eq!(
            Vxbin::parse(&file),
            Ok(Vxbin {
                min_vma: 0x8000_0000,
                max_vma: 0x8000_0044,
                bytes: &[1, 2, 3, 4],
            })
        );
    }

    #[test]
    fn contradictions_are_errors() {
        assert_eq!(Vxbin::parse(&[0; 15]), Err(VxbinError::Short(15)));
        assert!(matches!(
            Vxbin::parse(&file(0x1000, 0x1003, &[0; 4])),
            Err(VxbinError::Range { .. })
        ));
        assert!(matches!(
            Vxbin::parse(&file(u64::MAX - 1, u64::MAX, &[0; 4])),
            Err(VxbinError::Range { .. })
        ));
        assert_eq!(
            Vxbin::parse(&file(0x1002, 0x2000, &[0; 4])),
            Err(VxbinError::Misaligned(0x1002))
        );
        assert_eq!(
            Vxbin::parse(&file(0x1000, 0x1_0000_0004, &[0; 4])),
            Err(VxbinError::TooHigh(0x1_0000_0004))
        );
    }
}
