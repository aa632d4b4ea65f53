//! What a run reads and writes.

/// Memory as a list of mapped regions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    regions: Vec<(u32, Vec<u8>)>,
}

impl Memory {
    /// Maps `bytes` at `address`. Where regions overlap, the one mapped first counts.
    pub fn map(&mut self, address: u32, bytes: Vec<u8>) {
        self.regions.push((address, bytes));
    }

    /// The bytes of the region that starts at `address`.
    #[must_use]
    pub fn region(&self, address: u32) -> Option<&[u8]> {
        let region = self.regions.iter().find(|r| r.0 == address);
        region.map(|r| r.1.as_slice())
    }

    pub(super) fn unmap_last(&mut self) {
        self.regions.pop();
    }

    pub(super) fn slot(&mut self, address: u32, size: u32) -> Option<&mut [u8]> {
        self.regions.iter_mut().find_map(|(start, bytes)| {
            let at = address.checked_sub(*start)? as usize;
            bytes.get_mut(at..at.checked_add(size as usize)?)
        })
    }
}
