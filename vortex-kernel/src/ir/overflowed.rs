//! What an overflow tells.

use super::{OVERFLOWING, Type};

/// The operands of a [`FaultKind::Overflow`](super::FaultKind::Overflow), read: which operation, and of which numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflowed {
    /// The operation's number among [`OVERFLOWING`].
    pub operation: u32,
    /// The numbers and how many bits each has, where they are told.
    pub numbers: Option<([i128; 2], u32)>,
}

/// Where the bits of a number are in the first word, and whether it is signed.
const BITS: u32 = 8;
const SIGNED: u32 = 16;

impl Overflowed {
    /// The first operand, where two numbers of type `ty` follow, or none.
    pub(crate) fn word(operation: u32, ty: Option<Type>) -> u32 {
        let of = |ty: Type| ty.bits() << BITS | u32::from(ty.is_signed()) << SIGNED;
        operation | ty.map_or(0, of)
    }

    /// What these operands tell. Words that are too few are zeros.
    #[must_use]
    pub fn read(words: &[u32]) -> Self {
        let word = |n: usize| words.get(n).copied().unwrap_or_default();
        let bits = word(0) >> BITS & 0xff;
        let is_signed = word(0) >> SIGNED & 1 != 0;
        let number = |n: usize| match (bits, is_signed) {
            (64, _) => {
                let whole = u64::from(word(2 * n + 1)) | u64::from(word(2 * n + 2)) << 32;
                match is_signed {
                    true => whole.cast_signed().into(),
                    false => whole.into(),
                }
            }
            (_, true) => word(n + 1).cast_signed().into(),
            (_, false) => word(n + 1).into(),
        };
        Self {
            operation: word(0) & 0xff,
            numbers: (bits > 0).then(|| ([number(0), number(1)], bits)),
        }
    }

    /// For people.
    #[must_use]
    pub fn what(&self) -> &'static str {
        let known = OVERFLOWING.get(self.operation as usize).copied();
        known.unwrap_or("an operation")
    }
}
