//! Methods of the language on values of types that have no such method: what rustc says of them.
//!
//! It would say that a type of this crate has none. So numbers, `bool`s and short vectors have them all by a trait,
//! behind the ones that they have themselves, and each under a condition that holds of no type without it.

use crate::lang::base::lane::Lane;
use half::{bf16, f16};

macro_rules! methods_elsewhere {
    ($($kind:ident: $message:literal, $note:literal { $($name:ident($($argument:ident)*))* })*) => {
        $(
            #[doc = concat!("What such methods are of; no type has it that lacks the methods: ", $message, ".")]
            #[diagnostic::on_unimplemented(
                message = $message,
                label = "not a method of `{Self}`",
                note = $note
            )]
            pub trait $kind {
                /// What such a method gives, of which nothing is known.
                type Result;

                #[doc(hidden)]
                fn result() -> Self::Result;
            }
        )*

        /// Methods that other types have.
        // They take what the methods of their names take.
        #[allow(missing_docs, non_camel_case_types, clippy::wrong_self_convention)]
        pub trait Elsewhere: Sized {
            /// The type of the value.
            type Number;

            $($(
                #[doc(hidden)]
                fn $name<$($argument),*>(self $(, _: $argument)*) -> <Self::Number as $kind>::Result
                where
                    Self::Number: $kind,
                {
                    Self::Number::result()
                }
            )*)*
        }
    };
}

/// All of them, with the functions of floats from the table in which they are declared.
macro_rules! with_functions_of_floats {
    // Integers with a sign have it, too.
    (@[$($floats:tt)*] #[doc = $summary:literal] signum(); $($rest:tt)*) => {
        with_functions_of_floats! { @[$($floats)*] $($rest)* }
    };
    (@[$($floats:tt)*] #[doc = $summary:literal] $name:ident($($argument:ident)?); $($rest:tt)*) => {
        with_functions_of_floats! { @[$($floats)* $name($($argument)?)] $($rest)* }
    };
    (@[$($floats:tt)*]) => {
        methods_elsewhere! {
            IsFloat:
                "`{Self}` is not an `f32`, and has no such method",
                "write `as f32` before it, as in `(n as f32).sqrt()`; an `f16` or `bf16` is converted by `to_f32()`; \
                 an integer has `pow(n)`, `isqrt()`, and division that rounds down" {
                sqrt() mul_add(A B) fract() recip() to_degrees() to_radians() is_nan() is_infinite() is_finite()
                is_sign_negative() is_sign_positive() to_bits() powf(A) powi(A) sin_cos()
                $($floats)*
            }
            IsHalf:
                "`{Self}` is neither an `f16` nor a `bf16`, and has no such method",
                "write `as f32`" {
                to_f32()
            }
            IsInteger:
                "`{Self}` is not an integer, and has no such method",
                "of floats, powers are `x.powi(2)` and `x.powf(0.5)`, and the remainder is `%`; bits are those of \
                 `x.to_bits()`, and an integer is made by `as`: `x as u32`" {
                count_ones() count_zeros() leading_zeros() leading_ones() trailing_zeros() trailing_ones()
                rotate_left(A) rotate_right(A) swap_bytes() reverse_bits() to_be() to_le() abs_diff(A) midpoint(A)
                pow(A) isqrt() is_power_of_two() next_power_of_two() div_euclid(A) rem_euclid(A) div_ceil(A)
                next_multiple_of(A) is_multiple_of(A) unbounded_shl(A) unbounded_shr(A) wrapping_add(A)
                wrapping_sub(A) wrapping_mul(A) wrapping_div(A) wrapping_rem(A) wrapping_neg() wrapping_pow(A)
                wrapping_shl(A) wrapping_shr(A) wrapping_div_euclid(A) wrapping_rem_euclid(A) checked_add(A)
                checked_sub(A) checked_mul(A) checked_neg() checked_pow(A) checked_shl(A) checked_shr(A)
                checked_div(A) checked_rem(A) overflowing_add(A) overflowing_sub(A) overflowing_mul(A)
                overflowing_div(A) overflowing_rem(A) overflowing_neg() overflowing_pow(A) saturating_add(A)
                saturating_sub(A) saturating_mul(A) saturating_div(A) saturating_pow(A) checked_div_euclid(A)
                checked_rem_euclid(A) checked_ilog2() checked_ilog10() ilog2() ilog10() to_le_bytes() to_be_bytes()
                to_ne_bytes() checked_next_power_of_two() checked_next_multiple_of(A)
            }
            HasSign:
                "`{Self}` is not a number with a sign, and has no such method",
                "write `as i32` before it, as in `(n as i32).abs()`; the distance of two numbers without a sign is \
                 `a.abs_diff(b)`" {
                abs() signum() is_positive() is_negative() unsigned_abs() cast_unsigned() wrapping_abs() checked_abs()
                overflowing_abs() saturating_abs() saturating_neg() wrapping_add_unsigned(A) wrapping_sub_unsigned(A)
                saturating_add_unsigned(A) saturating_sub_unsigned(A)
            }
            HasNoSign:
                "`{Self}` is not an unsigned integer, and has no such method",
                "write `as u32` before it" {
                cast_signed() wrapping_add_signed(A) saturating_add_signed(A)
            }
            IsNumber:
                "`{Self}` is not a number, and has no such method",
                "numbers are compared one by one: write `if a < b {{ a }} else {{ b }}`" {
                clamp(A B)
            }
            HasElements:
                "`{Self}` is one value, and has no elements",
                "slices and arrays have such methods: declare what it is called on as `&[T]`, or take what it is \
                 an element of" {
                len() is_empty() get(A) first() last()
            }
            IsPointer:
                "`{Self}` is not a pointer, and has no such method",
                "numbers are added by `a + b` and subtracted by `a - b`" {
                add(A) sub(A) offset(A) is_null()
            }
            IsVector:
                "`{Self}` is not a short vector of floats, and has no such method",
                "such vectors are `Vec2<f32>`, `Vec3<f32>` and `Vec4<f32>`, made by `vec2`, `vec3` and `vec4`" {
                dot(A) cross(A) length() normalize()
            }
            IsTrue:
                "`{Self}` is not a `bool`, and has no such method",
                "compare it: `(n != 0).then_some(..)`" {
                then(A) then_some(A)
            }
            IsOption:
                "`{Self}` is neither an `Option` nor a `Result`, and has no such method",
                "an element `x[i]` and a local are values themselves: remove the call; `x.get(i)` gives an `Option` \
                 of an element" {
                filter(A) zip(A) or(A) copied() cloned()
            }
            IsByte:
                "`{Self}` is not a byte, and has no such method",
                "text is made of `u8`: write `as u8` before it" {
                is_ascii() is_ascii_digit() is_ascii_lowercase() is_ascii_uppercase() is_ascii_alphabetic()
                is_ascii_alphanumeric() is_ascii_whitespace() to_ascii_lowercase() to_ascii_uppercase()
            }
        }
    };
    ($($rows:tt)*) => { with_functions_of_floats! { @[] $($rows)* } };
}

vortex_macros::float_functions!(with_functions_of_floats!);

macro_rules! have_none_of_them {
    ($($ty:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Elsewhere for Lane<$ty> {
            type Number = $ty;
        }
    )*};
}

have_none_of_them! { bool i8 i16 i32 u8 u16 u32 i64 u64 f16 bf16 f32 usize isize }
