//! Files as Vortex's runtime loads them: two addresses, and what is there. What is no ELF file is taken for one.

use super::elf::Elf;
use super::image::{Image, ImageError, MOST, Segment};
use super::protection::Access;

/// A `.vxbin` file taken apart, and found to be one: the fields fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VxBin<'a> {
    base: u32,
    size: u32,
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// Reads a file, ELF or `.vxbin`.
    ///
    /// # Errors
    /// If it is neither, or a damaged one.
    pub fn parse(file: &'a [u8]) -> Result<Image<'a>, ImageError> {
        if Elf::is_elf(file) {
            Ok(Image::from(&Elf::parse(file)?))
        } else {
            Ok(Image::from(&VxBin::parse(file)?))
        }
    }
}

impl<'a> From<&VxBin<'a>> for Image<'a> {
    fn from(file: &VxBin<'a>) -> Image<'a> {
        let length = file.bytes.len() as u32;
        let code = Segment {
            address: file.base,
            size: length,
            bytes: file.bytes,
            access: Access::Read,
        };
        let zeros = (file.size > length).then(|| Segment {
            address: file.base + length,
            size: file.size - length,
            bytes: &[],
            access: Access::ReadWrite,
        });
        Image::of_parts(file.base, std::iter::once(code).chain(zeros).collect())
    }
}

impl<'a> VxBin<'a> {
    /// Where the image goes, and where execution starts.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// Bytes it takes up in memory, zeros at the end included.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// What is in the file; read-only for the kernel.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Reads the header.
    ///
    /// # Errors
    /// If the header is not all there, or says what cannot be.
    pub fn parse(file: &'a [u8]) -> Result<VxBin<'a>, ImageError> {
        let truncated = ImageError::Truncated(file.len());
        let (min, rest) = file.split_first_chunk::<8>().ok_or(truncated.clone())?;
        let (max, bytes) = rest.split_first_chunk::<8>().ok_or(truncated.clone())?;
        if bytes.len() < 4 {
            return Err(truncated);
        }
        let (min, max) = (u64::from_le_bytes(*min), u64::from_le_bytes(*max));
        let error = ImageError::Addresses { min, max };
        let base = u32::try_from(min).map_err(|_| error.clone())?;
        let size = max
            .checked_sub(min)
            .filter(|&size| size > 0 && max <= 1 << 32)
            .ok_or(error.clone())?;
        let size = u32::try_from(size).map_err(|_| error)?;
        if bytes.len() > size as usize {
            return Err(ImageError::TooLong {
                bytes: bytes.len(),
                size,
            });
        }
        if size > MOST {
            return Err(ImageError::TooLarge(u64::from(size)));
        }
        if !base.is_multiple_of(4) {
            return Err(ImageError::Misaligned(base));
        }
        Ok(VxBin { base, size, bytes })
    }
}
