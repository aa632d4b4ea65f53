//! The buffers of a device: at addresses that the runtime chooses, which are accepted only where buffers can be.

use std::collections::BTreeMap;
use std::ops::Range;

use super::api::Handle;
use crate::driver::interface::{Caps, DriverError};
use vortex_sim::layout::{USER, stack_bottom};

/// All data types have at most this alignment, and all buffers of Vortex's runtime have at least it.
const ALIGNMENT: u32 = 16;

/// A buffer of the runtime; its owner frees it.
pub(super) struct Memory {
    pub(super) handle: Handle,
    bytes: u32,
}

/// What has been allocated, by device address. Buffers do not overlap.
pub(super) struct Buffers {
    live: BTreeMap<u32, Memory>,
    /// Where buffers may be: the runtime does not keep them away from the stacks of all threads.
    user: Range<u32>,
}

impl Buffers {
    pub(super) fn new(caps: Caps) -> Self {
        Self {
            live: BTreeMap::new(),
            user: USER..stack_bottom(caps.harts()),
        }
    }

    /// Whether this many bytes from an address on are all user memory.
    pub(super) fn has_room(&self, addr: u64, bytes: u32) -> bool {
        let end = addr.saturating_add(bytes.into());
        addr >= self.user.start.into() && end <= self.user.end.into()
    }

    /// Where buffers may be, in words.
    pub(super) fn described(&self) -> String {
        let Range { start, end } = self.user;
        format!("memory for programs and data is from {start:#x} to {end:#x}")
    }

    /// Keeps a buffer that the runtime says is at `addr`.
    ///
    /// # Errors
    /// If there can be none. Its handle is the caller's then.
    pub(super) fn insert(
        &mut self,
        addr: u64,
        bytes: u32,
        handle: Handle,
    ) -> Result<u32, DriverError> {
        let start = u32::try_from(addr).unwrap_or(u32::MAX);
        if !self.has_room(addr, bytes) {
            return Err(DriverError::OutOfMemory);
        }
        let below = self.live.range(..=start).next_back();
        let overlaps_below = below.is_some_and(|(at, memory)| start - at < memory.bytes);
        let above = self.live.range(start..).next();
        let overlaps_above = above.is_some_and(|(at, _)| at - start < bytes);
        let what = match (
            start.is_multiple_of(ALIGNMENT),
            overlaps_below || overlaps_above,
        ) {
            (true, false) => {
                self.live.insert(start, Memory { handle, bytes });
                return Ok(start);
            }
            (true, true) => "where another one is",
            (false, _) => "which no buffer's address can be",
        };
        Err(DriverError::Failed(format!(
            "Vortex's runtime has put a buffer at {start:#x}, {what}"
        )))
    }

    /// The buffer that contains `addr`, and the offset of `addr` in it.
    pub(super) fn find(&self, addr: u32) -> Result<(Handle, u64), DriverError> {
        // Parts of buffers are written to as well, so this is the nearest start below.
        let (start, memory) =
            self.live.range(..=addr).next_back().ok_or_else(|| {
                DriverError::Failed(format!("nothing was allocated at {addr:#010x}"))
            })?;
        Ok((memory.handle, u64::from(addr - start)))
    }

    pub(super) fn remove(&mut self, addr: u32) -> Option<Memory> {
        self.live.remove(&addr)
    }

    /// Removes them all.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Memory> + use<> {
        std::mem::take(&mut self.live).into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn only_buffers_that_can_be_are_believed() {
        let caps = Caps {
            generation: vortex_kernel::isa::Generation::V2,
            cores: 1,
            clusters: 1,
            warps: 4,
            threads: 4,
            zicond: true,
            atomics: false,
            warp_ops: false,
            async_copies: false,
            tensor_units: false,
            local_memory: 0,
        };
        let end = stack_bottom(16);
        let mut buffers = Buffers::new(caps);
        let mut insert = |addr, bytes| buffers.insert(addr, bytes, ptr::null_mut());
        for (addr, bytes) in [
            (0, 1),
            (0xffff, 16),
            (end.into(), 1),
            (u64::from(end) - 16, 17),
            (0xffff_ff00, 0x1000),
            (1 << 32, 16),
            (u64::MAX, u32::MAX),
            (0x1_0000, u32::MAX),
        ] {
            let refused = insert(addr, bytes);
            assert!(
                matches!(refused, Err(DriverError::OutOfMemory)),
                "{addr:#x}"
            );
        }
        assert_eq!(insert(0x1_0000, 100).unwrap(), 0x1_0000);
        assert_eq!(insert(0x1_0080, 100).unwrap(), 0x1_0080);
        for (addr, bytes) in [(0x1_0000, 4), (0x1_0060, 16), (0x1_0070, 32), (0x2_0004, 4)] {
            let refused = insert(addr, bytes);
            assert!(matches!(refused, Err(DriverError::Failed(_))), "{addr:#x}");
        }
        assert_eq!(insert(0x1_0070, 16).unwrap(), 0x1_0070);
        assert_eq!(insert(u64::from(end) - 32, 32).unwrap(), end - 32);
    }
}
