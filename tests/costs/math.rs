//! What docs/math.md says that functions cost.

use crate::measure::{MATH, expressions};
use vortex::prelude::*;

expressions! {
    of_one in MATH, (x: f32) -> f32, base x => 0;
    "| `abs`, `sqrt`, `recip`, `mul_add` | 0.5 | 1 |" {
        Abs: x.abs() => 1;
        Sqrt: x.sqrt() => 1;
        Recip: x.recip() => 1;
    }
    "| `to_bits`, `f32::from_bits` | exact | 1 | |" { Bits: f32::from_bits(x.to_bits() + 1) => 3; }
    "| `to_radians`, `to_degrees` | as on the host | 1 |" {
        Radians: x.to_radians() => 1;
        Degrees: x.to_degrees() => 1;
    }
    "| `floor`, `ceil`, `trunc`, `round`, `round_ties_even` | exact | 7 |" {
        Floor: x.floor() => 7;
        Ceil: x.ceil() => 7;
        Trunc: x.trunc() => 7;
        Round: x.round() => 7;
        RoundTiesEven: x.round_ties_even() => 7;
        FloorOfIndex: x.floor() as u32 as f32 => 3;
    }
    "| `fract` | exact | 8 |" { Fract: x.fract() => 8; }
    "| `copysign`, `signum` | exact | 1, 9 |" { Signum: x.signum() => 9; }
    "| `%` | exact | from 67, by a constant from 41 |" { RemainderByConstant: x % 8.0 => 41; }
    "| `rsqrt` | 1.49 | 2 |" { Rsqrt: x.rsqrt() => 2; }
    "| `powi` | 1.44 | 137 | by a constant from 0 to 4: products, 1 or 2 instructions, 1.5 ULP |" {
        Square: x.powi(2) => 1;
        Cube: x.powi(3) => 2;
        Fourth: x.powi(4) => 2;
    }
    "| `sin_cos` | as these | 63 |" { SinCos: { let (s, c) = x.sin_cos(); s * c } => 64; }
    "| `exp` | 1.01 | 24 |" { Exp: x.exp() => 24; }
    "| `exp2` | 1.05 | 23 |" { Exp2: x.exp2() => 23; }
    "| `exp_m1` | 1.46 | 33 |" { ExpM1: x.exp_m1() => 33; }
    "| `ln` | 0.91 | 45 |" { Ln: x.ln() => 45; }
    "| `log2` | 1.35 | 47 |" { Log2: x.log2() => 47; }
    "| `log10` | 1.52 | 53 |" { Log10: x.log10() => 53; }
    "| `ln_1p` | 1.51 | 50 |" { Ln1p: x.ln_1p() => 50; }
    "| `sin` | 0.88 | 50 |" { Sin: x.sin() => 50; }
    "| `cos` | 0.88 | 48 |" { Cos: x.cos() => 48; }
    "| `tan` | 1.33 | 46 |" { Tan: x.tan() => 46; }
    "| `asin` | 1.10 | 43 |" { Asin: x.asin() => 43; }
    "| `acos` | 1.16 | 53 |" { Acos: x.acos() => 53; }
    "| `atan` | 1.32 | 36 |" { Atan: x.atan() => 36; }
    "| `sinh` | 1.62 | 42 |" { Sinh: x.sinh() => 42; }
    "| `cosh` | 1.46 | 32 |" { Cosh: x.cosh() => 32; }
    "| `tanh` | 1.47 | 48 |" { Tanh: x.tanh() => 48; }
    "| `erf` | 1.08 | 67 |" { Erf: x.erf() => 67; }
}

expressions! {
    of_two in MATH, (x: f32, y: f32) -> f32, base x * y => 1;
    "| `abs`, `sqrt`, `recip`, `mul_add` | 0.5 | 1 |" { MulAdd: x.mul_add(y, y) => 1; }
    "| `copysign`, `signum` | exact | 1, 9 |" { Copysign: x.copysign(y) => 1; }
    "| `hypot` | 1.19 | 42 |" { Hypot: x.hypot(y) => 42; }
    "| `powf` | 1.45 | 180 |" { Powf: x.powf(y) => 180; }
    "| `atan2` | 1.54 | 69 |" { Atan2: x.atan2(y) => 69; }
    "| `%` | exact | from 67, by a constant from 41 | a loop: 10 more instructions for every 7 bits between the \
     exponents |" {
        Remainder: x % y => 67;
        SevenBits: (x * 128.0) % y => 79;
        FourteenBits: (x * 16384.0) % y => 89;
    }
    "| `rem_euclid`, `div_euclid` | as Rust's | `%`, and 8; `%`, `/`, `trunc` and 16 | |" {
        RemEuclid: x.rem_euclid(y) => 75;
        DivEuclid: x.div_euclid(y) => 91;
    }
}

expressions! {
    powers in MATH, (x: f32, n: i32) -> f32, base x + n as f32 => 2;
    "| `powi` | 1.44 | 137 |" { Powi: x.powi(n) => 137; }
}

expressions! {
    tests in MATH, (x: f32) -> u32, base x.to_bits() => 1;
    "| `is_nan`, `is_infinite`, `is_finite`, `is_sign_negative`, `is_sign_positive` | exact | 2, the last one 3 |" {
        Nan: x.is_nan() as u32 => 2;
        Infinite: x.is_infinite() as u32 => 2;
        Finite: x.is_finite() as u32 => 2;
        Negative: x.is_sign_negative() as u32 => 2;
        Positive: x.is_sign_positive() as u32 => 3;
    }
    "| from `f32`, to nearest, ties to even | 27 | 12 |" {
        Half: f16::from_f32(x).to_bits() as u32 => 27;
        Brain: bf16::from_f32(x).to_bits() as u32 => 12;
    }
}

expressions! {
    from_halves in MATH, (x: u16) -> f32, base x as f32 => 1;
    "| to `f32` | 14 | 2 |" {
        Half: f16::from_bits(x).to_f32() => 14;
        Brain: bf16::from_bits(x).to_f32() => 2;
    }
}

expressions! {
    halves in MATH, (x: u16) -> u16, base x => 0;
    "| `-x`, `abs` | 1, 1 | 1, 1 |" {
        Negated: (-f16::from_bits(x)).to_bits() => 1;
        Magnitude: f16::from_bits(x).abs().to_bits() => 1;
        NegatedBrain: (-bf16::from_bits(x)).to_bits() => 1;
        MagnitudeOfBrain: bf16::from_bits(x).abs().to_bits() => 1;
    }
}

expressions! {
    of_two_halves in MATH, (x: u16, y: u16) -> u16, base x ^ y => 1;
    "| `+ - * /` | both operands to `f32`, 1, back | the same |" {
        Sum: (f16::from_bits(x) + f16::from_bits(y)).to_bits() => 60;
        Quotient: (f16::from_bits(x) / f16::from_bits(y)).to_bits() => 60;
        SumOfBrains: (bf16::from_bits(x) + bf16::from_bits(y)).to_bits() => 17;
    }
}
