//! Conditions that a launch block alone decides: the host that starts the image evaluates them once for each launch, or
//! checks that all hold.

use smallvec::SmallVec;

use crate::abi::header;

use super::{BinOp, CmpOp, Type, UnOp, eval};

/// Conditions that the words of a launch block decide, and how to compute them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchConditions {
    steps: Vec<Step>,
    conditions: Vec<u32>,
    are_assumed: bool,
}

/// Where the conditions that a launch block alone decides are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LaunchTests {
    /// Each warp, so that the image's host need not know about them.
    #[default]
    ByDevice,
    /// The host that fills the launch block, by [`LaunchConditions::answer`].
    ByHost,
    /// Nowhere: the code is for launches that satisfy the most demanding version of each loop, and has no other
    /// versions. The host that fills the launch block checks that first, by [`LaunchConditions::hold`]. Not for images
    /// in files, which do not have the conditions.
    Assumed,
}

/// What computes one word, of words before it by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A word of the launch block, this many bytes from its start.
    Load(u32),
    /// A constant.
    Const(u32),
    /// On a value of a type.
    Unary(UnOp, Type, u32),
    /// On two values of a type.
    Binary(BinOp, Type, [u32; 2]),
    /// Two values of a type; 0 or 1.
    Compare(CmpOp, Type, [u32; 2]),
    /// The second, if the first is not 0, otherwise the third.
    Select([u32; 3]),
    /// From one type to another.
    Cast(Type, Type, u32),
}

impl LaunchConditions {
    /// The maximal number: the launch header has a word for their results.
    pub const MOST: usize = u32::BITS as usize;

    /// Conditions of an image, none yet; `None` if the device tests them.
    #[must_use]
    pub fn of(tests: LaunchTests) -> Option<Self> {
        (tests != LaunchTests::ByDevice).then(|| Self {
            are_assumed: tests == LaunchTests::Assumed,
            ..Self::default()
        })
    }

    /// How many conditions the code relies on.
    #[must_use]
    pub const fn assumed_count(&self) -> usize {
        match self.are_assumed {
            true => self.conditions.len(),
            false => 0,
        }
    }

    /// Whether code relies on them.
    pub(crate) const fn are_assumed(&self) -> bool {
        self.are_assumed
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

    /// Writes the results into an otherwise complete launch block whose arguments have this size: bit `n` of
    /// [`LaunchHeader::answers`](crate::abi::LaunchHeader::answers) is that of condition `n`.
    pub fn answer(&self, block: &mut [u8], args_size: usize) {
        if self.conditions.is_empty() || self.are_assumed {
            return;
        }
        let words = self.words(block);
        let bits = self.conditions.iter().zip(0..u32::BITS);
        let answers = bits.fold(0, |answers, (condition, bit)| {
            answers | u32::from(holds(&words, *condition)) << bit
        });
        let answers = answers.to_le_bytes();
        let at = args_size + header::ANSWERS as usize;
        if let Some(place) = block.get_mut(at..at + answers.len()) {
            place.copy_from_slice(&answers);
        }
    }

    /// Whether the image's code is for launches with this otherwise complete launch block: everything that it
    /// [assumes](LaunchTests::Assumed) holds.
    #[must_use]
    pub fn hold(&self, block: &[u8]) -> bool {
        if self.conditions.is_empty() || !self.are_assumed {
            return true;
        }
        let words = self.words(block);
        let mut conditions = self.conditions.iter();
        conditions.all(|condition| holds(&words, *condition))
    }

    fn words(&self, block: &[u8]) -> Words {
        let mut words = Words::new();
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
        words
    }
}

/// What the steps compute. Launches of this many use no heap.
type Words = SmallVec<[u32; 256]>;

fn holds(words: &Words, condition: u32) -> bool {
    words.get(condition as usize).is_some_and(|word| *word != 0)
}

fn word_at(block: &[u8], offset: usize) -> Option<u32> {
    let bytes = block.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
