//! The methods of integers, with the names and the meaning that Rust gives them.
//!
//! Each is composed of operations that the IR has anyway, for every width at once, without branches where that is no
//! dearer. docs/integers.md lists what they cost.

pub(in crate::lang) mod bits;
mod bytes;
mod checked;
mod division;
mod overflow;
mod power;
mod signs;

use super::arith::binary;
use super::convert::convert;
use super::float::{compare, here, select};
use crate::ir::{BinOp, CmpOp, Const, eval};
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Int;
use crate::lang::recorder::emit_constant;

use overflow::{add_overflow, mul_overflow};
use signs::magnitude;

/// A constant, modulo the width.
pub(in crate::lang) fn of<T: Int>(value: i64) -> Lane<T> {
    let ty = T::SCALAR.ir();
    let constant = Const(eval::wide::canonical(value as u64, ty));
    Lane::new(emit_constant(constant, ty, here()))
}

fn width<T: Int>() -> i64 {
    T::SCALAR.ir().bits().into()
}

fn is_signed<T: Int>() -> bool {
    T::SCALAR.ir().is_signed()
}

/// The smallest value.
fn least<T: Int>() -> Lane<T> {
    of(if is_signed::<T>() {
        -1 << (width::<T>() - 1)
    } else {
        0
    })
}

/// The largest value.
pub(in crate::lang) fn most<T: Int>() -> Lane<T> {
    of(if is_signed::<T>() {
        !(-1 << (width::<T>() - 1))
    } else {
        -1
    })
}

pub(in crate::lang) fn less<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    compare(CmpOp::Lt, a, b)
}

pub(in crate::lang) fn at_most<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    compare(CmpOp::Le, a, b)
}

pub(in crate::lang) fn same<T: Int>(a: Lane<T>, b: Lane<T>) -> Lane<bool> {
    compare(CmpOp::Eq, a, b)
}

fn is_negative<T: Int>(a: Lane<T>) -> Lane<bool> {
    less(a, of(0))
}

/// Whether it takes two words.
fn is_wide<T: Int>() -> bool {
    width::<T>() > 32
}

/// The low and the high word of two.
fn halves<T: Int>(x: Lane<T>) -> [Lane<u32>; 2] {
    let high = unsigned(x) >> of::<T>(32);
    [convert(x, here()), convert(high, here())]
}

/// Two words as one.
fn whole<T: Int>([low, high]: [Lane<u32>; 2]) -> Lane<T> {
    let (low, high): (Lane<T>, Lane<T>) = (convert(low, here()), convert(high, here()));
    low | (high << of::<T>(32))
}

/// 1 or 0.
fn count<T: Int>(flag: Lane<bool>) -> Lane<T> {
    convert(flag, here())
}

/// All bits are that of the sign.
fn sign<T: Int>(a: Lane<T>) -> Lane<T> {
    a >> of::<T>(width::<T>() - 1)
}

/// The same bits without a sign, and with one.
fn unsigned<T: Int>(a: Lane<T>) -> Lane<T::Unsigned> {
    convert(a, here())
}

fn signed<T: Int>(a: Lane<T>) -> Lane<T::Signed> {
    convert(a, here())
}

/// Methods of lanes: what they do is recorded as if it stood at the call.
macro_rules! methods {
    ($bound:path: $(
        $(#[$doc:meta])*
        fn $name:ident($this:tt $(, $argument:ident: $ty:ty)*) -> $result:ty $body:block
    )*) => {
        impl<T: $bound> Lane<T> {$(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name($this $(, $argument: $ty)*) -> $result {
                $crate::lang::recorder::placed(std::panic::Location::caller(), || $body)
            }
        )*}
    };
}
use methods;
