//! `Ordering`: what `cmp`, `partial_cmp` and `total_cmp` give, a value like that of a C-like enum of -1, 0 and 1.

use std::cmp::Ordering;
use std::panic::Location;

use crate::ir::{BinOp, CmpOp, Op, Shape, Type, Value};
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::written::Written;
use crate::lang::control::comptime::Comptime;
use crate::lang::control::method::{ReadOnly, ReadWrite};
use crate::lang::recorder::{At, emit, emit_const};
use crate::lang::value::arith::compare;
use crate::lang::value::compare::{Asked, Ordered, Ordinal};
use crate::lang::value::option::Opt;
use crate::types::{
    ByValue, DeviceType, Element, InMemory, Kind, Leaf, Lift, Spelling, Word, Words, value_types,
};

value_types! { [] Ordering; }

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

#[diagnostic::do_not_recommend]
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

impl Comptime for Ordering {
    type This = Self;

    fn word(self) -> u64 {
        (self as i8).word()
    }

    fn of_word(word: u64) -> Self {
        i8::of_word(word).cmp(&0)
    }

    fn text(word: u64) -> String {
        format!("{:?}", Self::of_word(word))
    }
}

/// What `total_cmp` compares, by a number that is in the same order.
#[diagnostic::on_unimplemented(
    message = "`total_cmp` in a kernel is for `f32`, and this is of type `{Self}`",
    label = "not an `f32`",
    note = "`a.cmp(&b)` compares what derives `Ord`, and integers; \
            of `f16` and `bf16` write `a.to_f32().total_cmp(&b.to_f32())`"
)]
pub trait TotalOrder: DeviceType {
    /// The number.
    #[doc(hidden)]
    fn rank(value: Lane<Self>, at: At) -> Lane<i32>;
}

#[diagnostic::do_not_recommend]
impl TotalOrder for f32 {
    fn rank(value: Lane<f32>, at: At) -> Lane<i32> {
        // All bits but the sign are turned around where the sign says that less is more.
        let word = |op, ty| emit(op, ty, at);
        let bits = word(Op::Bitcast(value.value()), Type::I32);
        let (all, one) = (emit_const(31, Type::I32, at), emit_const(1, Type::U32, at));
        let signs = word(Op::Binary(BinOp::Shr, bits, all), Type::I32);
        let signs = word(Op::Bitcast(signs), Type::U32);
        let mask = word(Op::Binary(BinOp::Shr, signs, one), Type::U32);
        let mask = word(Op::Bitcast(mask), Type::I32);
        Lane::new(word(Op::Binary(BinOp::Xor, bits, mask), Type::I32))
    }
}

/// What values are compared by in `a.total_cmp(&b)`.
#[track_caller]
#[must_use]
pub fn total_order<T: TotalOrder>(value: Lane<T>) -> Lane<i32> {
    T::rank(value, Location::caller())
}

fn of<S: Ordered>(a: S, b: S, at: At) -> Lane<Ordering> {
    Lane::new(a.order(b, Asked::Number, at))
}

/// `a.cmp(&b)`.
#[track_caller]
#[must_use]
pub fn three_way<'a, H: Ordinal, S>(a: S, b: S) -> Lane<Ordering>
where
    S: Ordered + Written<Type<'a> = H>,
{
    of(a, b, Location::caller())
}

/// `a.partial_cmp(&b)`.
#[track_caller]
#[must_use]
pub fn partial_order<'a, H: PartialOrd, S>(a: S, b: S) -> Opt<Lane<Ordering>>
where
    S: Ordered + Written<Type<'a> = H>,
{
    let at = Location::caller();
    Opt::of(Lane::new(a.order(b, Asked::Exists, at)), of(a, b, at))
}

/// `a.total_cmp(&b)`.
#[track_caller]
#[must_use]
pub fn total_order_of<T: TotalOrder>(a: Lane<T>, b: Lane<T>) -> Lane<Ordering> {
    let at = Location::caller();
    of(T::rank(a, at), T::rank(b, at), at)
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
}

macro_rules! tests {
    ($($name:ident $op:ident, $doc:literal;)*) => {
        impl Lane<Ordering> {
            $(
                #[doc = $doc]
                #[track_caller]
                #[must_use]
                pub fn $name(self) -> Lane<bool> {
                    self.is(CmpOp::$op, Location::caller())
                }
            )*
        }
    };
}

tests! {
    is_eq Eq, "Whether it is `Equal`.";
    is_ne Ne, "Whether it is not `Equal`.";
    is_lt Lt, "Whether it is `Less`.";
    is_gt Gt, "Whether it is `Greater`.";
    is_le Le, "Whether it is `Less` or `Equal`.";
    is_ge Ge, "Whether it is `Greater` or `Equal`.";
}

impl Lane<Ordering> {
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

macro_rules! of_what_is_kept {
    ($($receiver:ident)*) => {
        $(of_what_is_kept! { @each $receiver is_eq is_ne is_lt is_gt is_le is_ge })*
    };
    (@each $receiver:ident $($test:ident)*) => {
        /// As those of values, for what a method of the user could be called on, too.
        #[allow(missing_docs)]
        impl $receiver<Ordering> {
            $(
                #[track_caller]
                #[must_use]
                pub fn $test(self) -> Lane<bool> {
                    self.taken_value().$test()
                }
            )*

            #[track_caller]
            #[must_use]
            pub fn reverse(self) -> Lane<Ordering> {
                self.taken_value().reverse()
            }

            #[track_caller]
            #[must_use]
            pub fn then_with(self, other: impl FnOnce() -> Lane<Ordering>) -> Lane<Ordering> {
                self.taken_value().then_with(other)
            }
        }
    };
}

of_what_is_kept! { ReadOnly ReadWrite }
