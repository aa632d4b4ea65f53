//! What must hold for one word to be less than another, of which no bound is known: parts of slices.

use super::super::conditions::Obligation;
use super::super::symbolic::Sym;
use super::{Bounds, DEPTH, STEPS, Search};
use crate::ir::{BinOp, CmpOp, Op, Type, Value};

impl Bounds<'_> {
    /// What must hold for `less < more`, or `less <= more`, if that can be said.
    pub(in super::super) fn ordered(
        &self,
        op: CmpOp,
        less: Value,
        more: Value,
    ) -> Option<Vec<Obligation>> {
        let mut search = Search {
            obligations: Vec::new(),
            steps: STEPS,
        };
        if self.told(op, less, more, &mut search).is_some() {
            return Some(search.obligations);
        }
        search.obligations.clear();
        let more = self.always.once_checked(more);
        if op == CmpOp::Le && self.follows(less, more, DEPTH, &mut search).is_some() {
            return Some(search.obligations);
        }
        search.obligations.clear();
        // Of what is left of a slice: with what comes before it, it is less than the whole.
        let Some(Op::Binary(BinOp::Sub, whole, before)) = self.defs.get(more) else {
            return None;
        };
        let whole = self.known(*whole)?;
        let most = self.up(less, DEPTH, &mut search)?;
        let before = self.up(*before, DEPTH, &mut search)?;
        let sum = Obligation::Sum(before.clone(), most.clone());
        let most = Sym::op(BinOp::Add, before, most);
        search.obligations.push(sum);
        search.obligations.push(match op {
            CmpOp::Le => Obligation::NotLess(whole, most),
            _ => Obligation::Less(most, whole),
        });
        Some(search.obligations)
    }

    /// Whether a condition says so of something that is at least as much: `at + 3 < len` where `at + 4 <= len`.
    fn told(&self, op: CmpOp, less: Value, more: Value, search: &mut Search) -> Option<()> {
        let same = |value: Value| self.always.once_checked(value);
        let (base, offset) = self.base_of(less);
        self.facts.iter().rev().find_map(|fact| {
            let (of, ahead) = self.base_of(fact.a);
            let room = u32::from(op == CmpOp::Lt && fact.op == CmpOp::Le);
            let says = fact.op != CmpOp::Ne
                && self.function.ty(fact.b) == Type::U32
                && self.is_or_min_of(fact.b, same(more), DEPTH)
                && same(of) == same(base)
                && offset + room <= ahead;
            if !says {
                return None;
            }
            // Otherwise what the condition is about has not wrapped.
            match ahead {
                0 => Some(()),
                _ => Self::attempt(search, |search| {
                    let most = self.up(base, DEPTH, search)?;
                    search
                        .obligations
                        .push(Obligation::Sum(most, Sym::Const(ahead)));
                    Some(())
                }),
            }
        })
    }

    /// Whether it is `value`, or the minimum of that and others.
    fn is_or_min_of(&self, it: Value, value: Value, depth: u32) -> bool {
        let it = self.always.once_checked(it);
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let is = |operand: &Value| self.is_or_min_of(*operand, value, depth);
        it == value
            || matches!(self.defs.get(it), Some(Op::Binary(BinOp::Min, a, b)) if is(a) || is(b))
    }

    /// What a value is a small constant more than, and how much.
    fn base_of(&self, value: Value) -> (Value, u32) {
        let base = match self.defs.get(value) {
            Some(Op::Binary(BinOp::Add, base, _)) => Some(*base),
            _ => None,
        };
        base.and_then(|base| Some((base, self.ahead(value, base)?)))
            .unwrap_or((value, 0))
    }

    /// Whether `less` is at most `more` by what both are made of, if that does not wrap: the start of a row, and of the
    /// next one.
    fn follows(&self, less: Value, more: Value, depth: u32, search: &mut Search) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        if less == more || self.defs.constant(less) == Some(0) {
            return Some(());
        }
        if let Some(limited) = self.always.limited.get(&less) {
            if limited.is_less {
                self.up_of_rest(limited.limit, search)?;
            }
            self.follows(self.always.once_checked(limited.limit), more, depth, search)?;
            return self.follows(limited.start, more, depth, search);
        }
        if let Some((_, value)) = self.always.guarded.get(&less) {
            return self.follows(*value, more, depth, search);
        }
        let &Op::Binary(op @ (BinOp::Add | BinOp::Mul | BinOp::Shl), a, b) = self.defs.get(more)?
        else {
            return None;
        };
        if op == BinOp::Add && (a == less || b == less) {
            return self.stays(op, a, b, depth, search).then_some(());
        }
        let Some(&Op::Binary(same, x, y)) = self.defs.get(less) else {
            return None;
        };
        let adds_less = || match (self.defs.constant(y), self.defs.constant(b)) {
            (Some(less), Some(more)) => op == BinOp::Add && less <= more,
            _ => false,
        };
        if same != op || y != b && !adds_less() {
            return None;
        }
        self.follows(x, a, depth, search)?;
        match op {
            BinOp::Shl => {
                let most = self.up(a, depth, search)?;
                let factor = Sym::Const(1 << (self.defs.constant(b)? & 31));
                search.obligations.push(Obligation::Product(most, factor));
                Some(())
            }
            _ => self.stays(op, a, b, depth, search).then_some(()),
        }
    }
}
