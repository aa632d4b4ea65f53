//! The traits that stand for scalar types, and for what can lie in memory.

use std::borrow::Cow;
use std::fmt;

use bytemuck::Pod;

use super::device_type::{DeviceType, Word};
use super::scalar_type::{ScalarType, Spelling};

/// A scalar: a number or a `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that kernels can compute with",
    label = "not a device type",
    note = "device types are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, `usize` and `isize`; \
            Vortex has no 64-bit floats: write `f32` (and `2.5f32` for a literal) instead of `f64`"
)]
pub trait Scalar:
    DeviceType<Repr = Word>
    + sealed::Sealed
    + Copy
    + PartialEq
    + fmt::Debug
    + fmt::Display
    + Send
    + Sync
{
    /// Which scalar type it is.
    const SCALAR: ScalarType;

    /// How it lies in an argument struct: `usize` is a `u32` there, `bool` a `u8`.
    type Arg: Pod;

    /// The value as it lies in an argument struct; `None` when the device's type cannot hold it.
    #[doc(hidden)]
    fn to_arg(self) -> Option<Self::Arg>;

    /// The device word that holds the value, or both; `None` when the device's type cannot hold it.
    #[doc(hidden)]
    fn to_words(self) -> Option<u64>;
}

/// A type that can lie in device memory: an element of a buffer, what a kernel's pointer points to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "not an element of buffers, slices or pointers",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above it; above an enum, `#[repr(u32)]`",
    note = "elements are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, and structs and enums with \
            `#[derive(vortex::DeviceType)]`; `usize` and `isize` have other \
            sizes on the host and on the device: use `u32` and `i32`; there is no `f64` on the device: use `f32`"
)]
pub trait Element: DeviceType + InMemory<This = Self> + Send + Sync {
    /// The element that these bytes are, as many as it has; `None` if they are none.
    #[doc(hidden)]
    fn from_bytes(bytes: &[u8]) -> Option<Self>;

    /// Writes the element into as many bytes as it has; those between its fields stay as they are.
    #[doc(hidden)]
    fn to_bytes(&self, bytes: &mut [u8]);

    /// Elements as they lie in device memory.
    #[doc(hidden)]
    fn bytes_of(elements: &[Self]) -> Cow<'_, [u8]> {
        let size = size_of::<Self>();
        let mut bytes = vec![0; size_of_val(elements)];
        for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(size.max(1))) {
            element.to_bytes(bytes);
        }
        Cow::Owned(bytes)
    }
}

/// [`Element`] without its bounds, for generated code to ask for in an error that names no others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "not an element of buffers, slices or pointers",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above it; above an enum, `#[repr(u32)]`",
    note = "elements are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, and structs and enums with \
            `#[derive(vortex::DeviceType)]`; `usize` and `isize` have other \
            sizes on the host and on the device: use `u32` and `i32`"
)]
pub trait InMemory {
    /// The type itself.
    #[doc(hidden)]
    type This: Element;
    /// Zero, for generated code to ask for in the length of an array.
    #[doc(hidden)]
    const CHECKED: usize = 0;
    /// How the type is written, alone and as what slices and pointers refer to.
    const SPELLING: Spelling;
}

/// A type that has been checked: the length of the array is an error if it cannot lie in memory, and so is what is
/// named by it then, without another word of rustc's.
#[doc(hidden)]
pub trait Checked<T> {
    /// The type itself.
    type This;
}

impl<T> Checked<T> for [(); 0] {
    type This = T;
}

/// [`InMemory`] of a type that has the name of a time of Rust's library, which is meant if the user has no such type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "not an element of buffers, slices or pointers",
    note = "in the place of a time write `f32` for its seconds: `duration.as_secs_f32()`, \
            `instant.elapsed().as_secs_f32()` on the host",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above \
            it; above an enum, `#[repr(u32)]`"
)]
pub trait TimeInMemory {
    /// As [`InMemory::CHECKED`].
    #[doc(hidden)]
    const CHECKED: usize = 0;
}

#[diagnostic::do_not_recommend]
impl<T: InMemory> TimeInMemory for T {}

/// What device types are, for generated code to ask for in an error that says what to write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Copy`, and a device type is",
    label = "not `Copy`",
    note = "write `#[derive(Clone, Copy, vortex::DeviceType)]` above it"
)]
pub trait IsCopy {
    /// Nothing.
    #[doc(hidden)]
    const CHECKED: () = ();
}

#[diagnostic::do_not_recommend]
impl<T: Copy> IsCopy for T {}

pub(super) mod sealed {
    /// Keeps the set of scalars what the compiler knows.
    pub trait Sealed {}
}
