//! `== != < <= > >=`.
//!
//! What is made of several words is compared as a derived `PartialEq` and `PartialOrd` would: part by part, in the
//! order in which they are declared. All parts are known, so nothing is gained by stopping at the first that differs.

use std::panic::Location;

use super::arith;
use super::option::Opt;
use crate::ir::{BinOp, CmpOp, Op, SourceLoc, Type, Value};
use crate::lang::StageError;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, values_of};
use crate::lang::base::truth::{both, either, inverse};
use crate::lang::base::tuples::up_to;
use crate::lang::base::written::Written;
use crate::lang::recorder::{At, emit, emit_const, report};
use crate::types::{ByHand, Comparison, DeviceType};

/// What `==` and `!=` compare: values of types with `PartialEq`, tuples and options of these, slices, pointers.
#[diagnostic::on_unimplemented(
    message = "kernels cannot compare these values",
    label = "not comparable",
    note = "values, tuples and options of them, slices and pointers are comparable, if a struct or an enum among them has `#[derive(PartialEq)]`"
)]
pub trait Equal<Other = Self>: Staged {
    /// Whether the two are equal.
    #[doc(hidden)]
    fn equal(self, other: Other, at: &'static Location<'static>) -> Value;

    /// Whether they are not.
    #[doc(hidden)]
    fn unequal(self, other: Other, at: &'static Location<'static>) -> Value {
        inverse(self.equal(other, at), at)
    }
}

/// What `<`, `<=`, `>` and `>=` compare: values of types with `PartialOrd`, tuples and options of these.
#[diagnostic::on_unimplemented(
    message = "kernels have no order of these values",
    label = "cannot be less or greater"
)]
pub trait Ordered: Equal {
    /// What `op`, one of the four, says.
    #[doc(hidden)]
    fn ordered(self, other: Self, op: CmpOp, at: &'static Location<'static>) -> Value;

    /// What is asked of the order of both.
    #[doc(hidden)]
    fn order(self, other: Self, asked: Asked, at: &'static Location<'static>) -> Value;
}

/// What is asked of an order.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    /// -1, 0 or 1, an `i8`: less, equal or greater. 0, too, where there is no order.
    Number,
    /// Whether there is one: no NaN stands where it is decided.
    Exists,
}

impl Asked {
    /// What is said of what is equal.
    fn of_equal(self, at: At) -> Value {
        match self {
            Self::Number => emit_const(0, Type::I8, at),
            Self::Exists => constant(true, at),
        }
    }

    /// What is said of two words.
    fn of_words(self, a: Value, b: Value, at: At) -> Value {
        let is = |op| arith::compare(op, a, b, at);
        match self {
            Self::Number => {
                let [greater, less] = [CmpOp::Gt, CmpOp::Lt].map(|op| {
                    let truth = is(op);
                    emit(Op::Cast(truth), Type::I8, at)
                });
                emit(Op::Binary(BinOp::Sub, greater, less), Type::I8, at)
            }
            Self::Exists => either(is(CmpOp::Le), is(CmpOp::Ge), at),
        }
    }

    /// What is said of several parts, by whether the first are equal, what is said of these, and of the rest.
    fn of_parts(self, equal: Value, here: Value, rest: Value, at: At) -> Value {
        let ty = match self {
            Self::Number => Type::I8,
            Self::Exists => Type::Bool,
        };
        emit(Op::Select(equal, rest, here), ty, at)
    }
}

/// What the user writes for values of which each is less than, equal to or greater than another: all numbers but
/// floats, what has `Ord`, and tuples of these. They are compared part by part, as by a derived `Ord`; one that is
/// written by hand is the host's alone.
///
/// It is asked of the user's types, by functions of which the values have an order anyhow: so rustc says this, and
/// nothing of ours.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no total order",
    label = "not each of two is less, equal or greater",
    note = "floats have none, for NaN: two are compared by `a.total_cmp(&b)`, sorted by \
            `.sort_by(|a, b| a.total_cmp(b))`; of two write `a.min(b)`, of many `.copied().reduce(f32::min)` or \
            `.fold(f32::INFINITY, f32::min)`, and likewise `max` with `f32::NEG_INFINITY`",
    note = "structs and enums have one by `#[derive(PartialEq, Eq, PartialOrd, Ord)]`"
)]
pub trait Ordinal: Ord {}

#[diagnostic::do_not_recommend]
impl<T: Ord> Ordinal for T {}

/// Values of which what the user writes is [`Ordinal`]. Where that does not hold, nothing that asks for it stands
/// before a method of the user's of the same name.
pub trait Ranked: Ordered {}

impl<T: DeviceType + Ord> Ranked for Lane<T> {}

impl<A: Ranked> Ranked for (A,) {}

impl<A: Ranked, B: Ranked> Ranked for (A, B) {}

impl<A: Ranked, B: Ranked, C: Ranked> Ranked for (A, B, C) {}

fn constant(truth: bool, at: At) -> Value {
    emit_const(truth.into(), Type::Bool, at)
}

/// The comparison that decides where the first of several parts are not equal.
const fn strict(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt | CmpOp::Le => CmpOp::Lt,
        _ => CmpOp::Gt,
    }
}

/// Whether all parts are equal.
fn all(equal: impl IntoIterator<Item = Value>, at: At) -> Value {
    let all = equal.into_iter().reduce(|a, b| both(a, b, at));
    all.unwrap_or_else(|| constant(true, at))
}

/// What `op`, one of the four that order, says of several parts: what the first that are not equal say. Each part
/// answers for an operator, [`CmpOp::Eq`] among them.
fn first_difference<P>(parts: P, op: CmpOp, at: At) -> Value
where
    P: DoubleEndedIterator<Item: Fn(CmpOp) -> Value>,
{
    let decided = parts.rev().fold(None, |rest, part| {
        let Some(rest) = rest else {
            return Some(part(op));
        };
        let here = part(strict(op));
        Some(either(here, both(part(CmpOp::Eq), rest, at), at))
    });
    decided.unwrap_or_else(|| constant(matches!(op, CmpOp::Le | CmpOp::Ge), at))
}

/// An implementation that is written by hand would say otherwise than the kernel does, silently.
fn check_derived<T: DeviceType>(asked: Comparison, at: At) {
    if let Some(ByHand { ty, of }) = T::compared_by_hand(asked) {
        let at = SourceLoc::from_caller(at);
        report(StageError::ComparedByHand { ty, of, at });
    }
}

// Whether `T` is `PartialEq` or `PartialOrd` is asked where they are compared.
impl<T: DeviceType> Equal for Lane<T> {
    fn equal(self, other: Self, at: At) -> Value {
        check_derived::<T>(Comparison::Equality, at);
        let pairs = values_of(self).into_iter().zip(values_of(other));
        all(pairs.map(|(a, b)| arith::compare(CmpOp::Eq, a, b, at)), at)
    }

    fn unequal(self, other: Self, at: At) -> Value {
        match (&values_of(self)[..], &values_of(other)[..]) {
            (&[a], &[b]) => {
                check_derived::<T>(Comparison::Equality, at);
                arith::compare(CmpOp::Ne, a, b, at)
            }
            _ => inverse(self.equal(other, at), at),
        }
    }
}

impl<T: DeviceType> Ordered for Lane<T> {
    fn ordered(self, other: Self, op: CmpOp, at: At) -> Value {
        check_derived::<T>(Comparison::Order, at);
        let pairs = values_of(self).into_iter().zip(values_of(other));
        let parts = pairs.map(|(a, b)| move |op| arith::compare(op, a, b, at));
        first_difference(parts, op, at)
    }

    fn order(self, other: Self, asked: Asked, at: At) -> Value {
        check_derived::<T>(Comparison::Order, at);
        let pairs = values_of(self).into_iter().zip(values_of(other));
        let order = pairs.rev().fold(None, |rest, (a, b)| {
            let here = asked.of_words(a, b, at);
            Some(match rest {
                None => here,
                Some(rest) => asked.of_parts(arith::compare(CmpOp::Eq, a, b, at), here, rest, at),
            })
        });
        order.unwrap_or_else(|| asked.of_equal(at))
    }
}

impl<S: Equal> Equal for Opt<S> {
    fn equal(self, other: Self, at: At) -> Value {
        let [(some, value), (other_some, other_value)] = [self, other].map(Self::into_parts);
        let same = arith::compare(CmpOp::Eq, some, other_some, at);
        let none = inverse(some, at);
        let equal = value.equal(other_value, at);
        both(same, either(none, equal, at), at)
    }
}

impl<S: Ordered> Ordered for Opt<S> {
    fn ordered(self, other: Self, op: CmpOp, at: At) -> Value {
        let [(some, value), (other_some, other_value)] = [self, other].map(Self::into_parts);
        // None comes first.
        let here = arith::compare(strict(op), some, other_some, at);
        let none = inverse(either(some, other_some, at), at);
        let of_none = constant(matches!(op, CmpOp::Le | CmpOp::Ge), at);
        let of_values = both(
            both(some, other_some, at),
            value.ordered(other_value, op, at),
            at,
        );
        either(here, either(both(none, of_none, at), of_values, at), at)
    }

    fn order(self, other: Self, asked: Asked, at: At) -> Value {
        let [(some, value), (other_some, other_value)] = [self, other].map(Self::into_parts);
        let here = asked.of_words(some, other_some, at);
        let of_values = value.order(other_value, asked, at);
        let of_same = asked.of_parts(some, asked.of_equal(at), of_values, at);
        let same = arith::compare(CmpOp::Eq, some, other_some, at);
        asked.of_parts(same, here, of_same, at)
    }
}

macro_rules! tuples {
    ($(($($part:ident $other:ident),*))*) => {$(
        #[allow(non_snake_case)]
        impl<$($part: Equal),*> Equal for ($($part,)*) {
            fn equal(self, other: Self, at: At) -> Value {
                let (($($part,)*), ($($other,)*)) = (self, other);
                all([$($part.equal($other, at)),*], at)
            }
        }

        #[allow(non_snake_case)]
        impl<$($part: Ordered),*> Ordered for ($($part,)*) {
            fn ordered(self, other: Self, op: CmpOp, at: At) -> Value {
                let (($($part,)*), ($($other,)*)) = (self, other);
                let parts: &[&dyn Fn(CmpOp) -> Value] = &[$(&|op| match op {
                    CmpOp::Eq => $part.equal($other, at),
                    op => $part.ordered($other, op, at),
                }),*];
                first_difference(parts.iter(), op, at)
            }

            fn order(self, other: Self, asked: Asked, at: At) -> Value {
                let (($($part,)*), ($($other,)*)) = (self, other);
                // Whether they are equal, and what their order is.
                let parts = [$(($part.equal($other, at), $part.order($other, asked, at))),*];
                let order = parts.into_iter().rev().reduce(|(equal, rest), (first_equal, here)| {
                    (equal, asked.of_parts(first_equal, here, rest, at))
                });
                order.map_or_else(|| asked.of_equal(at), |(_, order)| order)
            }
        }
    )*};
}

up_to! { 8, tuples! {} }

/// A comparison as a statement.
#[must_use = "a comparison gives a `bool`, which nothing uses here; `=` assigns"]
pub fn comparison(truth: Lane<bool>) -> Lane<bool> {
    truth
}

/// `a == b`. That what is written has a `PartialEq` is asked for itself: rustc says that then, and not what follows from
/// it.
#[track_caller]
#[must_use]
pub fn eq<'a, H: PartialEq, A, B>(a: A, b: impl FnOnce() -> B) -> Lane<bool>
where
    A: Written<Type<'a> = H> + Equal<B>,
{
    Lane::new(a.equal(b(), Location::caller()))
}

/// `a != b`.
#[track_caller]
#[must_use]
pub fn ne<'a, H: PartialEq, A, B>(a: A, b: impl FnOnce() -> B) -> Lane<bool>
where
    A: Written<Type<'a> = H> + Equal<B>,
{
    Lane::new(a.unequal(b(), Location::caller()))
}

macro_rules! orders {
    ($($name:ident $op:ident $written:literal;)*) => {$(
        #[doc = concat!("`", $written, "`.")]
        #[track_caller]
        #[must_use]
        pub fn $name<'a, H: PartialOrd, S>(a: S, b: impl FnOnce() -> S) -> Lane<bool>
        where
            S: Written<Type<'a> = H> + Ordered,
        {
            Lane::new(a.ordered(b(), CmpOp::$op, Location::caller()))
        }
    )*};
}

orders! {
    lt Lt "a < b";
    le Le "a <= b";
    gt Gt "a > b";
    ge Ge "a >= b";
}
