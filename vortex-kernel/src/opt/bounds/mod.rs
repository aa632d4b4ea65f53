//! Upper bounds of unsigned expressions, as expressions over values that do not change in a loop.
//!
//! [`Bounds::upper`] goes through the definition of a value down to values from outside the loop, and to values that a
//! fact in force bounds (`x < h`: a condition, an assumption, a loop's test). Arithmetic wraps, so a bound holds only
//! if no step of it does: the conditions for that are collected as [`Obligation`]s, over invariant values too, to be
//! tested once before the loop.

mod floats;
mod least;
mod order;
mod quotients;

use super::always::Always;
use super::conditions::Obligation;
use super::defs::Defs;
use super::symbolic::Sym;
use crate::ir::check_note::Why;
use crate::ir::{Arm, BinOp, CmpOp, Function, Op, SecondaryMap, Type, Value, While};
use quotients::Quotient;
use std::rc::Rc;

/// `a < b`, `a <= b` or `a != b`, true at a place: signed if these are `i32`s. Of floats, it is true or one of both is
/// not a number.
#[derive(Clone, Copy, Debug)]
struct Fact {
    op: CmpOp,
    a: Value,
    b: Value,
    /// It is what a check has tested. Other lengths have nothing to do with it, so bounds are not made of it.
    of_check: bool,
}

/// What is known where a bound is asked for.
pub(super) struct Bounds<'a> {
    pub(super) function: &'a Function,
    pub(super) defs: &'a Defs,
    /// Values that cannot be asked for before the loop.
    pub(super) unknown: &'a SecondaryMap<Value, bool>,
    /// Innermost last.
    facts: Vec<Fact>,
    always: Rc<Always>,
}

/// Expressions are followed this deep, and this many steps in all.
const DEPTH: u32 = 10;
const STEPS: u32 = 80;

/// How many operations of known values are known.
const OPERATIONS: u32 = 3;

/// What a condition may add to a value of which it says something: `x + 1 < w`.
const AHEAD: u32 = 1 << 16;

/// One derivation.
struct Search {
    obligations: Vec<Obligation>,
    steps: u32,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(
        function: &'a Function,
        defs: &'a Defs,
        unknown: &'a SecondaryMap<Value, bool>,
    ) -> Self {
        Self {
            function,
            defs,
            unknown,
            facts: Vec::new(),
            always: Rc::default(),
        }
    }

    /// An upper bound of `value`, and what must hold for it.
    pub(super) fn upper(&self, value: Value) -> Option<(Sym, Vec<Obligation>)> {
        let mut search = Search {
            obligations: Vec::new(),
            steps: STEPS,
        };
        let bound = self.up(value, DEPTH, &mut search)?;
        Some((bound, search.obligations))
    }

    /// What keeps `value` from having an upper bound, where it has none.
    pub(super) fn obstacle(&self, mut value: Value) -> Why {
        for _ in 0..DEPTH {
            let ty = self.function.ty(value);
            if ty != Type::U32 && ty != Type::I32 {
                return Why::Number(ty);
            }
            let operands = match self.defs.get(value) {
                None => return Why::Value(value),
                Some(Op::Binary(_, a, b) | Op::Select(_, a, b)) => vec![*a, *b],
                Some(Op::Cast(a)) => vec![*a],
                Some(_) => return Why::Operation,
            };
            let unbound = operands.into_iter().find(|v| self.upper(*v).is_none());
            match unbound {
                Some(operand) => value = operand,
                None => return Why::Operation,
            }
        }
        Why::Operation
    }

    /// Learns what follows from `cond` being `truth`.
    pub(super) fn learn(&mut self, cond: Value, truth: bool) {
        self.learn_from(cond, truth, false);
    }

    /// Learns what follows from a check, behind it.
    pub(super) fn learn_checked(&mut self, cond: Value) {
        self.learn_from(cond, true, true);
    }

    fn learn_from(&mut self, cond: Value, truth: bool, of_check: bool) {
        match (self.defs.get(cond), truth) {
            (Some(Op::Unary(_, inner)), _) => self.learn_from(*inner, !truth, of_check),
            (Some(Op::Compare(op, a, b)), _)
                if matches!(self.function.ty(*a), Type::U32 | Type::I32 | Type::F32) =>
            {
                let (a, b) = (*a, *b);
                let (op, a, b) = match (op, truth) {
                    (CmpOp::Lt, true) | (CmpOp::Ge, false) => (CmpOp::Lt, a, b),
                    (CmpOp::Gt, true) | (CmpOp::Le, false) => (CmpOp::Lt, b, a),
                    (CmpOp::Le, true) | (CmpOp::Gt, false) => (CmpOp::Le, a, b),
                    (CmpOp::Ge, true) | (CmpOp::Lt, false) => (CmpOp::Le, b, a),
                    (CmpOp::Ne, true) | (CmpOp::Eq, false) => (CmpOp::Ne, a, b),
                    (CmpOp::Eq, true) | (CmpOp::Ne, false) => return,
                };
                self.facts.push(Fact { op, a, b, of_check });
            }
            _ => {
                let both = self.defs.both(cond).filter(|both| both.is_and == truth);
                if let Some(both) = both {
                    self.learn_from(both.first, truth, of_check);
                    self.learn_from(both.second, truth, of_check);
                }
            }
        }
    }

    /// How much has been learnt from conditions.
    pub(super) fn learnt(&self) -> usize {
        self.facts.len()
    }

    /// Forgets what has been learnt from conditions since there was so much of it.
    pub(super) fn forget(&mut self, learnt: usize) {
        self.facts.truncate(learnt);
    }

    /// Notes what is known about the parameters of a loop.
    pub(super) fn enter(&mut self, w: &While) {
        Rc::make_mut(&mut self.always).enter(w, self.function, self.defs);
    }

    /// Notes what is known about the results of a loop that it has gone into.
    pub(super) fn left(&mut self, results: &[Value], w: &While) {
        Rc::make_mut(&mut self.always).left(results, w);
    }

    /// Notes what an `If` gives: what its first arm does, if it is a check that is taken to hold.
    pub(super) fn given(&mut self, results: &[Value], cond: Value, arms: [&Arm; 2], holds: bool) {
        Rc::make_mut(&mut self.always).given(results, cond, arms, holds, self.defs);
    }

    /// The value itself, if it can be asked for before the loop.
    pub(super) fn known(&self, value: Value) -> Option<Sym> {
        self.known_by(value, OPERATIONS)
    }

    /// The same of a value that is computed of such, as a quotient is behind the check of its divisor, in that many
    /// operations.
    fn known_by(&self, value: Value, operations: u32) -> Option<Sym> {
        let value = self.always.once_checked(value);
        if let Some(word) = self.defs.constant(value) {
            return Some(Sym::Const(word));
        }
        let ty = self.function.ty(value);
        if matches!(ty, Type::U32 | Type::I32) && !self.unknown[value] {
            return Some(Sym::Value(value));
        }
        let operations = operations.checked_sub(1)?;
        match self.defs.get(value) {
            Some(Op::Binary(op, a, b)) if ty == Type::U32 => {
                let known = |value: Value| self.known_by(value, operations);
                Some(Sym::op(*op, known(*a)?, known(*b)?))
            }
            _ => None,
        }
    }

    /// An upper bound; of an `i32` one of the word that it is, as an index is a word.
    fn up(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        let value = self.always.once_checked(value);
        if let Some(sym) = self.known(value) {
            return Some(sym);
        }
        search.steps = search.steps.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let bound = self
            .up_by_steps(value, depth, search)
            .or_else(|| self.up_by_fact(value, depth, search))
            .or_else(|| self.up_by_other(value, depth, search))
            .or_else(|| self.up_by_definition(value, depth, search))?;
        Some(self.unless_it_is_not(value, bound))
    }

    /// One less where the bound is what facts say that the value is not: the element before the last one, in a branch
    /// that excludes the last.
    fn unless_it_is_not(&self, value: Value, mut bound: Sym) -> Sym {
        let differ = |fact: &&Fact| fact.op == CmpOp::Ne && !fact.of_check;
        for fact in self.facts.iter().filter(differ) {
            for (one, other) in [(fact.a, fact.b), (fact.b, fact.a)] {
                let (Some(more), Some(other)) = (self.ahead(one, value), self.known(other)) else {
                    continue;
                };
                let most = Sym::op(BinOp::Add, bound.clone(), Sym::Const(more));
                // Where nothing can be as large, nobody gets there.
                if other != Sym::Const(0) {
                    bound = Sym::op(BinOp::Sub, bound, Sym::is_equal(most, other));
                }
            }
        }
        bound
    }

    fn up_by_other(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        Self::attempt(search, |search| {
            if let Some(start) = self.always.most.get(&value) {
                return self.up(*start, depth, search);
            }
            if let Some((cond, value)) = self.always.guarded.get(&value) {
                return self.where_is(*cond, true).up(*value, depth, search);
            }
            let limited = self.always.limited.get(&value)?;
            let start = self.up(limited.start, depth, search)?;
            let limit = match limited.is_less {
                true => self.up_of_rest(limited.limit, search)?,
                false => self.up(limited.limit, depth, search)?,
            };
            Some(Sym::op(BinOp::Max, start, limit))
        })
    }

    /// Takes back the obligations of a way that led nowhere.
    fn attempt<T>(search: &mut Search, way: impl FnOnce(&mut Search) -> Option<T>) -> Option<T> {
        let mark = search.obligations.len();
        let found = way(search);
        if found.is_none() {
            search.obligations.truncate(mark);
        }
        found
    }

    /// The last step of a counter: `start + (last - start) / step * step`, if it starts at all; `last` where of the
    /// start only a bound is known.
    fn up_by_steps(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        let steps = self.always.steps.get(&value)?;
        let last = self.known(steps.last)?;
        let Some(start) = self.known(steps.start) else {
            // As an item's number in its group is: the conditions around the loop say how large it is.
            let start = Self::attempt(search, |search| self.up(steps.start, depth, search))?;
            search
                .obligations
                .push(Obligation::NotLess(last.clone(), start));
            return Some(last);
        };
        search
            .obligations
            .push(Obligation::NotLess(last.clone(), start.clone()));
        let Some(step @ 1..) = self.defs.constant(steps.step) else {
            return Some(last);
        };
        let (shift, step) = (Sym::Const(step.ilog2()), Sym::Const(step));
        let way = Sym::op(BinOp::Sub, last, start.clone());
        let iterations = match step {
            Sym::Const(step) if step.is_power_of_two() => Sym::op(BinOp::Shr, way, shift),
            _ => Sym::op(BinOp::Div, way, step.clone()),
        };
        Some(Sym::op(
            BinOp::Add,
            Sym::op(BinOp::Mul, iterations, step),
            start,
        ))
    }

    fn up_by_fact(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        let is_signed = self.function.ty(value) == Type::I32;
        if is_signed && !self.is_not_negative(value, depth) {
            return None;
        }
        for (at, fact) in self.facts.iter().enumerate().rev() {
            if fact.op == CmpOp::Ne || fact.of_check {
                continue;
            }
            // Facts about the bound itself must be older: no going around in circles.
            let older = || self.with(self.facts[..at].to_vec());
            let bound = Self::attempt(search, |search| match self.ahead(fact.a, value) {
                Some(more) if fact.b == value || is_signed && more > 0 => None,
                Some(more) => older().up_of_less(value, more, *fact, depth, search),
                None => {
                    let quotient = Quotient::of(self, fact.a, value)?;
                    quotient.up(&older(), *fact, depth, search)
                }
            });
            if bound.is_some() {
                return bound;
            }
        }
        None
    }

    /// An upper bound of `value` by a fact about `value + more`.
    fn up_of_less(
        &self,
        value: Value,
        more: u32,
        fact: Fact,
        depth: u32,
        search: &mut Search,
    ) -> Option<Sym> {
        if more > 0 {
            let most = self.up(value, depth, search)?;
            let sum = Obligation::Sum(most, Sym::Const(more));
            search.obligations.push(sum);
        }
        let bound = self.up(fact.b, depth, search)?;
        // The bound is at least as much where the fact is true.
        let less = more + u32::from(fact.op == CmpOp::Lt);
        Some(Sym::op(BinOp::Sub, bound, Sym::Const(less)))
    }

    /// Whether a fact says that one word is not more than the other.
    fn is_at_most(&self, one: Value, other: Value) -> bool {
        let says = |fact: &Fact| fact.a == one && fact.b == other && fact.op != CmpOp::Ne;
        self.function.ty(one) == Type::U32 && self.facts.iter().any(says)
    }

    /// How much more than `value` the other is, if it is that or a small constant added to it.
    fn ahead(&self, other: Value, value: Value) -> Option<u32> {
        if other == value {
            return Some(0);
        }
        match self.defs.get(other) {
            Some(Op::Binary(BinOp::Add, a, b)) if *a == value => {
                let constant = self.defs.constant(*b);
                constant.filter(|constant| (1..=AHEAD).contains(constant))
            }
            _ => None,
        }
    }

    /// Where nothing has been learnt of what is less than `most`.
    pub(super) fn without_facts_of(&self, most: Value) -> Self {
        self.with((self.facts.iter().filter(|fact| fact.b != most).copied()).collect())
    }

    fn with(&self, facts: Vec<Fact>) -> Self {
        Bounds {
            facts,
            always: Rc::clone(&self.always),
            ..*self
        }
    }

    /// What is known where `cond` is `truth`, if that adds to it.
    fn where_is(&self, cond: Value, truth: bool) -> Self {
        let mut bounds = self.with(self.facts.clone());
        bounds.learn(cond, truth);
        bounds
    }

    fn up_by_definition(&self, value: Value, depth: u32, search: &mut Search) -> Option<Sym> {
        let is_signed = match self.function.ty(value) {
            Type::U32 => false,
            Type::I32 => true,
            Type::Bool => return Some(Sym::Const(1)),
            Type::U8 => return Some(Sym::Const(0xff)),
            Type::U16 => return Some(Sym::Const(0xffff)),
            _ => return None,
        };
        match *self.defs.get(value)? {
            // Where `a` is not negative, the lesser is not above `b`: if `b` is negative, it is `b`.
            Op::Binary(BinOp::Min, a, b) if is_signed => {
                let of = |this: &Self, a, b, search: &mut Search| {
                    let is_bound = this.is_not_negative(a, depth);
                    is_bound.then(|| Self::attempt(search, |search| this.up(b, depth, search)))?
                };
                of(self, a, b, search).or_else(|| of(self, b, a, search))
            }
            Op::Binary(op, a, b) if !is_signed || is_of_words(op) => {
                self.up_by_operation(op, a, b, depth, search)
            }
            Op::Select(cond, a, b) => {
                let a = self.where_is(cond, true).up(a, depth, search)?;
                let b = self.where_is(cond, false).up(b, depth, search)?;
                Some(Sym::op(BinOp::Max, a, b))
            }
            Op::Cast(a) if self.function.ty(a) == Type::F32 => {
                if is_signed {
                    self.ask_not_negative(a, depth, search)?;
                }
                self.up_of_float(a, depth, search)
            }
            Op::Cast(a) => self.up(a, depth, search),
            _ => None,
        }
    }

    /// Whether an `i32` surely is not negative.
    fn is_not_negative(&self, value: Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let is_at_least = |value: Value, least: i32| {
            let constant = self.defs.constant(value).map(u32::cast_signed);
            constant.is_some_and(|constant| constant >= least)
        };
        let says = |fact: &Fact| {
            fact.b == value
                && match fact.op {
                    CmpOp::Le => is_at_least(fact.a, 0),
                    CmpOp::Lt => is_at_least(fact.a, -1),
                    _ => false,
                }
        };
        let is_one = |value: Value| self.is_not_negative(value, depth);
        is_at_least(value, 0)
            || self.facts.iter().any(says)
            || match self.defs.get(value) {
                Some(Op::Binary(BinOp::Max, a, b)) => is_one(*a) || is_one(*b),
                Some(Op::Binary(BinOp::Min, a, b) | Op::Select(_, a, b)) => {
                    is_one(*a) && is_one(*b)
                }
                Some(Op::Cast(a)) => {
                    matches!(self.function.ty(*a), Type::Bool | Type::U8 | Type::U16)
                }
                _ => false,
            }
    }

    /// Of a rest by that.
    fn up_of_rest(&self, divisor: Value, search: &mut Search) -> Option<Sym> {
        let divisor = self.known(divisor)?;
        let one = Sym::Const(1);
        (search.obligations).push(Obligation::NotLess(divisor.clone(), one.clone()));
        Some(Sym::op(BinOp::Sub, divisor, one))
    }

    fn up_by_operation(
        &self,
        op: BinOp,
        a: Value,
        b: Value,
        depth: u32,
        search: &mut Search,
    ) -> Option<Sym> {
        let constant = self.defs.constant(b);
        match op {
            BinOp::Add => {
                if let Some(word) = constant
                    && word.cast_signed() < 0
                {
                    return self.difference(a, Sym::Const(word.wrapping_neg()), depth, search);
                }
                let (a, b) = (self.up(a, depth, search)?, self.up(b, depth, search)?);
                search
                    .obligations
                    .push(Obligation::Sum(a.clone(), b.clone()));
                Some(Sym::op(BinOp::Add, a, b))
            }
            // Where that is known to be a difference, there is nothing to ask for.
            BinOp::Sub if self.is_at_most(b, a) => {
                let (most, less) = (self.up(a, depth, search)?, self.down(b, depth, search));
                Some(Sym::op(BinOp::Sub, most, less))
            }
            BinOp::Sub => {
                if let Some(b) = self.known(b) {
                    return self.difference(a, b, depth, search);
                }
                let (least, most) = (self.down(a, depth, search), self.up(a, depth, search)?);
                let (less, more) = (self.down(b, depth, search), self.up(b, depth, search)?);
                Self::ask_not_less(least, more, search)?;
                Some(Sym::op(BinOp::Sub, most, less))
            }
            BinOp::Mul => {
                let (a, b) = (self.up(a, depth, search)?, self.up(b, depth, search)?);
                search
                    .obligations
                    .push(Obligation::Product(a.clone(), b.clone()));
                Some(Sym::op(BinOp::Mul, a, b))
            }
            BinOp::Shl => {
                let a = self.up(a, depth, search)?;
                let factor = Sym::Const(1 << (constant? & 31));
                search
                    .obligations
                    .push(Obligation::Product(a.clone(), factor.clone()));
                Some(Sym::op(BinOp::Mul, a, factor))
            }
            BinOp::Shr => {
                let a = self.up(a, depth, search)?;
                Some(Sym::op(BinOp::Shr, a, Sym::Const(constant? & 31)))
            }
            BinOp::And if constant.is_some() => constant.map(Sym::Const),
            // No bit is set that is not in both.
            BinOp::And => {
                let one = Self::attempt(search, |s| self.up(a, depth, s));
                one.or_else(|| Self::attempt(search, |s| self.up(b, depth, s)))
            }
            BinOp::Rem => self.up_of_rest(b, search),
            BinOp::Div => {
                let divisor = self.known(b).filter(|divisor| *divisor != Sym::Const(0))?;
                let most = self.up(a, depth, search)?;
                if constant.is_none() {
                    (search.obligations).push(Obligation::NotLess(divisor.clone(), Sym::Const(1)));
                }
                Some(Sym::op(BinOp::Div, most, divisor))
            }
            BinOp::Min => {
                let one = Self::attempt(search, |s| self.up(a, depth, s));
                let other = Self::attempt(search, |s| self.up(b, depth, s));
                match (one, other) {
                    (Some(a), Some(b)) => Some(Sym::op(BinOp::Min, a, b)),
                    (one, other) => one.or(other),
                }
            }
            BinOp::Max => {
                let (a, b) = (self.up(a, depth, search)?, self.up(b, depth, search)?);
                Some(Sym::op(BinOp::Max, a, b))
            }
            // No bit above the highest of both is set.
            BinOp::Or | BinOp::Xor => {
                let (a, b) = (self.up(a, depth, search)?, self.up(b, depth, search)?);
                Some(Sym::bits(Sym::op(BinOp::Max, a, b)))
            }
            _ => None,
        }
    }
}

/// Whether an operation does the same to the word of an `i32` as to a `u32`.
fn is_of_words(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl | BinOp::And | BinOp::Or | BinOp::Xor
    )
}
