//! `Option` in kernels.

use std::panic::Location;

use crate::ir::{BinOp, CmpOp, FaultKind, Op, Shape, Type, UnOp, Value};
use crate::lang::base::branch::{branch, fail_if};
use crate::lang::base::constant::default;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, append_leaves, zero};
use crate::lang::base::truth::{not, truth};
use crate::lang::base::written::{Written, written};
use crate::lang::place::access::Readable;
use crate::lang::place::columns::Columns;
use crate::lang::place::local::Local;
use crate::lang::place::memory::{Indexable, Slice, SliceMut};
use crate::lang::recorder::{At, PlaceRef, emit, emit_const, placed};
use crate::types::{DeviceType, Element, Leaf, Words};

/// An `Option` in every lane: `Opt<Lane<f32>>` for `Option<f32>`.
#[derive(Clone, Copy, Debug)]
pub struct Opt<S> {
    /// A `bool`.
    some: Value,
    /// Means nothing in lanes where there is none.
    value: S,
}

written! { [S: Written] Opt<S> => Option<S::Type<'a>>; }

/// `Some(value)`.
#[track_caller]
pub fn some<S: Staged>(value: impl FnOnce() -> S) -> Opt<S> {
    let value = value();
    let some = emit_const(1, Type::Bool, Location::caller());
    Opt { some, value }
}

/// `None`.
#[track_caller]
#[must_use]
pub fn none<S: Staged>() -> Opt<S> {
    let at = Location::caller();
    Opt {
        some: emit_const(0, Type::Bool, at),
        value: zero(at),
    }
}

/// Whether the pattern `Some(_)` matches.
pub fn matches_some<V: Variants>(option: &V) -> Lane<bool> {
    option.has_value()
}

/// Whether the pattern `None` matches.
#[track_caller]
pub fn matches_none<V: Variants>(option: &V) -> Lane<bool> {
    not(option.has_value(), Location::caller())
}

/// What is matched by patterns like `Some(..)`. Whether it has such variants rustc says of the host's type, and
/// nothing of this one.
pub trait Variants {
    /// The value inside.
    type Inside;

    /// What is inside instead of it.
    type Error;

    #[doc(hidden)]
    fn value(self) -> Self::Inside;

    #[doc(hidden)]
    fn error(self) -> Self::Error;

    /// Whether the variant is the one with the value that is asked for.
    #[doc(hidden)]
    fn has_value(&self) -> Lane<bool>;
}

impl<T: DeviceType> Variants for Lane<T> {
    type Inside = Self;
    type Error = Self;

    fn value(self) -> Self {
        self
    }

    fn error(self) -> Self {
        self
    }

    fn has_value(&self) -> Lane<bool> {
        Lane::unreachable()
    }
}

impl<S: Staged> Variants for Opt<S> {
    type Inside = S;
    type Error = S;

    fn value(self) -> S {
        self.value
    }

    fn error(self) -> S {
        self.value
    }

    fn has_value(&self) -> Lane<bool> {
        self.is_some()
    }
}

/// What is inside of `Some(..)` or `Ok(..)` in a pattern.
pub fn inside<V: Variants>(whole: V) -> V::Inside {
    whole.value()
}

/// What is inside of `Err(..)` in a pattern.
pub fn error_inside<V: Variants>(whole: V) -> V::Error {
    whole.error()
}

impl<S: Staged> Staged for Opt<S> {
    const IN_MEMORY: bool = S::IN_MEMORY;

    type Parts = ();

    fn leaves(out: &mut Vec<Leaf>) {
        out.push(Leaf::new(0, Type::Bool));
        append_leaves::<S>(out);
    }

    fn shape() -> Shape {
        Shape::Option {
            value: Box::new(S::shape()),
            offset: 4,
        }
    }

    fn build(words: &mut Words) -> Self {
        let some = words.next(Type::Bool);
        let value = S::build(words);
        Self { some, value }
    }

    fn parts(_: PlaceRef) {}

    fn values(self, out: &mut Vec<Value>) {
        out.push(self.some);
        self.value.values(out);
    }

    fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
        let some = values.next().unwrap_or(self.some);
        let value = self.value.rebuild(values);
        Self { some, value }
    }

    fn either(self, other: Self) -> Self {
        let value = self.value.either(other.value);
        Self { value, ..self }
    }
}

impl<S: Staged> Opt<S> {
    /// The value where `some` holds.
    pub(in crate::lang) fn of(some: Lane<bool>, value: S) -> Self {
        let some = some.value();
        Self { some, value }
    }

    /// The `bool`, and the value where it holds.
    pub(in crate::lang) fn into_parts(self) -> (Value, S) {
        (self.some, self.value)
    }

    /// The value; where there is none, does `leave`, which ends in a jump.
    #[doc(hidden)]
    #[track_caller]
    pub fn or_leave(self, leave: impl FnOnce()) -> S {
        branch(self.some, || (), leave, Location::caller());
        self.value
    }
}

/// The methods of `Option`; closures run in the lanes that they are for.
impl<S: Staged> Opt<S> {
    /// Whether there is a value.
    #[must_use]
    pub fn is_some(self) -> Lane<bool> {
        Lane::new(self.some)
    }

    /// Whether there is none.
    #[track_caller]
    #[must_use]
    pub fn is_none(self) -> Lane<bool> {
        not(self.is_some(), Location::caller())
    }

    /// Whether there is a value for which `test` holds.
    #[track_caller]
    #[must_use]
    pub fn is_some_and(self, test: impl FnOnce(S) -> Lane<bool>) -> Lane<bool> {
        let at = Location::caller();
        let no = || truth(false, at);
        branch(self.some, || test(self.value), no, at)
    }

    /// The value, or `default`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or(self, default: S) -> S {
        let at = Location::caller();
        branch(self.some, || self.value, || default, at)
    }

    /// The value, or what `default` computes.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_else(self, default: impl FnOnce() -> S) -> S {
        branch(self.some, || self.value, default, Location::caller())
    }

    /// The value. Where there is none, the work item ends with a fault.
    #[track_caller]
    #[must_use]
    pub fn unwrap(self) -> S {
        let at = Location::caller();
        let missing = emit(Op::Unary(UnOp::Not, self.some), Type::Bool, at);
        let zero = emit_const(0, Type::U32, at);
        fail_if(missing, FaultKind::Unwrap, [zero, zero], at);
        self.value
    }

    /// What `f` makes of the value, if there is one.
    #[track_caller]
    #[must_use]
    pub fn map<R: Staged>(self, f: impl FnOnce(S) -> R) -> Opt<R> {
        self.and_then(|value| some(|| f(value)))
    }

    /// What `f` makes of the value, or `default`.
    #[track_caller]
    #[must_use]
    pub fn map_or<R: Staged>(self, default: R, f: impl FnOnce(S) -> R) -> R {
        self.map_or_else(|| default, f)
    }

    /// What `f` makes of the value, or what `default` computes.
    #[track_caller]
    #[must_use]
    pub fn map_or_else<R: Staged>(self, default: impl FnOnce() -> R, f: impl FnOnce(S) -> R) -> R {
        branch(self.some, || f(self.value), default, Location::caller())
    }

    /// What `f` makes of the value, if there is one.
    #[track_caller]
    #[must_use]
    pub fn and_then<R: Staged>(self, f: impl FnOnce(S) -> Opt<R>) -> Opt<R> {
        let at = Location::caller();
        let nothing = || Opt {
            some: emit_const(0, Type::Bool, at),
            value: zero(at),
        };
        branch(self.some, || f(self.value), nothing, at)
    }

    /// `other`, where this is some.
    #[track_caller]
    #[must_use]
    pub fn and<R: Staged>(self, other: Opt<R>) -> Opt<R> {
        self.and_then(|_| other)
    }

    /// This, or `other` where it is none.
    #[track_caller]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.or_else(|| other)
    }

    /// This, or what `other` computes where it is none.
    #[track_caller]
    #[must_use]
    pub fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        branch(self.some, || self, other, Location::caller())
    }

    /// This where `test` holds of the value, else none.
    #[track_caller]
    #[must_use]
    pub fn filter(self, test: impl FnOnce(S) -> Lane<bool>) -> Self {
        let some = self.is_some_and(test).value();
        Self { some, ..self }
    }

    /// Both values, if there are both.
    #[track_caller]
    #[must_use]
    pub fn zip<R: Staged>(self, other: Opt<R>) -> Opt<(S, R)> {
        let both = Op::Binary(BinOp::And, self.some, other.some);
        Opt {
            some: emit(both, Type::Bool, Location::caller()),
            value: (self.value, other.value),
        }
    }

    /// Whether there is no value, or one for which `test` holds.
    #[track_caller]
    #[must_use]
    pub fn is_none_or(self, test: impl FnOnce(S) -> Lane<bool>) -> Lane<bool> {
        let at = Location::caller();
        let yes = || truth(true, at);
        branch(self.some, || test(self.value), yes, at)
    }

    /// The same: what `get` gives is a value already.
    #[must_use]
    pub fn copied(self) -> Self {
        self
    }

    /// The same: what `get` gives is a value already.
    #[must_use]
    pub fn cloned(self) -> Self {
        self
    }
}

impl<T: DeviceType + Default> Opt<Lane<T>> {
    /// The value, or `T::default()`.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or_default(self) -> Lane<T> {
        branch(self.some, || self.value, default, Location::caller())
    }
}

impl Lane<bool> {
    /// `Some(value)` where it is true, else none.
    #[track_caller]
    #[must_use]
    pub fn then_some<S: Staged>(self, value: S) -> Opt<S> {
        Opt::of(self, value)
    }

    /// What `f` computes where it is true, else none.
    #[track_caller]
    #[must_use]
    pub fn then<S: Staged>(self, f: impl FnOnce() -> S) -> Opt<S> {
        let at = Location::caller();
        let value = branch(self.value(), f, || zero(at), at);
        Opt::of(self, value)
    }
}

/// `slice.get(index)`.
fn element<S, V: Staged>(slice: S, len: Value, index: Lane<usize>, at: At) -> Opt<V>
where
    S: Indexable,
    S::Place: Readable<Value = V>,
{
    let inside = emit(Op::Compare(CmpOp::Lt, index.value(), len), Type::Bool, at);
    let value = branch(inside, || element_at(slice, index, at), || zero(at), at);
    Opt {
        some: inside,
        value,
    }
}

/// `slice[index]`, as if it stood at this place.
pub(super) fn element_at<S, V: Staged>(slice: S, index: Lane<usize>, at: At) -> V
where
    S: Indexable,
    S::Place: Readable<Value = V>,
{
    placed(at, || slice.index(|| index).read(at))
}

macro_rules! elements {
    ($([$($generics:tt)*] $slice:ty => $element:ty $([$($bounds:tt)*])?;)*) => {$(
        impl<$($generics)*> $slice $(where $($bounds)*)? {
            /// The element, if there is one.
            #[track_caller]
            #[must_use]
            pub fn get(self, index: Lane<usize>) -> Opt<$element> {
                element(self, self.len().value(), index, Location::caller())
            }

            /// The first element, if there is one.
            #[track_caller]
            #[must_use]
            pub fn first(self) -> Opt<$element> {
                let at = Location::caller();
                let index = Lane::new(emit_const(0, Type::U32, at));
                element(self, self.len().value(), index, at)
            }

            /// The last element, if there is one.
            #[track_caller]
            #[must_use]
            pub fn last(self) -> Opt<$element> {
                let at = Location::caller();
                let (len, one) = (self.len().value(), emit_const(1, Type::U32, at));
                // Of no elements this is beyond the end.
                let index = emit(Op::Binary(BinOp::Sub, len, one), Type::U32, at);
                element(self, len, Lane::new(index), at)
            }
        }
    )*};
}

elements! {
    [T: Element] Slice<T> => Lane<T>;
    [T: Element] SliceMut<T> => Lane<T>;
    [T: Element, const N: usize] Local<[T; N]> => Lane<T>;
    [T: Element, const N: usize] Lane<[T; N]> => Lane<T>;
    [S: Staged, C: Copy, const N: usize] Columns<C, N> => S [Self: Indexable<Place: Readable<Value = S>>];
}
