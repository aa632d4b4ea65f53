//! What is combined or passed between lanes, word by word.

use crate::ir::{BinOp, Const, Op, Type, Value, Var, WarpOp};
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::numbers::{Bits, Num};
use crate::lang::base::staged::values_of;
use crate::lang::recorder::{
    At, emit, emit_constant, emit_many, emit_void, new_var, result_like, type_of,
};
use crate::lang::value::half::widened;
use crate::types::{DeviceType, Element, Vec2, Vec3, Vec4};

/// What the lanes of a warp tell each other.
pub(in crate::lang) fn ask(op: WarpOp, operands: Vec<Value>, ty: Type, at: At) -> Value {
    emit(Op::Warp { op, operands }, ty, at)
}

/// What lanes add up, and find the least and greatest of: numbers, and short vectors component by component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added, nor the least or greatest found, over lanes",
    label = "neither a number nor a short vector of numbers",
    note = "combine the fields of a struct one by one; for a `bool` there are `reduce_and`, `reduce_or` and `warp::ballot`"
)]
pub trait Combine: DeviceType {}

/// What lanes combine bit by bit: integers and `bool`, and short vectors of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined bit by bit over lanes",
    label = "neither an integer, nor a `bool`, nor a short vector of these"
)]
pub trait CombineBits: DeviceType {}

#[diagnostic::do_not_recommend]
impl<T: Num> Combine for T {}

#[diagnostic::do_not_recommend]
impl<T: Bits> CombineBits for T {}

macro_rules! vectors {
    ($($vec:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Num + Element> Combine for $vec<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: Bits + Element> CombineBits for $vec<T> {}
    )*};
}

vectors! { Vec2 Vec3 Vec4 }

/// What values are combined by: each has functions that `functions` makes.
macro_rules! combinations {
    ($functions:ident) => {
        $functions! {
            "sum" Add Combine: reduce_add inclusive_add exclusive_add;
            "minimum" Min Combine: reduce_min inclusive_min exclusive_min;
            "maximum" Max Combine: reduce_max inclusive_max exclusive_max;
            "bitwise and" And CombineBits: reduce_and inclusive_and exclusive_and;
            "bitwise or" Or CombineBits: reduce_or inclusive_or exclusive_or;
            "bitwise exclusive or" Xor CombineBits: reduce_xor inclusive_xor exclusive_xor;
        }
    };
}
pub(in crate::lang) use combinations;

/// What changes nothing when it is combined with another value.
pub(in crate::lang) fn neutral(by: BinOp, ty: Type, at: At) -> Value {
    emit_constant(WarpOp::neutral(by, ty).unwrap_or(Const(0)), ty, at)
}

/// What `combine` makes of the words of a value. 16-bit floats are combined as `f32`, and rounded at the end.
pub(in crate::lang) fn combined<T: DeviceType>(
    value: Lane<T>,
    at: At,
    combine: impl FnOnce(Vec<Value>) -> Vec<Value>,
) -> Lane<T> {
    let words = values_of(value);
    let types: Vec<Type> = words.iter().map(|word| type_of(*word)).collect();
    let words = words.into_iter().map(|word| widened(word, at)).collect();
    let narrowed = |(word, ty): (Value, Type)| match ty.is_half() {
        true => emit(Op::Cast(word), ty, at),
        false => word,
    };
    let words = combine(words).into_iter().zip(types).map(narrowed);
    Lane::build(&mut words_of(words.collect()))
}

/// One kind of value with the other, word by word.
pub(in crate::lang) fn both(by: BinOp, a: &[Value], b: &[Value], at: At) -> Vec<Value> {
    let both = |(a, b): (&Value, &Value)| emit(Op::Binary(by, *a, *b), type_of(*a), at);
    a.iter().zip(b).map(both).collect()
}

/// Each word of a value as `pass` gets it from another lane.
pub(in crate::lang) fn passed<T: DeviceType>(
    value: Lane<T>,
    pass: impl Fn(Value) -> Value,
) -> Lane<T> {
    let words = values_of(value).into_iter().map(pass).collect();
    Lane::build(&mut words_of(words))
}

/// Variables for the words of a value.
pub(in crate::lang) struct Variables(Vec<Var>);

impl Variables {
    pub(in crate::lang) fn new(words: &[Value], at: At) -> Self {
        let variables = Self(words.iter().map(|word| new_var(type_of(*word))).collect());
        variables.set(words, at);
        variables
    }

    pub(in crate::lang) fn set(&self, words: &[Value], at: At) {
        for (var, word) in self.0.iter().zip(words) {
            emit_void(Op::VarSet(*var, *word), at);
        }
    }

    /// `of` are words of the same types.
    pub(in crate::lang) fn get(&self, of: &[Value], at: At) -> Vec<Value> {
        let get = |(var, word): (&Var, &Value)| emit(Op::VarGet(*var), type_of(*word), at);
        self.0.iter().zip(of).map(get).collect()
    }
}

/// What [`WarpOp::Reduce`], [`WarpOp::Scan`] and [`WarpOp::ScanBefore`] give for words.
pub(in crate::lang) fn over_lanes(op: WarpOp, words: &[Value], at: At) -> Vec<Value> {
    let results: Vec<Value> = words.iter().map(|word| result_like(*word)).collect();
    let operands = words.to_vec();
    emit_many(Op::Warp { op, operands }, results.clone(), at);
    results
}
