//! What is combined or passed between lanes, word by word.

use super::ids::{lane_count, lane_id};
use crate::ir::{BinOp, CmpOp, Const, Op, Type, Value, Var, WarpOp};
use crate::lang::base::flow::while_loop;
use crate::lang::base::lane::{Lane, words_of};
use crate::lang::base::numbers::{Bits, Num};
use crate::lang::base::staged::values_of;
use crate::lang::recorder::{At, emit, emit_const, emit_constant, emit_void, new_var, type_of};
use crate::lang::value::arith::on_words;
use crate::lang::value::half::widened;
use crate::lang::value::integer::bits;
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

/// What changes nothing when it is combined with another value.
pub(in crate::lang) fn neutral(by: BinOp, ty: Type, at: At) -> Value {
    let signed = ty.is_signed();
    let neutral = match (WarpOp::neutral(by, ty), by) {
        (Some(word), _) => Const::from(word),
        (None, BinOp::And) => Const(u64::MAX),
        (None, BinOp::Min) => Const(if signed { u64::MAX >> 1 } else { u64::MAX }),
        (None, BinOp::Max) if signed => Const(1 << 63),
        (None, _) => Const(0),
    };
    emit_constant(neutral, ty, at)
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

/// Each word of a value as `pass` gets it from another lane. `pass` is for what one register holds.
pub(in crate::lang) fn passed<T: DeviceType>(
    value: Lane<T>,
    at: At,
    pass: impl Fn(Value) -> Value,
) -> Lane<T> {
    let words = values_of(value).into_iter();
    let words = words.map(|word| of_any_width(word, at, &pass)).collect();
    Lane::build(&mut words_of(words))
}

fn of_any_width(value: Value, at: At, pass: &impl Fn(Value) -> Value) -> Value {
    let ty = type_of(value);
    let cast = |value, ty| match type_of(value) == ty {
        true => value,
        false => emit(Op::Cast(value), ty, at),
    };
    if ty.is_half() {
        let bits = pass(emit(Op::Bitcast(value), Type::U16, at));
        return emit(Op::Bitcast(bits), ty, at);
    }
    if !ty.is_wide() {
        return pass(value);
    }
    let shifted = |by, value| {
        let amount = emit_constant(Const(32), Type::U64, at);
        emit(Op::Binary(by, value, amount), Type::U64, at)
    };
    let whole = cast(value, Type::U64);
    let high = shifted(BinOp::Shr, whole);
    let [low, high] = [whole, high].map(|half| cast(pass(cast(half, Type::U32)), Type::U64));
    let both = Op::Binary(BinOp::Or, shifted(BinOp::Shl, high), low);
    cast(emit(both, Type::U64, at), ty)
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

/// What [`WarpOp::Reduce`], [`WarpOp::Scan`] and [`WarpOp::ScanBefore`] give for one word, for any number of any width.
pub(in crate::lang) fn over_lanes(op: WarpOp, words: &[Value], at: At) -> Vec<Value> {
    if let &[word] = words
        && !type_of(word).is_wide()
    {
        return vec![ask(op, vec![word], type_of(word), at)];
    }
    let Some(by) = op.combines() else {
        return words.to_vec();
    };
    let active = ask(WarpOp::Active, Vec::new(), Type::U32, at);
    let before = before(active, at);
    let sums = scan(by, words, &before, at);
    let read = |words: &[Value], lane| -> Vec<Value> {
        let pass = |word: &Value| of_any_width(*word, at, &|word| read(word, lane, at));
        words.iter().map(pass).collect()
    };
    match op {
        WarpOp::Scan(_) => sums,
        WarpOp::ScanBefore(_) => {
            let of_before = read(&sums, before.lane).into_iter();
            let or_neutral = |word| {
                let ty = type_of(word);
                let neutral = neutral(by, ty, at);
                emit(Op::Select(before.exists, word, neutral), ty, at)
            };
            of_before.map(or_neutral).collect()
        }
        _ => read(&sums, highest(active)),
    }
}

/// The active lane before this one.
struct Before {
    exists: Value,
    /// Its number; this lane's own if there is none.
    lane: Value,
}

fn before(active: Value, at: At) -> Before {
    let own = lane_id().value();
    let [zero, one] = [0, 1].map(|word| emit_const(word, Type::U32, at));
    let bit = on_words(BinOp::Shl, one, own, at);
    let below = on_words(BinOp::And, active, on_words(BinOp::Sub, bit, one, at), at);
    let exists = emit(Op::Compare(CmpOp::Ne, below, zero), Type::Bool, at);
    let last = highest(below);
    let lane = emit(Op::Select(exists, last, own), Type::U32, at);
    Before { exists, lane }
}

/// Each lane's words combined with those of the active lanes before it, at doubling distances, as `codegen::warp`
/// does it for one word.
fn scan(by: BinOp, words: &[Value], before: &Before, at: At) -> Vec<Value> {
    let own = lane_id().value();
    let one = emit_const(1, Type::U32, at);
    let sums = Variables::new(words, at);
    let state = [before.lane, one];
    let rest = Variables::new(&state, at);
    let goes_on = || {
        let distance = rest.get(&state, at)[1];
        let lanes = lane_count().value();
        Lane::new(emit(
            Op::Compare(CmpOp::Lt, distance, lanes),
            Type::Bool,
            at,
        ))
    };
    while_loop(
        |_| goes_on(),
        |_| {
            let (sum, rest_now) = (sums.get(words, at), rest.get(&state, at));
            let (other, distance) = (rest_now[0], rest_now[1]);
            let pass = |word: &Value| of_any_width(*word, at, &|word| read(word, other, at));
            let theirs: Vec<Value> = sum.iter().map(pass).collect();
            let further = read(other, other, at);
            let more = emit(Op::Compare(CmpOp::Ne, other, own), Type::Bool, at);
            let next = both(by, &theirs, &sum, at).into_iter().zip(&sum);
            let next =
                next.map(|(both, sum)| emit(Op::Select(more, both, *sum), type_of(*sum), at));
            sums.set(&next.collect::<Vec<_>>(), at);
            // The first active lane names itself.
            let at_end = emit(Op::Compare(CmpOp::Eq, further, other), Type::Bool, at);
            let next = emit(Op::Select(at_end, own, further), Type::U32, at);
            rest.set(&[next, on_words(BinOp::Shl, distance, one, at)], at);
        },
    );
    sums.get(words, at)
}

/// The word as an active lane has it.
fn read(word: Value, lane: Value, at: At) -> Value {
    ask(WarpOp::Read, vec![word, lane], type_of(word), at)
}

/// The number of the highest bit that is set, of a word with one.
fn highest(word: Value) -> Value {
    bits::highest(Lane::new(word)).value()
}
