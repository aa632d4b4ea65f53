//! 16-bit floats, from and to 32-bit ones.

const QUIET: u32 = 0x7e00;
const QUIET_BF16: u32 = 0x7fc0;

pub(super) fn from_f16(bits: u32) -> u32 {
    let sign = (bits & 0x8000) << 16;
    // The exponent of infinities and NaNs stays the highest one.
    let number = (bits & 0x7fff) << 13;
    if number >= 0x0f80_0000 {
        return sign | number | 0x7f80_0000;
    }
    // Exact: the exponents differ in what they count from, by 112.
    sign | (f32::from_bits(number) * f32::from_bits((127 + 112) << 23)).to_bits()
}

/// To nearest, ties to even; of NaN, a quiet one with its sign.
pub(super) fn to_f16(value: f32) -> u32 {
    let sign = (value.to_bits() & 0x8000_0000) >> 16;
    if value.is_nan() {
        return sign | QUIET;
    }
    sign | u32::from(half::f16::from_f32(value.abs()).to_bits())
}

/// To nearest, ties to even; of NaN, a quiet one without a sign.
pub(super) fn to_bf16(value: f32) -> u32 {
    if value.is_nan() {
        return QUIET_BF16;
    }
    half::bf16::from_f32(value).to_bits().into()
}
