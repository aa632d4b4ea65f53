//! The values of a lane.

use std::ops::Deref;
use std::panic::Location;

use crate::ir::{BinOp, CmpOp, Op, Type, Value};
use crate::lang::opaque_debug;
use crate::lang::recorder::{self, At, emit, emit_const, type_of};
use crate::types::{DeviceType, Element, Lanes, RawPtr, RawPtrMut, Struct, Word, Words};

/// A `T` in every lane: the type of the values a kernel computes with.
///
/// Each work item runs in a lane of the device and has its own value. In a kernel's source it is
/// written as a plain `T`.
pub struct Lane<T: DeviceType> {
    repr: T::Repr,
}

impl<T: DeviceType> Copy for Lane<T> {}

impl<T: DeviceType> Clone for Lane<T> {
    fn clone(&self) -> Self {
        *self
    }
}

opaque_debug! { Lane<T: DeviceType> }

// Not for scalars: rustc would propose to write `*1` for `1`.
impl<T: DeviceType + Struct> Deref for Lane<T> {
    type Target = T::Fields<Lanes>;

    fn deref(&self) -> &Self::Target {
        T::fields(&self.repr)
    }
}

impl<T: DeviceType> Lane<T> {
    #[doc(hidden)]
    #[must_use]
    pub fn build(words: &mut Words) -> Self {
        Self {
            repr: T::build(words),
        }
    }

    pub(in crate::lang) fn append(&self, out: &mut Vec<Value>) {
        T::values(&self.repr, out);
    }
}

impl<T: DeviceType<Repr = Word>> Lane<T> {
    pub(in crate::lang) const fn new(value: Value) -> Self {
        Self {
            repr: Word::new(value),
        }
    }

    pub(in crate::lang) const fn value(self) -> Value {
        self.repr.value()
    }
}

// Here, where rustc calls them functions of a `Lane`.
macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<T: Element> Lane<$pointer<T>> {
            /// The pointer `count` elements further on.
            ///
            /// # Safety
            /// As for Rust's raw pointers: the result must stay within the allocation.
            #[track_caller]
            #[must_use]
            pub unsafe fn add(self, count: Lane<usize>) -> Self {
                Self::new(address_of_element::<T>(self.value(), count.value(), Location::caller()))
            }

            /// The pointer `count` elements back.
            ///
            /// # Safety
            /// As for Rust's raw pointers: the result must stay within the allocation.
            #[track_caller]
            #[must_use]
            pub unsafe fn sub(self, count: Lane<usize>) -> Self {
                let at = Location::caller();
                let zero = emit_const(0, Type::U32, at);
                let back = emit(Op::Binary(BinOp::Sub, zero, count.value()), Type::U32, at);
                Self::new(address_of_element::<T>(self.value(), back, at))
            }

            /// The pointer `count` elements on, or back when `count` is negative.
            ///
            /// # Safety
            /// As for Rust's raw pointers: the result must stay within the allocation.
            #[track_caller]
            #[must_use]
            pub unsafe fn offset(self, count: Lane<isize>) -> Self {
                Self::new(address_of_element::<T>(self.value(), count.value(), Location::caller()))
            }

            /// Whether it is the null pointer.
            #[track_caller]
            #[must_use]
            pub fn is_null(self) -> Lane<bool> {
                let at = Location::caller();
                let address = emit(Op::Bitcast(self.value()), Type::U32, at);
                let zero = emit_const(0, Type::U32, at);
                Lane::new(emit(Op::Compare(CmpOp::Eq, address, zero), Type::Bool, at))
            }
        }
    )*};
}

pointers! { RawPtr RawPtrMut }

/// The words that a value is to be built of.
pub(in crate::lang) fn words_of(values: Vec<Value>) -> Words {
    Words::new(values, recorder::undefined)
}

/// The address of an element, counted from a pointer.
pub(in crate::lang) fn address_of_element<T: Element>(base: Value, index: Value, at: At) -> Value {
    emit(
        Op::PtrAdd {
            base,
            index,
            scale: size_of::<T>() as u32,
        },
        type_of(base),
        at,
    )
}
