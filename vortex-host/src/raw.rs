//! Images without metadata: programs for Vortex made by other tools, launched with the bytes of their arguments.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use crate::device::Device;
use crate::driver::{Access, DriverError};
use crate::error::{Error, LaunchError, LookupError, MemoryError, Result, StreamError, launched};
use crate::fault::TrapReport;
use crate::hazards::AccessRange;
use crate::launch::{Launchable, Size, Task, Work, slow};
use crate::name::Name;
use crate::report::{Report, Steps};
use vortex_sim::debug::Running;
use vortex_sim::{Grid, Image};

/// An image on a device without metadata, at the addresses it was linked to, which it reserves. Cheap to clone;
/// dropping the last clone frees them, when launches on streams are done with them.
///
/// ```no_run
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let x = device.upload(&[1u32, 2, 3])?;
/// let image = device.raw_image(&std::fs::read("kernel.vxbin").unwrap())?;
/// // What the program finds by its argument register: here an address and a count.
/// image.launch(bytemuck::bytes_of(&[x.as_ptr().addr(), 3]))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RawImage {
    program: Arc<Program>,
}

/// What is on the device.
struct Program {
    device: Device,
    name: Name,
    base: u32,
    size: u32,
    entry: u32,
    /// Names and addresses of the kernels that can be launched by name.
    kernels: Vec<(String, u32)>,
}

/// A kernel of a [`RawImage`], for hardware that hands out work groups: Vortex 3.
///
/// ```no_run
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let image = device.raw_image(&std::fs::read("kernels.vxbin").unwrap())?;
/// let x = device.upload(&[1u32; 256])?;
/// let arguments = [x.as_ptr().addr(), 256];
/// image.kernel("scale")?.grid(16).block(16).launch(bytemuck::bytes_of(&arguments))?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a kernel runs when it is launched"]
#[derive(Clone, Debug)]
pub struct RawKernel {
    image: RawImage,
    name: Name,
    address: u32,
    groups: [usize; 3],
    items: [usize; 3],
    local_bytes: u32,
}

/// What a launch of an image runs.
#[derive(Clone, Debug)]
enum Way {
    /// The program, which starts its warps itself.
    Program,
    /// A kernel, in work groups.
    Kernel { name: Name, grid: Grid },
}

/// A [`RawImage`] with the bytes of its arguments, for [`Stream::launch`](crate::Stream::launch).
#[must_use = "a program runs when a stream launches it"]
#[derive(Debug)]
pub struct RawLaunch {
    image: RawImage,
    way: Way,
    arguments: Vec<u8>,
}

impl RawImage {
    /// Copies an image to its addresses on a device.
    pub(crate) fn load(device: &Device, image: &Image<'_>) -> Result<Self> {
        let base = image.base();
        let taken = |reason| {
            Error::Memory(MemoryError::ImageAddresses {
                first: base,
                end: u64::from(base) + image.size(),
                reason,
            })
        };
        let size =
            u32::try_from(image.size()).map_err(|_| taken("they are all of memory".to_owned()))?;
        let _span = tracing::info_span!("upload", bytes = size, what = "image").entered();
        device
            .hazards()
            .wait_for([AccessRange::ANYTHING].into_iter());
        let mut state = device.state();
        let reserved = state.driver.reserve(base, size, Access::ReadWrite);
        reserved.map_err(|error| match error {
            DriverError::OutOfMemory => taken("something else is there, or no memory".to_owned()),
            DriverError::Failed(reason) => taken(reason),
            other => Error::driver(other),
        })?;
        // From here on it is given back.
        let program = Arc::new(Program {
            device: device.clone(),
            name: Name::from(format!("at {base:#010x}")),
            base,
            size,
            entry: image.entry(),
            kernels: image
                .kernels()
                .iter()
                .map(|&(name, address)| (name.to_owned(), address))
                .collect(),
        });
        let filled = image.segments().iter().try_for_each(|segment| {
            // Within the segment, hence within 32 bits.
            let bytes = segment.bytes.len() as u32;
            state.write(segment.address, segment.bytes)?;
            state.write_zeros(segment.address.wrapping_add(bytes), segment.size - bytes)?;
            let access = match segment.access {
                vortex_sim::Access::ReadWrite => Access::ReadWrite,
                _ => Access::Read,
            };
            let set = (state.driver).set_access(segment.address, segment.size, access);
            set.map_err(Error::driver)
        });
        drop(state);
        filled?;
        Ok(Self { program })
    }

    /// The first byte of its memory, and its size.
    #[must_use]
    pub fn memory(&self) -> (u32, u32) {
        (self.program.base, self.program.size)
    }

    /// Device address of the first instruction that is executed.
    #[must_use]
    pub fn entry(&self) -> u32 {
        self.program.entry
    }

    /// Runs it to its end. `arguments` is what its argument register points to; changes that it makes to them are
    /// discarded.
    ///
    /// It may reach any memory of the device, so it waits for everything that is pending.
    ///
    /// # Errors
    /// If there is no room for the arguments, or the device stops the program.
    #[track_caller]
    pub fn launch(&self, arguments: &[u8]) -> Result<Report> {
        launched(|| self.program.run_in_order(&Way::Program, arguments))
    }

    /// A kernel of the image by its name, for a device of Vortex 3: one that the file names, or `main`.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn kernel(&self, name: &str) -> Result<RawKernel> {
        let kernels = &self.program.kernels;
        let found = kernels.iter().find(|(known, _)| known == name);
        let Some((name, address)) = found else {
            let kernels: Vec<_> = kernels.iter().map(|(name, _)| name.as_str()).collect();
            return Err(Error::Lookup(LookupError::NoKernel {
                kernel: name.to_owned(),
                kernels: kernels.join(", "),
            }));
        };
        Ok(RawKernel {
            image: self.clone(),
            name: Name::from(name.clone()),
            address: *address,
            groups: [1; 3],
            items: [1; 3],
            local_bytes: 0,
        })
    }

    /// The names of the kernels that [`RawImage::kernel`] finds. Programs in ELF files have none.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.program.kernels.iter().map(|(name, _)| name.as_str())
    }

    /// A launch for a stream: `stream.launch(image.call(&arguments))`.
    ///
    /// ```no_run
    /// # fn main() -> vortex_host::Result<()> {
    /// # let device = vortex_host::Device::open()?;
    /// # let image = device.raw_image(&[])?;
    /// let stream = device.stream()?;
    /// let mut x = device.alloc::<u32>(3)?;
    /// stream.enqueue_write(&mut x, [1, 2, 3]).detach();
    /// stream.launch(image.call(bytemuck::bytes_of(&[x.as_ptr().addr(), 3]))).detach();
    /// println!("{:?}", stream.enqueue_read(&x).wait()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&self, arguments: &[u8]) -> RawLaunch {
        RawLaunch {
            image: self.clone(),
            way: Way::Program,
            arguments: arguments.to_vec(),
        }
    }
}

impl RawKernel {
    /// Runs this many groups: `n`, `(w, h)` or `(w, h, d)`; one by default.
    pub fn grid(mut self, groups: impl Size) -> Self {
        self.groups = groups.extent();
        self
    }

    /// Gives each group this many work items, as many as a core has threads at most; one by default.
    pub fn block(mut self, items: impl Size) -> Self {
        self.items = items.extent();
        self
    }

    /// Gives each group this many bytes of local memory.
    pub fn local_memory(mut self, bytes: u32) -> Self {
        self.local_bytes = bytes;
        self
    }

    /// Runs it to its end. `arguments` is what its argument register points to.
    ///
    /// It may reach any memory of the device, so it waits for everything that is pending.
    ///
    /// # Errors
    /// If the device has no hardware that hands out groups, or no core fits one of this size; if there is no room for
    /// the arguments, or the device stops the kernel.
    #[track_caller]
    pub fn launch(&self, arguments: &[u8]) -> Result<Report> {
        launched(|| self.image.program.run_in_order(&self.way(), arguments))
    }

    /// A launch for a stream, as [`RawImage::call`].
    pub fn call(&self, arguments: &[u8]) -> RawLaunch {
        RawLaunch {
            image: self.image.clone(),
            way: self.way(),
            arguments: arguments.to_vec(),
        }
    }

    fn way(&self) -> Way {
        // More than there can be is refused by the device.
        let words = |counts: [usize; 3]| counts.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Way::Kernel {
            name: self.name.clone(),
            grid: Grid {
                groups: words(self.groups),
                items: words(self.items),
                local_bytes: self.local_bytes,
                entry: self.address,
            },
        }
    }
}

impl Task for RawLaunch {
    fn accesses(&self) -> Vec<AccessRange> {
        vec![AccessRange::ANYTHING]
    }

    fn run(self: Box<Self>, device: &Device) -> Result<Report> {
        let program = &self.image.program;
        if program.device.id() != device.id() {
            return Err(Error::Stream(StreamError::ForeignStream));
        }
        program.run(&self.way, &self.arguments)
    }
}

impl Launchable<'static> for RawLaunch {
    fn into_work(self, _: &Device) -> Result<Work> {
        Ok(Work::of(self))
    }
}

impl Program {
    /// Waits for all that is pending, and runs it to its end.
    fn run_in_order(&self, way: &Way, arguments: &[u8]) -> Result<Report> {
        self.device
            .hazards()
            .wait_for([AccessRange::ANYTHING].into_iter());
        self.run(way, arguments)
    }

    /// Runs it to its end.
    fn run(&self, way: &Way, arguments: &[u8]) -> Result<Report> {
        let began = Instant::now();
        let kernel = match way {
            Way::Program => self.name.clone(),
            Way::Kernel { name, .. } => name.clone(),
        };
        let _span = tracing::info_span!("launch", kernel = &*kernel, items = 0).entered();
        let device = &self.device;
        let mut state = device.state();
        // A program may look at its arguments in whole words.
        let mut bytes = arguments.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
        let size = u32::try_from(bytes.len()).map_err(|_| {
            Error::Memory(MemoryError::AllocationTooLarge {
                elements: arguments.len(),
                ty: "u8",
            })
        })?;
        let packed = Instant::now();
        let block = state.alloc_with(size, Access::ReadWrite, |state, block| {
            state.write(block, &bytes)
        })?;
        let start = Instant::now();
        let tell = |running: &Running<'_>| slow::say_of_image(&kernel, running);
        let driver = &mut state.driver;
        let outcome = match way {
            Way::Program => driver.run_foreign(self.entry, block, &tell),
            Way::Kernel { grid, .. } => driver.launch_foreign(self.entry, block, grid, &tell),
        };
        let wall = start.elapsed();
        state.driver.free(block);
        drop(state);
        match outcome {
            Ok(stats) => {
                let steps = Steps {
                    pack: packed - began,
                    upload: start - packed,
                    start: stats.start,
                    wait: wall.saturating_sub(stats.start),
                };
                Ok(Report::new(kernel, 0, stats, wall).with_steps(steps))
            }
            Err(DriverError::TimedOut { waited }) => {
                Err(Error::refused(kernel, LaunchError::TimedOut { waited }))
            }
            Err(DriverError::Grid(cause)) => Err(Error::refused(kernel, LaunchError::Grid(cause))),
            Err(DriverError::Trap(trap)) => {
                Err(Error::Trap(Box::new(TrapReport::of_raw(kernel, *trap))))
            }
            Err(other) => Err(Error::driver(other)),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.device.state().driver.free(self.base);
    }
}

impl fmt::Debug for RawImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "image {}", self.program.name)
    }
}
