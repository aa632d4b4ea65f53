//! Argument layout and kernel metadata.
//!
//! One description of a kernel's signature, [`KernelMeta`], is shared by everything that has to
//! agree about it: the argument struct the macro generates, the device entry that reads it, the
//! host that fills it, and tools that print it. It is a constant:
//!
//! ```
//! use vortex_kernel::meta::{ArgMeta, KernelMeta, arguments};
//!
//! const ARGS: &[ArgMeta] = &arguments([
//!     ArgMeta::scalar::<f32>("alpha"),
//!     ArgMeta::slice::<f32>("x"),
//!     ArgMeta::slice_mut::<f32>("y"),
//! ]);
//! const META: KernelMeta = KernelMeta::new("saxpy", module_path!(), file!(), line!(), column!(), ARGS);
//! const _: () = assert!(META.args[1].offset == 4 && META.size == 20);
//! ```

mod layout;
mod place;
mod scalar;

pub use crate::ir::Space;
pub use layout::{
    Access, ArgKind, ArgMeta, KernelMeta, MAX_ALIGN, Qualifiers, SliceArg, arguments,
};
pub use place::{ArgType, Layout, layout};
pub use scalar::{
    ByNumber, Element, InMemory, Numbered, Scalar, ScalarType, Spelling, check_copy, check_field,
};
