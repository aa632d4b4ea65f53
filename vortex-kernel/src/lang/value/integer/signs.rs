//! Signs, distances and means.

use super::{Lane, count, is_negative, is_signed, less, methods, of, sign, signed, unsigned};
use crate::lang::base::numbers::{Int, SignedInt, Unsigned};

/// The absolute value; of the smallest integer, that integer itself.
pub(super) fn magnitude<T: Int>(x: Lane<T>) -> Lane<T> {
    let sign = sign(x);
    (x ^ sign) - sign
}

methods! { Int:
    /// How far it is from another.
    fn abs_diff(self, other: Self) -> Lane<T::Unsigned> {
        let difference = self - other;
        let mask = of::<T>(0) - count(less(self, other));
        unsigned((difference ^ mask) - mask)
    }

    /// The mean of two, rounded towards zero; no overflow on the way.
    fn midpoint(self, other: Self) -> Self {
        let odd = self ^ other;
        let down = (self & other) + (odd >> of::<T>(1));
        if !is_signed::<T>() {
            return down;
        }
        let rounded_down = count::<T>(is_negative(down)) & odd;
        down + rounded_down
    }
}

methods! { SignedInt:
    /// 1, 0 or -1, by the sign.
    fn signum(self) -> Self {
        count::<T>(less(of(0), self)) - count(is_negative(self))
    }

    /// Whether it is greater than 0.
    fn is_positive(self) -> Lane<bool> { less(of(0), self) }

    /// Whether it is less than 0.
    fn is_negative(self) -> Lane<bool> { is_negative(self) }

    /// The absolute value, which is always one of the unsigned type.
    fn unsigned_abs(self) -> Lane<T::Unsigned> { unsigned(magnitude(self)) }

    /// The absolute value; of the smallest integer, that integer itself.
    fn wrapping_abs(self) -> Self { magnitude(self) }

    /// The same bits as an unsigned integer.
    fn cast_unsigned(self) -> Lane<T::Unsigned> { unsigned(self) }
}

methods! { Unsigned:
    /// The same bits as a signed integer.
    fn cast_signed(self) -> Lane<T::Signed> { signed(self) }
}
