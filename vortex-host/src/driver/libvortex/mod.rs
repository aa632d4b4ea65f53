//! Vortex's own runtime as a driver: `libvortex.so`, and through it whatever device `VORTEX_DRIVER` names.

mod api;

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use super::{Access, Caps, Driver, DriverError, Stats};
use api::{Api, Handle};

/// Why Vortex's runtime could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such library.
    #[error("cannot load Vortex's runtime: {reason}; its directory must be in LD_LIBRARY_PATH")]
    NotFound {
        /// What the system's loader says.
        reason: String,
    },
    /// It is of another major release.
    #[error(
        "the `libvortex.so` found is of Vortex 3, whose interface differs; version 2 is needed"
    )]
    Release3,
    /// A function is missing.
    #[error("the `libvortex.so` found has no `{missing}`, so it is no runtime of Vortex 2")]
    Incomplete {
        /// Its name.
        missing: &'static str,
    },
    /// The runtime could not open a device.
    #[error(
        "Vortex's runtime could not open a device (`vx_dev_open` returned {code}); it looks for `libvortex-$VORTEX_DRIVER.so`"
    )]
    NoDevice {
        /// What it returned.
        code: i32,
    },
    /// The runtime does not know a property that is needed.
    #[error("the device does not tell its {what} (`vx_dev_caps` returned {code})")]
    NoCaps {
        /// Which.
        what: &'static str,
        /// What it returned.
        code: i32,
    },
    /// A device of another register width or without floats.
    #[error("the device has the ISA flags {flags:#x}; kernels are compiled for RV32IMF")]
    NotRv32 {
        /// What it reports.
        flags: u64,
    },
}

/// How long to wait for a kernel unless told otherwise; the longest that the runtime allows.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A device behind Vortex's runtime.
pub(crate) struct LibVortex {
    /// What has been allocated, by device address. Before `device`: buffers go first.
    buffers: HashMap<u32, Memory>,
    device: Device,
    caps: Caps,
    wait: Duration,
}

/// An allocation; its owner gives it back.
struct Memory {
    handle: Handle,
}

/// An opened device, closed on drop.
struct Device {
    api: Api,
    handle: Handle,
    /// A kernel did not end in time. Closing would then block, and so would another start.
    hangs: bool,
}

// SAFETY: the runtime's handles are plain pointers into its own heap, bound to no thread; `&mut` keeps calls apart.
unsafe impl Send for LibVortex {}

impl Drop for Device {
    fn drop(&mut self) {
        if !self.hangs {
            // SAFETY: opened by `vx_dev_open`, closed only here.
            unsafe { (self.api.dev_close)(self.handle) };
        }
    }
}

impl Drop for LibVortex {
    fn drop(&mut self) {
        for memory in std::mem::take(&mut self.buffers).into_values() {
            self.release(memory);
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

impl LibVortex {
    pub(crate) fn open(wait: Duration) -> Result<Self, OpenError> {
        let api = Api::load()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is valid for a write.
        let code = unsafe { (api.dev_open)(&mut handle) };
        if code != 0 || handle.is_null() {
            return Err(OpenError::NoDevice { code });
        }
        let device = Device {
            api,
            handle,
            hangs: false,
        };
        Ok(Self {
            caps: device.caps()?,
            device,
            buffers: HashMap::new(),
            wait: wait.min(MAX_WAIT),
        })
    }

    /// The allocation that contains `addr`, and the offset of `addr` in it.
    fn find(&self, addr: u32) -> Result<(Handle, u64), DriverError> {
        // Sub-slices are written to as well, so this is the nearest start below.
        let start = self.buffers.keys().copied().filter(|&start| start <= addr);
        let start = start
            .max()
            .ok_or_else(|| DriverError::Failed(format!("nothing was allocated at {addr:#010x}")))?;
        Ok((self.buffers[&start].handle, u64::from(addr - start)))
    }

    fn release(&self, memory: Memory) {
        if !self.device.hangs {
            // SAFETY: made by `vx_mem_alloc`, owned by `memory` alone, and the device is open.
            unsafe { (self.device.api.mem_free)(memory.handle) };
        }
    }

    /// Refuses to touch a device that a kernel still occupies.
    fn ready(&self) -> Result<(), DriverError> {
        if self.device.hangs {
            return Err(DriverError::Failed(
                "an earlier kernel did not end, and the device cannot be stopped".to_owned(),
            ));
        }
        Ok(())
    }
}

impl Device {
    fn value(&self, id: u32, what: &'static str) -> Result<u64, OpenError> {
        let mut value = 0;
        // SAFETY: an open device, and a pointer valid for a write.
        match unsafe { (self.api.dev_caps)(self.handle, id, &mut value) } {
            0 => Ok(value),
            code => Err(OpenError::NoCaps { what, code }),
        }
    }

    fn count(&self, id: u32, what: &'static str) -> Result<u32, OpenError> {
        let value = self.value(id, what)?;
        u32::try_from(value).map_err(|_| OpenError::NoCaps { what, code: 0 })
    }

    fn caps(&self) -> Result<Caps, OpenError> {
        let isa = self.isa()?;
        let letter = |letter: u8| isa >> (letter - b'A') & 1 == 1;
        let width_of_32_bits = isa >> 30 & 3 == 1;
        if !(width_of_32_bits && letter(b'I') && letter(b'M') && letter(b'F')) {
            return Err(OpenError::NotRv32 { flags: isa });
        }
        const LOCAL_MEMORY: u64 = 1 << 36;
        const ZICOND: u64 = 1 << 37;
        let local_memory = match isa & LOCAL_MEMORY {
            0 => 0,
            _ => self.count(6, "size of local memory")?,
        };
        Ok(Caps {
            threads: self.count(1, "number of threads")?,
            warps: self.count(2, "number of warps")?,
            cores: self.count(3, "number of cores")?,
            zicond: isa & ZICOND != 0,
            atomics: letter(b'A'),
            // No flag announces them.
            warp_ops: false,
            local_memory,
        })
    }

    /// The ISA flags: 7, or 8 in an older release, where 7 is the address of local memory.
    fn isa(&self) -> Result<u64, OpenError> {
        let is_isa = |flags: u64| flags >> 8 & 1 == 1 && matches!(flags >> 30 & 3, 1 | 2);
        let flags = self.value(7, "ISA flags")?;
        if is_isa(flags) {
            return Ok(flags);
        }
        match self.value(8, "ISA flags") {
            Ok(older) if is_isa(older) => Ok(older),
            _ => Err(OpenError::NotRv32 { flags }),
        }
    }

    /// A performance counter of one core, if the kernel has left it.
    fn counter(&self, number: u32, core: u32) -> Option<u64> {
        const UNWRITTEN: u64 = 0xbaad_f00d_baad_f00d;
        let mut value = UNWRITTEN;
        // SAFETY: an open device, and a pointer valid for a write.
        let code = unsafe { (self.api.mpm_query)(self.handle, number, core, &mut value) };
        (code == 0 && value != UNWRITTEN).then_some(value)
    }
}

impl Driver for LibVortex {
    fn caps(&self) -> Caps {
        self.caps
    }

    fn reads_dump(&self) -> bool {
        true
    }

    fn alloc(&mut self, bytes: u32, access: Access) -> Result<u32, DriverError> {
        self.ready()?;
        let api = &self.device.api;
        let mut handle = ptr::null_mut();
        let (bytes, flags) = (u64::from(bytes), flags(access));
        // SAFETY: an open device, and a pointer valid for a write.
        let code = unsafe { (api.mem_alloc)(self.device.handle, bytes, flags, &mut handle) };
        if code != 0 || handle.is_null() {
            return Err(DriverError::OutOfMemory);
        }
        let memory = Memory { handle };
        let mut addr = 0;
        // SAFETY: the buffer has just been made, and the pointer is valid for a write.
        let code = unsafe { (api.mem_address)(handle, &mut addr) };
        match (check("vx_mem_address", code), u32::try_from(addr)) {
            (Ok(()), Ok(addr)) => {
                self.buffers.insert(addr, memory);
                Ok(addr)
            }
            (failed, _) => {
                self.release(memory);
                failed?;
                Err(DriverError::Failed(format!(
                    "a buffer is at {addr:#x}, beyond 32 bits"
                )))
            }
        }
    }

    fn reserve(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        self.ready()?;
        let api = &self.device.api;
        let mut handle = ptr::null_mut();
        let (start, bytes, flags) = (u64::from(addr), u64::from(bytes), flags(access));
        // SAFETY: an open device, and a pointer valid for a write.
        let code =
            unsafe { (api.mem_reserve)(self.device.handle, start, bytes, flags, &mut handle) };
        check("vx_mem_reserve", code)?;
        self.buffers.insert(addr, Memory { handle });
        Ok(())
    }

    fn set_access(&mut self, addr: u32, bytes: u32, access: Access) -> Result<(), DriverError> {
        self.ready()?;
        let (handle, offset) = self.find(addr)?;
        let (bytes, flags) = (u64::from(bytes), flags(access));
        // SAFETY: a live buffer; the runtime checks offset and size against it.
        let code = unsafe { (self.device.api.mem_access)(handle, offset, bytes, flags) };
        check("vx_mem_access", code)
    }

    fn free(&mut self, addr: u32) {
        if let Some(memory) = self.buffers.remove(&addr) {
            self.release(memory);
        }
    }

    fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<(), DriverError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.ready()?;
        let (handle, offset) = self.find(addr)?;
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
        let (handle, offset) = self.find(addr)?;
        let to = bytes.as_mut_ptr().cast::<c_void>();
        // SAFETY: as in `write`, and the bytes are exclusively borrowed.
        let code =
            unsafe { (self.device.api.copy_from_dev)(to, handle, offset, bytes.len() as u64) };
        check("vx_copy_from_dev", code)
    }

    fn run(&mut self, entry: u32, argument: u32) -> Result<Stats, DriverError> {
        self.ready()?;
        let ((kernel, offset), (block, _)) = (self.find(entry)?, self.find(argument)?);
        if offset != 0 {
            return Err(DriverError::Failed(format!(
                "Vortex's runtime starts an image at its first byte, and execution of this one would start {offset} bytes behind it"
            )));
        }
        let api = &self.device.api;
        let called = Instant::now();
        // SAFETY: an open device and two of its live buffers, which stay alive until the wait below is over.
        let code = unsafe { (api.start)(self.device.handle, kernel, block) };
        check("vx_start", code)?;
        let milliseconds = u64::try_from(self.wait.as_millis()).unwrap_or(u64::MAX);
        let started = Instant::now();
        // SAFETY: an open device.
        let code = unsafe { (api.ready_wait)(self.device.handle, milliseconds) };
        if code != 0 && started.elapsed() >= self.wait {
            self.device.hangs = true;
            return Err(DriverError::TimedOut { waited: self.wait });
        }
        check("vx_ready_wait", code)?;
        let cores = 0..self.caps.cores;
        let of_all = |number| -> Option<Vec<u64>> {
            cores
                .clone()
                .map(|core| self.device.counter(number, core))
                .collect()
        };
        const CYCLES: u32 = 0xb00;
        const INSTRUCTIONS: u32 = 0xb02;
        // Among the saved counters, in a place that no counter has.
        const EXIT_CODE: u32 = 0xb01;
        Ok(Stats {
            cycles: of_all(CYCLES).and_then(|cycles| cycles.into_iter().max()),
            start: started - called,
            exit_code: self.device.counter(EXIT_CODE, 0).map(|code| code as u32),
            lane_instructions: of_all(INSTRUCTIONS).map_or(0, |counts| counts.into_iter().sum()),
            ..Stats::default()
        })
    }
}
