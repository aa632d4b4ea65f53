//! How types are written that have parameters: texts that are put together before the program runs.

use std::marker::PhantomData;

use super::scalar_type::Spelling;

/// What the name of a type is put together of.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// Text.
    Text(&'static str),
    /// A number in it.
    Number(i128),
}

/// A type with a name of parts: `[f32; 4]`, `Pair<f32>`.
#[doc(hidden)]
pub trait Parts {
    /// The parts, in order.
    const PARTS: &'static [Part];
}

/// The name of such a type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Spelled<T>(PhantomData<T>);

impl<T: Parts> Spelled<T> {
    const NAME: &'static Text = &Text::of(T::PARTS, "", "");
    const SLICE: &'static Text = &Text::of(T::PARTS, "&[", "]");
    const SLICE_MUT: &'static Text = &Text::of(T::PARTS, "&mut [", "]");
    const PTR: &'static Text = &Text::of(T::PARTS, "*const ", "");
    const PTR_MUT: &'static Text = &Text::of(T::PARTS, "*mut ", "");
    const LOCAL: &'static Text = &Text::of(T::PARTS, "&mut Local<[", "]>");

    /// Alone and as what slices and pointers refer to.
    pub const SPELLING: Spelling = Spelling {
        name: Self::NAME.as_str(),
        slice: Self::SLICE.as_str(),
        slice_mut: Self::SLICE_MUT.as_str(),
        ptr: Self::PTR.as_str(),
        ptr_mut: Self::PTR_MUT.as_str(),
        local: Self::LOCAL.as_str(),
    };
}

/// Text that is put together before the program runs. What no longer fits is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    bytes: [u8; MOST],
    len: usize,
}

/// The most bytes of a [`Text`].
const MOST: usize = 200;

impl Text {
    pub(crate) const EMPTY: Self = Self {
        bytes: [0; MOST],
        len: 0,
    };

    pub(crate) const fn of(parts: &[Part], before: &str, after: &str) -> Self {
        let mut text = Self::EMPTY.with(before);
        let mut n = 0;
        while n < parts.len() {
            text = match parts[n] {
                Part::Text(part) => text.with(part),
                Part::Number(number) if number < 0 => {
                    text.with("-").with_number(number.unsigned_abs())
                }
                Part::Number(number) => text.with_number(number.unsigned_abs()),
            };
            n += 1;
        }
        text.with(after)
    }

    pub(crate) const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.len + text.len() > self.bytes.len() {
            return self;
        }
        let mut n = 0;
        while n < text.len() {
            self.bytes[self.len + n] = text[n];
            n += 1;
        }
        self.len += n;
        self
    }

    pub(crate) const fn with_number(self, number: u128) -> Self {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let before = if number < 10 {
            self
        } else {
            self.with_number(number / 10)
        };
        before.with(DIGITS[(number % 10) as usize])
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}
