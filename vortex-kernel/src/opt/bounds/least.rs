//! Lower bounds, as differences must not wrap.

use super::{Bounds, Fact, Search};
use crate::ir::{BinOp, CmpOp, Op, Type, Value};
use crate::opt::conditions::Obligation;
use crate::opt::symbolic::Sym;

impl Bounds<'_> {
    pub(super) fn difference(
        &self,
        a: Value,
        b: Sym,
        depth: u32,
        search: &mut Search,
    ) -> Option<Sym> {
        let least = self.down(a, depth, search);
        let most = self.up(a, depth, search)?;
        Self::ask_not_less(least, b.clone(), search)?;
        Some(Sym::op(BinOp::Sub, most, b))
    }

    /// Asks for what makes a difference not wrap, unless no launch could answer that: a version with such a condition
    /// would be there for nothing, and no other check would be answered by it.
    pub(super) fn ask_not_less(least: Sym, more: Sym, search: &mut Search) -> Option<()> {
        if let (Sym::Const(least), Sym::Const(more)) = (&least, &more)
            && least < more
        {
            return None;
        }
        search.obligations.push(Obligation::NotLess(least, more));
        Some(())
    }

    /// A lower bound; 0 if nothing better is known.
    pub(super) fn down(&self, value: Value, depth: u32, search: &mut Search) -> Sym {
        if let Some(sym) = self.known(value) {
            return sym;
        }
        let steps = search.steps.checked_sub(1);
        let (Some(steps), Some(depth)) = (steps, depth.checked_sub(1)) else {
            return Sym::Const(0);
        };
        search.steps = steps;
        if self.function.ty(value) != Type::U32 {
            return Sym::Const(0);
        }
        if let Some(((), least)) = self.told_least(|of| (of == value).then_some(())) {
            return least;
        }
        if let Some(least) = self.down_by_quotient(value, search) {
            return least;
        }
        if let Some(start) = self.always.least.get(&value) {
            return self.down(*start, depth, search);
        }
        let Some(Op::Binary(op, a, b)) = self.defs.get(value) else {
            return Sym::Const(0);
        };
        let (op, a, b) = (*op, *a, *b);
        match op {
            BinOp::Max | BinOp::Min => {
                let (a, b) = (self.down(a, depth, search), self.down(b, depth, search));
                Sym::op(op, a, b)
            }
            BinOp::Add | BinOp::Mul => {
                let (least_a, least_b) = (self.down(a, depth, search), self.down(b, depth, search));
                let least = Sym::op(op, least_a, least_b);
                let holds = least != Sym::Const(0) && self.stays(op, a, b, depth, search);
                if holds { least } else { Sym::Const(0) }
            }
            BinOp::Div | BinOp::Sub => match (self.down(a, depth, search), self.known(b)) {
                (Sym::Const(0), _) | (_, None | Some(Sym::Const(0))) => Sym::Const(0),
                (least, Some(b)) => {
                    let (more, less) = match op {
                        BinOp::Div => (b.clone(), Sym::Const(1)),
                        _ => (least.clone(), b.clone()),
                    };
                    match Self::ask_not_less(more, less, search) {
                        Some(()) => Sym::op(op, least, b),
                        None => Sym::Const(0),
                    }
                }
            },
            BinOp::Shr => match self.defs.constant(b) {
                Some(bits) => Sym::op(op, self.down(a, depth, search), Sym::Const(bits & 31)),
                None => Sym::Const(0),
            },
            _ => Sym::Const(0),
        }
    }

    /// What facts say that a value is at least of which something is `wanted`: the newest of them, and last that it is
    /// not 0.
    pub(super) fn told_least<T>(&self, wanted: impl Fn(Value) -> Option<T>) -> Option<(T, Sym)> {
        let facts = || self.facts.iter().rev().filter(|fact| !fact.of_check);
        let mut ordered = facts().filter(|fact| fact.op != CmpOp::Ne);
        let told = ordered.find_map(|fact| {
            let (found, least) = (wanted(fact.b)?, self.known(fact.a)?);
            let more = u32::from(fact.op == CmpOp::Lt);
            Some((found, Sym::op(BinOp::Add, least, Sym::Const(more))))
        });
        let is_not_zero =
            |fact: &&Fact| fact.op == CmpOp::Ne && self.defs.constant(fact.b) == Some(0);
        told.or_else(|| {
            let mut not_zero = facts().filter(is_not_zero);
            not_zero.find_map(|fact| Some((wanted(fact.a)?, Sym::Const(1))))
        })
    }

    /// Asks for what makes a sum or a product not wrap; returns whether that can be asked for.
    pub(super) fn stays(
        &self,
        op: BinOp,
        a: Value,
        b: Value,
        depth: u32,
        search: &mut Search,
    ) -> bool {
        let obligation = Self::attempt(search, |search| {
            let (a, b) = (self.up(a, depth, search)?, self.up(b, depth, search)?);
            Some(match op {
                BinOp::Mul => Obligation::Product(a, b),
                _ => Obligation::Sum(a, b),
            })
        });
        let can_be = obligation.is_some();
        search.obligations.extend(obligation);
        can_be
    }
}
