//! What staged code has where the user's has an expression of type `!`: loops that only jumps to further outside leave,
//! arms that all jump, functions that are left by `return` alone, and code that follows what is never passed.

use super::generate::{Generator, SCALARS, Scope, new_var, step_by_one};
use vortex_kernel::ir::{Arm, Builder, CmpOp, Label, Op, Type, Value, Var};

/// A device function whose body is being generated: what `return` leaves, and where it puts the results.
#[derive(Clone)]
pub(crate) struct Called {
    label: Label,
    results: Vec<Var>,
}

impl Generator<'_> {
    /// A call of a device function with some results.
    pub(crate) fn call(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let types: Vec<_> = (0..self.pick(4)).map(|_| self.one_of(&SCALARS)).collect();
        let function = Called {
            label: self.label(),
            results: types.iter().map(|ty| new_var(b, *ty)).collect(),
        };
        self.depth += 1;
        self.called.push(function.clone());
        let mut body = b.inner();
        if !self.statements(&mut body, scope.clone()) {
            self.put_results(&mut body, scope, &function);
        }
        let body = body.finish();
        self.called.pop();
        self.depth -= 1;
        let label = function.label;
        b.effect(Op::Scope { label, body });
        let results = function.results.iter().zip(types);
        let results = results.map(|(var, ty)| b.value(Op::VarGet(*var), ty));
        scope.values.extend(results);
    }

    fn put_results(&mut self, b: &mut Builder<'_>, scope: &Scope, function: &Called) {
        for var in &function.results {
            let ty = b.function.vars[*var];
            let value = self.of_type(b, scope, ty);
            b.effect(Op::VarSet(*var, value));
        }
    }

    /// `return` in a device function.
    pub(crate) fn return_from(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let called = self.called.clone();
        let function = &called[self.pick(called.len())];
        self.put_results(b, scope, function);
        b.effect(Op::Break(function.label));
    }

    /// Something that control never passes; returns whether it is a jump, which ends its block.
    pub(crate) fn never(&mut self, b: &mut Builder<'_>, scope: &Scope) -> bool {
        let deepest = self.depth >= 5;
        match self.pick(5) {
            1 if !deepest => self.endless(b, scope),
            2 if !deepest => {
                let cond = self.of_type(b, scope, Type::Bool);
                let [then, els] = [0, 1].map(|_| self.arm_that_leaves(b, scope, &[]));
                b.if_else(cond, then, els);
            }
            3 if !deepest => {
                let label = self.label();
                let body = self.arm_that_leaves(b, scope, &[]).block;
                b.effect(Op::Scope { label, body });
            }
            _ => return self.jump(b, scope),
        }
        false
    }

    /// An arm that has no value, where the other has values of these types.
    pub(crate) fn arm_that_leaves(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope,
        types: &[Type],
    ) -> Arm {
        // What the end of an arm names although it is never reached is defined in front of the arm.
        let named: Vec<Value> = types.iter().map(|ty| b.constant(0, *ty)).collect();
        self.depth += 1;
        let mut inner = b.inner();
        let value = self.value(&mut inner, scope);
        self.store(&mut inner, value);
        let jumps = self.never(&mut inner, scope);
        let block = inner.finish();
        self.depth -= 1;
        let yields = if jumps { Vec::new() } else { named };
        Arm::new(block, yields)
    }

    /// A loop that only jumps to somewhere further outside leave, such as one after some iterations.
    fn endless(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let counter = new_var(b, Type::U32);
        let zero = b.u32(0);
        b.effect(Op::VarSet(counter, zero));
        let label = self.label();
        let mut body = b.inner();
        let iteration = body.value(Op::VarGet(counter), Type::U32);
        let limit = body.u32(self.pick(5) as u32);
        let done = body.compare(CmpOp::Ge, iteration, limit);
        let leave = self.arm_that_leaves(&mut body, scope, &[]);
        body.if_else(done, leave, Arm::default());
        let mut inner = scope.clone();
        inner.values.push(iteration);
        self.depth += 1;
        self.endless.push(label);
        self.statements(&mut body, inner);
        self.endless.pop();
        self.depth -= 1;
        let body = body.finish();
        let mut step = b.inner();
        step_by_one(&mut step, counter);
        let step = step.finish();
        b.effect(Op::Loop { label, body, step });
    }
}
