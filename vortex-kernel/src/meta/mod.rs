//! Argument layout and metadata of kernels and modules.
//!
//! * [`KernelMeta`] and [`ArgMeta`] are constants: what a kernel's source says.
//! * [`ModuleInfo`], [`KernelInfo`], [`ArgInfo`] are records: that, and the compiler's findings. Files contain them as
//!   JSON ([`schema()`]), in binary form ([`ModuleInfo::to_bytes`]) or as one of the texts in [`view`].
//! * [`Attributes`], [`Facts`], [`ModuleValues`] are groups of named values: stated by the user, derived by the
//!   compiler, true of a whole module. [`Group`] is what they have in common.
//! * [`layout()`] is the layout of argument structs by itself; [`Statistics`] is what the compiler counts when asked.
//!
//! One description of a kernel's signature, [`KernelMeta`], is shared by everything that must agree about it: the
//! argument struct the macro generates, the device entry that reads it, the host that fills it, and tools that print
//! it. It is a constant:
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

mod argument_struct;
mod attributes;
mod binary;
mod bounds;
mod facts;
mod info;
mod kind;
mod layout;
mod module_file;
mod place;
mod schema;
mod space;
mod statistics;
mod texture;
mod vec_hint;
pub mod view;

/// Version of the kernel language, that is, of what a kernel may contain; independent of the version of the compiler.
pub const LANGUAGE_VERSION: &str = "0.1";

#[doc(hidden)]
pub use argument_struct::plain;
pub use attributes::{Attributes, Checks, Denied, size};
pub use binary::{MetadataError, SECTION};
pub use bounds::{BoundsChecks, KeptCheck};
pub use facts::{FunctionFacts, ModuleValues};
pub use info::{Alternative, ArgInfo, FunctionInfo, GlobalInfo, KernelInfo, Location, ModuleInfo};
pub use kind::{Access, ArgKind, Qualifiers};
pub use layout::{ArgMeta, KernelMeta, SliceArg, arguments};
pub use place::{ArgType, Layout, MAX_ALIGN, MOST_BY_VALUE, TensorArg, layout};
pub use schema::schema;
pub use space::Space;
pub use statistics::{Counted, Stage, Statistic, Statistics, collect};
pub(crate) use statistics::{about, add, collecting, count};
pub use texture::{Address, Filter, ImageArg, Sampler, SamplerArg, TextureArg};
pub use vec_hint::{Hinted, VecHint};

pub use crate::group::{
    Declaration, Field, Group, Integers, Level, List, ListItem, MOST_LISTED, Origin, TreeError,
};
pub use crate::ir::Facts;
pub use crate::types::{
    Argument, ByValue, Channel, Checked, Element, InMemory, InTexture, IsCopy, Part, Parts, Scalar,
    ScalarType, Spelled, Spelling, Texel, TimeInMemory, bf16, f16,
};
