//! The `.vxbin` container: where an image goes, and its bytes. The embedded device has the reader.
//!
//! `min_vma: u64, max_vma: u64` (little endian), then the bytes of `[min_vma, min_vma + len)`. Memory from there up to
//! `max_vma` is zero-filled and writable; images of kernels have none. Execution starts at `min_vma`.

use super::Image;

/// Size of the header in bytes.
const HEADER_SIZE: usize = 16;

impl Image {
    /// The image as a `.vxbin` file that is loaded at `base`.
    #[must_use]
    pub fn to_vxbin(&self, base: u32) -> Vec<u8> {
        let end = u64::from(base) + self.bytes.len() as u64;
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
    use crate::meta::Facts;

    #[test]
    fn the_header_says_what_the_image_covers() {
        let image = Image {
            bytes: vec![1, 2, 3, 4],
            groups: None,
            fault_sites: Vec::new(),
            prints: false,
            messages: crate::ir::PrimaryMap::new(),
            item_counters: Vec::new(),
            updates: Vec::new(),
            own: Default::default(),
            lines: Vec::new(),
            facts: Facts::default(),
            callees: Vec::new(),
            globals: Vec::new(),
            tables: Vec::new(),
            listing: None,
        };
        let file = image.to_vxbin(0x8000_0000);
        let (header, bytes) = file.split_at(HEADER_SIZE);
        assert_eq!(header[..8], 0x8000_0000u64.to_le_bytes());
        assert_eq!(header[8..], 0x8000_0004u64.to_le_bytes());
        assert_eq!(bytes, image.bytes);
    }
}
