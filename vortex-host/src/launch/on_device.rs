//! What a launch takes where a kernel has a slice.
//!
//! The host call of a kernel takes a reference to anything that is, or derefs to, elements on a device. rustc then
//! says of anything else what to do with it, and does not expect elements of what `?` gives in `&x.slice(..)?`.
//!
//! That `T` is an element is not asked here, but where the kernel says it: else rustc would complain of a wrong one
//! twice.

use std::ops::{Deref, DerefMut};

use vortex_kernel::meta::SliceArg;

use super::Binder;
use crate::device::buffer::DeviceSlice;
use crate::name::Name;

/// Elements on a device, which a kernel's `&[T]` can be: a [`DeviceSlice`], and what derefs to one.
#[diagnostic::on_unimplemented(
    message = "this launch takes `{T}`s on the device, and was given `{Self}`",
    label = "not `{T}`s on the device",
    note = "elements that are in the host's memory, as in a `Vec`, are uploaded first, `let x = device.upload(&x)?;`; \
            the launch takes `&x`",
    note = "where this is a `Result`, it lacks a `?`: `let x = device.upload(..)?;`",
    note = "elements that are on the device stay what they were uploaded as: where these are no `{T}`s, upload `{T}`s, \
            or declare the kernel's parameter as a slice of what they are"
)]
pub trait OnDevice<T> {
    /// As the argument of this name.
    #[doc(hidden)]
    fn give(&self, binder: &mut Binder, name: Name) -> SliceArg;
}

/// Elements on a device, which a kernel's `&mut [T]` can be.
#[diagnostic::on_unimplemented(
    message = "this launch takes `{T}`s on the device that it can write, and was given `{Self}`",
    label = "not `{T}`s on the device that a kernel can write",
    note = "elements that are in the host's memory, as in a `Vec`, are uploaded first, \
            `let mut y = device.upload(&y)?;`; the launch takes `&mut y`, and `y.download()?` gives what became of it",
    note = "where this is a `Result`, it lacks a `?`: `let mut y = device.alloc(..)?;`",
    note = "elements that are on the device stay what they were uploaded as: where these are no `{T}`s, upload `{T}`s, \
            or declare the kernel's parameter as a slice of what they are",
    note = "a `View`, which `slice` gives, can only be read: write `&mut buffer.slice_mut(a..b)?`"
)]
pub trait OnDeviceMut<T> {
    /// As the argument of this name.
    #[doc(hidden)]
    fn give_mut(&mut self, binder: &mut Binder, name: Name) -> SliceArg;
}

impl Binder {
    /// Takes what is passed for a `&[T]`, and gives its address and length in elements.
    pub fn slice<T>(
        &mut self,
        name: impl Into<Name>,
        slice: &(impl OnDevice<T> + ?Sized),
    ) -> SliceArg {
        slice.give(self, name.into())
    }

    /// Takes what is passed for a `&mut [T]`; likewise.
    pub fn slice_mut<T>(
        &mut self,
        name: impl Into<Name>,
        slice: &mut (impl OnDeviceMut<T> + ?Sized),
    ) -> SliceArg {
        slice.give_mut(self, name.into())
    }
}

#[diagnostic::do_not_recommend]
impl<T> OnDevice<T> for DeviceSlice<T> {
    fn give(&self, binder: &mut Binder, name: Name) -> SliceArg {
        binder.bind_slice(name, self, false)
    }
}

#[diagnostic::do_not_recommend]
impl<T> OnDeviceMut<T> for DeviceSlice<T> {
    fn give_mut(&mut self, binder: &mut Binder, name: Name) -> SliceArg {
        binder.bind_slice(name, self, true)
    }
}

#[diagnostic::do_not_recommend]
impl<T, B: ?Sized + Deref<Target: OnDevice<T>>> OnDevice<T> for B {
    fn give(&self, binder: &mut Binder, name: Name) -> SliceArg {
        (**self).give(binder, name)
    }
}

#[diagnostic::do_not_recommend]
impl<T, B: ?Sized + DerefMut<Target: OnDeviceMut<T>>> OnDeviceMut<T> for B {
    fn give_mut(&mut self, binder: &mut Binder, name: Name) -> SliceArg {
        (**self).give_mut(binder, name)
    }
}
