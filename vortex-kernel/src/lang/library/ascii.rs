//! Bytes as text.

use crate::lang::base::constant::Constant;
use crate::lang::base::lane::Lane;
use crate::lang::control::method::{ReadOnly, ReadWrite};
use crate::lang::value::compare::{eq, le};
use crate::lang::value::convert::CastTo;

/// A byte as a value of the kernel.
#[track_caller]
fn byte(value: u8) -> Lane<u8> {
    Constant { value }.lane()
}

/// Whether `x` is from `first` to `last`: one comparison.
#[track_caller]
fn between(x: Lane<u8>, first: u8, last: u8) -> Lane<bool> {
    let word = |value: u8| {
        let value = u32::from(value);
        Constant { value }.lane()
    };
    // As a word, which wraps around without being cut off.
    let x: Lane<u32> = CastTo::cast(x);
    le(x.wrapping_sub(word(first)), || word(last - first))
}

/// The letter without what tells upper case from lower case.
#[track_caller]
fn lower(x: Lane<u8>) -> Lane<u8> {
    x | byte(0x20)
}

/// As Rust has them for bytes.
impl Lane<u8> {
    /// Below 128.
    #[track_caller]
    #[must_use]
    pub fn is_ascii(self) -> Lane<bool> {
        between(self, 0, 0x7f)
    }

    /// `0` to `9`.
    #[track_caller]
    #[must_use]
    pub fn is_ascii_digit(self) -> Lane<bool> {
        between(self, b'0', b'9')
    }

    /// `a` to `z`.
    #[track_caller]
    #[must_use]
    pub fn is_ascii_lowercase(self) -> Lane<bool> {
        between(self, b'a', b'z')
    }

    /// `A` to `Z`.
    #[track_caller]
    #[must_use]
    pub fn is_ascii_uppercase(self) -> Lane<bool> {
        between(self, b'A', b'Z')
    }

    /// A letter.
    #[track_caller]
    #[must_use]
    pub fn is_ascii_alphabetic(self) -> Lane<bool> {
        between(lower(self), b'a', b'z')
    }

    /// A letter or a digit.
    #[track_caller]
    #[must_use]
    pub fn is_ascii_alphanumeric(self) -> Lane<bool> {
        self.is_ascii_alphabetic() | self.is_ascii_digit()
    }

    /// Space, tab, line feed, form feed or carriage return.
    #[track_caller]
    #[must_use]
    pub fn is_ascii_whitespace(self) -> Lane<bool> {
        let line = between(self, b'\t', b'\n') | between(self, 0x0c, b'\r');
        line | eq(self, || byte(b' '))
    }

    /// The same but for the case of letters.
    #[track_caller]
    #[must_use]
    pub fn eq_ignore_ascii_case(self, other: Self) -> Lane<bool> {
        let other = other.to_ascii_lowercase();
        eq(self.to_ascii_lowercase(), || other)
    }

    /// The letter in lower case; anything else as it is.
    #[track_caller]
    #[must_use]
    pub fn to_ascii_lowercase(self) -> Self {
        let bit = CastTo::<u8>::cast(self.is_ascii_uppercase());
        self | (bit << byte(5))
    }

    /// The letter in upper case; anything else as it is.
    #[track_caller]
    #[must_use]
    pub fn to_ascii_uppercase(self) -> Self {
        let bit = CastTo::<u8>::cast(self.is_ascii_lowercase());
        self ^ (bit << byte(5))
    }
}

macro_rules! of_what_is_kept {
    ($($receiver:ident)*) => {$(
        /// As that of values, for what a method of the user could be called on, too.
        #[allow(missing_docs)]
        impl $receiver<u8> {
            #[track_caller]
            #[must_use]
            pub fn eq_ignore_ascii_case(self, other: Lane<u8>) -> Lane<bool> {
                self.taken_value().eq_ignore_ascii_case(other)
            }
        }
    )*};
}

of_what_is_kept! { ReadOnly ReadWrite }
