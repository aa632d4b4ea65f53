//! Everything that can go wrong, as one type, by subject.

mod device;
mod devices;
mod launch;
mod lookup;
mod memory;
mod module;
mod stream;

use std::fmt;
use std::panic::Location;
use std::path::PathBuf;

use vortex_kernel::codegen::CompileError;
use vortex_kernel::ir::{ParseError, SourceLoc};
use vortex_kernel::lang::StageError;

pub use device::DeviceError;
pub use devices::DevicesError;
pub use launch::LaunchError;
pub use lookup::LookupError;
pub use memory::MemoryError;
pub use module::ModuleError;
pub use stream::StreamError;

use crate::driver::{DriverError, OpenError};
use crate::fault::{Fault, TrapReport};
use crate::name::Name;
use crate::source::{Excerpt, Excerpts, Sources};
use launch::OfKernel;
use vortex_sim::environment::VariableError;
use vortex_sim::{ConfigError, ImageError};

/// What most functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a device, a buffer or a launch failed.
///
/// `Debug` prints what `Display` prints, so that `fn main() -> vortex::Result<()>` reads well. Messages are for people,
/// and may change; what a program decides by are variants and their fields:
///
/// ```
/// use vortex_host::{Error, MemoryError};
///
/// # fn main() -> vortex_host::Result<()> {
/// let device = vortex_host::Device::open()?;
/// let buffer = device.upload(&[1.0f32, 2.0, 3.0])?;
/// match buffer.slice(2..7) {
///     Err(Error::Memory(MemoryError::OutOfRange { end, len, .. })) => assert_eq!((end, len), (7, 3)),
///     other => panic!("{other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A launch that cannot be, or not like that, and was not begun.
    #[error("{}{}", OfKernel(kernel, cause), At(*at))]
    Refused {
        /// Name of the kernel.
        kernel: Name,
        /// What is wrong.
        cause: LaunchError,
        /// Where it was to be launched, if that is known.
        at: Option<&'static Location<'static>>,
    },

    /// Memory that cannot be had, or not like that.
    #[error(transparent)]
    Memory(#[from] MemoryError),

    /// A name that means no kernel, or no single one.
    #[error(transparent)]
    Lookup(#[from] LookupError),

    /// An operation of a stream that was not run.
    #[error(transparent)]
    Stream(#[from] StreamError),

    /// A device that there is not, or whose driver failed.
    #[error(transparent)]
    Device(#[from] DeviceError),

    /// Several devices that cannot be had, or not like that, or one of them that failed.
    #[error(transparent)]
    Devices(#[from] DevicesError),

    /// A file that is not an image, or none for this device.
    #[error(transparent)]
    Image(#[from] ImageError),

    /// A file of kernels that cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        cause: std::io::Error,
    },

    /// A file that is not a module.
    #[error("{}: {cause}", path.display())]
    InFile {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        cause: Box<ModuleError>,
    },

    /// A file that is not a module, or modules that do not fit together.
    #[error(transparent)]
    Module(Box<ModuleError>),

    /// The kernel's body uses something the device cannot hold.
    #[error("kernel {kernel}: {cause}{}", Excerpt(cause.location(), Sources::Program))]
    Stage {
        /// Name of the kernel.
        kernel: Name,
        /// What and where.
        #[source]
        cause: StageError,
    },

    /// The kernel could not be compiled.
    #[error("kernel {kernel}: {cause}{}", Excerpts(cause))]
    Compile {
        /// Name of the kernel.
        kernel: Name,
        /// What is wrong.
        #[source]
        cause: CompileError,
    },

    /// A work item failed a check of the kernel language.
    #[error("{0}")]
    Fault(Box<Fault>),

    /// The device stopped the kernel.
    #[error("{0}")]
    Trap(Box<TrapReport>),

    /// A file that a variable of the environment asks for could not be written.
    #[error("{variable}: cannot write {}: {cause}", path.display())]
    Output {
        /// The variable: `VORTEX_DUMP`, `VORTEX_TRACE` or `VORTEX_PROFILE`.
        variable: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        cause: std::io::Error,
    },

    /// A text that is to be a kernel's IR, and is not.
    #[error("this is no IR of a kernel: {cause}")]
    Text {
        /// Why, and where.
        #[source]
        cause: ParseError,
    },
}

impl From<ModuleError> for Error {
    fn from(error: ModuleError) -> Self {
        match error {
            ModuleError::Image(error) => Self::Image(error),
            other => Self::Module(Box::new(other)),
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        DeviceError::Runtime(error).into()
    }
}

impl From<VariableError> for Error {
    fn from(error: VariableError) -> Self {
        DeviceError::Environment(error).into()
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        DeviceError::Config(error).into()
    }
}

/// What a launch gives, whose errors say that the caller's caller asks for it.
#[track_caller]
pub(crate) fn launched<R>(launch: impl FnOnce() -> Result<R>) -> Result<R> {
    let of_launch = Error::of_launch();
    launch().map_err(of_launch)
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What an operation on memory gives, whose errors say that the caller's caller asks for it.
#[track_caller]
pub(crate) fn located<R>(outcome: Result<R>) -> Result<R> {
    let here = Location::caller();
    outcome.map_err(|error| error.of_memory_at(here))
}

/// The place in the program where something is asked for, with its line of source.
struct At(Option<&'static Location<'static>>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(at) = self.0.map(SourceLoc::from_caller) else {
            return Ok(());
        };
        write!(f, ", at {at}{}", Excerpt(&at, Sources::Program))
    }
}

impl Error {
    /// What is wrong with a launch, which [`Error::of_launch`] says the place of.
    pub(crate) fn refused(kernel: impl Into<Name>, cause: LaunchError) -> Self {
        Self::Refused {
            kernel: kernel.into(),
            cause,
            at: None,
        }
    }

    /// Says of errors of a launch that its caller's caller asks for it: as [`launched`], for one that runs later.
    #[track_caller]
    pub(crate) fn of_launch() -> impl FnOnce(Self) -> Self {
        let here = Location::caller();
        move |mut error| {
            if let Self::Refused { at, .. } = &mut error {
                at.get_or_insert(here);
            }
            error
        }
    }

    /// Says of errors about lengths that memory was asked for there.
    pub(crate) fn of_memory_at(mut self, here: &'static Location<'static>) -> Self {
        if let Self::Memory(
            MemoryError::OutOfRange { at, .. }
            | MemoryError::LengthMismatch { at, .. }
            | MemoryError::DownloadLength { at, .. },
        ) = &mut self
        {
            at.get_or_insert(here);
        }
        self
    }

    /// A driver's failure to reserve `bytes`.
    pub(crate) fn alloc(bytes: u32) -> impl FnOnce(DriverError) -> Self {
        move |error| match error {
            DriverError::OutOfMemory => MemoryError::OutOfMemory { bytes }.into(),
            other => Self::driver(other),
        }
    }

    /// A driver's failure outside of running a kernel.
    pub(crate) fn driver(error: DriverError) -> Self {
        let message = match error {
            DriverError::OutOfMemory => "out of memory".to_owned(),
            DriverError::Trap(trap) => trap.to_string(),
            DriverError::TimedOut { waited } => format!("no answer after {waited:?}"),
            DriverError::Grid(error) => error.to_string(),
            DriverError::Failed(message) => message,
        };
        DeviceError::Driver { message }.into()
    }
}
