//! What differs between the generations of Vortex's runtime: a file for each, and how to tell them apart.

mod grids;
mod v2;
mod v3;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::Duration;

use libloading::Library;

use super::api::{Api, Handle};
use super::error::OpenError;
use crate::driver::interface::{DriverError, Stats};
pub(super) use grids::Job;
use vortex_sim::PerfClass;

/// Performance counters of a core, by their CSRs.
const CYCLES: u32 = 0xb00;
const INSTRUCTIONS: u32 = 0xb02;

/// A generation of the runtime.
pub(super) trait Release: Send {
    /// Which it is.
    fn number(&self) -> vortex_kernel::isa::Generation;

    /// Opens a device.
    fn open(&self, api: &Api) -> Result<Handle, OpenError> {
        open_device(api)
    }

    /// Takes back a device that [`Release::open`] has opened, whose buffers have been freed.
    fn close(&self, api: &Api, device: Handle) {
        // SAFETY: opened by `vx_dev_open`, and this is the end of it.
        unsafe { (api.dev_close)(device) };
    }

    /// Records that a kernel may still run on the device, which is not accessed any more.
    fn abandon(&self) {}

    /// Whether it can have the hardware hand out work groups.
    fn launches_grids(&self) -> bool {
        false
    }

    /// Starts to do so, if it can.
    fn launch(&mut self, _device: Handle, _job: &Job) -> Result<(), DriverError> {
        let what =
            "this runtime starts programs, and cannot have the hardware hand out work groups";
        Err(DriverError::Failed(what.to_owned()))
    }

    /// Waits for what [`Release::launch`] has started. Returns as the runtime does: 0 if it has ended.
    fn wait(&mut self, _most: Duration) -> c_int {
        0
    }

    /// Whether the runtime reads counters that kernels leave in memory.
    fn reads_dump(&self) -> bool;

    /// The most cores that a device may have.
    fn most_cores(&self) -> u64;

    /// Has launches that follow say what the performance counters of a class have counted, if it has classes.
    fn count(&mut self, _class: Option<PerfClass>) {}

    /// Prepares to say what the launch that follows will cost.
    fn before_launch(&mut self, device: Handle, cores: u32);

    /// What that launch has cost, which has ended.
    fn cost(&mut self, device: Handle, cores: u32) -> Stats;
}

/// The generation of a runtime.
pub(super) fn of(library: &Library) -> Result<Box<dyn Release>, OpenError> {
    // Only version 3 has this function. Others have the same names and other signatures.
    // SAFETY: the symbol is only looked for.
    match unsafe { library.get::<*const c_void>(b"vx_device_open\0") } {
        Ok(_) => Ok(Box::new(v3::V3::of(library)?)),
        Err(_) => Ok(Box::new(v2::V2::of(library)?)),
    }
}

fn open_device(api: &Api) -> Result<Handle, OpenError> {
    let mut handle = ptr::null_mut();
    // SAFETY: the pointer is valid for a write.
    let code = unsafe { (api.dev_open)(&mut handle) };
    if code != 0 || handle.is_null() {
        return Err(OpenError::NoDevice { code });
    }
    Ok(handle)
}
