//! Vortex images: `.vxbin` files.

use thiserror::Error;

/// A `.vxbin` file taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VxBin<'a> {
    /// Where the image goes, and where execution starts.
    pub base: u32,
    /// Bytes it takes up in memory, zeros at the end included.
    pub size: u32,
    /// What is in the file; read-only for the kernel.
    pub bytes: &'a [u8],
}

/// A file that is no `.vxbin` image, or none for this device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// Not even a header and an instruction.
    #[error(
        "an image of {0} bytes is too short: it starts with two addresses of 8 bytes and at least one instruction"
    )]
    Truncated(usize),
    /// The addresses make no sense.
    #[error(
        "an image cannot cover [{min:#x}, {max:#x}): these are not increasing 32-bit addresses"
    )]
    Addresses {
        /// First byte.
        min: u64,
        /// End.
        max: u64,
    },
    /// More bytes than memory asked for.
    #[error("the image has {bytes} bytes for the {size} bytes of memory that it covers")]
    TooLong {
        /// Bytes in the file.
        bytes: usize,
        /// Bytes of memory.
        size: u32,
    },
    /// Execution starts at the first byte.
    #[error("an image cannot start at {0:#x}, which is no multiple of 4")]
    Misaligned(u32),
}

impl<'a> VxBin<'a> {
    /// Reads the header.
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
        if !base.is_multiple_of(4) {
            return Err(ImageError::Misaligned(base));
        }
        Ok(VxBin { base, size, bytes })
    }
}
