//! Raw pointers as they lie in memory.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::{
    ByValue, DeviceType, Element, InMemory, Kind, Leaf, Lift, Spelling, Word, Words, value_types,
};
use crate::ir::{Space, Type, Value};

const POINTER: Type = Type::Ptr(Space::Global);

macro_rules! pointers {
    ($($(#[$doc:meta])* $name:ident [$($spelled:literal)*] $variance:ty;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<T> {
            addr: u32,
            to: PhantomData<$variance>,
        }

        impl<T> $name<T> {
            /// The null pointer.
            #[must_use]
            pub const fn null() -> Self {
                Self::new(0)
            }

            /// A device address, whatever lies there.
            #[must_use]
            pub const fn new(addr: u32) -> Self {
                Self { addr, to: PhantomData }
            }

            /// The device address.
            #[must_use]
            pub const fn addr(self) -> u32 {
                self.addr
            }

            /// The same address, as that of a `U`.
            #[must_use]
            pub const fn cast<U>(self) -> $name<U> {
                $name::new(self.addr)
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self::null()
            }
        }

        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.addr == other.addr
            }
        }

        impl<T> Eq for $name<T> {}

        impl<T> Hash for $name<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.addr.hash(state);
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#010x}", self.addr)
            }
        }

        value_types! { [T: 'static] $name<T>; }

        impl<T: 'static> DeviceType for $name<T> {
            type Repr = Word;
            type Fields<K: Kind> = ();

            const HOLDS_POINTERS: bool = true;
            const LEAVES: u32 = 1;

            fn leaves(offset: u32, out: &mut Vec<Leaf>) {
                out.push(Leaf::new(offset, POINTER));
            }

            fn values(repr: &Word, out: &mut Vec<Value>) {
                out.push(repr.value());
            }

            fn build(words: &mut Words) -> Word {
                Word::build(words, POINTER)
            }

            fn fields(_: &Word) -> &() {
                &()
            }

            fn parts<K: Kind>(_: &mut K::Whole) {}

            fn placeholder() -> Self {
                Self::null()
            }

            fn lift(self, out: &mut dyn Lift) {
                out.address(self.addr);
            }
        }

        // Nothing is asked of `T`, so that a struct can point to others of its kind.
        #[diagnostic::do_not_recommend]
        impl<T: 'static> Element for $name<T> {
            fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Some(Self::new(u32::from_le_bytes(bytes.try_into().ok()?)))
            }

            fn to_bytes(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.addr.to_le_bytes());
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: 'static> InMemory for $name<T> {
            type This = Self;
            const SPELLING: Spelling = {
                let [name, slice, slice_mut, ptr, ptr_mut, local] = [$($spelled),*];
                Spelling { name, slice, slice_mut, ptr, ptr_mut, local }
            };
        }

        #[diagnostic::do_not_recommend]
        impl<T: 'static> ByValue for $name<T> {
            type This = Self;
        }
    )*};
}

pointers! {
    /// A `*const T` of the device as it lies in memory: a field of a struct, an element of a buffer, what another
    /// pointer points to. In a kernel it is a `*const T`, whose use is `unsafe`.
    ///
    /// It is a mere address of four bytes: it keeps nothing alive, and does not know its device. On the host
    /// `buffer.as_ptr().into()` makes one.
    RawPtr ["RawPtr" "&[RawPtr]" "&mut [RawPtr]" "*const RawPtr" "*mut RawPtr" "&mut Local<[RawPtr]>"] fn() -> T;
    /// A `*mut T` of the device as it lies in memory; see [`RawPtr`]. On the host `buffer.as_mut_ptr().into()` makes
    /// one.
    RawPtrMut [
        "RawPtrMut" "&[RawPtrMut]" "&mut [RawPtrMut]" "*const RawPtrMut" "*mut RawPtrMut" "&mut Local<[RawPtrMut]>"
    ] fn(T) -> T;
}

impl<T> From<RawPtrMut<T>> for RawPtr<T> {
    fn from(pointer: RawPtrMut<T>) -> Self {
        Self::new(pointer.addr)
    }
}
