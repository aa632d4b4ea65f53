//! A module's description in compact binary form, which images carry in the section [`SECTION`].
//!
//! The magic bytes, the format's number (16 bits, little endian), then the fields in the order of their declaration
//! (postcard's encoding). Files of another format are refused: there is no guessing.

use thiserror::Error;

use super::info::ModuleInfo;

/// The section of an ELF file that holds the description.
pub const SECTION: &str = ".vortex.metadata";

const MAGIC: [u8; 6] = *b"VXMETA";
const FORMAT: u16 = 3;

/// Bytes that do not describe a module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// Bytes that do not begin with the magic ones.
    #[error("this is no metadata of Vortex kernels")]
    NoMetadata,
    /// A format, by its number, that this version does not know.
    #[error("this metadata has format {0}, and this version reads format {FORMAT}")]
    Format(u16),
    /// The bytes end early, are too long, or state something impossible.
    #[error("this metadata is damaged")]
    Damaged,
}

impl ModuleInfo {
    /// The description in binary form, which [`ModuleInfo::from_bytes`] reads.
    ///
    /// # Panics
    /// If a field could not be written to memory, which would be a bug in this library: all of its fields can.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
        postcard::to_extend(self, header).unwrap_or_else(|error| {
            panic!("internal error: cannot write metadata to memory: {error}; please report it")
        })
    }

    /// Reads what [`ModuleInfo::to_bytes`] wrote.
    ///
    /// # Errors
    /// As [`ModuleInfo::read_bytes`]; and [`MetadataError::Damaged`] if something follows it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MetadataError> {
        match Self::read_bytes(bytes)? {
            (module, []) => Ok(module),
            _ => Err(MetadataError::Damaged),
        }
    }

    /// Reads what [`ModuleInfo::to_bytes`] wrote, and returns what follows it.
    ///
    /// # Errors
    /// [`MetadataError::NoMetadata`] if the bytes begin with anything else, [`MetadataError::Format`] if they are of
    /// another version, [`MetadataError::Damaged`] if they end early or state something impossible.
    pub fn read_bytes(bytes: &[u8]) -> Result<(Self, &[u8]), MetadataError> {
        let rest = bytes
            .strip_prefix(&MAGIC)
            .ok_or(MetadataError::NoMetadata)?;
        let (format, rest) = rest.split_first_chunk().ok_or(MetadataError::Damaged)?;
        match u16::from_le_bytes(*format) {
            FORMAT => {}
            other => return Err(MetadataError::Format(other)),
        }
        postcard::take_from_bytes(rest).map_err(|_| MetadataError::Damaged)
    }

    /// Whether bytes begin as [`ModuleInfo::to_bytes`] begins.
    #[must_use]
    pub fn is_metadata(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }
}
