//! Files as Vortex's runtime loads them: two addresses, and the bytes between them. Any file that is not ELF is treated
//! as one.
//!
//! Those for Vortex 3 may end with the names of their kernels: names back to back; then for each 16 bytes: the offset
//! of its name (32 bits), its length (16 bits), 16 zero bits, and the kernel's address (64 bits); then the number of
//! kernels (32 bits), and `VXSYMTAB`.

use super::elf::Elf;
use super::image::{Image, ImageError, MOST, Segment};
use super::protection::Access;

/// A `.vxbin` file taken apart, and found to be one: the fields fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VxBin<'a> {
    base: u32,
    size: u32,
    bytes: &'a [u8],
    names: Names<'a>,
}

/// The names at the end of a file, found to be some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Names<'a> {
    text: &'a str,
    entries: &'a [[u8; ENTRY]],
}

/// Bytes of a kernel's entry.
const ENTRY: usize = 16;

/// What a file with names ends with.
const MAGIC: &[u8; 8] = b"VXSYMTAB";

/// The kernel of a file that names none, or only one.
const MAIN: &str = "main";

/// A kernel's name, and its address.
fn kernel<'a>(text: &'a str, entry: &[u8; ENTRY]) -> Option<(&'a str, u64)> {
    let (words, _) = entry.as_chunks::<8>();
    let [name, address] = words else {
        return None;
    };
    let name = u64::from_le_bytes(*name);
    let (start, length) = (name & 0xffff_ffff, name >> 32 & 0xffff);
    let range = start as usize..(start + length) as usize;
    Some((text.get(range)?, u64::from_le_bytes(*address)))
}

impl<'a> Names<'a> {
    const NONE: Names<'static> = Names {
        text: "",
        entries: &[],
    };

    /// Takes the names off the end of a file's bytes, which do not begin with its header.
    fn split(bytes: &'a [u8]) -> Result<(&'a [u8], Names<'a>), ImageError> {
        let Some((rest, count)) = bytes
            .strip_suffix(MAGIC)
            .and_then(|rest| rest.split_last_chunk::<4>())
        else {
            return Ok((bytes, Names::NONE));
        };
        let error = |what| ImageError::Names(what);
        let count = u32::from_le_bytes(*count) as usize;
        let start = count
            .checked_mul(ENTRY)
            .and_then(|size| rest.len().checked_sub(size))
            .ok_or(error("there are not as many entries as it says"))?;
        let (rest, entries) = rest.split_at(start);
        let (entries, _) = entries.as_chunks::<ENTRY>();
        // How long the names are in all, only the entries say.
        let end_of = |entry: &[u8; ENTRY]| {
            let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|n| entry[at + n]));
            word(0) as usize + (word(4) & 0xffff) as usize
        };
        let length = entries.iter().map(end_of).max().unwrap_or(0);
        let start = rest
            .len()
            .checked_sub(length)
            .ok_or(error("a name is longer than the file"))?;
        let (bytes, text) = rest.split_at(start);
        let text = str::from_utf8(text).map_err(|_| error("they are no text"))?;
        Ok((bytes, Names { text, entries }))
    }
}

impl<'a> Image<'a> {
    /// Reads a file, ELF or `.vxbin`.
    ///
    /// # Errors
    /// As [`Elf::parse`] if it begins as ELF files do, and as [`VxBin::parse`] otherwise.
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
        let segments = std::iter::once(code).chain(zeros).collect();
        Image::of_parts(file.base, segments).with_kernels(file.kernels().collect())
    }
}

impl<'a> VxBin<'a> {
    /// Address that the image goes to, at which execution starts: a multiple of 4.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// Bytes that it takes up in memory, zeros at the end included: at most 256 MiB.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// The image as the file has it; read-only for the kernel. What memory it covers beyond these bytes is zeros.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The kernels that can be launched by name, and their addresses. A file that names none, or one of another name,
    /// has `main` where it starts.
    pub fn kernels(&self) -> impl Iterator<Item = (&'a str, u32)> + use<'a> {
        let Names { text, entries } = self.names;
        let named = entries.iter().filter_map(move |entry| kernel(text, entry));
        let is_alone = match entries {
            [] => true,
            [one] => kernel(text, one).is_some_and(|(name, _)| name != MAIN),
            _ => false,
        };
        // Addresses were found to be in the image.
        named
            .map(|(name, address)| (name, address as u32))
            .chain(is_alone.then_some((MAIN, self.base)))
    }

    /// Reads the header, and the names if there are any.
    ///
    /// # Errors
    /// [`ImageError::Truncated`] without two addresses and an instruction, [`ImageError::Addresses`] if they do not
    /// increase or are not of 32 bits, [`ImageError::TooLong`] if there are more bytes than memory between them,
    /// [`ImageError::TooLarge`] beyond 256 MiB, [`ImageError::Misaligned`] if execution would not start at a multiple
    /// of 4, and [`ImageError::Names`] for names that are not what their entries say.
    pub fn parse(file: &'a [u8]) -> Result<VxBin<'a>, ImageError> {
        let truncated = ImageError::Truncated(file.len());
        let (min, rest) = file.split_first_chunk::<8>().ok_or(truncated.clone())?;
        let (max, bytes) = rest.split_first_chunk::<8>().ok_or(truncated.clone())?;
        let (bytes, names) = Names::split(bytes)?;
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
        for entry in names.entries {
            let (_, address) = kernel(names.text, entry).ok_or(ImageError::Names(
                "a name begins or ends within a character",
            ))?;
            if !(min..max).contains(&address) || !address.is_multiple_of(4) {
                return Err(ImageError::Names(
                    "a kernel's address is none of the image's",
                ));
            }
        }
        Ok(VxBin {
            base,
            size,
            bytes,
            names,
        })
    }
}
