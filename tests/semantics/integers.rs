//! Integer arithmetic of every type: wrapping, shifts, bits, division.

use vortex::prelude::*;

use crate::harness::same;

macro_rules! every_integer {
    ($($ty:ident $name:ident)*) => {$(
        mod $name {
            use super::*;

            same! {
                add(a: $ty, b: $ty) -> $ty { a + b } => { a.wrapping_add(b) }
                sub(a: $ty, b: $ty) -> $ty { a - b } => { a.wrapping_sub(b) }
                mul(a: $ty, b: $ty) -> $ty { a * b } => { a.wrapping_mul(b) }
                and(a: $ty, b: $ty) -> $ty { a & b }
                or(a: $ty, b: $ty) -> $ty { a | b }
                xor(a: $ty, b: $ty) -> $ty { a ^ b }
                not(a: $ty, b: $ty) -> $ty { !a ^ b }
                shl(a: $ty, b: $ty) -> $ty { a << b } => { a.wrapping_shl(b as u32) }
                shr(a: $ty, b: $ty) -> $ty { a >> b } => { a.wrapping_shr(b as u32) }
                shift_by_literals(a: $ty, b: $ty) -> $ty { (a << 3) ^ (b >> 2) }
                div(a: $ty, b: $ty) -> $ty { if b != 0 && b != !0 { a / b } else { a } }
                rem(a: $ty, b: $ty) -> $ty { if b != 0 && b != !0 { a % b } else { b } }
                div_by_literals(a: $ty, b: $ty) -> $ty { a / 3 + b / 16 + a % 10 + b % 8 }
                    => { (a / 3).wrapping_add(b / 16).wrapping_add(a % 10).wrapping_add(b % 8) }
                less(a: $ty, b: $ty) -> bool { a < b }
                less_or_equal(a: $ty, b: $ty) -> bool { a <= b }
                greater(a: $ty, b: $ty) -> bool { a > b }
                equal(a: $ty, b: $ty) -> bool { a == b }
                not_equal(a: $ty, b: $ty) -> bool { a != b }
                min_max(a: $ty, b: $ty) -> $ty { a.min(b) ^ a.max(3) }
                clamp(a: $ty, b: $ty) -> $ty { a.clamp(2, 100) ^ b }
                chains(a: $ty, b: $ty) -> $ty { ((a * 5 + b) ^ (a - b) * 3) >> 1 }
                    => { (a.wrapping_mul(5).wrapping_add(b) ^ a.wrapping_sub(b).wrapping_mul(3)) >> 1 }
                compound(a: $ty, b: $ty) -> $ty {
                    let mut x = a;
                    x += b;
                    x *= 3;
                    x -= 1;
                    x ^= b;
                    x |= 1;
                    x &= !2;
                    x <<= 1;
                    x >>= 2;
                    x
                } => {
                    let x = (a.wrapping_add(b).wrapping_mul(3).wrapping_sub(1) ^ b | 1) & !2;
                    x << 1 >> 2
                }
            }
        }
    )*};
}

every_integer! { i8 on_i8 i16 on_i16 i32 on_i32 i64 on_i64 u8 on_u8 u16 on_u16 u32 on_u32 u64 on_u64 }

macro_rules! every_signed {
    ($($ty:ident $name:ident)*) => {$(
        mod $name {
            use super::*;

            same! {
                neg(a: $ty, b: $ty) -> $ty { -a ^ b } => { a.wrapping_neg() ^ b }
                abs(a: $ty, b: $ty) -> $ty { a.abs() ^ b } => { a.wrapping_abs() ^ b }
                negative_literals(a: $ty, b: $ty) -> $ty { if a < -5 { a & -8 } else { b | -3 } }
                rounds_towards_zero(a: $ty, b: $ty) -> $ty { (a / -7) ^ (b % -4) ^ (a / 4) ^ (b % 16) }
            }
        }
    )*};
}

every_signed! { i8 signed_i8 i16 signed_i16 i32 signed_i32 i64 signed_i64 }

same! {
    shift_amounts_of_another_type(a: u8, b: i32) -> u8 { (a << b) ^ (a >> b) }
        => { a.wrapping_shl(b as u32) ^ a.wrapping_shr(b as u32) }
    usize_is_32_bits_wide(a: u32, b: u32) -> u32 { (a as usize + usize::MAX - b as usize) as u32 }
        => { a.wrapping_add(u32::MAX).wrapping_sub(b) }
    isize_is_32_bits_wide(a: i32, b: i32) -> i32 { (a as isize * 2 - b as isize) as i32 >> 1 }
        => { a.wrapping_mul(2).wrapping_sub(b) >> 1 }
    booleans(a: bool, b: bool) -> bool { (a & !b) ^ (a | b) != (a == b) }
}
