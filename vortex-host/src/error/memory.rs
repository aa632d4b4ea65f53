//! What can be wrong with memory on a device.

use std::fmt;
use std::panic::Location;

use vortex_kernel::tensor::LayoutError;

use super::At;
use crate::extents::Extents;
use crate::name::Name;
use vortex_sim::Count;

/// How a part of the device slice is written that is as long as what the host has.
struct Part {
    method: &'static str,
    host: usize,
    device: usize,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host < self.device {
            true => write!(
                f,
                "; a part of that length is `.{}(..{})?`",
                self.method, self.host
            ),
            false => Ok(()),
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

/// Why memory on a device, a variable or a place for an image cannot be had, or not like that.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
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
        /// Rows of the tensor.
        rows: usize,
        /// Columns of the tensor.
        cols: usize,
        /// Why it cannot be laid out so.
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

    /// The device's memory is full.
    #[error("the device has no free range of {}", Count(*.bytes, "byte"))]
    OutOfMemory {
        /// Bytes that were asked for.
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
    #[error(
        "the range {start}..{end} is out of bounds of a device slice of {}{}",
        Count(*.len, "element"),
        At(*.at)
    )]
    OutOfRange {
        /// First element of the range, counted from that of the slice.
        start: usize,
        /// One past the last element of the range.
        end: usize,
        /// Length of the slice, in elements.
        len: usize,
        /// Where it is asked for, if that is known.
        at: Option<&'static Location<'static>>,
    },

    /// Host data of another length than the device slice.
    #[error(
        "cannot copy {} into a device slice of {}{}{}",
        Count(*.host, "element"),
        Count(*.device, "element"),
        Part { method: "slice_mut", host: *.host, device: *.device },
        At(*.at)
    )]
    LengthMismatch {
        /// Elements on the host.
        host: usize,
        /// Elements on the device.
        device: usize,
        /// Where that is asked for, if it is known.
        at: Option<&'static Location<'static>>,
    },

    /// A host slice of another length than the device slice that is to be copied there.
    #[error(
        "cannot copy a device slice of {} into {} of the host{}{}",
        Count(*.device, "element"),
        Count(*.host, "element"),
        Part { method: "slice", host: *.host, device: *.device },
        At(*.at)
    )]
    DownloadLength {
        /// Elements on the device.
        device: usize,
        /// Elements on the host.
        host: usize,
        /// Where that is asked for, if it is known.
        at: Option<&'static Location<'static>>,
    },

    /// Device memory does not hold a value of the type.
    #[error("element {index} of the device slice is not a valid `{ty}`")]
    InvalidElement {
        /// The element, counted from 0.
        index: usize,
        /// The element type.
        ty: &'static str,
    },

    /// An image whose addresses cannot be had.
    #[error(
        "the image cannot be loaded at its addresses, from {first:#010x} to {end:#010x}: {reason}"
    )]
    ImageAddresses {
        /// Address of its first byte.
        first: u32,
        /// Address of the byte after its last.
        end: u64,
        /// Why they cannot be had.
        reason: String,
    },

    /// There is no variable of this name.
    #[error(
        "no variable in device memory is called `{name}`; known are: {globals}. A `static` becomes one with `#[vortex::global]` or \
         `#[vortex::constant]` in front of it"
    )]
    UnknownGlobal {
        /// The name that was asked for.
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
        /// The name that was asked for.
        name: String,
        /// The path of one of them, and where it is.
        first: String,
        /// The path of another one, and where that is.
        second: String,
    },

    /// A variable of another type than was asked for.
    #[error("{global} at {at} is a `{is}`, not a `{asked}`")]
    GlobalType {
        /// Path of the variable.
        global: Name,
        /// Where it is declared.
        at: String,
        /// Type of the variable.
        is: Name,
        /// The type that was asked for.
        asked: &'static str,
    },
}
