//! What a kernel body is written with.
//!
//! `#[vortex::kernel]` rewrites the body of a function into calls of this module; running the
//! rewritten body once, on the host, records the kernel's IR ([`stage`]). Kernel authors meet the
//! types here in rustc's messages:
//!
//! * [`Lane<T>`] is a `T` in every lane of the device: each work item has its own.
//! * [`Mutable<T>`] is a `let mut` local.
//! * [`Slice<T>`] and [`SliceMut<T>`] are the `&[T]` and `&mut [T]` parameters of a kernel.
//! * [`TextureRef<T, D>`] and [`TextureMut<T, D>`] are its `&Texture<T, D>` and `&mut Texture<T, D>` parameters.
//! * [`TensorRef<T, M, N>`] and [`TensorMut<T, M, N>`] are its `&Tensor<T, M, N>` and `&mut Tensor<T, M, N>`
//!   parameters.
//! * [`Local<T>`] is memory that a work group shares.
//! * [`Ptr<T>`] and [`PtrMut<T>`] are its `*const T` and `*mut T` parameters.
//!
//! Its rooms, each with a page of its own, from the ground up: the recorder that all others call; the base, which has
//! lanes, branches and loops; places, values, control, iterators, and the library.
//!
//! A division by zero, an overflowing signed division and an index outside its slice are caught on
//! the device and reported by the launch, with the source line; everything else wraps as Rust's
//! release builds do.

mod base;
mod control;
mod error;
mod iter;
mod library;
mod place;
mod recorder;
#[cfg(test)]
mod tests;
mod value;

pub use base::*;
pub use control::*;
pub use error::StageError;
pub use iter::*;
pub use library::*;
pub use place::*;
pub use value::*;

use crate::ir::Function;
pub use crate::ir::Stream;
use crate::meta::KernelMeta;
pub use crate::types::{
    ByHand, Compared, Comparison, Comparisons, DeviceType, Kind, Lanes, Leaf, Lift, Mutables,
    NotCompared, Places, RawPtr, RawPtrMut, Struct, ValueType, Vec2, Vec3, Vec4, Word, Words,
};
use recorder::Recorder;
pub use recorder::{Declared, PlaceRef, of_constants, with_names};

/// A kernel: what `#[vortex::kernel]` makes of a function, under the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel",
    label = "not declared with `#[vortex::kernel]`"
)]
pub trait Kernel: Sized + 'static {
    /// The argument struct, as the device reads it. That of an instance of a generic kernel is one only if all of its
    /// values are passed in it, not by the address of a copy ([`KernelMeta::is_by_value`]).
    type Args: Send + 'static;

    /// Name, place and argument layout.
    const META: KernelMeta;

    /// The kernel's name; that of an instance of a generic kernel has its types and constants: `scale<f32>`.
    #[must_use]
    fn name() -> &'static str {
        Self::META.name
    }

    /// Records the body; called by [`stage`] only.
    #[doc(hidden)]
    fn stage();
}

/// Runs the body of `K` once and returns what it recorded, in the staged form of the IR.
///
/// # Errors
/// The first [`StageError`] that recording comes to: a constant that the device cannot hold, what has to be known when
/// the kernel is compiled and is not, recursion, or a message with too many values.
pub fn stage<K: Kernel>() -> Result<Function, StageError> {
    stage_as::<K>(None)
}

/// The same of a kernel with `#[comptime]` parameters.
///
/// # Errors
/// As [`stage`].
pub fn stage_as<K: Kernel>(instance: Option<&Instance>) -> Result<Function, StageError> {
    let (name, values) = match instance {
        Some(instance) => (&*instance.name, instance.values.as_slice()),
        None => (K::name(), Default::default()),
    };
    let mut function = params::declare(&K::META);
    name.clone_into(&mut function.name);
    Recorder::new(function)
        .with_attributes(&K::META.attributes)
        .with_comptime(values)
        .with_arguments(K::META.args.len())
        .run(K::stage)
}

/// `Debug` that names the handle's type; what it holds means nothing outside the recorder.
macro_rules! opaque_debug {
    ($($name:ident<$t:ident: $bound:path>)*) => {$(
        impl<$t: $bound> std::fmt::Debug for $name<$t> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}
use opaque_debug;
