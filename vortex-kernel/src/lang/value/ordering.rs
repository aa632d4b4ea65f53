//! `Ordering`: what `cmp`, `partial_cmp` and `total_cmp` give, a value like that of a C-like enum of -1, 0 and 1.

use std::cmp::Ordering;
use std::panic::Location;

use super::arith::{binary, compare};
use super::compare::Ordered;
use super::convert::{CastTo, convert};
use super::lane::Lane;
use super::option::Opt;
use crate::ir::{BinOp, CmpOp, Shape, Type, Value};
use crate::lang::control::flow::branch;
use crate::lang::control::method::{ReadOnly, ReadWrite};
use crate::lang::iter::chosen::Ranked;
use crate::lang::place::access::get;
use crate::lang::place::sort::TotalOrder;
use crate::lang::recorder::{At, emit_const};
use crate::types::{
    ByValue, DeviceType, Element, InMemory, Kind, Leaf, Lift, Spelling, Word, Words,
};

impl DeviceType for Ordering {
    type Repr = Word;
    type Fields<K: Kind> = ();

    const LEAVES: u32 = 1;

    fn leaves(offset: u32, out: &mut Vec<Leaf>) {
        i8::leaves(offset, out);
    }

    fn values(word: &Word, out: &mut Vec<Value>) {
        i8::values(word, out);
    }

    fn build(words: &mut Words) -> Word {
        i8::build(words)
    }

    fn fields(_: &Word) -> &() {
        &()
    }

    fn parts<K: Kind>(_: &mut K::Whole) {}

    fn shape() -> Shape {
        Shape::of_enum::<Self>(&[("Less", -1), ("Equal", 0), ("Greater", 1)])
    }

    fn placeholder() -> Self {
        Self::Equal
    }

    fn lift(self, out: &mut dyn Lift) {
        (self as i8).lift(out);
    }
}

#[diagnostic::do_not_recommend]
impl InMemory for Ordering {
    type This = Self;
    const SPELLING: Spelling = Spelling {
        name: "Ordering",
        slice: "&[Ordering]",
        slice_mut: "&mut [Ordering]",
        ptr: "*const Ordering",
        ptr_mut: "*mut Ordering",
        local: "&mut Local<[Ordering]>",
    };
}

#[diagnostic::do_not_recommend]
impl ByValue for Ordering {
    type This = Self;
}

impl Element for Ordering {
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match i8::from_bytes(bytes)? {
            -1 => Some(Self::Less),
            0 => Some(Self::Equal),
            1 => Some(Self::Greater),
            _ => None,
        }
    }

    fn to_bytes(&self, bytes: &mut [u8]) {
        (*self as i8).to_bytes(bytes);
    }
}

macro_rules! casts {
    ($($to:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl CastTo<$to> for Ordering {
            fn cast_to(value: Lane<Self>, at: At) -> Lane<$to> {
                convert(value, at)
            }
        }
    )*};
}

casts! { i8 i16 i32 u8 u16 u32 usize isize }

/// -1, 0 or 1, of two comparisons.
fn of<S: Ordered>(a: S, b: S, at: At) -> Lane<Ordering> {
    let [less, greater] = [CmpOp::Lt, CmpOp::Gt].map(|op| {
        let truth: Lane<bool> = Lane::new(a.ordered(b, op, at));
        convert::<i8, bool>(truth, at)
    });
    Lane::new(binary(BinOp::Sub, greater, less, at).value())
}

/// `a.cmp(&b)`.
#[track_caller]
#[must_use]
pub fn three_way<S: Ranked>(a: S, b: S) -> Lane<Ordering> {
    of(a, b, Location::caller())
}

/// `a.partial_cmp(&b)`.
#[track_caller]
#[must_use]
pub fn partial_order<S: Ordered>(a: S, b: S) -> Opt<Lane<Ordering>> {
    let at = Location::caller();
    let ordering = of(a, b, at);
    let [most, least] = [CmpOp::Le, CmpOp::Ge].map(|op| a.ordered(b, op, at));
    Opt::of(Lane::<bool>::new(most) | Lane::new(least), ordering)
}

/// `a.total_cmp(&b)`.
#[track_caller]
#[must_use]
pub fn total_order_of<T: TotalOrder>(a: Lane<T>, b: Lane<T>) -> Lane<Ordering>
where
    Lane<T::Rank>: Ranked,
{
    let at = Location::caller();
    three_way(T::rank(a, at), T::rank(b, at))
}

impl Lane<Ordering> {
    /// How it compares to 0, as the number that it is.
    fn is(self, op: CmpOp, at: At) -> Lane<bool> {
        let zero = emit_const(0, Type::I8, at);
        Lane::new(compare(op, self.value(), zero, at))
    }

    /// Whether it is `Greater`.
    pub(in crate::lang) fn says_greater(self, at: At) -> Value {
        self.is(CmpOp::Gt, at).value()
    }

    /// Whether it is `Equal`.
    #[track_caller]
    #[must_use]
    pub fn is_eq(self) -> Lane<bool> {
        self.is(CmpOp::Eq, Location::caller())
    }

    /// Whether it is not `Equal`.
    #[track_caller]
    #[must_use]
    pub fn is_ne(self) -> Lane<bool> {
        self.is(CmpOp::Ne, Location::caller())
    }

    /// Whether it is `Less`.
    #[track_caller]
    #[must_use]
    pub fn is_lt(self) -> Lane<bool> {
        self.is(CmpOp::Lt, Location::caller())
    }

    /// Whether it is `Greater`.
    #[track_caller]
    #[must_use]
    pub fn is_gt(self) -> Lane<bool> {
        self.is(CmpOp::Gt, Location::caller())
    }

    /// Whether it is `Less` or `Equal`.
    #[track_caller]
    #[must_use]
    pub fn is_le(self) -> Lane<bool> {
        self.is(CmpOp::Le, Location::caller())
    }

    /// Whether it is `Greater` or `Equal`.
    #[track_caller]
    #[must_use]
    pub fn is_ge(self) -> Lane<bool> {
        self.is(CmpOp::Ge, Location::caller())
    }

    /// `Less` for `Greater`, and the other way round.
    #[track_caller]
    #[must_use]
    pub fn reverse(self) -> Self {
        let number = Lane::<i8>::new(self.value());
        Self::new(number.wrapping_neg().value())
    }

    /// Itself, or `other` if it is `Equal`.
    #[track_caller]
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        self.then_with(|| other)
    }

    /// Itself, or what `other` computes if it is `Equal`.
    #[track_caller]
    #[must_use]
    pub fn then_with(self, other: impl FnOnce() -> Self) -> Self {
        let at = Location::caller();
        branch(self.is(CmpOp::Eq, at).value(), other, || self, at)
    }
}

macro_rules! methods {
    ($($receiver:ident: |$kept:ident| $value:expr;)*) => {$(
        /// As those of values, for what a method of the user could be called on, too.
        #[allow(missing_docs)]
        impl $receiver<Ordering> {
            methods! { @each |$kept| $value; is_eq is_ne is_lt is_gt is_le is_ge => bool, reverse => Ordering }

            #[track_caller]
            #[must_use]
            pub fn then_with(self, other: impl FnOnce() -> Lane<Ordering>) -> Lane<Ordering> {
                let $kept = self;
                $value.then_with(other)
            }
        }

        /// As that of values.
        #[allow(missing_docs)]
        impl $receiver<u8> {
            #[track_caller]
            #[must_use]
            pub fn eq_ignore_ascii_case(self, other: Lane<u8>) -> Lane<bool> {
                let $kept = self;
                $value.eq_ignore_ascii_case(other)
            }
        }
    )*};
    (@each |$kept:ident| $value:expr; $($name:ident)* => $result:ident, $reverse:ident => $other:ident) => {
        $(
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Lane<$result> {
                let $kept = self;
                $value.$name()
            }
        )*

        #[track_caller]
        #[must_use]
        pub fn $reverse(self) -> Lane<$other> {
            let $kept = self;
            $value.$reverse()
        }
    };
}

methods! {
    ReadOnly: |kept| kept.taken_up();
    ReadWrite: |kept| get(kept.taken_up());
}
