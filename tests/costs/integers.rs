//! Methods of integers.

use crate::measure::{INTEGERS, Mismatches, device, expressions, per_iteration};
use vortex::prelude::*;

expressions! {
    unsigned in INTEGERS, (x: u32, y: u32) -> u32, base x ^ y => 1;
    "| `wrapping_add`, `wrapping_sub`, `wrapping_mul`, `wrapping_neg`, `wrapping_shl`, `wrapping_shr` | 1 | |" {
        Add: x.wrapping_add(y) => 1;
        Sub: x.wrapping_sub(y) => 1;
        Mul: x.wrapping_mul(y) => 1;
        Shl: x.wrapping_shl(y) => 1;
        Shr: x.wrapping_shr(y) => 1;
    }
    "| `min`, `max`; `clamp` | 4; 8 | next to 0 2; unsigned `max(1)` 2, `min(1)` 1 |" {
        Min: x.min(y) => 4;
        Max: x.max(y) => 4;
    }
    "| `abs_diff` | 5 | |" { AbsDiff: x.abs_diff(y) => 5; }
    "| `midpoint` | 4, 7 | |" { Midpoint: x.midpoint(y) => 4; }
    "| `overflowing_add`, `overflowing_sub` | 2, 5 | the flag included |" {
        OverflowingAdd: { let (z, o) = x.overflowing_add(y); z ^ o as u32 } => 3;
        OverflowingSub: { let (z, o) = x.overflowing_sub(y); z ^ o as u32 } => 3;
    }
    "| `overflowing_mul` | 3, 5 | |" {
        OverflowingMul: { let (z, o) = x.overflowing_mul(y); z ^ o as u32 } => 4;
    }
    "| `saturating_add`, `saturating_sub`, `saturating_mul` | 6, 3, 6; signed 10, 10, 10 | |" {
        SaturatingAdd: x.saturating_add(y) => 6;
        SaturatingSub: x.saturating_sub(y) => 3;
        SaturatingMul: x.saturating_mul(y) => 6;
    }
    "| `wrapping_add_signed`, `wrapping_add_unsigned`, `wrapping_sub_unsigned` | 1 | their `saturating_` kin: 5 to 9 |" {
        AddSigned: x.wrapping_add_signed(y as i32) => 1;
        SaturatingAddSigned: x.saturating_add_signed(y as i32) => 9;
    }
    "| `rotate_left`, `rotate_right` | 4 | 3 by a constant |" {
        RotateLeft: x.rotate_left(y) => 4;
        RotateRight: x.rotate_right(y) => 4;
    }
    "| `unbounded_shl`, `unbounded_shr` | 3 to 5 | |" {
        UnboundedShl: x.unbounded_shl(y) => 3 | 4 | 5;
        UnboundedShr: x.unbounded_shr(y) => 3 | 4 | 5;
    }
    "| `/`, `%`, `wrapping_div`, `wrapping_rem` | 5, 5; signed 13, 5 |" {
        Div: x / y => 5;
        Rem: x % y => 5;
        WrappingDiv: x.wrapping_div(y) => 5;
        WrappingRem: x.wrapping_rem(y) => 5;
    }
    "| `div_euclid`, `rem_euclid` | 5, 5; signed 20, 19 | |" {
        DivEuclid: x.div_euclid(y) => 5;
        RemEuclid: x.rem_euclid(y) => 5;
    }
    "| `div_ceil`, `next_multiple_of`, `is_multiple_of` | 6 to 9 | |" {
        DivCeil: x.div_ceil(y) => 8;
        NextMultipleOf: x.next_multiple_of(y) => 9;
        IsMultipleOf: x.is_multiple_of(y) as u32 => 6;
    }
}

expressions! {
    signed in INTEGERS, (x: i32, y: i32) -> i32, base x ^ y => 1;
    "| `min`, `max`; `clamp` | 4; 8 |" {
        Min: x.min(y) => 4;
        Max: x.max(y) => 4;
    }
    "| `abs_diff` | 5 | |" { AbsDiff: x.abs_diff(y) as i32 => 5; }
    "| `midpoint` | 4, 7 | |" { Midpoint: x.midpoint(y) => 7; }
    "| `overflowing_add`, `overflowing_sub` | 2, 5 | the flag included |" {
        OverflowingAdd: { let (z, o) = x.overflowing_add(y); z ^ o as i32 } => 6;
        OverflowingSub: { let (z, o) = x.overflowing_sub(y); z ^ o as i32 } => 6;
    }
    "| `overflowing_mul` | 3, 5 | |" {
        OverflowingMul: { let (z, o) = x.overflowing_mul(y); z ^ o as i32 } => 6;
    }
    "| `saturating_add`, `saturating_sub`, `saturating_mul` | 6, 3, 6; signed 10, 10, 10 | |" {
        SaturatingAdd: x.saturating_add(y) => 10;
        SaturatingSub: x.saturating_sub(y) => 10;
        SaturatingMul: x.saturating_mul(y) => 10;
    }
    "| `wrapping_add_signed`, `wrapping_add_unsigned`, `wrapping_sub_unsigned` | 1 | their `saturating_` kin: 5 to 9 |" {
        AddUnsigned: x.wrapping_add_unsigned(y as u32) => 1;
        SubUnsigned: x.wrapping_sub_unsigned(y as u32) => 1;
        SaturatingAddUnsigned: x.saturating_add_unsigned(y as u32) => 5 | 6 | 7 | 8;
        SaturatingSubUnsigned: x.saturating_sub_unsigned(y as u32) => 5 | 6 | 7 | 8;
    }
    "| `/`, `%`, `wrapping_div`, `wrapping_rem` | 5, 5; signed 13, 5 |" {
        Div: x / y => 13;
        Rem: x % y => 13;
        WrappingDiv: x.wrapping_div(y) => 5;
        WrappingRem: x.wrapping_rem(y) => 5;
    }
    "| `div_euclid`, `rem_euclid` | 5, 5; signed 20, 19 | |" {
        DivEuclid: x.div_euclid(y) => 20;
        RemEuclid: x.rem_euclid(y) => 19;
    }
}

expressions! {
    of_one_unsigned in INTEGERS, (x: u32) -> u32, base !x => 1;
    "| `wrapping_add`, `wrapping_sub`, `wrapping_mul`, `wrapping_neg`, `wrapping_shl`, `wrapping_shr` | 1 | |" {
        Neg: x.wrapping_neg() => 1;
        Shl: x.wrapping_shl(3) => 1;
    }
    "| `is_positive`, `is_negative`, `cast_signed`, `cast_unsigned`, `to_le` | 0 or 1 | |" {
        CastSigned: x.cast_signed() as u32 => 0;
        ToLe: x.to_le() => 0;
    }
    "| `min`, `max`; `clamp` | 4; 8 | next to 0 2; unsigned `max(1)` 2, `min(1)` 1 |" {
        MaxOne: x.max(1) => 2;
        MinOne: x.min(1) => 1;
        Clamp: x.clamp(3, 9) => 8;
    }
    "| `rotate_left`, `rotate_right` | 4 | 3 by a constant |" {
        RotateLeft: x.rotate_left(3) => 3;
        RotateRight: x.rotate_right(3) => 3;
    }
    "| `swap_bytes`, `to_be` | 8 | |" {
        SwapBytes: x.swap_bytes() => 8;
        ToBe: x.to_be() => 8;
    }
    "| `reverse_bits` | 23 | |" { ReverseBits: x.reverse_bits() => 23; }
    "| `count_ones`, `count_zeros` | 12, 13 | |" {
        CountOnes: x.count_ones() => 12;
        CountZeros: x.count_zeros() => 13;
    }
    "| `leading_zeros`, `trailing_zeros` | 12, 10; `_ones` one more | by way of an exact conversion to `f32` |" {
        LeadingZeros: x.leading_zeros() => 12;
        LeadingOnes: x.leading_ones() => 13;
        TrailingZeros: x.trailing_zeros() => 10;
        TrailingOnes: x.trailing_ones() => 11;
    }
    "| `is_power_of_two` | 3 | |" { IsPowerOfTwo: x.is_power_of_two() as u32 => 3; }
    "| `next_power_of_two` | 13 | |" { NextPowerOfTwo: x.next_power_of_two() => 13; }
    "| `isqrt` | 9 | of unsigned types; a square root of `f32`, corrected |" { Isqrt: x.isqrt() => 9; }
    "by a constant 2; unsigned by a power of two 1 |" {
        DivByConstant: x / 7 => 2;
        RemByConstant: x % 7 => 2;
        DivByPower: x / 8 => 1;
        RemByPower: x % 8 => 1;
    }
    "by a constant only products: `pow(3)` costs 2 |" { Cube: x.pow(3) => 2; }
}

expressions! {
    of_one_signed in INTEGERS, (x: i32) -> i32, base !x => 1;
    "| `abs`, `wrapping_abs`, `unsigned_abs`, `signum` | 3 | |" {
        Abs: x.abs() => 3;
        WrappingAbs: x.wrapping_abs() => 3;
        UnsignedAbs: x.unsigned_abs() as i32 => 3;
        Signum: x.signum() => 3;
    }
    "| `is_positive`, `is_negative`, `cast_signed`, `cast_unsigned`, `to_le` | 0 or 1 | |" {
        IsPositive: x.is_positive() as i32 => 1;
        IsNegative: x.is_negative() as i32 => 1;
        CastUnsigned: x.cast_unsigned() as i32 => 0;
    }
    "next to 0 2; unsigned `max(1)` 2, `min(1)` 1 |" {
        MaxZero: x.max(0) => 2;
        MinZero: x.min(0) => 2;
    }
    "| `saturating_neg`, `saturating_abs` | 5, 7 | |" {
        SaturatingNeg: x.saturating_neg() => 5;
        SaturatingAbs: x.saturating_abs() => 7;
    }
}

expressions! {
    of_bytes in INTEGERS, (x: u8, y: u8) -> u8, base x ^ y => 1;
    "types of 8 and\n16 bits need up to five more to stay in their range" {
        Add: x.wrapping_add(y) => 2 | 3 | 4 | 5;
        Mul: x.wrapping_mul(y) => 2 | 3 | 4 | 5;
        AbsDiff: x.abs_diff(y) => 6 | 7 | 8 | 9;
        SaturatingAdd: x.saturating_add(y) => 7 | 8 | 9 | 10;
        RotateLeft: x.rotate_left(y as u32) => 8;
    }
}

expressions! {
    of_small_signed in INTEGERS, (x: i16, y: i16) -> i16, base x ^ y => 1;
    "types of 8 and\n16 bits need up to five more to stay in their range" {
        Add: x.wrapping_add(y) => 2 | 3 | 4 | 5;
        Mul: x.wrapping_mul(y) => 2 | 3 | 4 | 5;
        Div: x / y => 15;
        SaturatingSub: x.saturating_sub(y) => 9;
        Midpoint: x.midpoint(y) => 8 | 9 | 10 | 11;
    }
}

expressions! {
    wide in INTEGERS, (x: u64, y: u64) -> u64, base x ^ y => 2;
    "| `& \\| ^ !`, `+ -`, `*` | 2, 4, 6 | the product of two values cast from `u32`: 2 |" {
        And: x & y => 2;
        Or: x | y => 2;
        Add: x + y => 4;
        Sub: x - y => 4;
        Mul: x * y => 6;
    }
    "| `<< >>` | 10; signed `>>` 13 | by a constant 4, or less |" {
        Shl: x << y => 10;
        Shr: x >> y => 10;
    }
    "| `min`, `max`; `abs`, `signum` | 11; 7, 8 | |" {
        Min: x.min(y) => 11;
        Max: x.max(y) => 11;
    }
    "| `saturating_add`, `saturating_sub` | 16, 10; signed 17 | |" {
        SaturatingAdd: x.saturating_add(y) => 16;
        SaturatingSub: x.saturating_sub(y) => 10;
    }
    "| `/`, `%` | about 65; signed 105 |" {
        Div: x / y => 68;
        Rem: x % y => 60;
    }
}

expressions! {
    wide_signed in INTEGERS, (x: i64, y: i64) -> i64, base x ^ y => 2;
    "| `<< >>` | 10; signed `>>` 13 | by a constant 4, or less |" {
        Shl: x << y => 10;
        Shr: x >> y => 13;
    }
    "| `saturating_add`, `saturating_sub` | 16, 10; signed 17 | |" {
        SaturatingAdd: x.saturating_add(y) => 17;
        SaturatingSub: x.saturating_sub(y) => 17;
    }
    "| `/`, `%` | about 65; signed 105 |" {
        Div: x / y => 112;
        Rem: x % y => 96;
    }
}

expressions! {
    wide_to_bool in INTEGERS, (x: u64, y: u64) -> u32, base (x ^ y ^ (x ^ y) >> 32) as u32 => 3;
    "| `==`, `<` | 4, 5 | with 0: 2, 1 |" {
        Equal: (x == y) as u32 => 4;
        Less: (x < y) as u32 => 5;
    }
}

expressions! {
    wide_of_one in INTEGERS, (x: u64) -> u64, base !x => 2;
    "| `<< >>` | 10; signed `>>` 13 | by a constant 4, or less |" {
        Shl: x << 3 => 4;
        Shr: x >> 35 => 0;
    }
    "| `/`, `%` by a constant | about 75; signed 85 | by a power of two 4, signed 9 |" {
        Div: x / 10 => 79;
        Rem: x % 10 => 66;
        DivByPower: x / 8 => 4;
    }
    "| `leading_zeros`, `count_ones`, `swap_bytes` | 18, 25, 16 | |" {
        LeadingZeros: x.leading_zeros() as u64 => 18;
        CountOnes: x.count_ones() as u64 => 25;
        SwapBytes: x.swap_bytes() => 16;
    }
    "| `isqrt` | about 150 | |" { Isqrt: x.isqrt() => 150; }
}

expressions! {
    wide_signed_of_one in INTEGERS, (x: i64) -> i64, base !x => 2;
    "| `min`, `max`; `abs`, `signum` | 11; 7, 8 | |" {
        Abs: x.abs() => 7;
        Signum: x.signum() => 8;
    }
    "| `/`, `%` by a constant | about 75; signed 85 | by a power of two 4, signed 9 |" {
        Div: x / 10 => 92;
        Rem: x % 10 => 79;
        DivByPower: x / 8 => 9;
    }
}

expressions! {
    wide_to_word in INTEGERS, (x: u64) -> u32, base (x ^ x >> 32) as u32 => 1;
    "| `==`, `<` | 4, 5 | with 0: 2, 1 |" { Zero: (x == 0) as u32 => 2; }
}

expressions! {
    wide_to_float in INTEGERS, (x: u64) -> f32, base (x ^ x >> 32) as u32 as f32 => 2;
    "| `as f32`; from `f32` | 28, signed 37; 10, signed 25 | correctly rounded; saturating |" { Float: x as f32 => 28; }
}

expressions! {
    wide_signed_to_float in INTEGERS, (x: i64) -> f32, base (x ^ x >> 32) as i32 as f32 => 2;
    "| `as f32`; from `f32` | 28, signed 37; 10, signed 25 | correctly rounded; saturating |" { Float: x as f32 => 37; }
}

expressions! {
    wide_from_float in INTEGERS, (x: f32) -> u64, base x.to_bits() as u64 => 1;
    "| `as f32`; from `f32` | 28, signed 37; 10, signed 25 | correctly rounded; saturating |" { Wide: x as u64 => 10; }
}

expressions! {
    wide_signed_from_float in INTEGERS, (x: f32) -> i64, base x.to_bits() as i64 => 1;
    "| `as f32`; from `f32` | 28, signed 37; 10, signed 25 | correctly rounded; saturating |" { Wide: x as i64 => 25; }
}

expressions! {
    products in INTEGERS, (x: u32, y: u32) -> u64, base (x ^ y) as u64 => 1;
    "the product of two values cast from `u32`: 2 |" { Product: x as u64 * y as u64 => 2; }
}

expressions! {
    powers in INTEGERS, (x: u32) -> u32, base !x => 1;
    "| `pow` | 9 for each bit of the exponent, 11 where it is not known to be the same in all lanes | by a constant only products: `pow(3)` costs 2 |" {
        Cube: x.pow(3) => 2;
        Ninth: x.pow(9) => 4;
    }
}

/// Exponents that all lanes of a warp have in common.
const EXPONENTS: [u32; 3] = [1, 31, 511];

#[vortex::kernel]
fn powers_of(
    #[comptime] overflowing: bool,
    #[comptime] common: bool,
    exponents: &[u32],
    x: &[u32],
    out: &mut [u32],
) {
    let i = global_id();
    let n = if common { exponents[0] } else { exponents[i] };
    out[i] = if overflowing {
        let (power, over) = x[i].overflowing_pow(n);
        power ^ over as u32
    } else {
        x[i].pow(n)
    };
}

#[test]
fn powers_cost_by_the_bit() {
    let device = device();
    let of = |overflowing, common, exponent: u32| {
        per_iteration(4, |items| {
            let exponents = device.upload(&vec![exponent; items]).unwrap();
            let x = device.upload(&vec![1u32; items]).unwrap();
            let mut out = device.alloc(items).unwrap();
            let launch = powers_of(overflowing, common, &exponents, &x, &mut out);
            launch.over(items).launch(&device).unwrap()
        }) as i64
    };
    let mut mismatches = Mismatches::default();
    let lines = [
        "| `pow` | 9 for each bit of the exponent, 11 where it is not known to be the same in all lanes |",
        "| `overflowing_pow`, `saturating_pow` | 16 and 18 for each bit of the exponent | |",
    ];
    for (line, overflowing, bits) in [(lines[0], false, [9, 11]), (lines[1], true, [16, 18])] {
        mismatches.page(&INTEGERS, line);
        for exponents in EXPONENTS.windows(2) {
            for (common, bit) in [true, false].into_iter().zip(bits) {
                let [few, many] = [0, 1].map(|n| of(overflowing, common, exponents[n]));
                mismatches.cost(&INTEGERS, line, many - few, &[bit * 4]);
            }
        }
    }
    mismatches.none();
}
