//! Memory of the host that commands may reach: the ring, and what is copied from and to the device.

use crate::failure::Failure;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;

/// What commands call a region is this and its address. It is above all memory of the device, where regions themselves
/// can have the same addresses: a program that the loader does not move has a low heap.
const HOST: u64 = 1 << 63;

/// Regions begin at multiples of this.
const ALIGN: usize = 64;

/// A region, which this library has allocated and the runtime writes and reads through its address.
struct Region {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a region is reached through `&mut HostMemory` alone here. The runtime, which has its address, keeps away from
// what it has handed over: it writes commands and data before it says so, and reads results after it was told.
unsafe impl Send for Region {}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and dropped once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// The regions by what the commands call them.
#[derive(Default)]
pub(super) struct HostMemory(BTreeMap<u64, Region>);

impl HostMemory {
    /// Allocates zeros; returns where they are, and what commands call that.
    pub(super) fn alloc(&mut self, size: u64) -> Result<(NonNull<u8>, u64), Failure> {
        let error = || Failure::HostMemory(size);
        let bytes = usize::try_from(size).map_err(|_| error())?;
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).map_err(|_| error())?;
        // SAFETY: of at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(error)?;
        let address = HOST | start.addr().get() as u64;
        self.0.insert(address, Region { start, layout });
        Ok((start, address))
    }

    /// Frees the region at an address.
    pub(super) fn free(&mut self, address: u64) -> Result<(), Failure> {
        match self.0.remove(&address) {
            Some(_) => Ok(()),
            None => Err(Failure::NoHostMemory(address)),
        }
    }

    /// Where some bytes are, if they are all in one region.
    fn find(&self, address: u64, size: usize) -> Option<NonNull<u8>> {
        let (first, region) = self.0.range(..=address).next_back()?;
        let offset = usize::try_from(address - first).ok()?;
        let end = offset.checked_add(size)?;
        // SAFETY: inside of the allocation, or at its end.
        (end <= region.layout.size()).then(|| unsafe { region.start.add(offset) })
    }

    /// Copies from a region. `None` if the bytes are not in one.
    pub(super) fn read(&mut self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let from = self.find(address, bytes.len())?;
        // SAFETY: as many bytes are in the region, which does not overlap a slice of this library's, and nobody writes
        // them now, as said at `Region`.
        unsafe { from.copy_to_nonoverlapping(NonNull::from_mut(bytes).cast(), bytes.len()) };
        Some(())
    }

    /// Copies to a region, likewise.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Option<()> {
        let to = self.find(address, bytes.len())?;
        // SAFETY: as above, and nobody reads them now.
        unsafe { to.copy_from_nonoverlapping(NonNull::from_ref(bytes).cast(), bytes.len()) };
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_in_a_region_or_nowhere() {
        let mut memory = HostMemory::default();
        let (pointer, start) = memory.alloc(100).unwrap();
        assert_eq!(start % ALIGN as u64, 0);
        assert!(memory.read(pointer.addr().get() as u64, &mut [0]).is_none());
        let mut bytes = [9; 3];
        assert!(memory.read(start + 97, &mut bytes).is_some());
        assert_eq!(bytes, [0; 3]);
        assert!(memory.write(start + 97, &[1, 2, 3]).is_some());
        assert!(memory.read(start + 97, &mut bytes).is_some());
        assert_eq!(bytes, [1, 2, 3]);
        for outside in [start + 98, start - 1, 0, u64::MAX] {
            assert!(memory.read(outside, &mut bytes).is_none());
            assert!(memory.write(outside, &bytes).is_none());
        }
        assert!(memory.free(start + 1).is_err());
        memory.free(start).unwrap();
        assert!(memory.read(start, &mut bytes).is_none());
        assert!(memory.free(start).is_err());
        assert!(memory.alloc(u64::MAX).is_err());
    }
}
