//! What numbers there are: which types have which operators and methods.

use ::half::{bf16, f16};

use crate::types::{DeviceType, Scalar, Word};

/// Numbers: `+ - * / %`, `min`, `max`, `clamp`.
#[diagnostic::on_unimplemented(
    message = "kernels cannot calculate with `{Self}`",
    label = "not a number",
    note = "numbers are `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16`, `bf16`, `f32`, `usize` and `isize`"
)]
pub trait Num:
    DeviceType<Repr = Word>
    + Scalar
    + PartialOrd
    // For functions that are the host's, too.
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
    + std::ops::AddAssign
    + std::ops::SubAssign
    + std::ops::MulAssign
    + std::ops::DivAssign
    + std::ops::RemAssign
{
}

/// Numbers with a sign: unary `-`, `abs`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no negative values",
    label = "only `i8`, `i16`, `i32`, `i64`, `isize`, `f16`, `bf16` and `f32` can be negated"
)]
pub trait Signed: Num + std::ops::Neg<Output = Self> {}

/// `f16` and `bf16`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float of 16 bits",
    label = "only `f16` and `bf16` can be used here in a kernel"
)]
pub trait Half: Num {}

/// Integers and `bool`: `& | ^ !`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bit operators",
    label = "only integers and `bool` have `&`, `|`, `^` and `!`"
)]
pub trait Bits: Scalar {}

/// Integers: shifts, `for` over a range, and the methods of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "only integers can be used here in a kernel",
    note = "integers are `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `usize` and `isize`"
)]
pub trait Int:
    Num
    + Bits
    + Ord
    + std::ops::BitAnd<Output = Self>
    + std::ops::BitOr<Output = Self>
    + std::ops::BitXor<Output = Self>
    + std::ops::Not<Output = Self>
    + std::ops::Shl<Output = Self>
    + std::ops::Shr<Output = Self>
    + std::ops::BitAndAssign
    + std::ops::BitOrAssign
    + std::ops::BitXorAssign
    + std::ops::ShlAssign
    + std::ops::ShrAssign
{
    /// The unsigned integer of the same width.
    type Unsigned: Unsigned<Signed = Self::Signed>;
    /// The signed integer of the same width.
    type Signed: SignedInt;
    /// What distances of two are compared with steps as, which have 32 bits.
    type Distance: Unsigned;
}

/// Integers without negative values: powers of two, rounding up.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an unsigned integer",
    label = "only unsigned integers can be used here in a kernel",
    note = "unsigned integers are `u8`, `u16`, `u32`, `u64` and `usize`"
)]
pub trait Unsigned: Int {}

/// Integers with negative values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a signed integer",
    label = "only signed integers can be used here in a kernel",
    note = "signed integers are `i8`, `i16`, `i32`, `i64` and `isize`"
)]
pub trait SignedInt: Int + Signed {}

macro_rules! mark {
    ($($marker:ident: $($ty:ty)*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl $marker for $ty {}
    )*)*};
}

mark! {
    Num: i8 i16 i32 u8 u16 u32 i64 u64 f16 bf16 f32 usize isize;
    Signed: i8 i16 i32 i64 f16 bf16 f32 isize;
    Half: f16 bf16;
    Bits: bool i8 i16 i32 u8 u16 u32 i64 u64 usize isize;
}

macro_rules! pairs {
    ($($unsigned:ident $signed:ident: $distance:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Int for $unsigned {
            type Unsigned = $unsigned;
            type Signed = $signed;
            type Distance = $distance;
        }
        #[diagnostic::do_not_recommend]
        impl Int for $signed {
            type Unsigned = $unsigned;
            type Signed = $signed;
            type Distance = $distance;
        }
        #[diagnostic::do_not_recommend]
        impl Unsigned for $unsigned {}
        #[diagnostic::do_not_recommend]
        impl SignedInt for $signed {}
    )*};
}

pairs! { u8 i8: u32; u16 i16: u32; u32 i32: u32; u64 i64: u64; usize isize: u32; }
