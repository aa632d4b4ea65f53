//! Devices, and memory on them.
//!
//! (What rustc says about `device.upload(..)` names the module that `impl Device` is in, unless it is this one.)

pub(crate) mod allocation;
pub(crate) mod buffer;
mod builder;
pub(crate) mod elements;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::Duration;

use vortex_gdb::Debugger;
use vortex_kernel::codegen::{CoreSize, LaunchTests, Options, Specialization, Target};
use vortex_kernel::isa::Generation;
use vortex_kernel::meta::{Attributes, Element};
use vortex_kernel::opt::Tuning;
use vortex_sim::{Config, PerfClass, Progress, Usage};

use crate::driver::{Access, Caps, Driver, Embedded, LibVortex};
use crate::error::{Error, Result};
use crate::globals;
use crate::hazards::Hazards;
use crate::resident::{ImageStats, Images};

use buffer::Buffer;
pub use builder::DeviceBuilder;

/// What the host can upload: elements. It is no other trait for what rustc says of what is none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "not an element of buffers, slices or pointers",
    note = "if this is `f64`, there is none on the device: use `f32`, \
            `x.iter().map(|x| *x as f32).collect::<Vec<_>>()`",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above \
            it; above an enum, `#[repr(u32)]`; a tuple is written as such a struct, `struct Entry(u32, f32);`",
    note = "a buffer is flat: of a `Vec<Vec<f32>>`, `device.upload(&rows.concat())?` puts one row after the other, \
            and `x[row * width + column]` is an element",
    note = "elements are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the \
            prelude, `f32`, and structs and enums with `#[derive(vortex::DeviceType)]`; `usize` and `isize` have other \
            sizes on the host and on the device: use `u32` and `i32`"
)]
pub trait Upload: Element {}

#[diagnostic::do_not_recommend]
impl<T: Element> Upload for T {}

/// A Vortex device. Cheap to clone: clones are handles to one device.
///
/// ```
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let buffer = device.upload(&[1.0f32, 2.0, 3.0])?;
/// assert_eq!(buffer.download()?, [1.0, 2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    shared: Arc<Shared>,
}

/// What an environment variable says that names a file or directory, if it is set.
fn path_of(variable: &str) -> Option<PathBuf> {
    let value = std::env::var_os(variable).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

struct Shared {
    /// Tells devices apart; never 0.
    id: u64,
    caps: Caps,
    progress: Progress,
    /// Bytes of memory in use, if the driver knows.
    usage: Option<Usage>,
    /// Where every launch is written to, if `VORTEX_DUMP` says so.
    dump: Option<PathBuf>,
    /// Where profiles of every launch are written to, if `VORTEX_PROFILE` says so.
    profile: Option<PathBuf>,
    /// Where traces of every launch are written to, if `VORTEX_TRACE` says so.
    trace: Option<PathBuf>,
    /// Whether what a run cost is only known if the kernel leaves its counters in memory.
    reads_dump: bool,
    hands_out_groups: bool,
    /// What others keep with the device, by its type.
    kept: Mutex<HashMap<TypeId, Box<dyn Any + Send>>>,
    /// What streams have yet to do.
    hazards: Hazards,
    /// What the optimiser chooses by.
    tuning: Option<Tuning>,
    /// There is a debugger, and kernels are compiled for it.
    is_debugged: bool,
    is_for_debugger: bool,
    state: Mutex<State>,
    /// Modules that are gone and may have left images, and whether there are any.
    dropped: Mutex<Vec<u64>>,
    any_dropped: AtomicBool,
    /// Whether code in files is checked when they are read.
    eager: AtomicBool,
}

/// What a launch needs exclusively.
pub(crate) struct State {
    pub(crate) driver: Box<dyn Driver>,
    /// Images on the device.
    pub(crate) images: Images,
    /// Room for a launch block: address and size.
    pub(crate) block: Option<(u32, u32)>,
    /// Address of the zeroed fault area, once there is one.
    pub(crate) faults: Option<u32>,
    /// Where kernels print to, once one does.
    pub(crate) prints: Option<PrintArea>,
    /// Addresses of the program's variables, by their numbers.
    pub(crate) globals: HashMap<u64, u32>,
    /// The debugger that drives launches, if there is one.
    pub(crate) debugger: Option<Debugger>,
}

/// What [`Device::new`] asks for, and no device is.
#[diagnostic::on_unimplemented(
    message = "there is no `Device::new`: a device is opened",
    label = "write `Device::open()?`"
)]
#[doc(hidden)]
pub trait Constructed<'a> {}

/// What [`Device::download`] asks for, and no device is.
#[diagnostic::on_unimplemented(
    message = "there is no `Device::download`: a buffer is downloaded by itself",
    label = "write `download()?` of the buffer, as in `y.download()?`"
)]
#[doc(hidden)]
pub trait Downloads<'a> {}

impl Device {
    /// Cannot be called: it is there for what rustc says where it is.
    #[doc(hidden)]
    pub fn download<T: Element>(&self, buffer: &buffer::DeviceSlice<T>) -> Result<Vec<T>>
    where
        for<'a> Self: Downloads<'a>,
    {
        buffer.download()
    }

    /// Cannot be called: it is there for what rustc says where it is.
    #[doc(hidden)]
    pub fn new() -> Result<Self>
    where
        for<'a> Self: Constructed<'a>,
    {
        Self::open()
    }

    /// Opens a device of Vortex's own runtime, of version 2 or 3: loads `libvortex.so`, which picks the driver that
    /// `VORTEX_DRIVER` names, `simx` by default. A kernel that has not finished after `timeout` (a day at most) is an
    /// error, and its device is lost.
    ///
    /// # Errors
    /// [`DeviceError::Runtime`](crate::DeviceError::Runtime) if there is no such library, or if it cannot open a device
    /// that can run kernels: the [`OpenError`](crate::OpenError) says which.
    pub fn open_runtime(timeout: Duration) -> Result<Self> {
        Ok(Self::of_driver(Box::new(LibVortex::open(timeout)?), None))
    }

    /// A device that is reached so.
    pub(crate) fn of_driver(driver: Box<dyn Driver>, tuning: Option<Tuning>) -> Self {
        Self::debugged(driver, tuning, None)
    }

    /// The same, with launches driven by a debugger.
    fn debugged(
        driver: Box<dyn Driver>,
        tuning: Option<Tuning>,
        debugger: Option<(Debugger, bool)>,
    ) -> Self {
        let is_debugged = debugger.is_some();
        let (debugger, is_plain) = debugger.unzip();
        let state = State {
            driver,
            images: Images::default(),
            block: None,
            faults: None,
            prints: None,
            globals: HashMap::new(),
            debugger,
        };
        let shared = Shared {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            caps: state.driver.caps(),
            progress: state.driver.progress(),
            usage: state.driver.usage(),
            reads_dump: state.driver.reads_dump(),
            hands_out_groups: state.driver.hands_out_groups(),
            dump: path_of("VORTEX_DUMP"),
            profile: path_of("VORTEX_PROFILE"),
            trace: path_of("VORTEX_TRACE"),
            kept: Mutex::default(),
            hazards: Hazards::default(),
            tuning,
            is_debugged,
            is_for_debugger: is_plain.unwrap_or(false),
            state: Mutex::new(state),
            dropped: Mutex::default(),
            any_dropped: AtomicBool::new(false),
            eager: AtomicBool::new(false),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// An embedded device on which launches are tried that are to be made on this one: without what the environment
    /// asks of launches, and with the same code where that is for an embedded device, too.
    pub(crate) fn to_try(&self, config: Config) -> Result<Self> {
        let mut device = Self::of_driver(Box::new(Embedded::open(config)?), self.shared.tuning);
        if let Some(shared) = Arc::get_mut(&mut device.shared) {
            (shared.dump, shared.profile, shared.trace) = (None, None, None);
        }
        Ok(device)
    }

    /// Describes an embedded device of another shape.
    ///
    /// ```
    /// # fn main() -> vortex_host::Result<()> {
    /// let device = vortex_host::Device::builder().cores(2).warps(4).threads(8).open()?;
    /// assert_eq!(device.caps().harts(), 64);
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> DeviceBuilder {
        DeviceBuilder::new()
    }

    /// Copies `data` into a new buffer.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`](crate::MemoryError::OutOfMemory) if the device has no room for it,
    /// [`MemoryError::AllocationTooLarge`](crate::MemoryError::AllocationTooLarge) if its size does not fit 32 bits.
    pub fn upload<T: Upload>(&self, data: &[T]) -> Result<Buffer<T>> {
        let mut buffer = Buffer::uninit(self, data.len())?;
        buffer.write(data)?;
        Ok(buffer)
    }

    /// A new buffer of `len` zeros.
    ///
    /// # Errors
    /// As for [`Device::upload`].
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let mut buffer = Buffer::uninit(self, len)?;
        buffer.clear()?;
        Ok(buffer)
    }

    /// Generation, cores, warps, lanes, extensions and local memory of the device.
    #[must_use]
    pub fn caps(&self) -> &Caps {
        &self.shared.caps
    }

    /// Makes later launches report the performance counters of a class ([`Report::counters`](crate::Report::counters)),
    /// or none. Through Vortex's runtime, reading them takes host time before and after each launch, but no device
    /// time. Only devices of Vortex 3 have classes; `VORTEX_PROFILING` does the same for devices that [`Device::open`]
    /// opens.
    ///
    /// It waits for a running kernel.
    pub fn count(&self, class: impl Into<Option<PerfClass>>) {
        self.state().driver.count(class.into());
    }

    /// The progress of launches, for another thread to watch.
    #[must_use]
    pub fn progress(&self) -> &Progress {
        &self.shared.progress
    }

    /// Bytes of device memory in use, in whole pages; `None` if the device does not report it.
    ///
    /// Besides buffers these are images ([`Device::image_stats`]), variables, and a launch's own needs. It does not
    /// wait for a running kernel.
    #[must_use]
    pub fn memory_used(&self) -> Option<u64> {
        self.shared.usage.as_ref().map(Usage::bytes)
    }

    /// How many images of kernels are on the device, and how many were evicted.
    ///
    /// An image is copied there at its first launch. It stays until its module is dropped, the device is closed, or
    /// it must make room for others: there are at most 512, or twice as many as the program has kernels.
    #[must_use]
    pub fn image_stats(&self) -> ImageStats {
        self.state().images.stats()
    }

    /// A number no other device of this process has.
    pub(crate) fn id(&self) -> u64 {
        self.shared.id
    }

    /// How kernels of these attributes are compiled for this device.
    pub(crate) fn options(&self, attributes: &Attributes) -> Options {
        Options {
            known: Specialization {
                lanes: Some(self.shared.caps.threads),
                core: Some(CoreSize {
                    warps: self.shared.caps.warps,
                    local_memory: self.shared.caps.local_memory,
                }),
                ..Specialization::from(attributes)
            },
            listing: self.dump().is_some(),
            dump_counters: self.shared.reads_dump,
            tuning: self.shared.tuning,
            debug: self.is_for_debugger(),
            launch_tests: match self.dump() {
                None if !self.is_debugged() => LaunchTests::Assumed,
                // The host of a dumped image cannot check that; a debugger knows one image of each kernel.
                _ => LaunchTests::ByDevice,
            },
            ..Options::default()
        }
    }

    /// The columns and rows of items that a lane does at once, at most, if images differ in that: a debugger knows one
    /// image of each kernel.
    pub(crate) fn largest_block(&self) -> Option<[u32; 2]> {
        let generation = self.shared.caps.generation;
        let tuning = self.shared.tuning.unwrap_or_else(|| Tuning::of(generation));
        (!self.is_debugged()).then_some([tuning.columns, tuning.rows])
    }

    /// Whether a debugger drives launches.
    pub(crate) fn is_debugged(&self) -> bool {
        self.shared.is_debugged
    }

    /// Whether kernels are compiled for a debugger.
    pub(crate) fn is_for_debugger(&self) -> bool {
        self.shared.is_for_debugger
    }

    /// What code for this device may use.
    pub(crate) fn target(&self) -> Target {
        Target {
            // What starts its warps itself runs everywhere.
            generation: match self.shared.hands_out_groups {
                true => self.shared.caps.generation,
                false => Generation::V2,
            },
            zicond: self.shared.caps.zicond,
            atomics: self.shared.caps.atomics,
            warp_ops: self.shared.caps.warp_ops,
        }
    }

    /// What is kept with the device until it is closed: one of each type, the default at first. `look` does not use
    /// the device.
    pub(crate) fn kept<T: Any + Default + Send, R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        let kept = self.shared.kept.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        let kept = kept.entry(TypeId::of::<T>());
        match kept.or_insert_with(|| Box::<T>::default()).downcast_mut() {
            Some(kept) => look(kept),
            // Nothing else is ever put there.
            None => look(&mut T::default()),
        }
    }

    /// Has code in files be checked when they are read.
    pub(crate) fn be_eager(&self) {
        self.shared.eager.store(true, Ordering::Relaxed);
    }

    /// Whether code in files is checked when they are read, and not when it is used.
    pub(crate) fn is_eager(&self) -> bool {
        self.shared.eager.load(Ordering::Relaxed)
    }

    pub(crate) fn hazards(&self) -> &Hazards {
        &self.shared.hazards
    }

    pub(crate) fn dump(&self) -> Option<&PathBuf> {
        self.shared.dump.as_ref()
    }

    /// Where profiles of every launch go, if they are asked for.
    pub(crate) fn profile(&self) -> Option<&PathBuf> {
        self.shared.profile.as_ref()
    }

    /// Where traces of every launch go, likewise.
    pub(crate) fn trace(&self) -> Option<&PathBuf> {
        self.shared.trace.as_ref()
    }

    /// A panic while the lock was held leaves nothing half-done that a later launch would trip over.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        let state = self.shared.state.lock();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        self.shared.sweep(&mut state);
        state
    }

    /// A handle that does not keep the device open.
    pub(crate) fn downgrade(&self) -> WeakDevice {
        WeakDevice(Arc::downgrade(&self.shared))
    }

    /// Frees what a module has left here, which can no longer be launched: now, or when the device is used next, if it
    /// is in use.
    pub(crate) fn forget(&self, module: u64) {
        let dropped = self.shared.dropped.lock();
        dropped.unwrap_or_else(PoisonError::into_inner).push(module);
        self.shared.any_dropped.store(true, Ordering::Release);
        match self.shared.state.try_lock() {
            Ok(mut state) => self.shared.sweep(&mut state),
            Err(TryLockError::Poisoned(state)) => self.shared.sweep(&mut state.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
    }
}

impl Shared {
    /// Frees the images of modules that are gone, and variables without an owner.
    fn sweep(&self, state: &mut State) {
        if !self.any_dropped.load(Ordering::Relaxed)
            || !self.any_dropped.swap(false, Ordering::Acquire)
        {
            return;
        }
        let dropped = self.dropped.lock();
        let dropped = std::mem::take(&mut *dropped.unwrap_or_else(PoisonError::into_inner));
        for loaded in state.images.take_of(&dropped) {
            state.driver.free(loaded.addr);
        }
        let gone = state
            .globals
            .extract_if(|number, _| !globals::is_known(*number));
        for (_, addr) in gone {
            state.driver.free(addr);
        }
    }
}

/// A device that may be closed by now.
pub(crate) struct WeakDevice(Weak<Shared>);

impl WeakDevice {
    pub(crate) fn upgrade(&self) -> Option<Device> {
        let shared = self.0.upgrade()?;
        Some(Device { shared })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }

    pub(crate) fn is(&self, device: &Device) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&device.shared))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("caps", self.caps())
            .finish_non_exhaustive()
    }
}

impl State {
    /// Reserves device memory.
    pub(crate) fn alloc(&mut self, bytes: u32, access: Access) -> Result<u32> {
        self.driver
            .alloc(bytes, access)
            .map_err(Error::alloc(bytes))
    }

    /// Reserves device memory and gives it its first contents.
    pub(crate) fn alloc_with(
        &mut self,
        bytes: u32,
        access: Access,
        fill: impl FnOnce(&mut Self, u32) -> Result<()>,
    ) -> Result<u32> {
        let addr = self.alloc(bytes, access)?;
        let filled = fill(self, addr);
        if filled.is_err() {
            self.driver.free(addr);
        }
        filled.map(|()| addr)
    }

    pub(crate) fn write(&mut self, addr: u32, bytes: &[u8]) -> Result<()> {
        self.driver.write(addr, bytes).map_err(Error::driver)
    }

    /// Writes this many zeros, a part at a time.
    pub(crate) fn write_zeros(&mut self, addr: u32, bytes: u32) -> Result<()> {
        const PART: u32 = 64 << 10;
        let zeros = [0; PART as usize];
        (0..bytes).step_by(PART as usize).try_for_each(|done| {
            let part = PART.min(bytes - done);
            self.write(addr + done, &zeros[..part as usize])
        })
    }

    pub(crate) fn read(&mut self, addr: u32, bytes: &mut [u8]) -> Result<()> {
        self.driver.read(addr, bytes).map_err(Error::driver)
    }
}

/// The print area of a device. Its headers are zero between launches.
#[derive(Clone, Copy)]
pub(crate) struct PrintArea {
    pub(crate) headers: u32,
    pub(crate) records: u32,
    /// Bytes of records for each hart.
    pub(crate) room: u32,
    pub(crate) harts: u32,
}
