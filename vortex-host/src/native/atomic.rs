//! `x.atomic(i)` on the host. Only one item runs at a time, so every change is atomic.

use std::sync::atomic::Ordering;

/// A scalar that atomic operations work on.
pub trait AtomicType: Copy + PartialEq {
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn minus(self, other: Self) -> Self;
}

impl AtomicType for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn minus(self, other: Self) -> Self {
        self - other
    }
}

/// An integer that atomic operations work on.
pub trait AtomicInt: AtomicType + Ord {
    #[doc(hidden)]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl AtomicType for $ty {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }

        impl AtomicInt for $ty {
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}

integers! { u32 i32 }

/// A scalar in memory, to be worked on as `core::sync::atomic` does.
#[derive(Debug)]
pub struct Atomic<'a, T>(&'a mut T);

/// `x.atomic(i)`, of a slice or an array.
pub trait AtomicElement<T> {
    /// The element with this index.
    #[track_caller]
    fn atomic(&mut self, index: usize) -> Atomic<'_, T>;
}

impl<T: AtomicType> AtomicElement<T> for [T] {
    fn atomic(&mut self, index: usize) -> Atomic<'_, T> {
        Atomic(&mut self[index])
    }
}

/// `x.atomic()`, of a scalar.
pub trait AtomicScalar: Sized {
    /// The scalar.
    fn atomic(&mut self) -> Atomic<'_, Self>;
}

impl<T: AtomicType> AtomicScalar for T {
    fn atomic(&mut self) -> Atomic<'_, T> {
        Atomic(self)
    }
}

/// `p.atomic()`, of a pointer.
pub trait AtomicPointee<T> {
    /// What it points to.
    ///
    /// # Safety
    /// It points to a scalar, and nothing else refers to that.
    unsafe fn atomic<'a>(self) -> Atomic<'a, T>;
}

impl<T: AtomicType> AtomicPointee<T> for *mut T {
    unsafe fn atomic<'a>(self) -> Atomic<'a, T> {
        // SAFETY: the caller says so.
        Atomic(unsafe { &mut *self })
    }
}

/// Stops where an ordering has no meaning, as `core::sync::atomic` does.
#[track_caller]
fn ordered(operation: &str, ordering: Ordering, refused: [Ordering; 2]) {
    assert!(
        !refused.contains(&ordering),
        "`{operation}` cannot be `{ordering:?}`"
    );
}

impl<T: AtomicType> Atomic<'_, T> {
    /// The value.
    #[track_caller]
    #[must_use]
    pub fn load(self, order: Ordering) -> T {
        ordered("load", order, [Ordering::Release, Ordering::AcqRel]);
        *self.0
    }

    /// Makes it this value.
    #[track_caller]
    pub fn store(self, value: T, order: Ordering) {
        ordered("store", order, [Ordering::Acquire, Ordering::AcqRel]);
        *self.0 = value;
    }

    /// Makes it this value, and gives what it was.
    pub fn swap(self, value: T, _: Ordering) -> T {
        std::mem::replace(self.0, value)
    }

    /// Adds to it, and gives what it was.
    pub fn fetch_add(self, value: T, _: Ordering) -> T {
        let sum = self.0.plus(value);
        std::mem::replace(self.0, sum)
    }

    /// Subtracts from it, and gives what it was.
    pub fn fetch_sub(self, value: T, _: Ordering) -> T {
        let difference = self.0.minus(value);
        std::mem::replace(self.0, difference)
    }
}

macro_rules! fetch {
    ($($name:ident $op:ident;)*) => {
        impl<T: AtomicInt> Atomic<'_, T> {
            /// Makes it `new` if it is `current`.
            ///
            /// # Errors
            /// What it is, if it is not `current`.
            pub fn compare_exchange(self, current: T, new: T, _: Ordering, _: Ordering) -> Result<T, T> {
                match *self.0 == current {
                    true => Ok(std::mem::replace(self.0, new)),
                    false => Err(*self.0),
                }
            }

            /// As [`compare_exchange`](Self::compare_exchange).
            ///
            /// # Errors
            /// What it is, if it is not `current`.
            pub fn compare_exchange_weak(self, current: T, new: T, _: Ordering, _: Ordering) -> Result<T, T> {
                self.compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed)
            }

            $(
                #[doc = concat!("As `", stringify!($name), "` of `core::sync::atomic`.")]
                pub fn $name(self, value: T, _: Ordering) -> T {
                    let new = (*self.0).$op(value);
                    std::mem::replace(self.0, new)
                }
            )*
        }
    };
}

fetch! { fetch_and and; fetch_or or; fetch_xor xor; fetch_min min; fetch_max max; }
