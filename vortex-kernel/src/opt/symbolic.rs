//! Expressions over values from outside a loop: the form of bounds, and of the tests before the loop.

use crate::ir::{BinOp, Type, Value, eval};
use std::rc::Rc;

/// An expression over `u32` values of a place outside the loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sym {
    Const(u32),
    Value(Value),
    Op(BinOp, Rc<Self>, Rc<Self>),
    /// The highest bit of a word and all below it.
    Bits(Rc<Self>),
    /// A float's integer part; 0 of what is below 1 or no number, and `u32::MAX` of what is above it.
    OfFloat(Rc<Float>),
}

/// An expression over `f32` values and words of a place outside the loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Float {
    /// By its bits.
    Const(u32),
    Value(Value),
    Op(BinOp, Rc<Self>, Rc<Self>),
    /// The nearest one to a word.
    OfWord(Rc<Sym>),
}

impl Sym {
    pub(super) fn op(op: BinOp, a: Self, b: Self) -> Self {
        match (op, &a, &b) {
            (_, Self::Const(x), Self::Const(y)) => Self::Const(eval::binary(op, Type::U32, *x, *y)),
            (BinOp::Add | BinOp::Sub | BinOp::Max, _, Self::Const(0)) => a,
            (BinOp::Add | BinOp::Max, Self::Const(0), _) => b,
            (BinOp::Mul, _, Self::Const(1)) => a,
            (BinOp::Mul, Self::Const(1), _) => b,
            (BinOp::Mul | BinOp::Min, Self::Const(0), _)
            | (BinOp::Mul | BinOp::Min, _, Self::Const(0)) => Self::Const(0),
            _ if a == b && matches!(op, BinOp::Min | BinOp::Max) => a,
            _ => Self::Op(op, Rc::new(a), Rc::new(b)),
        }
    }

    /// 1 if both are the same, and 0 otherwise.
    pub(super) fn is_equal(a: Self, b: Self) -> Self {
        let differ = Self::op(BinOp::Min, Self::op(BinOp::Xor, a, b), Self::Const(1));
        Self::op(BinOp::Xor, differ, Self::Const(1))
    }

    /// Whether this cannot be less than the other, as it is the same and no less is added: `(n - 1) + 2` and `n`. What
    /// is taken away is taken to be there.
    pub(super) fn is_never_less(&self, other: &Self) -> bool {
        let ((of, added), (of_other, more)) = (self.and_added(), other.and_added());
        of == of_other && added >= more
    }

    /// What constants are added to and taken from, and what that comes to.
    fn and_added(&self) -> (Option<&Self>, i64) {
        match self {
            Self::Const(word) => (None, i64::from(*word)),
            Self::Op(op @ (BinOp::Add | BinOp::Sub), a, b) => match (&**b, op) {
                (Self::Const(word), BinOp::Add) => {
                    let (of, added) = a.and_added();
                    (of, added + i64::from(*word))
                }
                (Self::Const(word), _) => {
                    let (of, added) = a.and_added();
                    (of, added - i64::from(*word))
                }
                _ => (Some(self), 0),
            },
            _ => (Some(self), 0),
        }
    }

    /// The integer part of a float.
    pub(super) fn of_float(float: Float) -> Self {
        match float {
            Float::Const(bits) => Self::Const(eval::cast(Type::F32, Type::U32, bits)),
            _ => Self::OfFloat(Rc::new(float)),
        }
    }

    pub(super) fn bits(word: Self) -> Self {
        match word {
            Self::Const(0) => word,
            Self::Const(word) => Self::Const(u32::MAX >> word.leading_zeros()),
            Self::Bits(_) => word,
            _ => Self::Bits(Rc::new(word)),
        }
    }
}

impl Float {
    pub(super) const ZERO: Self = Self::Const(0);

    pub(super) fn op(op: BinOp, a: Self, b: Self) -> Self {
        match (&a, &b) {
            (Self::Const(x), Self::Const(y)) => Self::Const(eval::binary(op, Type::F32, *x, *y)),
            _ if a == b && matches!(op, BinOp::Min | BinOp::Max) => a,
            _ => Self::Op(op, Rc::new(a), Rc::new(b)),
        }
    }

    pub(super) fn of_word(word: Sym) -> Self {
        match word {
            Sym::Const(word) => Self::Const(eval::cast(Type::U32, Type::F32, word)),
            _ => Self::OfWord(Rc::new(word)),
        }
    }
}
