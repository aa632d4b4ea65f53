//! The `.vxbin` container: an image's address, and its bytes. The embedded device has the reader.
//!
//! `min_vma: u64, max_vma: u64` (little endian), then the bytes of `[min_vma, min_vma + len)`. Memory from there up to
//! `max_vma` is zero-filled and writable; images of kernels have none. Execution starts at `min_vma`.
//!
//! A file for Vortex 3 can hold several kernels. Execution starts with two instructions that continue where the CSR
//! `cta_entry` says, and the file ends with the kernels' names: all names, then for each an entry with the offset and
//! length of its name and the kernel's address, then the number of kernels, and `VXSYMTAB`.

use super::Image;
use super::link::DATA_ALIGN;
use crate::isa::{Generation, Inst, Opcode, csr, x};

/// Size of the header in bytes.
const HEADER_SIZE: usize = 16;

impl Image {
    /// The image as a `.vxbin` file that is loaded at `base`.
    #[must_use]
    pub fn to_vxbin(&self, base: u32) -> Vec<u8> {
        container(base, &self.bytes)
    }

    /// Several images for Vortex 3 as one `.vxbin` file that is loaded at `base`, from which kernels are launched by
    /// these names. `None` if one of them is for another generation, or a name has more than 65,535 bytes.
    #[must_use]
    pub fn vxbin_of_many(base: u32, kernels: &[(&str, &Self)]) -> Option<Vec<u8>> {
        let start = [
            Inst::csrr(x::T0, csr::CTA_ENTRY),
            Inst::i(Opcode::Jalr, x::ZERO, x::T0, 0),
        ];
        let mut bytes: Vec<u8> = start
            .iter()
            .flat_map(|inst| inst.encode().to_le_bytes())
            .collect();
        let (mut names, mut entries) = (String::new(), Vec::new());
        for (name, image) in kernels {
            if image.generation() != Generation::V3 {
                return None;
            }
            bytes.resize(bytes.len().next_multiple_of(DATA_ALIGN as usize), 0);
            let address = u64::from(base) + bytes.len() as u64;
            entries.extend((names.len() as u32).to_le_bytes());
            entries.extend(u16::try_from(name.len()).ok()?.to_le_bytes());
            entries.extend([0; 2]);
            entries.extend(address.to_le_bytes());
            names += name;
            bytes.extend(&image.bytes);
        }
        let mut file = container(base, &bytes);
        file.extend(names.as_bytes());
        file.extend(entries);
        file.extend((kernels.len() as u32).to_le_bytes());
        file.extend(b"VXSYMTAB");
        Some(file)
    }
}

/// A file without names.
fn container(base: u32, bytes: &[u8]) -> Vec<u8> {
    let end = u64::from(base) + bytes.len() as u64;
    let mut file = Vec::with_capacity(HEADER_SIZE + bytes.len());
    file.extend(u64::from(base).to_le_bytes());
    file.extend(end.to_le_bytes());
    file.extend(bytes);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_what_the_image_covers() {
        let image = Image {
            bytes: vec![1, 2, 3, 4],
            ..Image::default()
        };
        let file = image.to_vxbin(0x8000_0000);
        let (header, bytes) = file.split_at(HEADER_SIZE);
        assert_eq!(header[..8], 0x8000_0000u64.to_le_bytes());
        assert_eq!(header[8..], 0x8000_0004u64.to_le_bytes());
        assert_eq!(bytes, image.bytes);
    }
}
