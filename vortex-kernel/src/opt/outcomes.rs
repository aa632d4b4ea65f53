//! What conditions say about two values, as sets of possible relations: less, equal, greater or, with a NaN, none of
//! these. Conditions about the same two values become one:
//!
//! ```text
//! a < b || a == b                     ==>     a <= b
//! (a > b) as i8 - (a < b) as i8       ==>     a >= b
//!     >= 0
//! ```
//!
//! The second is `a.cmp(&b).is_ge()`. The value compared with a constant there has few values, each under a condition
//! ([`Choice`]), so the comparison becomes a test of these conditions.

use super::defs::Defs;
use super::folded::Folded;
use crate::ir::{BinOp, CmpOp, Function, Op, Type, UnOp, Value, eval};

/// What two values are to each other where a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes {
    a: Value,
    b: Value,
    set: u8,
}

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;

/// How many operations conditions are followed through.
const DEPTH: u32 = 3;

/// All that values of a type can be to each other.
fn possible(ty: Type) -> u8 {
    match ty {
        Type::F32 => LESS | EQUAL | GREATER | UNORDERED,
        _ => LESS | EQUAL | GREATER,
    }
}

/// Where a comparison holds.
fn set_of(op: CmpOp, ty: Type) -> u8 {
    let set = match op {
        CmpOp::Eq => EQUAL,
        CmpOp::Ne => LESS | GREATER | UNORDERED,
        CmpOp::Lt => LESS,
        CmpOp::Le => LESS | EQUAL,
        CmpOp::Gt => GREATER,
        CmpOp::Ge => GREATER | EQUAL,
    };
    set & possible(ty)
}

impl Outcomes {
    /// Where `cond` holds.
    pub(super) fn of(function: &Function, defs: &Defs, cond: Value) -> Option<Self> {
        Self::of_value(function, defs, cond, DEPTH)
    }

    fn of_value(function: &Function, defs: &Defs, cond: Value, depth: u32) -> Option<Self> {
        Self::of_op(function, defs, defs.get(cond)?, depth.checked_sub(1)?)
    }

    /// Where `op`, which gives a `bool`, does.
    fn of_op(function: &Function, defs: &Defs, op: &Op, depth: u32) -> Option<Self> {
        let of = |v: &Value| Self::of_value(function, defs, *v, depth);
        match op {
            Op::Compare(op, a, b) => {
                let ty = function.ty(*a);
                let of_conditions = || {
                    let truth = |a: bool, b: bool| eval::compare(*op, ty, a.into(), b.into());
                    let (a, b) = (of(a)?, of(b)?);
                    a.joined(b, defs, possible(function.ty(a.a)), truth)
                };
                let of_values = Self {
                    a: *a,
                    b: *b,
                    set: set_of(*op, ty),
                };
                let of_conditions = (ty == Type::Bool).then(of_conditions).flatten();
                Some(of_conditions.unwrap_or(of_values))
            }
            Op::Unary(UnOp::Not, a) => Some(of(a)?.inverted(function)),
            Op::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                a.joined(b, defs, possible(function.ty(a.a)), |a, b| match op {
                    BinOp::And => a & b,
                    BinOp::Or => a | b,
                    _ => a ^ b,
                })
            }
            Op::Select(cond, a, b) => {
                let (cond, a, b) = (of(cond)?, of(a)?, of(b)?);
                let all = possible(function.ty(a.a));
                let a = cond.joined(a, defs, all, |cond, a| cond & a)?;
                let b = cond.joined(b, defs, all, |cond, b| !cond & b)?;
                a.joined(b, defs, all, |a, b| a | b)
            }
            _ => None,
        }
    }

    /// Where `truth` says so of two conditions, if they are about the same values.
    fn joined(
        self,
        other: Self,
        defs: &Defs,
        all: u8,
        truth: impl Fn(bool, bool) -> bool,
    ) -> Option<Self> {
        let other = if defs.same(self.a, other.a) && defs.same(self.b, other.b) {
            other.set
        } else if defs.same(self.a, other.b) && defs.same(self.b, other.a) {
            let turned = |from: u8, to: u8| if other.set & from != 0 { to } else { 0 };
            other.set & (EQUAL | UNORDERED) | turned(LESS, GREATER) | turned(GREATER, LESS)
        } else {
            return None;
        };
        let bits = [LESS, EQUAL, GREATER, UNORDERED];
        let set = bits.into_iter().filter(|bit| all & bit != 0);
        let set = set.filter(|bit| truth(self.set & bit != 0, other & bit != 0));
        Some(Self {
            set: set.fold(0, |set, bit| set | bit),
            ..self
        })
    }

    /// Whether the other condition holds wherever this does.
    pub(super) fn is_within(self, other: Self, function: &Function, defs: &Defs) -> bool {
        let rest = self.without(other, function, defs);
        rest.is_some_and(|rest| rest.set == 0)
    }

    /// Where it does not hold.
    pub(super) fn inverted(self, function: &Function) -> Self {
        let set = possible(function.ty(self.a)) & !self.set;
        Self { set, ..self }
    }

    /// What holds there, if one operation says so.
    pub(super) fn folded(self, function: &Function) -> Option<Folded> {
        let ty = function.ty(self.a);
        if self.set == 0 || self.set == possible(ty) {
            return Some(Folded::Word((self.set != 0).into()));
        }
        let op = (CmpOp::ALL.into_iter()).find(|op| set_of(*op, ty) == self.set)?;
        Some(Folded::Op(Op::Compare(op, self.a, self.b)))
    }

    /// Where this holds and `other` does not.
    pub(super) fn without(self, other: Self, function: &Function, defs: &Defs) -> Option<Self> {
        self.joined(other, defs, possible(function.ty(self.a)), |a, b| a & !b)
    }
}

/// One comparison for an operation on conditions about the same two values.
pub(super) fn fold_conditions(function: &Function, defs: &Defs, op: &Op) -> Option<Folded> {
    let is_of_conditions = match op {
        Op::Compare(_, a, _) => function.ty(*a) == Type::Bool,
        _ => true,
    };
    let folded = is_of_conditions.then(|| Outcomes::of_op(function, defs, op, DEPTH - 1))??;
    folded.folded(function).filter(|folded| match folded {
        Folded::Op(folded) => folded != op,
        _ => true,
    })
}

/// A number that conditions decide.
enum Choice {
    /// The first where the condition holds, else the second.
    Two(Value, [u32; 2]),
    /// 1 where only the first condition holds, the word here where only the second does, else 0.
    Three([Value; 2], u32),
}

impl Choice {
    fn of(function: &Function, defs: &Defs, value: Value) -> Option<Self> {
        let ty = function.ty(value);
        let bit = |v: &Value| match defs.get(*v) {
            Some(Op::Cast(cond)) if function.ty(*cond) == Type::Bool => Some(*cond),
            _ => None,
        };
        if !ty.is_int() || ty.is_wide() {
            return None;
        }
        match defs.get(value)? {
            Op::Cast(cond) if function.ty(*cond) == Type::Bool => Some(Self::Two(*cond, [1, 0])),
            // It changes no word.
            Op::Cast(a) if ty.bits() == 32 => Self::of(function, defs, *a),
            Op::Unary(UnOp::Neg, a) => Some(Self::Two(bit(a)?, [eval::canonical(u32::MAX, ty), 0])),
            Op::Binary(BinOp::Sub, a, b) => {
                let conditions = [bit(a)?, bit(b)?];
                Some(Self::Three(conditions, eval::canonical(u32::MAX, ty)))
            }
            Op::Select(cond, a, b) => {
                let words = [defs.constant(*a)?, defs.constant(*b)?];
                Some(Self::Two(*cond, words))
            }
            _ => None,
        }
    }
}

/// A comparison with a constant of what conditions decide.
pub(super) fn fold_compare_of_choice(
    function: &Function,
    defs: &Defs,
    op: CmpOp,
    value: Value,
    constant: u32,
) -> Option<Folded> {
    let ty = function.ty(value);
    let holds = |word| eval::compare(op, ty, word, constant);
    Some(match Choice::of(function, defs, value)? {
        Choice::Two(cond, words) => match words.map(holds) {
            [true, false] => Folded::Value(cond),
            [false, true] => Folded::Op(Op::Unary(UnOp::Not, cond)),
            [same, _] => Folded::Word(same.into()),
        },
        Choice::Three([a, b], less) => {
            let op = match [less, 0, 1].map(holds) {
                [true, false, false] => CmpOp::Lt,
                [true, true, false] => CmpOp::Le,
                [false, true, false] => CmpOp::Eq,
                [true, false, true] => CmpOp::Ne,
                [false, true, true] => CmpOp::Ge,
                [false, false, true] => CmpOp::Gt,
                [same, ..] => return Some(Folded::Word(same.into())),
            };
            Folded::Op(Op::Compare(op, a, b))
        }
    })
}

/// Through how many choices it is followed what conditions decide.
const CHOICES: u32 = 3;

/// Whether a comparison of `value` with a constant is about conditions.
pub(super) fn is_choice(function: &Function, defs: &Defs, value: Value) -> bool {
    is_choice_within(function, defs, value, CHOICES)
}

fn is_choice_within(function: &Function, defs: &Defs, value: Value, depth: u32) -> bool {
    let of = |v: &Value| is_choice_within(function, defs, *v, depth - 1);
    match defs.get(value) {
        Some(Op::Const(_)) => true,
        Some(Op::Select(_, a, b)) if depth > 0 => of(a) && of(b),
        _ => Choice::of(function, defs, value).is_some(),
    }
}
