//! Atomic operations on elements of a `&mut [T]`, on variables in device memory and on what a `*mut T` points to.

use std::panic::Location;
use std::sync::atomic::Ordering;

use crate::ir::{AtomicOp, CmpOp, Op, Order, Scope, SourceLoc, Type, UnOp, Value};
use crate::lang::base::lane::Lane;
use crate::lang::place::access::Mutable;
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Indexable, SliceMut};
use crate::lang::place::pointer::{Pointer, PtrMut};
use crate::lang::recorder::{At, Reached, emit, emit_const, emit_void, report};
use crate::lang::value::result::Res;
use crate::lang::{StageError, opaque_debug};
use crate::types::{Element, Scalar};

/// Types of 32 bits that can be read, written and swapped atomically.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic operations",
    label = "not an atomic type",
    note = "atomic operations work on `u32`, `i32` and `f32`, the device's words"
)]
pub trait AtomicType: Element + Scalar {
    /// Adds to what is there.
    #[doc(hidden)]
    const ADD: AtomicOp;
}

/// Types that can be counted with atomically.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have this atomic operation",
    label = "not an atomic integer",
    note = "`u32` and `i32` have all atomic operations, `f32` has `load`, `store`, `swap`, `fetch_add` and `fetch_sub`",
    note = "floats that are not negative are ordered as their bits are: \
            `slots.atomic(i).fetch_max(x.to_bits(), Relaxed)` of a `slots: &mut [u32]`"
)]
pub trait AtomicInt: AtomicType {}

impl AtomicType for u32 {
    const ADD: AtomicOp = AtomicOp::Add;
}

impl AtomicType for i32 {
    const ADD: AtomicOp = AtomicOp::Add;
}

impl AtomicType for f32 {
    const ADD: AtomicOp = AtomicOp::FloatAdd;
}

#[diagnostic::do_not_recommend]
impl AtomicInt for u32 {}
#[diagnostic::do_not_recommend]
impl AtomicInt for i32 {}

/// An element to be worked on atomically: `counts.atomic(i)`.
///
/// The methods are those of [`core::sync::atomic`], with the same meaning. Outside of its slice each of them is a
/// fault, does nothing and gives zero.
pub struct Atomic<T: AtomicType> {
    place: Mutable<Lane<T>>,
}

opaque_debug! { Atomic<T: AtomicType> }

impl<T: Element> SliceMut<T> {
    /// The element at `index`, to be worked on atomically.
    #[track_caller]
    #[must_use]
    pub fn atomic(self, index: Lane<usize>) -> Atomic<T>
    where
        T: AtomicType,
    {
        Atomic {
            place: self.index(|| index),
        }
    }
}

impl<T: Element, const N: usize> Local<[T; N]> {
    /// The element at `index`, to be worked on atomically.
    #[track_caller]
    #[must_use]
    pub fn atomic(self, index: Lane<usize>) -> Atomic<T>
    where
        T: AtomicType,
    {
        Atomic {
            place: self.index(|| index),
        }
    }
}

impl<T: AtomicType> Local<T> {
    /// The scalar, to be worked on atomically.
    #[track_caller]
    #[must_use]
    pub fn atomic(self) -> Atomic<T> {
        Atomic {
            place: self.place(),
        }
    }
}

impl<T: AtomicType> Mutable<Lane<T>> {
    /// The variable, to be worked on atomically.
    #[must_use]
    pub fn atomic(self) -> Atomic<T> {
        Atomic { place: self }
    }
}

impl<T: AtomicType, const N: usize> Mutable<Lane<[T; N]>> {
    /// The element at `index`, to be worked on atomically.
    #[track_caller]
    #[must_use]
    pub fn atomic(self, index: Lane<usize>) -> Atomic<T> {
        Atomic {
            place: self.index(|| index),
        }
    }
}

impl<T: Element> PtrMut<T> {
    /// What the pointer points to, to be worked on atomically.
    ///
    /// # Safety
    /// As for Rust's raw pointers: it must point to a `T` that may be accessed.
    #[track_caller]
    #[must_use]
    pub unsafe fn atomic(self) -> Atomic<T>
    where
        T: AtomicType,
    {
        // SAFETY: the caller answers for the pointer.
        let place = unsafe { self.deref() };
        Atomic { place }
    }
}

impl<T: AtomicType> Atomic<T> {
    fn op(&self, op: AtomicOp, (ptr, alias, _): Reached, operands: Vec<Value>, order: Order) -> Op {
        Op::Atomic {
            op,
            ptr,
            offset: self.place.position().offset.cast_signed(),
            operands,
            alias,
            order,
            scope: Scope::Device,
        }
    }

    fn old(self, op: AtomicOp, operands: &[Lane<T>], order: Order, at: At) -> Lane<T> {
        let operands: Vec<Value> = operands.iter().map(|v| v.value()).collect();
        let ty = T::SCALAR.ir();
        self.place.guarded(
            |ptr| Lane::new(emit(self.op(op, ptr, operands, order), ty, at)),
            |_| Lane::new(emit_const(0, ty, at)),
        )
    }

    /// Reads the element.
    #[track_caller]
    pub fn load(self, order: Ordering) -> Lane<T> {
        let at = Location::caller();
        if matches!(order, Ordering::Release | Ordering::AcqRel) {
            refuse("load", order, "use `Relaxed`, `Acquire` or `SeqCst`", at);
        }
        self.old(AtomicOp::Load, &[], convert(order), at)
    }

    /// Writes the element.
    #[track_caller]
    pub fn store(self, value: Lane<T>, order: Ordering) {
        let at = Location::caller();
        if matches!(order, Ordering::Acquire | Ordering::AcqRel) {
            refuse("store", order, "use `Relaxed`, `Release` or `SeqCst`", at);
        }
        let store = |ptr| {
            let operands = vec![value.value()];
            emit_void(self.op(AtomicOp::Store, ptr, operands, convert(order)), at);
        };
        self.place.guarded(store, |_| ());
    }

    /// Writes the element and gives what it was.
    #[track_caller]
    pub fn swap(self, value: Lane<T>, order: Ordering) -> Lane<T> {
        let at = Location::caller();
        self.old(AtomicOp::Exchange, &[value], convert(order), at)
    }

    /// Adds to the element and gives what it was. Integers wrap.
    #[track_caller]
    pub fn fetch_add(self, value: Lane<T>, order: Ordering) -> Lane<T> {
        let at = Location::caller();
        self.old(T::ADD, &[value], convert(order), at)
    }

    /// Subtracts from the element and gives what it was. Integers wrap.
    #[track_caller]
    pub fn fetch_sub(self, value: Lane<T>, order: Ordering) -> Lane<T> {
        let at = Location::caller();
        if T::ADD == AtomicOp::Add {
            return self.old(AtomicOp::Sub, &[value], convert(order), at);
        }
        let negated = emit(Op::Unary(UnOp::Neg, value.value()), T::SCALAR.ir(), at);
        self.old(T::ADD, &[Lane::new(negated)], convert(order), at)
    }

    /// Writes `new` to the element if it is `current`, and gives what it was: it has been written if that is `current`.
    ///
    /// `success` orders what happens if it is written, `failure` what happens if not.
    #[track_caller]
    pub fn compare_exchange(
        self,
        current: Lane<T>,
        new: Lane<T>,
        success: Ordering,
        failure: Ordering,
    ) -> Res<Lane<T>, Lane<T>>
    where
        T: AtomicInt,
    {
        let at = Location::caller();
        if matches!(failure, Ordering::Release | Ordering::AcqRel) {
            refuse(
                "compare_exchange",
                failure,
                "the last order is about a failure: use `Relaxed`, `Acquire` or `SeqCst`",
                at,
            );
        }
        let order = convert(success).and(convert(failure));
        let old = self.old(AtomicOp::CompareExchange, &[current, new], order, at);
        let equal = Op::Compare(CmpOp::Eq, old.value(), current.value());
        Res::of(Lane::new(emit(equal, Type::Bool, at)), old, old)
    }
}

// Written out, and not by a macro, of which rustc would speak where an element is no integer.
impl<T: AtomicType> Atomic<T> {
    #[track_caller]
    fn combined(self, op: AtomicOp, value: Lane<T>, order: Ordering) -> Lane<T> {
        self.old(op, &[value], convert(order), Location::caller())
    }

    /// Combines the element with `value` by bitwise and, and gives what it was.
    #[track_caller]
    pub fn fetch_and(self, value: Lane<T>, order: Ordering) -> Lane<T>
    where
        T: AtomicInt,
    {
        self.combined(AtomicOp::And, value, order)
    }

    /// Combines the element with `value` by bitwise or, and gives what it was.
    #[track_caller]
    pub fn fetch_or(self, value: Lane<T>, order: Ordering) -> Lane<T>
    where
        T: AtomicInt,
    {
        self.combined(AtomicOp::Or, value, order)
    }

    /// Combines the element with `value` by bitwise exclusive or, and gives what it was.
    #[track_caller]
    pub fn fetch_xor(self, value: Lane<T>, order: Ordering) -> Lane<T>
    where
        T: AtomicInt,
    {
        self.combined(AtomicOp::Xor, value, order)
    }

    /// Makes the element the smaller of itself and `value`, and gives what it was.
    #[track_caller]
    pub fn fetch_min(self, value: Lane<T>, order: Ordering) -> Lane<T>
    where
        T: AtomicInt,
    {
        self.combined(AtomicOp::Min, value, order)
    }

    /// Makes the element the larger of itself and `value`, and gives what it was.
    #[track_caller]
    pub fn fetch_max(self, value: Lane<T>, order: Ordering) -> Lane<T>
    where
        T: AtomicInt,
    {
        self.combined(AtomicOp::Max, value, order)
    }
}

fn convert(order: Ordering) -> Order {
    match order {
        Ordering::Relaxed => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

fn refuse(operation: &'static str, ordering: Ordering, instead: &'static str, at: At) {
    report(StageError::Ordering {
        operation,
        ordering,
        instead,
        at: SourceLoc::from_caller(at),
    });
}
