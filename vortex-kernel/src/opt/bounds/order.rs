//! What must hold for one word to be less than another, of which no bound is known: parts of slices.

use super::super::conditions::Obligation;
use super::super::symbolic::Sym;
use super::{Bounds, DEPTH, STEPS, Search};
use crate::ir::{BinOp, CmpOp, Op, Value};

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

    /// Whether `less` is at most `more` by what both are made of, if that does not wrap: the start of a row, and of the
    /// next one.
    fn follows(&self, less: Value, more: Value, depth: u32, search: &mut Search) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        if less == more || self.defs.constant(less) == Some(0) {
            return Some(());
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
