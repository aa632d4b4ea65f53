//! Loops of kernels about what comes first: their iterations do what has to stay in its order, too.

use super::generate::{Generator, INPUT_WORDS, break_if, new_var, step_by_one};
use super::order::{Access, Here, Place, Plan};
use vortex_kernel::ir::{
    Arm, BinOp, Block, Builder, CmpOp, FaultKind, Label, Op, Type, Value, Var,
};

/// What a loop does.
pub(crate) enum Iteration<'a> {
    Steps(&'a Plan),
    /// It reads an element at an index that it computes.
    Reads,
    /// It reads these, of parts, at the index of the iteration. So many iterations are wanted.
    ReadsParts(&'a [Access], Value),
}

impl Generator<'_> {
    /// A loop over one part of the input or two, as long as both are.
    pub(crate) fn parts(&mut self, b: &mut Builder<'_>, here: &mut Here) {
        let count = self.one_of(&[2, 4]);
        let mut parts = Vec::new();
        for _ in 0..1 + self.pick(2) {
            let word = self.recent(b, here);
            let [mask, count] = [63, count].map(|word| b.u32(word));
            let number = b.binary(BinOp::And, word, mask);
            let start = b.binary(BinOp::Mul, number, count);
            let end = b.binary(BinOp::Add, start, count);
            let len = match self.pick(3) {
                0 => b.function.params[4].value,
                _ => b.u32(self.one_of(&[INPUT_WORDS - 1, 200])),
            };
            let cond = b.compare(CmpOp::Le, end, len);
            let mut then = b.inner();
            let count = then.binary(BinOp::Sub, end, start);
            let then = Arm::new(then.finish(), vec![count]);
            let count = self.or_other(b, cond, then, (FaultKind::Range, [end, len]));
            let at = b.ptr_add(self.input, start, 4);
            parts.push(Access {
                place: Place::Part(at),
                index: start,
                len: count,
                cond: None,
            });
        }
        let lens = parts.iter().map(|part| part.len);
        // Also as many as there are in both together.
        let op = self.one_of(&[BinOp::Min, BinOp::Min, BinOp::Add]);
        let shortest = lens.reduce(|a, other| b.binary(op, a, other));
        let mut limit = shortest.unwrap_or_else(|| b.u32(0));
        // As many as there are not.
        if self.pick(4) == 3 {
            let more = b.u32(count + 1);
            limit = b.binary(BinOp::Sub, more, limit);
            let few = b.u32(15);
            limit = b.binary(BinOp::And, limit, few);
        }
        self.repeat(b, here, &Iteration::ReadsParts(&parts, limit));
    }

    /// A loop of a few iterations that may break out earlier. What it computes, the next iteration has.
    pub(crate) fn repeat(&mut self, b: &mut Builder<'_>, here: &mut Here, does: &Iteration<'_>) {
        let [counter, carried] = [0, 1].map(|_| new_var(b, Type::U32));
        // Such a loop has no number of iterations that a pass would know.
        let halves = !matches!(does, Iteration::ReadsParts(..)) && self.pick(6) == 5;
        let first = match halves {
            true => {
                let word = self.recent(b, here);
                let mask = b.u32(7);
                b.binary(BinOp::And, word, mask)
            }
            false => b.u32(0),
        };
        b.effect(Op::VarSet(counter, first));
        let start = self.recent(b, here);
        b.effect(Op::VarSet(carried, start));
        let limit = match (does, self.pick(3)) {
            (Iteration::ReadsParts(_, limit), _) => *limit,
            (_, 0) => b.u32(1 + self.pick(4) as u32),
            (_, 1) => b.function.params[2].value,
            _ => {
                let word = self.recent(b, here);
                let mask = b.u32(3);
                b.binary(BinOp::And, word, mask)
            }
        };
        let label = self.label();
        let mut body = b.inner();
        let number = body.value(Op::VarGet(counter), Type::U32);
        let done = match halves {
            true => {
                let zero = body.u32(0);
                body.compare(CmpOp::Eq, number, zero)
            }
            false => body.compare(CmpOp::Ge, number, limit),
        };
        let decides_late = self.pick(6) == 5;
        if !decides_late {
            break_if(&mut body, done, label);
        }
        let now = body.value(Op::VarGet(carried), Type::U32);
        let mut inside = here.inside();
        inside.scope.values.extend([number, now]);
        if decides_late {
            let left = self.iteration_unless(&mut body, &inside, does, (done, carried));
            self.store(&mut body, number);
            break_if(&mut body, left, label);
        } else {
            self.iteration_with_breaks(&mut body, &mut inside, does, (carried, label));
        }
        let body = body.finish();
        let mut step = b.inner();
        match halves {
            true => {
                let one = step.u32(1);
                let number = step.value(Op::VarGet(counter), Type::U32);
                let half = step.binary(BinOp::Shr, number, one);
                step.effect(Op::VarSet(counter, half));
            }
            false => step_by_one(&mut step, counter),
        }
        let step = step.finish();
        b.effect(Op::Loop { label, body, step });
        let last = b.value(Op::VarGet(carried), Type::U32);
        here.scope.values.push(last);
    }

    /// What one does. Its number is among what there is, and what it has from the one before comes after that.
    fn iteration(&mut self, body: &mut Builder<'_>, inside: &mut Here, does: &Iteration<'_>) {
        let number = inside.recent_values(2)[0];
        match does {
            Iteration::Steps(plan) => {
                let count = 1 + self.pick(3);
                self.steps(body, inside, plan, count);
            }
            Iteration::Reads => {
                for _ in 0..1 + self.pick(2) {
                    let access = self.access(body, inside);
                    self.read(body, inside, access);
                }
            }
            Iteration::ReadsParts(parts, _) => {
                for part in *parts {
                    let index = number;
                    self.read(body, inside, Access { index, ..*part });
                }
            }
        }
    }

    /// One that may leave the loop in its course, or at its end.
    fn iteration_with_breaks(
        &mut self,
        body: &mut Builder<'_>,
        inside: &mut Here,
        does: &Iteration<'_>,
        (carried, label): (Var, Label),
    ) {
        let now = self.one_of(inside.recent_values(1));
        self.iteration(body, inside, does);
        let breaks = self.pick(3);
        if breaks == 1 {
            let enough = self.cond(body, inside);
            break_if(body, enough, label);
            if let (Iteration::Steps(plan), 1) = (does, self.pick(2)) {
                self.steps(body, inside, plan, 1);
            }
        }
        let mut next = self.recent(body, inside);
        if self.pick(2) == 1 {
            next = body.binary(BinOp::Add, now, next);
        }
        body.effect(Op::VarSet(carried, next));
        if breaks == 2 {
            let enough = self.cond(body, inside);
            break_if(body, enough, label);
        }
    }

    /// One in an arm, where the loop is not `done` already. Gives whether it is then.
    fn iteration_unless(
        &mut self,
        body: &mut Builder<'_>,
        inside: &Here,
        does: &Iteration<'_>,
        (done, carried): (Value, Var),
    ) -> Value {
        let (mut inner, mut inside) = (body.inner(), inside.clone());
        self.iteration(&mut inner, &mut inside, does);
        let next = self.recent(&mut inner, &inside);
        inner.effect(Op::VarSet(carried, next));
        let enough = self.cond(&mut inner, &inside);
        let els = Arm::new(inner.finish(), vec![enough]);
        body.if_else(done, Arm::new(Block::default(), vec![done]), els)[0]
    }
}
