//! What can be wrong with a launch.

use std::fmt;
use std::panic::Location;
use std::path::PathBuf;
use std::time::Duration;

use vortex_kernel::tensor::{BufferRecord, LayoutError};

use crate::extents::Extents;
use crate::name::Name;
use vortex_sim::{Count, GridError};

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

/// Why a launch cannot be, or not like that: what follows the name of the kernel.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A kernel did not end in time, on a device that cannot be stopped. The device is of no use any more.
    #[error("not done after {waited:?}; the device cannot be stopped, so it stays occupied")]
    TimedOut {
        /// How long it was waited for.
        waited: Duration,
    },

    /// A launch that is to be profiled or traced, on a device that does not note what launches do.
    #[error(
        "it cannot be profiled or traced here: only the embedded device, with one cluster, notes what a launch does (unset \
         VORTEX_DRIVER and VORTEX_CLUSTERS)"
    )]
    NotRecorded,

    /// A launch of no work items that is to be profiled or traced.
    #[error("a launch of no work items has no profile and no trace")]
    NothingToRecord,

    /// Work groups that the device cannot be given.
    #[error(transparent)]
    Grid(GridError),

    /// An argument that cannot be laid out as the kernel says, which only the launch shows.
    #[error("the tensor `{argument}`: {problem}{}", Declared(.at))]
    TensorArgument {
        /// Name of the argument.
        argument: Name,
        /// Why a tensor cannot rest so.
        problem: LayoutError,
        /// Where it is declared, if that is known.
        at: Option<&'static Location<'static>>,
    },

    /// A tensor that nothing says the layout of.
    #[error(
        "the tensor `{argument}` has no accessor: the metadata of the kernel has no records of its layout"
    )]
    NoAccessor {
        /// Name of the argument.
        argument: Name,
    },

    /// A tensor that rests in another layout than the kernel says.
    #[error("the tensor `{argument}` is declared as `{}`, but the one passed rests as `{}`", .layouts.0, .layouts.1)]
    TensorMismatch {
        /// Name of the argument.
        argument: Name,
        /// What the kernel says, and what is passed.
        layouts: Box<(BufferRecord, BufferRecord)>,
    },

    /// A launch of other groups than a tensor in L1 has shards.
    #[error(
        "the tensor `{argument}` has {shards} shards in L1, one for each group, but the launch has {groups} groups"
    )]
    ShardGroups {
        /// Name of the argument.
        argument: Name,
        /// Shards of the tensor.
        shards: u64,
        /// Groups of the launch.
        groups: u64,
    },

    /// An argument that the device's type cannot hold.
    #[error(
        "argument `{argument}`: {value} does not fit `{ty}`, which is 32 bits wide on the device"
    )]
    ArgumentTooLarge {
        /// The parameter's name.
        argument: Name,
        /// The value, in decimal.
        value: String,
        /// The parameter's type.
        ty: &'static str,
    },

    /// An argument that lives on another device.
    #[error("argument `{argument}`: the buffer belongs to another device than the launch")]
    ForeignBuffer {
        /// The parameter's name.
        argument: Name,
    },

    /// Memory that one argument writes is reached through another.
    #[error("the arguments `{first}` and `{second}` overlap, and one of them is written")]
    Overlap {
        /// A parameter's name.
        first: Name,
        /// Another parameter's name.
        second: Name,
    },

    /// A launch that does not say how many work items to run.
    #[error(
        "nothing says how many work items to run; use `.over(n)`, or `.grid(groups).block(items)`"
    )]
    NoShape,

    /// A launch that says how many groups there are, and not how many work items each of them has.
    #[error(
        "`.grid` says how many work groups there are, and nothing how many work items each of them has: add \
         `.block(64)`, or write `.over(n)` in place of both"
    )]
    NoBlock,

    /// A launch of other groups than every launch of the kernel has.
    #[error("every launch has {required} groups (`grid = {}`), but this one has {given}", .required.tuple())]
    GridMismatch {
        /// What the attribute says.
        required: Extents,
        /// What the launch says.
        given: Extents,
    },

    /// A launch that says twice how many work items to run.
    #[error("`.over` and `.grid` both say how many work items to run; use one of them")]
    TwoShapes,

    /// More work items than the device can number.
    #[error("{items} work items are more than the device can number ({max})")]
    TooManyItems {
        /// How many there would be, or more.
        items: Extents,
        /// The most that there can be.
        max: u32,
    },

    /// A kernel that knows about its work group, launched without one.
    #[error(
        "uses work groups (local memory, barriers or group ids), so its launch has to say how many there are, and how \
         many items each has: write `.grid(groups).block(items)`"
    )]
    NeedsGroups,

    /// A group whose items take turns on the host needs a thread for each, and one of them there is not.
    #[error(
        "has barriers, so on the host each of the {items} work items of a group is a thread, and one of them cannot be \
         had: {problem}"
    )]
    HostThreads {
        /// Work items of a group.
        items: u32,
        /// What the system says.
        problem: std::io::Error,
    },

    /// More local memory than a core has.
    #[error(
        "needs {} of local memory for each work group{}, but a core of this device has {available}",
        Count(*.needed, "byte"),
        if *given > 0 { format!(" ({given} by the lengths given to this launch)") } else { String::new() }
    )]
    LocalMemoryTooLarge {
        /// Bytes for one group.
        needed: u64,
        /// How many of them the arguments of the launch ask for.
        given: u64,
        /// Bytes of a core.
        available: u32,
    },

    /// A launch of an image without a launch header that is not what it runs.
    #[error(
        "is a bare image, which runs {} on this device each time, but the launch asks for {}; \
         compile the module without `.bare()` for launches of any size",
        Count(*.runs, "work item"),
        Count(*.asked, "work item")
    )]
    BareSize {
        /// What it runs.
        runs: Extents,
        /// What the launch says.
        asked: Extents,
    },

    /// A work group that does not fit a core.
    #[error(
        "a group of {x} x {y} x {z} work items does not fit a core of this device, which runs {max} at a time: make \
         groups smaller, and as many more, such as {}; \
         local memory that the kernel has for groups of that size changes with it", smaller_groups([*x, *y, *z], *max)
    )]
    GroupTooLarge {
        /// Extent in x.
        x: usize,
        /// Extent in y.
        y: usize,
        /// Extent in z.
        z: usize,
        /// The most that there can be.
        max: u32,
    },

    /// A launch with groups of another size than the kernel is declared with.
    #[error(
        "is declared with groups of {}, but this launch gives groups of {given}; \
         write `.block({})`, or leave it out", Count(*.required, "work item"), required.tuple()
    )]
    BlockMismatch {
        /// What `block = ..` says.
        required: Extents,
        /// What the launch says.
        given: Extents,
    },

    /// A number of work items that the groups a kernel is declared with do not divide.
    #[error(
        "is declared with groups of {}, which do not divide {}; \
         round the number up, and let the kernel skip what is too much",
        Count(*.required, "work item"),
        Count(*.items, "work item")
    )]
    PartialGroups {
        /// What `block = ..` says.
        required: Extents,
        /// What the launch says.
        items: Extents,
    },

    /// A device with other warps than the kernel is declared with.
    #[error(
        "is declared with `subgroup = {required}`, but the warps of this device have {}",
        Count(*.lanes, "lane")
    )]
    SubgroupMismatch {
        /// What `subgroup = ..` says.
        required: u32,
        /// What the device has.
        lanes: u32,
    },

    /// A module was made for devices that can do more.
    #[error(
        "its image uses {what}, and this device has none; make the module for it, with `.device(&device)`"
    )]
    MissingExtension {
        /// The file that it has been read from.
        file: Option<PathBuf>,
        /// What the device lacks.
        what: &'static str,
    },

    /// A kernel has no argument of this name.
    #[error("has no argument `{argument}`; its arguments are {arguments}")]
    NoArgument {
        /// The name that was given.
        argument: Name,
        /// Those that there are.
        arguments: String,
    },

    /// An argument of a launch by name is of another type than the kernel's.
    #[error("argument `{argument}`: expected `{expected}`, found `{found}`")]
    ArgumentType {
        /// The parameter's name.
        argument: Name,
        /// The parameter's type.
        expected: Name,
        /// What it was given.
        found: Name,
    },

    /// A launch by name without one of the arguments.
    #[error("the argument `{argument}`, a `{ty}`, is missing")]
    MissingArgument {
        /// The parameter's name.
        argument: Name,
        /// The parameter's type.
        ty: Name,
    },

    /// Bytes of local memory for a kernel that has no parameter for them, or several.
    #[error(
        "{}",
        match arguments.as_str() {
            "" => "it takes no local memory that is not given already: it would be a parameter `tile: &mut Local<[f32]>`".to_owned(),
            several => format!("local memory could be meant for each of {several}: give each its length, `.local(\"name\", elements)`"),
        }
    )]
    LocalMemoryArgument {
        /// The parameters that are local memory.
        arguments: String,
    },

    /// A launch by name with more or fewer arguments than the kernel has.
    #[error(
        "{} for {}: {arguments}",
        Count(*.found, "argument"),
        Count(*.expected, "parameter")
    )]
    ArgumentCount {
        /// How many it has.
        expected: usize,
        /// How many it was given.
        found: usize,
        /// Those that it has.
        arguments: String,
    },

    /// Bytes that are not a whole number of elements.
    #[error(
        "argument `{argument}`: {} are no whole number of elements of {}",
        Count(*.bytes, "byte"),
        Count(*.size, "byte")
    )]
    PartialElement {
        /// The parameter's name.
        argument: Name,
        /// Bytes that were given.
        bytes: usize,
        /// Bytes of an element.
        size: usize,
    },

    /// A kernel of which a choice is to be found by runs on copies of its arguments, which pointers lead out of.
    #[error(
        "it cannot be tuned: its arguments hold device pointers, and what those lead to cannot be copied; pass slices, or \
         choose by hand, `.only(|choice| ..)`"
    )]
    PointersInTuning,

    /// A kernel of which no choice is left.
    #[error(
        "no choice is left: the conditions of `#[tune(..)]` and of `.only(..)` hold for none of the candidates"
    )]
    NoChoice,

    /// A kernel that cannot be tuned for this many work items: no candidate makes whole groups of them.
    #[error(
        "no choice fits: the groups of none of the candidates divide the work items; list a `block` that does, or ask \
         for groups, `.grid_by(..)`"
    )]
    NoWholeGroups,

    /// A work group without work items.
    #[error("a group of 0 work items cannot cover any work")]
    EmptyGroup,
}

impl LaunchError {
    /// What is between the name of the kernel and this.
    fn joint(&self) -> &'static str {
        match self {
            Self::ArgumentTooLarge { .. }
            | Self::ForeignBuffer { .. }
            | Self::ArgumentType { .. }
            | Self::PartialElement { .. } => ", ",
            Self::NeedsGroups { .. }
            | Self::HostThreads { .. }
            | Self::LocalMemoryTooLarge { .. }
            | Self::BareSize { .. }
            | Self::BlockMismatch { .. }
            | Self::PartialGroups { .. }
            | Self::SubgroupMismatch { .. }
            | Self::NoArgument { .. } => " ",
            _ => ": ",
        }
    }
}

/// What one may write for groups that do not fit: some in as many directions, by halves of the longest.
fn smaller_groups(mut block: [usize; 3], max: u32) -> String {
    let directions = 3 - block.iter().rev().take_while(|size| **size == 1).count();
    let max = max.max(1) as usize;
    if directions <= 1 {
        let fits = max.min(64);
        return format!("`.grid(n.div_ceil({fits})).block({fits})`");
    }
    let items = |block: &[usize; 3]| {
        block
            .iter()
            .fold(1, |items: usize, size| items.saturating_mul(*size))
    };
    while items(&block) > max {
        let longest = block.iter().copied().max().unwrap_or(1);
        for size in &mut block {
            if *size == longest {
                *size = size.div_ceil(2);
            }
        }
    }
    let list = |of: &dyn Fn((&'static str, usize)) -> String| {
        let axes = ["width", "height", "depth"].into_iter().zip(block);
        let axes: Vec<_> = axes.take(directions).map(of).collect();
        axes.join(", ")
    };
    format!(
        "`.grid(({})).block(({}))`",
        list(&|(name, size)| format!("{name}.div_ceil({size})")),
        list(&|(_, size)| size.to_string())
    )
}

/// A kernel and what is wrong with a launch of it, as messages have them.
pub(super) struct OfKernel<'a>(pub(super) &'a Name, pub(super) &'a LaunchError);

impl fmt::Display for OfKernel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(kernel, cause) = self;
        if let LaunchError::MissingExtension {
            file: Some(file), ..
        } = cause
        {
            write!(f, "{}: ", file.display())?;
        }
        write!(f, "kernel {kernel}{}{cause}", cause.joint())
    }
}
