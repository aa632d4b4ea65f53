//! Two views of an argument list: what the host passes, and what the device receives.

use vortex_kernel::meta::{ArgInfo, ArgKind};

/// Sees what the host passes to a kernel, argument by argument; see [`visit_client`]. What is not overridden is not looked at.
#[allow(unused_variables)]
pub trait ClientVisitor {
    /// A number, `bool`, or a struct that is passed in the argument struct.
    fn value(&mut self, arg: &ArgInfo) {}
    /// A struct that is passed by the address of a copy.
    fn by_reference(&mut self, arg: &ArgInfo) {}
    /// A device pointer.
    fn pointer(&mut self, arg: &ArgInfo) {}
    /// A slice of device memory.
    fn slice(&mut self, arg: &ArgInfo) {}
    /// A length of local memory, without data.
    fn local(&mut self, arg: &ArgInfo) {}
    /// An image, with how it is read.
    fn image(&mut self, arg: &ArgInfo) {}
    /// How images are read.
    fn sampler(&mut self, arg: &ArgInfo) {}
    /// A pipe.
    fn pipe(&mut self, arg: &ArgInfo) {}
    /// Bytes that mean nothing to anybody but the kernel.
    fn opaque(&mut self, arg: &ArgInfo) {}
    /// An argument of which nothing is known.
    fn unknown(&mut self, arg: &ArgInfo) {}
}

/// Sees what the device receives, in the order of the argument struct; see [`visit_device`]. What is not overridden is not looked at.
#[allow(unused_variables)]
pub trait DeviceVisitor {
    /// A value, in place.
    fn value(&mut self, arg: &ArgInfo) {}
    /// The address of something in device memory: a pointer's, the first element of a slice, a struct passed by reference.
    fn address(&mut self, arg: &ArgInfo) {}
    /// A number of elements: the second part of a slice, or all of a piece of local memory.
    fn length(&mut self, arg: &ArgInfo) {}
    /// A description of an image.
    fn image(&mut self, arg: &ArgInfo) {}
    /// How an image is read: the second part of an image, or a sampler of its own.
    fn sampler(&mut self, arg: &ArgInfo) {}
    /// Bytes that mean nothing to anybody but the kernel.
    fn opaque(&mut self, arg: &ArgInfo) {}
    /// An argument of which nothing is known.
    fn unknown(&mut self, arg: &ArgInfo) {}
}

/// Shows each argument as the host passes it.
pub fn visit_client(args: &[ArgInfo], visitor: &mut impl ClientVisitor) {
    for arg in args {
        match arg.kind {
            ArgKind::Pointer => visitor.pointer(arg),
            ArgKind::Slice => visitor.slice(arg),
            ArgKind::ByRef => visitor.by_reference(arg),
            ArgKind::Image => visitor.image(arg),
            ArgKind::Sampler => visitor.sampler(arg),
            ArgKind::LocalSize => visitor.local(arg),
            ArgKind::Pipe => visitor.pipe(arg),
            ArgKind::Opaque => visitor.opaque(arg),
            ArgKind::Unknown => visitor.unknown(arg),
            _ => visitor.value(arg),
        }
    }
}

/// Shows each argument as the device receives it: slices and images are two.
pub fn visit_device(args: &[ArgInfo], visitor: &mut impl DeviceVisitor) {
    for arg in args {
        match arg.kind {
            ArgKind::Pointer | ArgKind::ByRef | ArgKind::Pipe => visitor.address(arg),
            ArgKind::Slice => {
                visitor.address(arg);
                visitor.length(arg);
            }
            ArgKind::LocalSize => visitor.length(arg),
            ArgKind::Image => {
                visitor.image(arg);
                visitor.sampler(arg);
            }
            ArgKind::Sampler => visitor.sampler(arg),
            ArgKind::Opaque => visitor.opaque(arg),
            ArgKind::Unknown => visitor.unknown(arg),
            _ => visitor.value(arg),
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
    /// Of a list.
    #[must_use]
    pub fn of(args: &[ArgInfo]) -> Self {
        struct Device(usize);

        impl DeviceVisitor for Device {
            fn value(&mut self, _: &ArgInfo) {
                self.0 += 1;
            }
            fn address(&mut self, _: &ArgInfo) {
                self.0 += 1;
            }
            fn length(&mut self, _: &ArgInfo) {
                self.0 += 1;
            }
            fn image(&mut self, _: &ArgInfo) {
                self.0 += 1;
            }
            fn sampler(&mut self, _: &ArgInfo) {
                self.0 += 1;
            }
            fn opaque(&mut self, _: &ArgInfo) {
                self.0 += 1;
            }
            fn unknown(&mut self, _: &ArgInfo) {
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
