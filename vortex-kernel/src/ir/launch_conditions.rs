//! Conditions that a launch block alone decides: whoever starts the image answers them, once for each launch.

use smallvec::SmallVec;

use super::{BinOp, CmpOp, Type, UnOp, eval};

/// How the words of a launch block decide some conditions, and which these are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchConditions {
    steps: Vec<Step>,
    conditions: Vec<u32>,
}

/// What computes one word, of words before it by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A word of the launch block, so many bytes from its start.
    Load(u32),
    /// A constant.
    Const(u32),
    /// On a value of a type.
    Unary(UnOp, Type, u32),
    /// On two values of a type.
    Binary(BinOp, Type, [u32; 2]),
    /// Two values of a type; 0 or 1.
    Compare(CmpOp, Type, [u32; 2]),
    /// The second, if the first is not 0, or else the third.
    Select([u32; 3]),
    /// From one type to another.
    Cast(Type, Type, u32),
}

impl LaunchConditions {
    /// The most that there can be: the launch header has a word for their answers.
    pub const MOST: usize = u32::BITS as usize;

    /// Whether the image asks nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.conditions.len()
    }

    /// Appends what computes a word; its number.
    pub(crate) fn step(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        // A function has fewer values than that.
        (self.steps.len() - 1) as u32
    }

    /// Appends a condition: that a word is not 0.
    pub(crate) fn condition(&mut self, word: u32) {
        self.conditions.push(word);
    }

    /// The answers for a launch block: bit `n` is that of condition `n`. It is the word at
    /// [`header::ANSWERS`](crate::abi::header::ANSWERS), whose value in `block` does not matter.
    #[must_use]
    pub fn answers(&self, block: &[u8]) -> u32 {
        // Launches use no heap.
        let mut words: SmallVec<[u32; 256]> = SmallVec::new();
        for step in &self.steps {
            let word = |number: u32| words.get(number as usize).copied().unwrap_or_default();
            words.push(match *step {
                Step::Load(offset) => word_at(block, offset as usize).unwrap_or_default(),
                Step::Const(value) => value,
                Step::Unary(op, ty, a) => eval::unary(op, ty, word(a)),
                Step::Binary(op, ty, [a, b]) => eval::binary(op, ty, word(a), word(b)),
                Step::Compare(op, ty, [a, b]) => eval::compare(op, ty, word(a), word(b)).into(),
                Step::Select([cond, a, _]) if word(cond) != 0 => word(a),
                Step::Select([_, _, b]) => word(b),
                Step::Cast(from, to, a) => eval::cast(from, to, word(a)),
            });
        }
        let holds = |word: &u32| words.get(*word as usize).is_some_and(|word| *word != 0);
        let bits = self.conditions.iter().zip(0..u32::BITS);
        bits.fold(0, |answers, (condition, bit)| {
            answers | u32::from(holds(condition)) << bit
        })
    }
}

fn word_at(block: &[u8], offset: usize) -> Option<u32> {
    let bytes = block.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
