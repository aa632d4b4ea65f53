//! Arguments by value: scalars, structs, enums and arrays.

use super::device_type::DeviceType;
use super::scalar::{Element, InMemory};
use super::scalar_type::ScalarType;

/// A type that can be passed to a kernel by value: scalars, and structs, enums and arrays that can lie in device
/// memory.
#[diagnostic::on_unimplemented(
    message = "kernels can neither take nor compute with `{Self}`",
    label = "not a device type",
    note = "if this is a struct of yours, write `#[derive(Clone, Copy, vortex::DeviceType)]` and `#[repr(C)]` above it; above an enum, `#[repr(u32)]`",
    note = "device types are `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, `usize`, `isize`, arrays of these \
            but the last two, and structs and enums with `#[derive(vortex::DeviceType)]`; \
            Vortex has no 64-bit floats: write `f32` (and `2.5f32` for a literal) instead of `f64`"
)]
pub trait ByValue {
    /// The type itself.
    #[doc(hidden)]
    type This: Argument;
}

#[diagnostic::do_not_recommend]
impl<T: InMemory, const N: usize> ByValue for [T; N] {
    type This = [T::This; N];
}

/// [`ByValue`] with its bounds, which generated code does not ask for in an error.
pub trait Argument: DeviceType + ByValue {
    /// As Rust spells it.
    #[doc(hidden)]
    const NAME: &'static str;

    /// The value as the device has it: what lies in the argument struct of an instance of a generic kernel.
    #[doc(hidden)]
    type Slot: Send + 'static;

    /// Writes the value as it lies in device memory.
    ///
    /// # Errors
    /// The value as text, if the device's type cannot hold it.
    #[doc(hidden)]
    fn encode(&self, bytes: &mut [u8]) -> Result<(), String>;
}

#[diagnostic::do_not_recommend]
impl<T: Element + ByValue> Argument for T {
    const NAME: &'static str = T::SPELLING.name;

    type Slot = Self;

    fn encode(&self, bytes: &mut [u8]) -> Result<(), String> {
        self.to_bytes(bytes);
        Ok(())
    }
}

macro_rules! sizes {
    ($($ty:ident as $word:ident, $scalar:ident;)*) => {$(
        impl Argument for $ty {
            const NAME: &'static str = ScalarType::$scalar.name();

            type Slot = $word;

            fn encode(&self, bytes: &mut [u8]) -> Result<(), String> {
                let word = $word::try_from(*self).map_err(|_| self.to_string())?;
                bytes.copy_from_slice(&word.to_le_bytes());
                Ok(())
            }
        }
    )*};
}

sizes! {
    usize as u32, Usize;
    isize as i32, Isize;
}
