//! Device memory, for as long as it has an owner.

use super::Device;
use crate::hazards::AccessRange;

/// What keeps device memory alive.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) device: Device,
    /// The allocation to give back on drop, and its size; `None` if something else does that.
    pub(crate) owned: Option<(u32, u32)>,
    /// Whether what lies there may refer to other memory.
    pub(crate) holds_pointers: bool,
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some((addr, bytes)) = self.owned {
            let all = AccessRange {
                start: addr.into(),
                end: u64::from(addr) + u64::from(bytes),
                writes: true,
            };
            if self.device.hazards().disown(addr, all) {
                self.device.state().driver.free(addr);
            }
        }
    }
}

impl Memory {
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}
