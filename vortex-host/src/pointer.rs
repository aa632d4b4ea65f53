//! Raw device addresses, for kernels with raw pointers.

use std::fmt;
use std::marker::PhantomData;

use vortex_kernel::lang::{RawPtr, RawPtrMut};
use vortex_kernel::meta::Element;

macro_rules! pointers {
    ($($(#[$doc:meta])* $name:ident $variance:ty;)*) => {$(
        $(#[$doc])*
        pub struct $name<T: Element> {
            addr: u32,
            /// Number of the device it belongs to; 0 for the null pointer.
            device: u64,
            elem: PhantomData<$variance>,
        }

        impl<T: Element> $name<T> {
            pub(crate) fn new(addr: u32, device: u64) -> Self {
                Self { addr, device, elem: PhantomData }
            }

            pub(crate) fn device(self) -> u64 {
                self.device
            }

            /// The null pointer, address 0: of no device, and of all.
            #[must_use]
            pub fn null() -> Self {
                Self::new(0, 0)
            }

            /// The same address, as that of a `U`.
            #[must_use]
            pub fn cast<U: Element>(self) -> $name<U> {
                $name::new(self.addr, self.device)
            }

            /// The device address, in bytes.
            #[must_use]
            pub fn addr(self) -> u32 {
                self.addr
            }
        }

        impl<T: Element> Copy for $name<T> {}

        impl<T: Element> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T: Element> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#010x}", self.addr)
            }
        }
    )*};
}

pointers! {
    /// The device address of a `T`, for a kernel's `*const T`. It keeps nothing alive.
    DevicePtr fn() -> T;
    /// The device address of a `T`, for a kernel's `*mut T`. It keeps nothing alive.
    DevicePtrMut fn(T) -> T;
}

impl<T: Element> From<DevicePtrMut<T>> for DevicePtr<T> {
    fn from(pointer: DevicePtrMut<T>) -> Self {
        Self::new(pointer.addr, pointer.device)
    }
}

impl<T: Element> From<DevicePtr<T>> for RawPtr<T> {
    fn from(pointer: DevicePtr<T>) -> Self {
        Self::new(pointer.addr)
    }
}

impl<T: Element> From<DevicePtrMut<T>> for RawPtrMut<T> {
    fn from(pointer: DevicePtrMut<T>) -> Self {
        Self::new(pointer.addr)
    }
}

impl<T: Element> From<DevicePtrMut<T>> for RawPtr<T> {
    fn from(pointer: DevicePtrMut<T>) -> Self {
        Self::new(pointer.addr)
    }
}
