//! Bit operators and shifts.

use std::panic::Location;

use super::arith::{binary, unary};
use super::checked::{Overflows, fail_on, is_beyond};
use super::convert::convert;
use super::integer::Int;
use super::lane::Lane;
use super::overload::{BitAnd, BitOr, BitXor, Not, Shl, Shr};
use crate::ir::{BinOp, UnOp};
use crate::lang::recorder::checks_operators;
use crate::types::Scalar;

/// Integers and `bool`: `& | ^ !`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bit operators",
    label = "only integers and `bool` have `&`, `|`, `^` and `!`"
)]
pub trait Bits: Scalar {}

macro_rules! mark {
    ($($marker:ident: $($ty:ty)*;)*) => {$($(
        impl $marker for $ty {}
    )*)*};
}

mark! {
    Bits: bool i8 i16 i32 u8 u16 u32 i64 u64 usize isize;
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
