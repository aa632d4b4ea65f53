//! Everything that can go wrong, as one type.

use std::fmt;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use vortex_kernel::codegen::CompileError;
use vortex_kernel::lang::StageError;
use vortex_kernel::tensor::{BufferRecord, LayoutError};

use crate::driver::{DriverError, OpenError};
use crate::extents::Extents;
use crate::fault::{Fault, TrapReport};
use crate::module::error::ModuleError;
use crate::name::Name;
use crate::source::{Excerpt, Excerpts, Sources};
use vortex_sim::Count;
use vortex_sim::environment::VariableError;
use vortex_sim::{ConfigError, ImageError};

/// Where an argument is declared.
struct Declared<'a>(&'a Option<&'static Location<'static>>);

impl fmt::Display for Declared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, ", declared at {at}"),
            None => Ok(()),
        }
    }
}

/// Rows and columns, as messages have them.
struct Pair<'a>(&'a [usize; 2]);

impl fmt::Display for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, cols] = self.0;
        write!(f, "{rows} x {cols}")
    }
}

/// What most functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a device, a buffer or a launch failed.
///
/// `Debug` prints what `Display` prints, so that `fn main() -> vortex::Result<()>` reads well.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `VORTEX_DRIVER` asks for a device of Vortex's own runtime, and that could not be opened.
    #[error(
        "VORTEX_DRIVER={name}: {cause} (`embedded`, or no VORTEX_DRIVER, is the device that needs nothing installed)"
    )]
    UnknownDriver {
        /// What the variable says.
        name: String,
        /// Why not.
        #[source]
        cause: OpenError,
    },

    /// Vortex's own runtime could not be used.
    #[error(transparent)]
    Runtime(#[from] OpenError),

    /// A kernel did not end in time, on a device that cannot be stopped. The device is of no use any more.
    #[error(
        "kernel {kernel}: not done after {waited:?}; the device cannot be stopped, so it stays occupied"
    )]
    TimedOut {
        /// The kernel.
        kernel: Name,
        /// How long that was.
        waited: Duration,
    },

    /// An environment variable has a value that means nothing.
    #[error(transparent)]
    Environment(#[from] VariableError),

    /// No such device can be built.
    #[error("cannot build this device: {0}")]
    Config(#[from] ConfigError),

    /// More memory than a device can address.
    #[error("{} of `{ty}` are more than the device's 4 GiB address space holds", Count(*.elements, "element"))]
    AllocationTooLarge {
        /// How many elements.
        elements: usize,
        /// Of which type.
        ty: &'static str,
    },

    /// A texture with no texels, or with too many for the precision of coordinates.
    #[error("a texture has between 1 and 65535 texels along each axis, not {size}")]
    TextureSize {
        /// Texels along each axis.
        size: Extents,
    },

    /// More or fewer texels than a texture has.
    #[error("a texture of {size} has {}, but there are {found}", Count(*.expected, "texel"))]
    TexelCount {
        /// Texels along each axis.
        size: Extents,
        /// How many that are.
        expected: usize,
        /// How many are given.
        found: usize,
    },

    /// A tensor in a layout that it cannot have.
    #[error("a tensor of {rows} x {cols} elements: {problem}")]
    TensorLayout {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// Why not.
        problem: LayoutError,
    },

    /// A matrix that is not as large as the tensor it is for.
    #[error("a tensor of {} elements cannot hold {found}: {help}", Pair(.expected))]
    TensorShape {
        /// Rows and columns of the tensor.
        expected: [usize; 2],
        /// What is given.
        found: String,
        /// What to do instead.
        help: &'static str,
    },

    /// An argument that cannot be laid out as the kernel says, which only the launch shows.
    #[error("kernel {kernel}: the tensor `{argument}`: {problem}{}", Declared(.at))]
    TensorArgument {
        /// The kernel.
        kernel: Name,
        /// The argument.
        argument: Name,
        /// Why not.
        problem: LayoutError,
        /// Where it is declared, if that is known.
        at: Option<&'static Location<'static>>,
    },

    /// A tensor that nothing says the layout of.
    #[error(
        "kernel {kernel}: the tensor `{argument}` has no accessor: the metadata of the kernel has no records of its layout"
    )]
    NoAccessor {
        /// The kernel.
        kernel: Name,
        /// The argument.
        argument: Name,
    },

    /// A tensor that rests in another layout than the kernel says.
    #[error("kernel {kernel}: the tensor `{argument}` is declared as `{}`, but the one passed rests as `{}`", .layouts.0, .layouts.1)]
    TensorMismatch {
        /// The kernel.
        kernel: Name,
        /// The argument.
        argument: Name,
        /// What the kernel says, and what is passed.
        layouts: Box<(BufferRecord, BufferRecord)>,
    },

    /// A launch of other groups than a tensor in L1 has shards.
    #[error(
        "kernel {kernel}: the tensor `{argument}` has {shards} shards in L1, one for each group, but the launch has {groups} groups"
    )]
    ShardGroups {
        /// The kernel.
        kernel: Name,
        /// The argument.
        argument: Name,
        /// Shards of the tensor.
        shards: u64,
        /// Groups of the launch.
        groups: u64,
    },

    /// The device's memory is full.
    #[error("the device has no free range of {}", Count(*.bytes, "byte"))]
    OutOfMemory {
        /// What was asked for.
        bytes: u32,
    },

    /// A slice made of the null pointer.
    #[error("a slice of `{ty}` cannot start at the null pointer")]
    NullSlice {
        /// The element type.
        ty: &'static str,
    },

    /// A slice made of a pointer that is not aligned.
    #[error("a slice of `{ty}` cannot start at {addr:#010x}, which is not aligned")]
    MisalignedSlice {
        /// The device address.
        addr: u32,
        /// The element type.
        ty: &'static str,
    },

    /// A pointer into another device's memory.
    #[error("the address {addr:#010x} belongs to another device")]
    ForeignPointer {
        /// The device address.
        addr: u32,
    },

    /// A range reaches beyond a slice.
    #[error("the range {start}..{end} is out of bounds of a device slice of {}", Count(*.len, "element"))]
    OutOfRange {
        /// First element.
        start: usize,
        /// One past the last element.
        end: usize,
        /// Length of the slice.
        len: usize,
    },

    /// Host data of another length than the device slice.
    #[error("cannot copy {} into a device slice of {}", Count(*.host, "element"), Count(*.device, "element"))]
    LengthMismatch {
        /// Elements on the host.
        host: usize,
        /// Elements on the device.
        device: usize,
    },

    /// Device memory does not hold a value of the type.
    #[error("element {index} of the device slice is not a valid `{ty}`")]
    InvalidElement {
        /// Which element.
        index: usize,
        /// The type.
        ty: &'static str,
    },

    /// An argument that the device's type cannot hold.
    #[error(
        "kernel {kernel}, argument `{argument}`: {value} does not fit `{ty}`, which is 32 bits wide on the device"
    )]
    ArgumentTooLarge {
        /// The kernel.
        kernel: Name,
        /// The parameter's name.
        argument: Name,
        /// The value.
        value: String,
        /// The parameter's type.
        ty: &'static str,
    },

    /// An argument that lives on another device.
    #[error(
        "kernel {kernel}, argument `{argument}`: the buffer belongs to another device than the launch"
    )]
    ForeignBuffer {
        /// The kernel.
        kernel: Name,
        /// The parameter's name.
        argument: Name,
    },

    /// Memory that one argument writes is reached through another.
    #[error(
        "kernel {kernel}: the arguments `{first}` and `{second}` overlap, and one of them is written"
    )]
    Overlap {
        /// The kernel.
        kernel: Name,
        /// A parameter's name.
        first: Name,
        /// Another parameter's name.
        second: Name,
    },

    /// A launch that does not say how many work items to run.
    #[error(
        "kernel {kernel}: nothing says how many work items to run; use `.over(n)`, or `.grid(groups).block(items)`"
    )]
    NoShape {
        /// The kernel.
        kernel: Name,
    },

    /// A launch of other groups than every launch of the kernel has.
    #[error("kernel {kernel}: every launch has {required} groups (`grid = {}`), but this one has {given}", .required.tuple())]
    GridMismatch {
        /// The kernel.
        kernel: Name,
        /// What the attribute says.
        required: Extents,
        /// What the launch says.
        given: Extents,
    },

    /// A launch that says twice how many work items to run.
    #[error(
        "kernel {kernel}: `.over` and `.grid` both say how many work items to run; use one of them"
    )]
    TwoShapes {
        /// The kernel.
        kernel: Name,
    },

    /// More work items than the device can number.
    #[error(
        "kernel {kernel}: {x} x {y} x {z} work items are more than the device can number ({max})"
    )]
    TooManyItems {
        /// The kernel.
        kernel: Name,
        /// Extent in x.
        x: u128,
        /// Extent in y.
        y: u128,
        /// Extent in z.
        z: u128,
        /// The limit.
        max: u32,
    },

    /// A kernel that knows of its work group, launched without one.
    #[error(
        "kernel {kernel} uses work groups (local memory, barriers or group ids), so its launch has to say what they are: \
         write `.grid(groups).block(items)` instead of `.over(..)`"
    )]
    NeedsGroups {
        /// The kernel.
        kernel: Name,
    },

    /// More local memory than a core has.
    #[error(
        "kernel {kernel} needs {} of local memory for each work group{}, but a core of this device has {available}",
        Count(*.needed, "byte"),
        if *given > 0 { format!(" ({given} by the lengths given to this launch)") } else { String::new() }
    )]
    LocalMemoryTooLarge {
        /// The kernel.
        kernel: Name,
        /// Bytes for one group.
        needed: u64,
        /// How many of them the arguments of the launch ask for.
        given: u64,
        /// Bytes of a core.
        available: u32,
    },

    /// A launch of an image without a launch header that is not what it runs.
    #[error(
        "kernel {kernel} is a bare image, which runs {} on this device each time, but the launch asks for {}; \
         compile the module without `.bare()` for launches of any size",
        Count(*.runs, "work item"),
        Count(*.asked, "work item")
    )]
    BareSize {
        /// The kernel.
        kernel: Name,
        /// What it runs.
        runs: Extents,
        /// What the launch says.
        asked: Extents,
    },

    /// A work group that does not fit a core.
    #[error(
        "kernel {kernel}: a group of {x} x {y} x {z} work items does not fit a core of this device, which runs {max} at a time"
    )]
    GroupTooLarge {
        /// The kernel.
        kernel: Name,
        /// Extent in x.
        x: usize,
        /// Extent in y.
        y: usize,
        /// Extent in z.
        z: usize,
        /// The limit.
        max: u32,
    },

    /// A launch with groups of another size than the kernel is declared with.
    #[error(
        "kernel {kernel} is declared with groups of {}, but this launch gives groups of {given}; \
         write `.block({})`, or leave it out", Count(*.required, "work item"), required.tuple()
    )]
    BlockMismatch {
        /// The kernel.
        kernel: Name,
        /// What `block = ..` says.
        required: Extents,
        /// What the launch says.
        given: Extents,
    },

    /// A number of work items that the groups a kernel is declared with do not divide.
    #[error(
        "kernel {kernel} is declared with groups of {}, which do not divide {}; \
         round the number up, and let the kernel skip what is too much",
        Count(*.required, "work item"),
        Count(*.items, "work item")
    )]
    PartialGroups {
        /// The kernel.
        kernel: Name,
        /// What `block = ..` says.
        required: Extents,
        /// What the launch says.
        items: Extents,
    },

    /// A device with other warps than the kernel is declared with.
    #[error(
        "kernel {kernel} is declared with `subgroup = {required}`, but the warps of this device have {}",
        Count(*.lanes, "lane")
    )]
    SubgroupMismatch {
        /// The kernel.
        kernel: Name,
        /// What `subgroup = ..` says.
        required: u32,
        /// What the device has.
        lanes: u32,
    },

    /// A module has no kernel of this name.
    #[error("there is no kernel `{kernel}` in this module{}", others(.kernels))]
    NoKernel {
        /// The name.
        kernel: String,
        /// Those that there are.
        kernels: String,
    },

    /// The program has no kernel of this name.
    #[error("there is no kernel `{kernel}` in this program{}", others(.kernels))]
    UnknownKernel {
        /// The name.
        kernel: String,
        /// Those that there are.
        kernels: String,
    },

    /// Several kernels of the program have this name.
    #[error(
        "there are two kernels `{kernel}`: {first}, and {second}; write so much of the path that \
         it fits one, or give one of them a `name = \"..\"`"
    )]
    AmbiguousKernel {
        /// The name.
        kernel: String,
        /// The path of one of them, and where it is.
        first: String,
        /// The path of another one, and where that is.
        second: String,
    },

    /// A file that is no image, or none for this device.
    #[error(transparent)]
    Image(#[from] ImageError),

    /// An image whose addresses cannot be had.
    #[error(
        "the image cannot be loaded at its addresses, from {first:#010x} to {end:#010x}: {reason}"
    )]
    ImageAddresses {
        /// Its first byte.
        first: u32,
        /// The byte behind its last.
        end: u64,
        /// Why not.
        reason: String,
    },

    /// There is no variable of this name.
    #[error(
        "no variable in device memory is called `{name}`; known are: {globals}. A `static` becomes one with `#[vortex::global]` or \
         `#[vortex::constant]` in front of it"
    )]
    UnknownGlobal {
        /// The name.
        name: String,
        /// The names that there are.
        globals: String,
    },

    /// A name that fits two variables.
    #[error(
        "there are two variables `{name}`: {first}, and {second}; write so much of the path that it fits one, or give it by the \
         `static` itself"
    )]
    AmbiguousGlobal {
        /// The name.
        name: String,
        /// The path of one of them, and where it is.
        first: String,
        /// The path of another one, and where that is.
        second: String,
    },

    /// A variable of another type than was asked for.
    #[error("{global} at {at} is a `{is}`, not a `{asked}`")]
    GlobalType {
        /// Its path.
        global: Name,
        /// Where it is declared.
        at: String,
        /// Its type.
        is: Name,
        /// The type that was asked for.
        asked: &'static str,
    },

    /// A module has a kernel of this name, but it is another one.
    #[error(
        "the kernel {kernel} at {at} is not the one of module `{module}`, which is at {other_at}: they take other arguments"
    )]
    OtherKernel {
        /// The name.
        kernel: Name,
        /// Where it is.
        at: String,
        /// The module.
        module: Name,
        /// Where the other one is.
        other_at: String,
    },

    /// A module was made for devices that can do more.
    #[error(
        "{}kernel {kernel}: its image uses {what}, and this device has none; make the module for it, with `.device(&device)`",
        file.as_ref().map(|file| format!("{}: ", file.display())).unwrap_or_default()
    )]
    MissingExtension {
        /// The kernel.
        kernel: Name,
        /// The file that it has been read from.
        file: Option<PathBuf>,
        /// What the device lacks.
        what: &'static str,
    },

    /// Two kernels of a module have the same name.
    #[error(
        "two kernels are called `{kernel}`, at {first} and at {second}; give one of them a `name = \"..\"`"
    )]
    DuplicateKernel {
        /// The name.
        kernel: Name,
        /// Where the first one is.
        first: String,
        /// Where the second one is.
        second: String,
    },

    /// A kernel has no argument of this name.
    #[error("kernel {kernel} has no argument `{argument}`; its arguments are {arguments}")]
    NoArgument {
        /// The kernel.
        kernel: Name,
        /// The name.
        argument: Name,
        /// Those that there are.
        arguments: String,
    },

    /// An argument of a launch by name is of another type than the kernel's.
    #[error("kernel {kernel}, argument `{argument}`: expected `{expected}`, found `{found}`")]
    ArgumentType {
        /// The kernel.
        kernel: Name,
        /// The parameter's name.
        argument: Name,
        /// Its type.
        expected: Name,
        /// What it was given.
        found: Name,
    },

    /// A launch by name without one of the arguments.
    #[error("kernel {kernel}: the argument `{argument}`, a `{ty}`, is missing")]
    MissingArgument {
        /// The kernel.
        kernel: Name,
        /// The parameter's name.
        argument: Name,
        /// Its type.
        ty: Name,
    },

    /// Bytes of local memory for a kernel that has no parameter for them, or several.
    #[error(
        "kernel {kernel}: {}",
        match arguments.as_str() {
            "" => "it takes no local memory that is not given already: it would be a parameter `tile: &mut Local<[f32]>`".to_owned(),
            several => format!("local memory could be meant for each of {several}: give each its length, `.local(\"name\", elements)`"),
        }
    )]
    LocalMemoryArgument {
        /// The kernel.
        kernel: Name,
        /// The parameters that are local memory.
        arguments: String,
    },

    /// A launch by name with more or fewer arguments than the kernel has.
    #[error(
        "kernel {kernel}: {} for {}: {arguments}",
        Count(*.found, "argument"),
        Count(*.expected, "parameter")
    )]
    ArgumentCount {
        /// The kernel.
        kernel: Name,
        /// How many it has.
        expected: usize,
        /// How many it was given.
        found: usize,
        /// Those that it has.
        arguments: String,
    },

    /// There is no kernel of this name, neither in the program nor in files.
    #[error(
        "there is no kernel `{kernel}` in this program, and no file `{file}` {searched}{}",
        match kernels.as_str() {
            "" => String::new(),
            kernels => format!("; the program's kernels are {kernels}"),
        }
    )]
    NoFile {
        /// The name.
        kernel: String,
        /// The file that was looked for.
        file: String,
        /// Where.
        searched: String,
        /// The kernels of the program.
        kernels: String,
    },

    /// A file of kernels that cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },

    /// A file that is no module.
    #[error("{}: {cause}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: Box<ModuleError>,
    },

    /// Bytes that are no whole number of elements.
    #[error(
        "kernel {kernel}, argument `{argument}`: {} are no whole number of elements of {}",
        Count(*.bytes, "byte"),
        Count(*.size, "byte")
    )]
    PartialElement {
        /// The kernel.
        kernel: Name,
        /// The parameter's name.
        argument: Name,
        /// The bytes.
        bytes: usize,
        /// Of an element.
        size: usize,
    },

    /// A file that is no module, or modules that do not fit together.
    #[error(transparent)]
    Module(Box<ModuleError>),

    /// A work group without work items.
    #[error("kernel {kernel}: a group of 0 work items cannot cover any work")]
    EmptyGroup {
        /// The kernel.
        kernel: Name,
    },

    /// The kernel's body uses something the device cannot hold.
    #[error("kernel {kernel}: {cause}{}", Excerpt(cause.location(), Sources::Program))]
    Stage {
        /// The kernel.
        kernel: Name,
        /// What and where.
        #[source]
        cause: StageError,
    },

    /// The kernel could not be compiled.
    #[error("kernel {kernel}: {cause}{}", Excerpts(cause))]
    Compile {
        /// The kernel.
        kernel: Name,
        /// Why.
        #[source]
        cause: CompileError,
    },

    /// A work item failed a check of the kernel language.
    #[error("{0}")]
    Fault(Box<Fault>),

    /// The device stopped the kernel.
    #[error("{0}")]
    Trap(Box<TrapReport>),

    /// `VORTEX_DUMP` could not be obeyed.
    #[error("VORTEX_DUMP: cannot write {}: {cause}", path.display())]
    Dump {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },

    /// A stream was given a buffer or an image of another device.
    #[error("the buffer or image belongs to another device than the stream")]
    ForeignStream,

    /// An operation was not run, because what was enqueued before it failed.
    #[error(
        "not run, because an earlier operation of the stream failed (`stream.wait()` lets the stream go on): {cause}"
    )]
    Skipped {
        /// What the earlier one said.
        cause: Arc<str>,
    },

    /// An operation of a stream panicked that nobody waited for, or the `Drop` or the `Waker` of something that was
    /// given to it.
    #[error("an operation of the stream panicked: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
    },

    /// The system has no thread for a stream.
    #[error("cannot start the thread of a stream: {cause}")]
    NoThread {
        /// Why.
        #[source]
        cause: std::io::Error,
    },

    /// The driver failed, in its own words.
    #[error("the device's driver failed: {message}")]
    Driver {
        /// Its words.
        message: String,
    },
}

/// Which kernels there are instead of the one that was named.
fn others(kernels: &str) -> String {
    match kernels {
        "" => ", and no other either".to_owned(),
        kernels => format!("; its kernels are {kernels}"),
    }
}

impl From<ModuleError> for Error {
    fn from(error: ModuleError) -> Self {
        match error {
            ModuleError::Image(error) => Self::Image(error),
            other => Self::Module(Box::new(other)),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// A driver's failure to reserve `bytes`.
    pub(crate) fn alloc(bytes: u32) -> impl FnOnce(DriverError) -> Self {
        move |error| match error {
            DriverError::OutOfMemory => Self::OutOfMemory { bytes },
            other => Self::driver(other),
        }
    }

    /// A driver's failure outside of running a kernel.
    pub(crate) fn driver(error: DriverError) -> Self {
        let message = match error {
            DriverError::OutOfMemory => "out of memory".to_owned(),
            DriverError::Trap(trap) => trap.to_string(),
            DriverError::TimedOut { waited } => format!("no answer after {waited:?}"),
            DriverError::Failed(message) => message,
        };
        Self::Driver { message }
    }
}
