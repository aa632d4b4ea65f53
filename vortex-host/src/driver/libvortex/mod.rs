//! Vortex's own runtime as a driver: `libvortex.so`, and through it whatever device `VORTEX_DRIVER` names.
//!
//! `api` has the functions, `generation` what differs between versions 2 and 3, `device` an opened device and its
//! properties, `memory` its buffers. What the runtime reports is checked at once: an impossible device is refused when
//! it is opened, and an impossible buffer when it is made.

mod api;
mod device;
mod error;
mod generation;
mod memory;

pub use error::OpenError;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use super::interface::{Access, Caps, Driver, DriverError, Stats};
use api::Handle;
use device::Device;
use generation::Job;
use memory::Buffers;
use vortex_sim::debug::Terms;
use vortex_sim::{Grid, PerfClass};

/// How long to wait for a kernel unless told otherwise; the longest that the runtime allows.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// What `vx_ready_wait` returns through the driver library of this project (`vortex-capi`) once a kernel has ended,
/// but not as it should.
const ENDED_BY_FAULT: c_int = -2;

/// A device behind Vortex's runtime.
pub(crate) struct LibVortex {
    /// Freed on drop, before the device is closed.
    buffers: Buffers,
    device: Device,
    caps: Caps,
    wait: Duration,
}

// SAFETY: the runtime's handles are plain pointers into its own heap, bound to no thread; `&mut` keeps calls apart.
unsafe impl Send for LibVortex {}

impl Drop for LibVortex {
    fn drop(&mut self) {
        for memory in self.buffers.drain() {
            self.release(memory.handle);
        }
    }
}

/// How the runtime says what kernels may do.
const fn flags(access: Access) -> c_int {
    match access {
        Access::Read => 1,
        Access::ReadWrite => 3,
    }
}

/// Turns a return code into a result.
fn check(call: &'static str, code: c_int) -> Result<(), DriverError> {
    match code {
        0 => Ok(()),
        code => Err(DriverError::Failed(format!("`{call}` returned {code}"))),
    }
}

/// A buffer that a call says it has made.
fn made(call: &'static str, code: c_int, handle: Handle) -> Result<Handle, DriverError> {
    check(call, code)?;
    match handle.is_null() {
        false => Ok(handle),
        true => Err(DriverError::Failed(format!("`{call}` returned no buffer"))),
    }
}

impl LibVortex {
    pub(crate) fn open(wait: Duration) -> Result<Self, OpenError> {
        let device = Device::open()?;
        let caps = device.caps()?;
        Ok(Self {
            buffers: Buffers::new(caps),
            device,
            caps,
            wait: wait.min(MAX_WAIT),
        })
    }

    /// Frees a buffer, unless a kernel may still use it.
    fn release(&self, buffer: Handle) {
        if !self.device.hangs {
            // SAFETY: made by the runtime, owned by the caller alone, and the device is open.
            unsafe { (self.device.api.mem_free)(buffer) };
        }
    }

    /// Refuses to access a device that a kernel still occupies.
    fn ready(&self) -> Result<(), DriverError> {
        if self.device.hangs {
            return Err(DriverError::Failed(
                "an earlier kernel did not end, and the device cannot be stopped".to_owned(),
            ));
        }
        Ok(())
    }

    /// What the launch has cost that has ended, and took so long to start.
    fn cost(&mut self, start: Duration) -> Stats {
        let Device {
            generation, handle, ..
        } = &mut self.device;
        Stats {
            start,
            ..generation.cost(*handle, self.caps.cores)
        }
    }

    /// Waits for the kernel that was started, by the function of this name.
    fn finish(
        &mut self,
        call: &'static str,
        wait: impl FnOnce(&mut Device, Duration) -> c_int,
    ) -> Result<(), DriverError> {
        let started = Instant::now();
        let code = wait(&mut self.device, self.wait);
        let waited = started.elapsed();
        match code {
            0 => Ok(()),
            ENDED_BY_FAULT => Err(DriverError::Failed(format!(
                "`{call}` returned {code}: the kernel was stopped for a mistake, of which stderr says more"
            ))),
            // Whatever the reason, nobody knows from here on when the kernel ends.
            code => {
                self.device.hangs = true;
                let all = self.wait;
                Err(match waited >= all {
                    true => DriverError::TimedOut { waited: all },
                    false => DriverError::Failed(format!(
                        "`{call}` returned {code} after {waited:.0?} of {all:?}, so that the kernel may still run; \
                         the device stays occupied"
                    )),
                })
            }
        }
    }
}

impl Driver for LibVortex {
    fn caps(&self) -> Caps {
        self.caps
    }

    fn reads_dump(&self) -> bool {
        self.device.generation.reads_dump()
    }

    fn alloc(&mut self, bytes: u32, access: Access) -> Result<u32, DriverError> {
        self.ready()?;
        let api = &self.device.api;
        let mut handle = ptr::null_mut();
        let (size, flags) = (u64::from(bytes), flags(access));
        // SAFETY: an open device, and a pointer valid for a write.
        let code = unsafe { (api.mem_alloc)(self.device.handle, size, flags, &mut handle) };
        let handle = made("vx_mem_alloc", code, handle).map_err(|_| DriverError::OutOfMemory)?;
        let mut addr = 0;
        // SAFETY: the buffer has just been made, and the pointer is valid for a write.
        let code = unsafe { (api.mem_address)(handle, &mut addr) };
        let kept =
            check("vx_mem_address", code).and_then(|()| self.buffers.insert(addr, bytes, handle));
        if kept.is_err() {
            self.release(handle);
        }
        kept
    }

    fn reserve(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        self.ready()?;
        if !self.buffers.has_room(addr.into(), bytes) {
            return Err(DriverError::Failed(self.buffers.described()));
        }
        let api = &self.device.api;
        let mut handle = ptr::null_mut();
        let (start, size, flags) = (u64::from(addr), u64::from(bytes), flags(access));
        // SAFETY: an open device, and a pointer valid for a write.
        let code =
            unsafe { (api.mem_reserve)(self.device.handle, start, size, flags, &mut handle) };
        let handle = made("vx_mem_reserve", code, handle)?;
        let kept = self.buffers.insert(start, bytes, handle);
        if kept.is_err() {
            self.release(handle);
        }
        kept.map(|_| ())
    }

    fn set_access(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        self.ready()?;
        let (handle, offset) = self.buffers.find(addr)?;
        let (bytes, flags) = (u64::from(bytes), flags(access));
        // SAFETY: a live buffer; the runtime checks offset and size against it.
        let code = unsafe { (self.device.api.mem_access)(handle, offset, bytes, flags) };
        check("vx_mem_access", code)
    }

    fn free(&mut self, addr: u32) {
        if let Some(memory) = self.buffers.remove(addr) {
            self.release(memory.handle);
        }
    }

    fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<(), DriverError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.ready()?;
        let (handle, offset) = self.buffers.find(addr)?;
        let source = bytes.as_ptr().cast::<c_void>();
        // SAFETY: a live buffer, and as many bytes as said; the runtime checks offset and size against the buffer.
        let code =
            unsafe { (self.device.api.copy_to_dev)(handle, source, offset, bytes.len() as u64) };
        check("vx_copy_to_dev", code)
    }

    fn read(&mut self, addr: u32, bytes: &mut [u8]) -> Result<(), DriverError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.ready()?;
        let (handle, offset) = self.buffers.find(addr)?;
        let to = bytes.as_mut_ptr().cast::<c_void>();
        // SAFETY: as in `write`, and the bytes are exclusively borrowed.
        let code =
            unsafe { (self.device.api.copy_from_dev)(to, handle, offset, bytes.len() as u64) };
        check("vx_copy_from_dev", code)
    }

    fn run(&mut self, entry: u32, argument: u32) -> Result<Stats, DriverError> {
        self.ready()?;
        let (kernel, offset) = self.buffers.find(entry)?;
        let (block, _) = self.buffers.find(argument)?;
        if offset != 0 {
            return Err(DriverError::Failed(format!(
                "Vortex's runtime starts an image at its first byte, and execution of this one would start {offset} bytes after it"
            )));
        }
        let cores = self.caps.cores;
        let Device {
            api,
            generation,
            handle,
            ..
        } = &mut self.device;
        generation.before_launch(*handle, cores);
        let called = Instant::now();
        // SAFETY: an open device and two of its live buffers. While the kernel may run, nothing that it uses is
        // freed: unless the wait below ends with the word that the kernel has ended, `hangs` leaks all buffers and
        // the device; and the library, whose threads run it, stays loaded as long as the process.
        let code = unsafe { (api.start)(*handle, kernel, block) };
        check("vx_start", code)?;
        let start = called.elapsed();
        self.finish("vx_ready_wait", |device, most| {
            let milliseconds = most.as_nanos().div_ceil(1_000_000);
            let milliseconds = u64::try_from(milliseconds).unwrap_or(u64::MAX);
            // SAFETY: an open device.
            unsafe { (device.api.ready_wait)(device.handle, milliseconds) }
        })?;
        Ok(self.cost(start))
    }

    fn count(&mut self, class: Option<PerfClass>) {
        self.device.generation.count(class);
    }

    fn hands_out_groups(&self) -> bool {
        self.device.generation.launches_grids()
    }

    fn launch(
        &mut self,
        entry: u32,
        argument: u32,
        grid: &Grid,
        _terms: Terms<'_>,
    ) -> Result<Stats, DriverError> {
        self.ready()?;
        for addr in [entry, argument] {
            self.buffers.find(addr)?;
        }
        let (most, local) = (self.caps.max_group(), self.caps.local_memory);
        grid.check_for(most, local).map_err(DriverError::Grid)?;
        let job = Job {
            start: entry,
            argument,
            grid: *grid,
            threads: self.caps.threads,
        };
        let cores = self.caps.cores;
        let Device {
            generation, handle, ..
        } = &mut self.device;
        generation.before_launch(*handle, cores);
        let called = Instant::now();
        // Two live buffers, which stay as they are while the kernel may run, as with `run`.
        generation.launch(*handle, &job)?;
        let start = called.elapsed();
        self.finish("vx_event_wait_value", |device, most| {
            device.generation.wait(most)
        })?;
        Ok(self.cost(start))
    }
}
