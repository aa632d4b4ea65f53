//! What a condition on a quotient says of what is divided: `i / width + 1 < height`, as the rows of an image are
//! numbered where work items are not.

use super::{Bounds, Fact, Search};
use crate::ir::{BinOp, Op, Type, Value};
use crate::opt::conditions::Obligation;
use crate::opt::symbolic::Sym;

impl Bounds<'_> {
    /// The least that has a quotient that is not 0, or more than something: that, times the divisor.
    pub(super) fn down_by_quotient(&self, value: Value, search: &mut Search) -> Option<Sym> {
        let divisor_of = |of| {
            let quotient = Quotient::of(self, of, value)?;
            let is_itself = quotient.more == 0;
            is_itself.then(|| self.known(quotient.divisor))?
        };
        let (divisor, least) = self.told_least(divisor_of)?;
        let product = Obligation::Product(least.clone(), divisor.clone());
        search.obligations.push(product);
        Some(Sym::op(BinOp::Mul, least, divisor))
    }
}

/// `value / divisor + more` is what a fact says something of.
pub(super) struct Quotient {
    quotient: Value,
    divisor: Value,
    more: u32,
}

impl Quotient {
    /// If `of` is that.
    pub(super) fn of(bounds: &Bounds<'_>, of: Value, value: Value) -> Option<Self> {
        let defined = |value: Value| {
            let value = bounds.always.once_checked(value);
            Some((value, bounds.defs.get(value)?))
        };
        if bounds.function.ty(value) != Type::U32 {
            return None;
        }
        let (mut quotient, mut op) = defined(of)?;
        let mut more = 0;
        if let Op::Binary(BinOp::Add, base, _) = op {
            more = bounds.ahead(quotient, *base)?;
            (quotient, op) = defined(*base)?;
        }
        match op {
            Op::Binary(BinOp::Div, divided, divisor)
                if bounds.always.once_checked(*divided) == value =>
            {
                Some(Self {
                    quotient,
                    divisor: *divisor,
                    more,
                })
            }
            _ => None,
        }
    }

    /// What is divided is less than one more than the quotient, times the divisor.
    pub(super) fn up(
        &self,
        bounds: &Bounds<'_>,
        fact: Fact,
        depth: u32,
        search: &mut Search,
    ) -> Option<Sym> {
        let divisor = bounds.known(self.divisor)?;
        let depth = depth.checked_sub(1)?;
        let most = bounds.up_of_less(self.quotient, self.more, fact, depth, search)?;
        let rows = Sym::op(BinOp::Mul, most.clone(), divisor.clone());
        let rest = Sym::op(BinOp::Sub, divisor.clone(), Sym::Const(1));
        search.obligations.extend([
            Obligation::NotLess(divisor.clone(), Sym::Const(1)),
            Obligation::Product(most, divisor),
            Obligation::Sum(rows.clone(), rest.clone()),
        ]);
        Some(Sym::op(BinOp::Add, rows, rest))
    }
}
