//! What operators do: arithmetic with its checks, bits, and shifts.

use std::panic::Location;

use super::arith::{binary, compare, unary};
use super::checked::{self, Overflows, fail_on, is_beyond, is_least};
use super::convert::convert;
use super::float::remainder;
use super::half::{narrowed, widened};
use super::overload::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use crate::ir::{BinOp, CmpOp, Const, FaultKind, Op, Type, UnOp, Value, eval};
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::{Bits, Int, Num, Signed};
use crate::lang::recorder::{
    At, checking, checks_operators, const_of, contracts, emit, emit_const, emit_constant,
    emit_void, is_of_constants, note_product, product,
};
use crate::types::DeviceType;

/// `value`, which is what `_on_host` does to one of the host: rustc looks for overflow there.
pub fn shifted<T: DeviceType>(value: Lane<T>, _on_host: impl FnOnce(T) -> T) -> Lane<T> {
    value
}

macro_rules! operators {
    ($($bound:ident: $op:ident $method:ident $via:ident;)*) => {$(
        impl<T: $bound> $op for T {
            type Output = T;

            #[track_caller]
            fn $method(this: Lane<T>, other: Lane<T>) -> Lane<T> {
                $via(BinOp::$op, this, other, Location::caller())
            }
        }
    )*};
}

operators! {
    Num: Add add arithmetic;
    Num: Sub sub arithmetic;
    Num: Mul mul arithmetic;
    Num: Div div divide;
    Num: Rem rem divide;
}

impl<T: Signed> Neg for T {
    type Output = T;

    #[track_caller]
    fn neg(this: Lane<T>) -> Lane<T> {
        let at = Location::caller();
        if T::SCALAR.ir().is_int() && checks_operators() {
            fail_on(Overflows::Neg, || is_least(this.value(), at), at);
        }
        unary(UnOp::Neg, this, at)
    }
}

/// `+ - *` as written by the user: integers may have to be checked, floats merged.
pub(in crate::lang) fn arithmetic<T: Num>(op: BinOp, a: Lane<T>, b: Lane<T>, at: At) -> Lane<T> {
    let ty = T::SCALAR.ir();
    let operands = [a.value(), b.value()];
    if ty.is_int() && (checks_operators() || is_of_constants(operands)) {
        let [a, b] = operands;
        return Lane::new(checking(|| checked::arithmetic(op, a, b, at)));
    }
    if ty != Type::F32 || !contracts() {
        return binary(op, a, b, at);
    }
    let negated = |value| emit(Op::Unary(UnOp::Neg, value), ty, at);
    let merged = match (op, product(a.value()), product(b.value())) {
        (BinOp::Mul, ..) | (_, None, None) => {
            let result = binary(op, a, b, at);
            if op == BinOp::Mul {
                note_product(result.value(), [a.value(), b.value()]);
            }
            return result;
        }
        (BinOp::Sub, Some([x, y]), _) => Op::MulAdd(x, y, negated(b.value())),
        (BinOp::Sub, None, Some([x, y])) => Op::MulAdd(negated(x), y, a.value()),
        (_, Some([x, y]), _) => Op::MulAdd(x, y, b.value()),
        (_, None, Some([x, y])) => Op::MulAdd(x, y, a.value()),
    };
    Lane::new(emit(merged, ty, at))
}

/// `/` and `%`. On integers a zero divisor and an overflow are failures; a constant divisor that cannot cause either
/// costs no check.
pub(in crate::lang) fn divide<T: Num>(op: BinOp, a: Lane<T>, b: Lane<T>, at: At) -> Lane<T> {
    let ty = T::SCALAR.ir();
    if ty.is_half() && op == BinOp::Rem {
        let (a, b) = (widened(a.value(), at), widened(b.value(), at));
        return narrowed(remainder(Lane::new(a), Lane::new(b), at).value(), at);
    }
    if ty == Type::F32 && op == BinOp::Rem {
        return Lane::new(remainder(Lane::new(a.value()), Lane::new(b.value()), at).value());
    }
    let quotient = || binary(op, a, b, at);
    if !ty.is_int() {
        return quotient();
    }
    unless_by_zero(a, b, || unless_it_overflows(a, b, quotient, at), at)
}

/// What is divided by `b`; 0, and a failure, if that is 0. The item continues, as after an index out of bounds: to end
/// it would give each loop around one more exit.
pub(in crate::lang) fn unless_by_zero<T: Num>(
    a: Lane<T>,
    b: Lane<T>,
    quotient: impl FnOnce() -> Lane<T>,
    at: At,
) -> Lane<T> {
    if const_of(b.value()).is_some_and(|divisor| divisor != 0) {
        return quotient();
    }
    let zero = emit_const(0, T::SCALAR.ir(), at);
    let divides = compare(CmpOp::Ne, b.value(), zero, at);
    quotient_if(divides, quotient, FaultKind::DivideByZero, [a, b], at)
}

/// What is divided by `b`; 0, and a failure, if the quotient does not fit.
fn unless_it_overflows<T: Num>(
    a: Lane<T>,
    b: Lane<T>,
    quotient: impl FnOnce() -> Lane<T>,
    at: At,
) -> Lane<T> {
    let ty = T::SCALAR.ir();
    let minus_one = eval::wide::canonical(u64::MAX, ty);
    let constant = const_of(b.value());
    if !ty.is_signed() || constant.is_some_and(|divisor| divisor != minus_one) {
        return quotient();
    }
    let min = (i64::MIN >> (64 - ty.bits())).cast_unsigned();
    let min = emit_constant(Const(eval::wide::canonical(min, ty)), ty, at);
    let mut fits = compare(CmpOp::Ne, a.value(), min, at);
    if constant.is_none() {
        let minus_one = emit_constant(Const(minus_one), ty, at);
        let by_others = compare(CmpOp::Ne, b.value(), minus_one, at);
        fits = emit(Op::Binary(BinOp::Or, by_others, fits), Type::Bool, at);
    }
    quotient_if(fits, quotient, FaultKind::DivideOverflow, [a, b], at)
}

fn quotient_if<T: Num>(
    divides: Value,
    quotient: impl FnOnce() -> Lane<T>,
    kind: FaultKind,
    operands: [Lane<T>; 2],
    at: At,
) -> Lane<T> {
    let fail = || {
        let operands = operands.map(Lane::value).into();
        emit_void(Op::Fault { kind, operands }, at);
        Lane::new(emit_const(0, T::SCALAR.ir(), at))
    };
    branch(divides, quotient, fail, at)
}

macro_rules! bit_operators {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl<T: Bits> $trait for T {
            type Output = T;

            #[track_caller]
            fn $method(this: Lane<T>, other: Lane<T>) -> Lane<T> {
                binary(BinOp::$op, this, other, Location::caller())
            }
        }
    )*};
}

bit_operators! {
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
}

impl<T: Bits> Not for T {
    type Output = T;

    #[track_caller]
    fn not(this: Lane<T>) -> Lane<T> {
        unary(UnOp::Not, this, Location::caller())
    }
}

macro_rules! shifts {
    ($($trait:ident $method:ident;)*) => {$(
        // As in Rust, the amount may be of any integer type. Its low bits are what counts.
        impl<T: Int, A: Int> $trait<A> for T {
            type Output = T;

            #[track_caller]
            fn $method(this: Lane<T>, amount: Lane<A>) -> Lane<T> {
                let at = Location::caller();
                if checks_operators() {
                    // What is negative is beyond all widths, too.
                    let beyond = || {
                        let amount: Lane<A::Unsigned> = convert(amount, at);
                        is_beyond(amount.value(), T::SCALAR.ir().bits(), at)
                    };
                    fail_on(Overflows::$trait, beyond, at);
                }
                binary(BinOp::$trait, this, convert(amount, at), at)
            }
        }
    )*};
}

shifts! {
    Shl shl;
    Shr shr;
}
