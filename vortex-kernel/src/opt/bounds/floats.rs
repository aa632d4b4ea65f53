//! Bounds of floats, for indices made of them: `(x * scale) as usize`, and what `x >= 0.0 && x < w as f32` guards.
//!
//! Rounding keeps order, so what an operation gives for the ends of its operands' intervals are ends of its own, unless
//! one is not a number. That is asked once, before the loop. A float of an item that is not a number is no index out of
//! bounds: as a word it is 0.

use super::super::conditions::Obligation;
use super::super::symbolic::{Float, Sym};
use super::{Bounds, Fact, Search};
use crate::ir::{BinOp, CmpOp, Op, Type, UnOp, Value};

/// An end of the interval that a float is in, or else it is no number.
#[derive(Clone, Copy)]
enum End {
    Low,
    High,
}

impl End {
    const fn other(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::High => Self::Low,
        }
    }

    /// The one of two numbers that is further out.
    const fn outer(self) -> BinOp {
        match self {
            Self::Low => BinOp::Min,
            Self::High => BinOp::Max,
        }
    }
}

impl Bounds<'_> {
    /// An upper bound of a float's integer part.
    pub(super) fn up_of_float(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        if let Some(below) = self.below_an_integer(value, depth, search) {
            return Some(below);
        }
        let high = self.end(End::High, value, depth, search)?;
        search.obligations.push(Obligation::Number(high.clone()));
        Some(Sym::of_float(high))
    }

    /// Asks that a float is not negative, if it is a number.
    pub(super) fn ask_not_negative(
        &self,
        value: Value,
        depth: u32,
        search: &mut Search,
    ) -> Option<()> {
        let low = self.end(End::Low, value, depth, search)?;
        search.obligations.push(Obligation::NotNegative(low));
        Some(())
    }

    /// One less than an integer that the float is less than.
    fn below_an_integer(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        let depth = depth.checked_sub(1)?;
        let says = |fact: &&Fact| fact.a == value && fact.op == CmpOp::Lt;
        self.facts.iter().rev().filter(says).find_map(|fact| {
            if let Some(bits) = self.defs.constant(fact.b) {
                let limit = f32::from_bits(bits).ceil();
                let is_word = limit < u32::MAX as f32;
                return is_word.then(|| Sym::Const((limit as u32).saturating_sub(1)));
            }
            let &Op::Cast(limit) = self.defs.get(fact.b)? else {
                return None;
            };
            let limit = self.word(limit, depth, search)?;
            // The float of a word that is not exactly one is an integer, too. Nothing is below 0 but what gives 0.
            let limit = Sym::of_float(Float::of_word(limit));
            Some(Sym::op(BinOp::Sub, limit, Sym::Const(1)))
        })
    }

    /// An upper bound of a word that is made a float.
    fn word(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        let is_word = self.is_word_not_negative(value, depth);
        is_word.then(|| Self::attempt(search, |search| self.up(value, depth, search)))?
    }

    fn is_word_not_negative(&self, value: Value, depth: u32) -> bool {
        match self.function.ty(value) {
            Type::U8 | Type::U16 | Type::U32 => true,
            Type::I32 => self.is_not_negative(value, depth),
            _ => false,
        }
    }

    /// An end made of what does not change. It is one if it is a number.
    fn end(&self, end: End, value: Value, depth: u32, search: &mut Search) -> Option<Float> {
        if let Some(known) = self.known_float(value) {
            return Some(known);
        }
        search.steps = search.steps.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let compared = self.end_by_fact(end, value);
        compared.or_else(|| {
            Self::attempt(search, |search| {
                self.end_by_definition(end, value, depth, search)
            })
        })
    }

    /// By a comparison with what does not change.
    fn end_by_fact(&self, end: End, value: Value) -> Option<Float> {
        let mut orders = self.facts.iter().rev().filter(|fact| fact.op != CmpOp::Ne);
        orders.find_map(|fact| {
            let (one, other) = match end {
                End::Low => (fact.b, fact.a),
                End::High => (fact.a, fact.b),
            };
            (one == value).then(|| self.known_float(other))?
        })
    }

    fn end_by_definition(
        &self,
        end: End,
        value: Value,
        depth: u32,
        search: &mut Search,
    ) -> Option<Float> {
        match *self.defs.get(value)? {
            Op::Cast(word) => match end {
                End::Low => (self.is_word_not_negative(word, depth)).then_some(Float::ZERO),
                End::High => self.word(word, depth, search).map(Float::of_word),
            },
            Op::Unary(UnOp::Neg, a) => {
                let of = self.end(end.other(), a, depth, search)?;
                Some(Float::op(BinOp::Sub, Float::ZERO, of))
            }
            Op::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let end_of_b = if op == BinOp::Sub { end.other() } else { end };
                let a = self.end(end, a, depth, search)?;
                let b = self.end(end_of_b, b, depth, search)?;
                Some(Float::op(op, a, b))
            }
            Op::Binary(op @ (BinOp::Mul | BinOp::Div), a, b) => {
                let (of, factor) = match (self.known_float(a), self.known_float(b)) {
                    (_, Some(factor)) => (a, factor),
                    (Some(factor), None) if op == BinOp::Mul => (b, factor),
                    _ => return None,
                };
                let mut scaled = |end| {
                    let of = self.end(end, of, depth, search)?;
                    Some(Float::op(op, of, factor.clone()))
                };
                match factor {
                    Float::Const(bits) if f32::from_bits(bits) > 0.0 => scaled(end),
                    // Its sign decides which end becomes which.
                    _ => {
                        let ends = [scaled(End::Low)?, scaled(End::High)?];
                        Some(outer(end, ends, search))
                    }
                }
            }
            Op::Binary(op @ (BinOp::Min | BinOp::Max), a, b) => {
                let known = self.known_float(a).or_else(|| self.known_float(b));
                match known {
                    // Of a number and what is none, the number: so an end by itself is only what does not change.
                    Some(known) if op != end.outer() => Some(known),
                    _ => {
                        let a = self.end(end, a, depth, search)?;
                        let b = self.end(end, b, depth, search)?;
                        Some(outer(end, [a, b], search))
                    }
                }
            }
            Op::Select(cond, a, b) => {
                let a = self.where_is(cond, true).end(end, a, depth, search)?;
                let b = self.where_is(cond, false).end(end, b, depth, search)?;
                Some(outer(end, [a, b], search))
            }
            _ => None,
        }
    }

    /// The value itself, if it can be asked for before the loop.
    fn known_float(&self, value: Value) -> Option<Float> {
        if let Some(bits) = self.defs.constant(value) {
            return Some(Float::Const(bits));
        }
        let is_known = self.function.ty(value) == Type::F32 && !self.unknown[value];
        is_known.then_some(Float::Value(value))
    }
}

/// The one of two ends that is further out. It may hide that the other is no number, so both are asked to be.
fn outer(end: End, [a, b]: [Float; 2], search: &mut Search) -> Float {
    if a == b {
        return a;
    }
    let numbers = [&a, &b].map(|end| Obligation::Number(end.clone()));
    search.obligations.extend(numbers);
    Float::op(end.outer(), a, b)
}
