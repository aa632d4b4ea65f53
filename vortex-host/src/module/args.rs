//! All arguments of a launch by name, as a tuple.

use vortex_kernel::escape::Escaped;
use vortex_kernel::meta::{ArgInfo, Argument, Element, Texel};
use vortex_kernel::tensor::TensorElement;

use super::launch::{ModuleLaunch, is_local};
use crate::device::buffer::{Buffer, DeviceSlice, View, ViewMut};
use crate::error::{Error, LaunchError, Result};
use crate::launch::LocalLen;
use crate::pointer::{DevicePtr, DevicePtrMut};
use crate::tensor::Tensor;
use crate::texture::Texture;

/// The arguments of a launch by name, in order: a tuple of up to 12, `(3.0, &x, &mut y)`, or `()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of arguments",
    label = "expected a tuple of arguments; write `(a,)` for a single one"
)]
pub trait LaunchArgs<'a> {
    /// How many there are.
    #[doc(hidden)]
    fn count(&self) -> usize;

    /// Gives them to the parameters of these names.
    #[doc(hidden)]
    fn give(self, launch: ModuleLaunch<'a>, names: &[&str]) -> Result<ModuleLaunch<'a>>;
}

/// An argument of a launch by name: a number or `bool`, a struct, an enum or an array of the device's, a buffer or a
/// part of one behind `&` or `&mut`, a texture or a tensor likewise, a device pointer, or a [`LocalLen`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a launch by name",
    label = "expected a number, a `bool`, a struct with `#[derive(vortex::DeviceType)]`, `&buffer`, `&mut buffer`, a texture, a tensor, a device pointer or `LocalLen(n)`"
)]
pub trait LaunchArg<'a> {
    /// As the argument of this name.
    #[doc(hidden)]
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>>;
}

impl<'a> ModuleLaunch<'a> {
    /// Gives all arguments at once, in order: `(3.0, &x, &mut y)`. Those that are local memory may be left out, to be
    /// given by [`ModuleLaunch::local_mem`] or [`ModuleLaunch::local`].
    ///
    /// # Errors
    /// If there are more or fewer, or one of them is of another type.
    pub fn args(self, args: impl LaunchArgs<'a>) -> Result<Self> {
        let info = self.info();
        let others = info.args.iter().filter(|arg| !is_local(arg));
        let wanted: Vec<_> = match others.clone().count() == args.count() {
            true => others.collect(),
            false => info.args.iter().collect(),
        };
        if wanted.len() != args.count() {
            return Err(Error::refused(
                &info.name,
                LaunchError::ArgumentCount {
                    expected: info.args.len(),
                    found: args.count(),
                    arguments: spelled(&info.args),
                },
            ));
        }
        let names: Vec<_> = wanted.iter().map(|arg| arg.name.clone()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        args.give(self, &names)
    }
}

/// "`alpha: f32`, `x: &[f32]`".
fn spelled(args: &[ArgInfo]) -> String {
    let each = args
        .iter()
        .map(|arg| format!("`{}: {}`", Escaped(&arg.name), Escaped(&arg.rust_type)));
    each.collect::<Vec<_>>().join(", ")
}

#[diagnostic::do_not_recommend]
impl<'a, T: Argument> LaunchArg<'a> for T {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.value(name, self)
    }
}

macro_rules! memory {
    ($($ty:ty),*) => {$(
        impl<'a, T: Element> LaunchArg<'a> for &'a $ty {
            fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
                launch.slice::<T>(name, self)
            }
        }
    )*};
    (mut $($ty:ty),*) => {$(
        impl<'a, T: Element> LaunchArg<'a> for &'a mut $ty {
            fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
                launch.slice_mut::<T>(name, self)
            }
        }
    )*};
}

memory! { Buffer<T>, DeviceSlice<T>, View<'_, T>, ViewMut<'_, T> }
memory! { mut Buffer<T>, DeviceSlice<T>, ViewMut<'_, T> }

impl<'a, T: Texel, const D: usize> LaunchArg<'a> for &'a Texture<T, D> {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.texture(name, self)
    }
}

impl<'a, T: Texel, const D: usize> LaunchArg<'a> for &'a mut Texture<T, D> {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.texture_mut(name, self)
    }
}

impl<'a, T: TensorElement, const M: usize, const N: usize> LaunchArg<'a> for &'a Tensor<T, M, N> {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.tensor(name, self)
    }
}

impl<'a, T: TensorElement, const M: usize, const N: usize> LaunchArg<'a>
    for &'a mut Tensor<T, M, N>
{
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.tensor_mut(name, self)
    }
}

impl<'a, T: Element> LaunchArg<'a> for DevicePtr<T> {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.ptr(name, self)
    }
}

impl<'a, T: Element> LaunchArg<'a> for DevicePtrMut<T> {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.ptr_mut(name, self)
    }
}

impl<'a> LaunchArg<'a> for LocalLen {
    fn give(self, launch: ModuleLaunch<'a>, name: &str) -> Result<ModuleLaunch<'a>> {
        launch.local(name, self)
    }
}

macro_rules! tuples {
    ($($count:literal: $($arg:ident $index:tt)*;)*) => {$(
        impl<'a, $($arg: LaunchArg<'a>),*> LaunchArgs<'a> for ($($arg,)*) {
            fn count(&self) -> usize {
                $count
            }

            fn give(self, launch: ModuleLaunch<'a>, names: &[&str]) -> Result<ModuleLaunch<'a>> {
                let mut names = names.iter().copied();
                $(let launch = self.$index.give(launch, names.next().unwrap_or_default())?;)*
                // The caller has counted them.
                debug_assert!(names.next().is_none());
                Ok(launch)
            }
        }
    )*};
}

tuples! {
    0: ;
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
    7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}
