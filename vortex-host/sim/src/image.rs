//! Programs to load. Both kinds of files, [`VxBin`](super::VxBin) and [`Elf`](super::Elf), become an [`Image`].

use super::protection::Access;
use thiserror::Error;

/// The most memory that an image may cover, holes included: it is all written when the image is loaded.
pub(super) const MOST: u32 = 256 << 20;

/// A program: what goes where in memory, and where execution starts.
///
/// ```
/// use vortex_isa::{Inst, Opcode, x};
/// use vortex_sim::{Config, Image, Machine};
///
/// // A `.vxbin` file: first address, end, code. This program ends at once.
/// let mut file = [0x8000_0000u64, 0x8000_0040].map(u64::to_le_bytes).concat();
/// file.extend(Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO).encode().to_le_bytes());
///
/// let image = Image::parse(&file)?;
/// assert_eq!((image.entry(), image.size()), (0x8000_0000, 64));
/// let mut machine = Machine::new(Config::bare())?;
/// let entry = machine.load(image)?;
/// assert_eq!(machine.run(entry, 0)?.instructions, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    entry: u32,
    segments: Vec<Segment<'a>>,
    /// Names and addresses of kernels.
    kernels: Vec<(&'a str, u32)>,
}

/// A part of memory that a program wants filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Address of its first byte in memory.
    pub address: u32,
    /// Bytes that it takes up in memory.
    pub size: u32,
    /// Its bytes from the file, at most as many as `size`; zeros follow.
    pub bytes: &'a [u8],
    /// What a program may do with it.
    pub access: Access,
}

impl Segment<'_> {
    fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.size)
    }
}

impl<'a> Image<'a> {
    /// A program in these parts, which starts at `entry`.
    ///
    /// # Errors
    /// [`ImageError::Addresses`] if a part does not end within 32 bits of address, [`ImageError::TooLong`] if it has
    /// more bytes than memory, [`ImageError::Overlap`], [`ImageError::Misaligned`] and [`ImageError::Entry`] for what
    /// these say, [`ImageError::TooLarge`] if all of it covers more than 256 MiB.
    pub fn new(entry: u32, mut segments: Vec<Segment<'a>>) -> Result<Image<'a>, ImageError> {
        segments.sort_by_key(|segment| segment.address);
        for segment in &segments {
            if segment.end() > 1 << 32 {
                return Err(ImageError::Addresses {
                    min: u64::from(segment.address),
                    max: segment.end(),
                });
            }
            if segment.bytes.len() > segment.size as usize {
                return Err(ImageError::TooLong {
                    bytes: segment.bytes.len(),
                    size: segment.size,
                });
            }
        }
        if let Some(pair) = segments
            .windows(2)
            .find(|pair| pair[0].end() > u64::from(pair[1].address))
        {
            return Err(ImageError::Overlap(pair[0].address, pair[1].address));
        }
        if !entry.is_multiple_of(4) {
            return Err(ImageError::Misaligned(entry));
        }
        if !segments
            .iter()
            .any(|segment| segment.address <= entry && u64::from(entry) < segment.end())
        {
            return Err(ImageError::Entry(entry));
        }
        let image = Image::of_parts(entry, segments);
        let size = image.size();
        if size > u64::from(MOST) {
            return Err(ImageError::TooLarge(size));
        }
        Ok(image)
    }

    /// One whose parts are known to be right.
    pub(super) fn of_parts(entry: u32, segments: Vec<Segment<'a>>) -> Image<'a> {
        Image {
            entry,
            segments,
            kernels: Vec::new(),
        }
    }

    /// The same with kernels that can be launched by name.
    pub(super) fn with_kernels(self, kernels: Vec<(&'a str, u32)>) -> Image<'a> {
        Image { kernels, ..self }
    }

    /// Names and addresses of the kernels that can be launched by name, on Vortex 3: those of [`VxBin::kernels`]. None
    /// of an ELF file.
    ///
    /// [`VxBin::kernels`]: super::VxBin::kernels
    #[must_use]
    pub fn kernels(&self) -> &[(&'a str, u32)] {
        &self.kernels
    }

    /// Address of the first instruction that is executed.
    #[must_use]
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// Address of the first byte of its memory; 0 if it has none.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.segments.first().map_or(0, |first| first.address)
    }

    /// Bytes from the first to the last of its memory, gaps between segments included.
    #[must_use]
    pub fn size(&self) -> u64 {
        let end = self.segments.last().map_or(0, Segment::end);
        end - u64::from(self.base())
    }

    /// What is in the file, segment by segment: the address that it goes to, and the bytes; what these leave of a
    /// segment is zeros.
    pub fn contents(&self) -> impl Iterator<Item = (u32, &'a [u8])> {
        self.segments
            .iter()
            .map(|segment| (segment.address, segment.bytes))
    }

    /// Its parts, ascending by address.
    pub fn segments(&self) -> &[Segment<'a>] {
        &self.segments
    }
}

/// A file that is not an image, or not for this device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// A `.vxbin` file of this many bytes: not even a header and an instruction.
    #[error(
        "an image of {0} bytes is too short: it starts with two addresses of 8 bytes and at least one instruction"
    )]
    Truncated(usize),
    /// Addresses of a `.vxbin` file, or of a segment, that make no sense: they are not increasing or not of 32 bits.
    #[error(
        "this is no image: its first 16 bytes should be two increasing 32-bit addresses, of its first byte and its end, \
         and are {min:#x} and {max:#x}"
    )]
    Addresses {
        /// Address of the first byte.
        min: u64,
        /// Address after the last byte.
        max: u64,
    },
    /// More bytes than memory asked for.
    #[error("the image has {bytes} bytes for the {size} bytes of memory that it covers")]
    TooLong {
        /// Bytes in the file.
        bytes: usize,
        /// Bytes of memory that it asks for.
        size: u32,
    },
    /// This many bytes of memory, more than the 256 MiB that an image may cover.
    #[error("the image covers {0:#x} bytes of memory; the most is {MOST:#x}")]
    TooLarge(u64),
    /// Two segments, by their addresses, that want the same memory.
    #[error("the segments at {0:#x} and {1:#x} overlap")]
    Overlap(u32, u32),
    /// No segment holds the first instruction, at this address.
    #[error("execution would start at {0:#x}, where the image has nothing")]
    Entry(u32),
    /// Names of kernels at the end that make no sense.
    #[error(
        "the image ends with `VXSYMTAB`, as one with names of kernels, and they are damaged: {0}"
    )]
    Names(&'static str),
    /// An ELF file was expected.
    #[error("this is no ELF file")]
    NoElf,
    /// An ELF file for something else; what it is follows "is".
    #[error("this ELF file is {0}")]
    Foreign(&'static str),
    /// An ELF file with invalid headers, in its reader's words.
    #[error("this ELF file is damaged: {0}")]
    Damaged(String),
    /// An image that starts at this address: instructions are at multiples of 4.
    #[error("an image cannot start at {0:#x}, which is no multiple of 4")]
    Misaligned(u32),
}
