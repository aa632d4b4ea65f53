//! Counting, moving and reversing bits.

use super::{
    convert, count, halves, here, is_wide, less, methods, of, same, select, unsigned, whole, width,
};
use crate::ir::Op;
use crate::lang::base::lane::Lane;
use crate::lang::base::numbers::Int;
use crate::lang::recorder::emit;
use crate::types::ScalarType;

/// The bits as a word, zeros above.
fn word<T: Int>(x: Lane<T>) -> Lane<u32> {
    convert(unsigned(x), here())
}

fn counted<T: Int>(x: Lane<T>) -> Lane<u32> {
    if is_wide::<T>() {
        let [low, high] = halves(x);
        return ones(low) + ones(high);
    }
    ones(word(x))
}

/// Bits set among the 32 of a word.
fn ones(x: Lane<u32>) -> Lane<u32> {
    let pairs = x - ((x >> of::<u32>(1)) & of(0x5555_5555));
    let nibbles = (pairs & of(0x3333_3333)) + ((pairs >> of::<u32>(2)) & of(0x3333_3333));
    let bytes = (nibbles + (nibbles >> of::<u32>(4))) & of(0x0f0f_0f0f);
    (bytes * of::<u32>(0x0101_0101)) >> of::<u32>(24)
}

/// The biased exponent of a number whose conversion to `f32` is not rounded up to a power of two; 0 of 0.
fn exponent(x: Lane<u32>) -> Lane<u32> {
    let float: Lane<f32> = convert(x, here());
    let bits = Op::Bitcast(float.value());
    Lane::<u32>::new(emit(bits, ScalarType::U32.ir(), here())) >> of::<u32>(23)
}

/// The biased exponent of a word without all bits but the highest that is set, which is the number of that bit and
/// 127; 0 of 0.
fn highest_exponent(x: Lane<u32>) -> Lane<u32> {
    // The highest bit stays, and no carry can come to it.
    exponent(x & !(x >> of::<u32>(1)))
}

/// Of 0: the width of `T`.
fn leading<T: Int>(x: Lane<T>) -> Lane<u32> {
    if is_wide::<T>() {
        let [low, high] = halves(x);
        let small = same(high, of(0));
        return leading(select(small, low, high)) + (count::<u32>(small) << of::<u32>(5));
    }
    (of::<u32>(126 + width::<T>()) - highest_exponent(word(x))).min(of(width::<T>()))
}

/// Of 0: the width of `T`.
fn trailing<T: Int>(x: Lane<T>) -> Lane<u32> {
    if is_wide::<T>() {
        let [low, high] = halves(x);
        let large = same(low, of(0));
        return trailing(select(large, high, low)) + (count::<u32>(large) << of::<u32>(5));
    }
    let x = word(x);
    (exponent(x & (of::<u32>(0) - x)) - of(127)).min(of(width::<T>()))
}

/// Neighbours of `shift` bits change places.
fn exchange(x: Lane<u32>, shift: i64, mask: i64) -> Lane<u32> {
    ((x >> of::<u32>(shift)) & of(mask)) | ((x & of(mask)) << of::<u32>(shift))
}

/// The bytes of a word in reverse.
fn swapped(x: Lane<u32>) -> Lane<u32> {
    let x = exchange(x, 8, 0x00ff_00ff);
    (x >> of::<u32>(16)) | (x << of::<u32>(16))
}

/// What `reverse` makes of words, made of all bits.
fn reversed<T: Int>(x: Lane<T>, reverse: fn(Lane<u32>) -> Lane<u32>) -> Lane<T> {
    if is_wide::<T>() {
        let [low, high] = halves(x);
        return whole([reverse(high), reverse(low)]);
    }
    let x = reverse(word(x));
    convert(x >> of::<u32>(32 - width::<T>()), here())
}

fn mirrored(x: Lane<u32>) -> Lane<u32> {
    let x = exchange(x, 1, 0x5555_5555);
    let x = exchange(x, 2, 0x3333_3333);
    swapped(exchange(x, 4, 0x0f0f_0f0f))
}

fn rotated<T: Int>(x: Lane<T>, left: Lane<u32>) -> Lane<T> {
    let left: Lane<T::Unsigned> = convert(left, here());
    let x = unsigned(x);
    // Amounts are taken modulo the width.
    let x = (x << left) | (x >> (of::<T::Unsigned>(0) - left));
    convert(x, here())
}

methods! { Int:
    /// How many bits are 1.
    fn count_ones(self) -> Lane<u32> { counted(self) }

    /// How many bits are 0.
    fn count_zeros(self) -> Lane<u32> { counted(!self) }

    /// How many bits are 0 above the highest that is 1.
    fn leading_zeros(self) -> Lane<u32> { leading(self) }

    /// How many bits are 1 above the highest that is 0.
    fn leading_ones(self) -> Lane<u32> { leading(!self) }

    /// How many bits are 0 below the lowest that is 1.
    fn trailing_zeros(self) -> Lane<u32> { trailing(self) }

    /// How many bits are 1 below the lowest that is 0.
    fn trailing_ones(self) -> Lane<u32> { trailing(!self) }

    /// Moved to the left; what leaves there comes in on the right.
    fn rotate_left(self, n: Lane<u32>) -> Self { rotated(self, n) }

    /// Moved to the right; what leaves there comes in on the left.
    fn rotate_right(self, n: Lane<u32>) -> Self { rotated(self, of::<u32>(0) - n) }

    /// The bytes in reverse.
    fn swap_bytes(self) -> Self { reversed(self, swapped) }

    /// The bits in reverse.
    fn reverse_bits(self) -> Self { reversed(self, mirrored) }

    /// The bytes, the highest first in memory.
    fn to_be(self) -> Self { reversed(self, swapped) }

    /// The bytes, the lowest first in memory: unchanged, since the device has them so.
    fn to_le(self) -> Self { self }

    /// `self << n`, the amount taken modulo the width.
    fn wrapping_shl(self, n: Lane<u32>) -> Self { self << n }

    /// `self >> n`, the amount taken modulo the width.
    fn wrapping_shr(self, n: Lane<u32>) -> Self { self >> n }

    /// `self << n`, and whether the amount was not below the width.
    fn overflowing_shl(self, n: Lane<u32>) -> (Self, Lane<bool>) { (self << n, beyond::<T>(n)) }

    /// `self >> n`, and whether the amount was not below the width.
    fn overflowing_shr(self, n: Lane<u32>) -> (Self, Lane<bool>) { (self >> n, beyond::<T>(n)) }

    /// `self << n` where all bits may leave.
    fn unbounded_shl(self, n: Lane<u32>) -> Self { select(beyond::<T>(n), of(0), self << n) }

    /// `self >> n` where all bits may leave.
    fn unbounded_shr(self, n: Lane<u32>) -> Self {
        if super::is_signed::<T>() {
            self >> n.min(of(width::<T>() - 1))
        } else {
            select(beyond::<T>(n), of(0), self >> n)
        }
    }
}

fn beyond<T: Int>(n: Lane<u32>) -> Lane<bool> {
    !less(n, of(width::<T>()))
}
