//! Vortex 2: each core stores its counters to memory when a kernel ends, from where the runtime reads them.

use std::ffi::c_int;

use libloading::Library;

use super::{CYCLES, INSTRUCTIONS, Release};
use crate::driver::interface::Stats;
use crate::driver::libvortex::api::{Handle, function};
use crate::driver::libvortex::error::OpenError;

/// Among the saved counters, in a place that no counter has.
const EXIT_CODE: u32 = 0xb01;
/// A counter that no kernel has left.
const UNWRITTEN: u64 = 0xbaad_f00d_baad_f00d;

pub(super) struct V2 {
    /// Device, counter, core, value.
    mpm_query: unsafe extern "C" fn(Handle, u32, u32, *mut u64) -> c_int,
}

impl V2 {
    pub(super) fn of(library: &Library) -> Result<Self, OpenError> {
        Ok(Self {
            // SAFETY: the signature is that of `vortex.h` of version 2.
            mpm_query: unsafe { function(library, "vx_mpm_query") }?,
        })
    }

    /// A counter of one core, if the kernel has left it.
    fn counter(&self, device: Handle, number: u32, core: u32) -> Option<u64> {
        let mut value = UNWRITTEN;
        // SAFETY: an open device, and a pointer valid for a write.
        let code = unsafe { (self.mpm_query)(device, number, core, &mut value) };
        (code == 0 && value != UNWRITTEN).then_some(value)
    }
}

impl Release for V2 {
    fn number(&self) -> vortex_kernel::isa::Generation {
        vortex_kernel::isa::Generation::V2
    }

    fn reads_dump(&self) -> bool {
        true
    }

    fn most_cores(&self) -> u64 {
        // More would store their counters to user memory.
        255
    }

    fn before_launch(&mut self, _: Handle, _: u32) {}

    fn cost(&mut self, device: Handle, cores: u32) -> Stats {
        let of_all = |number| -> Option<Vec<u64>> {
            let counters = (0..cores).map(|core| self.counter(device, number, core));
            counters.collect()
        };
        Stats {
            cycles: of_all(CYCLES).and_then(|cycles| cycles.into_iter().max()),
            lane_instructions: of_all(INSTRUCTIONS).map(|counts| counts.into_iter().sum()),
            exit_code: self.counter(device, EXIT_CODE, 0).map(|code| code as u32),
            ..Stats::default()
        }
    }
}
