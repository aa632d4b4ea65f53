//! Two views of an argument list: what the host passes, and what the device receives. Of a launch they show the
//! values, too.

use std::fmt;
use std::ops::Range;

use smallvec::SmallVec;
use vortex_kernel::meta::{ArgInfo, ArgKind, ImageArg};

/// An argument as a visitor sees it, or the part of one that the device receives by itself.
///
/// In a launch ([`Launch::visit_client`](crate::Launch::visit_client),
/// [`Launch::visit_device`](crate::Launch::visit_device)) it has a value; in a list of arguments ([`visit_client`],
/// [`visit_device`]) it has none.
#[derive(Clone, Copy)]
pub struct VisitedArg<'a> {
    info: &'a ArgInfo,
    index: usize,
    offset: usize,
    size: usize,
    bytes: Option<&'a [u8]>,
}

impl<'a> VisitedArg<'a> {
    /// Its number in the view that is shown, from 0: slices, tensors and images count twice in that of the device.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// What is known about the argument, as a whole.
    #[must_use]
    pub const fn info(&self) -> &'a ArgInfo {
        self.info
    }

    /// Name in the signature.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.info.name
    }

    /// Category of the argument.
    #[must_use]
    pub const fn kind(&self) -> ArgKind {
        self.info.kind
    }

    /// Where it lies in the argument struct, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Bytes of what is shown. Of a struct that is passed by the address of a copy the host passes all of it, and the
    /// device receives the address.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The bytes that will be sent, in the device's order; as many as [`VisitedArg::size`] says. There are none in a
    /// list of arguments, of an argument that a launch has not been given yet, and of the address of a copy, which
    /// the launch determines.
    #[must_use]
    pub const fn bytes(&self) -> Option<&'a [u8]> {
        self.bytes
    }

    /// The bytes as a number, if they are four: an address, a length, a `u32`.
    #[must_use]
    pub fn word(&self) -> Option<u32> {
        let bytes = self.bytes?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    }
}

impl fmt::Debug for VisitedArg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisitedArg")
            .field("index", &self.index)
            .field("name", &self.info.name)
            .field("kind", &self.info.kind)
            .field("offset", &self.offset)
            .field("size", &self.size)
            .field("bytes", &self.bytes)
            .finish()
    }
}

/// An argument struct. Those of usual size need no allocation.
pub(crate) type ArgBytes = SmallVec<[u8; 128]>;

/// An argument that is passed by the address of a copy.
#[derive(Debug)]
pub(crate) struct Spilled {
    /// Where the address lies in the argument struct.
    pub(crate) offset: usize,
    pub(crate) bytes: ArgBytes,
}

/// What a launch sends.
#[derive(Clone, Copy)]
pub(crate) struct Values<'a> {
    /// The argument struct.
    pub(crate) args: &'a [u8],
    /// The copies of what is passed by address.
    pub(crate) spilled: &'a [Spilled],
    /// Which arguments there are already; all by default.
    pub(crate) given: Option<&'a [bool]>,
}

/// A list of arguments on its way to a visitor.
struct View<'a> {
    values: Option<Values<'a>>,
    /// How many have been shown.
    shown: usize,
}

impl<'a> View<'a> {
    /// The next thing to be shown: these bytes of an argument, or its copy.
    fn next(&mut self, info: &'a ArgInfo, shown: Shown) -> VisitedArg<'a> {
        let start = info.offset as usize;
        let (offset, size) = match &shown {
            Shown::Part(part) => (start + part.start, part.len()),
            Shown::Address => (start, info.size as usize),
            Shown::Copy => (start, info.element_size as usize),
        };
        let values = self.values.filter(|values| values.has(info));
        let bytes = values.and_then(|values| match shown {
            Shown::Part(_) => values.args.get(offset..offset + size),
            Shown::Address => None,
            Shown::Copy => {
                let copy = values.spilled.iter().find(|copy| copy.offset == start)?;
                Some(&*copy.bytes)
            }
        });
        let index = self.shown;
        self.shown += 1;
        VisitedArg {
            info,
            index,
            offset,
            size,
            bytes,
        }
    }

    /// The next argument as a whole, as the argument struct has it.
    fn whole(&mut self, info: &'a ArgInfo) -> VisitedArg<'a> {
        self.next(info, Shown::Part(0..info.size as usize))
    }

    /// The next argument in two parts, of which the first has so many bytes.
    fn parts(&mut self, info: &'a ArgInfo, first: usize) -> [VisitedArg<'a>; 2] {
        let size = info.size as usize;
        let middle = first.min(size);
        [0..middle, middle..size].map(|part| self.next(info, Shown::Part(part)))
    }
}

/// What is shown of an argument.
enum Shown {
    /// These of its bytes in the argument struct.
    Part(Range<usize>),
    /// The address of the copy that it is passed by.
    Address,
    /// That copy.
    Copy,
}

impl Values<'_> {
    /// Whether an argument has a value already.
    fn has(&self, info: &ArgInfo) -> bool {
        let given = self.given.map(|given| given.get(info.index as usize));
        given.is_none_or(|given| given.copied().unwrap_or(false))
    }
}

/// Sees what the host passes to a kernel, argument by argument; see [`visit_client`]. What is not overridden is not
/// looked at.
#[allow(unused_variables)]
pub trait ClientVisitor {
    /// A number, `bool`, or a struct that is passed in the argument struct.
    fn value(&mut self, arg: &VisitedArg<'_>) {}
    /// A struct that is passed by the address of a copy.
    fn by_reference(&mut self, arg: &VisitedArg<'_>) {}
    /// A raw pointer: a device address.
    fn pointer(&mut self, arg: &VisitedArg<'_>) {}
    /// A slice of device memory.
    fn slice(&mut self, arg: &VisitedArg<'_>) {}
    /// A tensor, a matrix in device memory.
    fn tensor(&mut self, arg: &VisitedArg<'_>) {}
    /// A length of local memory, without data.
    fn local(&mut self, arg: &VisitedArg<'_>) {}
    /// An image, with how it is read.
    fn image(&mut self, arg: &VisitedArg<'_>) {}
    /// How images are read.
    fn sampler(&mut self, arg: &VisitedArg<'_>) {}
    /// A pipe of OpenCL's, which kernels of this library do not have.
    fn pipe(&mut self, arg: &VisitedArg<'_>) {}
    /// Bytes that mean nothing to anybody but the kernel.
    fn opaque(&mut self, arg: &VisitedArg<'_>) {}
    /// An argument of which nothing is known.
    fn unknown(&mut self, arg: &VisitedArg<'_>) {}
}

/// Sees what the device receives, in the order of the argument struct; see [`visit_device`]. What is not overridden
/// is not looked at.
#[allow(unused_variables)]
pub trait DeviceVisitor {
    /// A value, in place.
    fn value(&mut self, arg: &VisitedArg<'_>) {}
    /// The address of something in device memory: a pointer's, the first element of a slice or a tensor, a struct
    /// passed by reference.
    fn address(&mut self, arg: &VisitedArg<'_>) {}
    /// A number of elements: the second part of a slice, or all of a piece of local memory.
    fn length(&mut self, arg: &VisitedArg<'_>) {}
    /// A description of an image.
    fn image(&mut self, arg: &VisitedArg<'_>) {}
    /// The second part of a tensor: how many elements of local memory a group needs for its shard, rows and columns.
    fn extents(&mut self, arg: &VisitedArg<'_>) {}
    /// How an image is read: the second part of an image, or a sampler of its own.
    fn sampler(&mut self, arg: &VisitedArg<'_>) {}
    /// Bytes that mean nothing to anybody but the kernel.
    fn opaque(&mut self, arg: &VisitedArg<'_>) {}
    /// An argument of which nothing is known.
    fn unknown(&mut self, arg: &VisitedArg<'_>) {}
}

/// Shows each argument as the host passes it.
pub fn visit_client(args: &[ArgInfo], visitor: &mut impl ClientVisitor) {
    show_client(args, None, visitor);
}

/// Shows each argument as the device receives it: slices, tensors and images are two.
pub fn visit_device(args: &[ArgInfo], visitor: &mut impl DeviceVisitor) {
    show_device(args, None, visitor);
}

/// Shows each argument as the host passes it, with its value if there are any.
pub(crate) fn show_client(
    args: &[ArgInfo],
    values: Option<Values<'_>>,
    visitor: &mut impl ClientVisitor,
) {
    let mut view = View { values, shown: 0 };
    for arg in args {
        let shown = match arg.kind {
            ArgKind::ByRef => view.next(arg, Shown::Copy),
            _ => view.whole(arg),
        };
        match arg.kind {
            ArgKind::Pointer => visitor.pointer(&shown),
            ArgKind::Slice => visitor.slice(&shown),
            ArgKind::Tensor => visitor.tensor(&shown),
            ArgKind::ByRef => visitor.by_reference(&shown),
            ArgKind::Image => visitor.image(&shown),
            ArgKind::Sampler => visitor.sampler(&shown),
            ArgKind::LocalSize => visitor.local(&shown),
            ArgKind::Pipe => visitor.pipe(&shown),
            ArgKind::Opaque => visitor.opaque(&shown),
            ArgKind::Unknown => visitor.unknown(&shown),
            ArgKind::Scalar | ArgKind::Struct => visitor.value(&shown),
        }
    }
}

/// Shows each argument as the device receives it, with its value if there are any.
pub(crate) fn show_device(
    args: &[ArgInfo],
    values: Option<Values<'_>>,
    visitor: &mut impl DeviceVisitor,
) {
    let mut view = View { values, shown: 0 };
    for arg in args {
        match arg.kind {
            ArgKind::Pointer | ArgKind::Pipe => visitor.address(&view.whole(arg)),
            ArgKind::ByRef => visitor.address(&view.next(arg, Shown::Address)),
            ArgKind::Slice => {
                let [address, length] = view.parts(arg, size_of::<u32>());
                visitor.address(&address);
                visitor.length(&length);
            }
            ArgKind::Tensor => {
                let [address, extents] = view.parts(arg, size_of::<u32>());
                visitor.address(&address);
                visitor.extents(&extents);
            }
            ArgKind::LocalSize => visitor.length(&view.whole(arg)),
            ArgKind::Image => {
                let [image, sampler] = view.parts(arg, size_of::<ImageArg>());
                visitor.image(&image);
                visitor.sampler(&sampler);
            }
            ArgKind::Sampler => visitor.sampler(&view.whole(arg)),
            ArgKind::Opaque => visitor.opaque(&view.whole(arg)),
            ArgKind::Unknown => visitor.unknown(&view.whole(arg)),
            ArgKind::Scalar | ArgKind::Struct => visitor.value(&view.whole(arg)),
        }
    }
}

/// How many arguments there are in each view of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgCounts {
    /// What the host passes.
    pub client: usize,
    /// What the device receives.
    pub device: usize,
    /// Whether any is passed by the address of a copy.
    pub by_reference: bool,
}

impl ArgCounts {
    /// The counts of a list of arguments.
    #[must_use]
    pub fn of(args: &[ArgInfo]) -> Self {
        struct Device(usize);

        impl DeviceVisitor for Device {
            fn value(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn address(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn length(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn extents(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn image(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn sampler(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn opaque(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
            fn unknown(&mut self, _: &VisitedArg<'_>) {
                self.0 += 1;
            }
        }

        let mut device = Device(0);
        visit_device(args, &mut device);
        Self {
            client: args.len(),
            device: device.0,
            by_reference: args.iter().any(|arg| arg.kind == ArgKind::ByRef),
        }
    }
}
