//! Walking over instructions: operands, nested blocks, uses.

use super::{Alias, Block, Function, Inst, Op, Value};

impl Op {
    /// Calls `f` on every value the operation reads before its nested blocks run: not on what arms yield nor on what
    /// turns of a loop test, exit with or carry.
    pub fn operands(&self, f: &mut dyn FnMut(Value)) {
        match self {
            Self::Const(_)
            | Self::Id(_)
            | Self::Csr(_)
            | Self::Clock
            | Self::LocalAddr(_)
            | Self::PrivateAddr(_)
            | Self::DataAddr(_)
            | Self::Barrier
            | Self::Fence(_)
            | Self::Loop { .. }
            | Self::Scope { .. }
            | Self::VarGet(_)
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Return => {}
            Self::Unary(_, a)
            | Self::Cast(a)
            | Self::Bitcast(a)
            | Self::NarrowMask(a)
            | Self::Assume(a) => f(*a),
            Self::VarSet(_, a) => f(*a),
            Self::Load { ptr, .. } => f(*ptr),
            Self::Binary(_, a, b) | Self::Compare(_, a, b) => [*a, *b].into_iter().for_each(f),
            Self::PtrAdd { base, index, .. } => [*base, *index].into_iter().for_each(f),
            Self::Arrive { barrier, warps } => [*barrier, *warps].into_iter().for_each(f),
            Self::Store { ptr, value, .. } => [*ptr, *value].into_iter().for_each(f),
            Self::Fault { operands, .. } => operands.iter().for_each(|v| f(*v)),
            Self::Record { item, operands, .. } => {
                f(*item);
                operands.iter().for_each(|v| f(*v));
            }
            Self::Panic { operands, .. } | Self::Print { operands, .. } => {
                operands.iter().for_each(|v| f(*v));
            }
            Self::Select(a, b, c) | Self::MulAdd(a, b, c) => [*a, *b, *c].into_iter().for_each(f),
            Self::Atomic { ptr, operands, .. } => {
                f(*ptr);
                operands.iter().for_each(|v| f(*v));
            }
            Self::Warp { operands, .. } => operands.iter().for_each(|v| f(*v)),
            Self::If { cond, .. } => f(*cond),
            Self::While(w) => w.init.iter().for_each(|v| f(*v)),
        }
    }

    /// As [`Op::operands`], to change them.
    pub fn operands_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::Const(_)
            | Self::Id(_)
            | Self::Csr(_)
            | Self::Clock
            | Self::LocalAddr(_)
            | Self::PrivateAddr(_)
            | Self::DataAddr(_)
            | Self::Barrier
            | Self::Fence(_)
            | Self::Loop { .. }
            | Self::Scope { .. }
            | Self::VarGet(_)
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Return => {}
            Self::Unary(_, a)
            | Self::Cast(a)
            | Self::Bitcast(a)
            | Self::NarrowMask(a)
            | Self::Assume(a) => f(a),
            Self::VarSet(_, a) => f(a),
            Self::Load { ptr, .. } => f(ptr),
            Self::Binary(_, a, b) | Self::Compare(_, a, b) => [a, b].into_iter().for_each(f),
            Self::PtrAdd { base, index, .. } => [base, index].into_iter().for_each(f),
            Self::Arrive { barrier, warps } => [barrier, warps].into_iter().for_each(f),
            Self::Store { ptr, value, .. } => [ptr, value].into_iter().for_each(f),
            Self::Fault { operands, .. } => operands.iter_mut().for_each(f),
            Self::Record { item, operands, .. } => {
                f(item);
                operands.iter_mut().for_each(f);
            }
            Self::Panic { operands, .. } | Self::Print { operands, .. } => {
                operands.iter_mut().for_each(f);
            }
            Self::Select(a, b, c) | Self::MulAdd(a, b, c) => [a, b, c].into_iter().for_each(f),
            Self::Atomic { ptr, operands, .. } => {
                f(ptr);
                operands.iter_mut().for_each(f);
            }
            Self::Warp { operands, .. } => operands.iter_mut().for_each(f),
            Self::If { cond, .. } => f(cond),
            Self::While(w) => w.init.iter_mut().for_each(f),
        }
    }

    /// The blocks nested directly in this operation, in the order they run.
    #[must_use]
    pub fn blocks(&self) -> [Option<&Block>; 2] {
        match self {
            Self::If { then, els, .. } => [Some(&then.block), Some(&els.block)],
            Self::While(w) => [Some(&w.before), Some(&w.after)],
            Self::Loop { body, step, .. } => [Some(body), Some(step)],
            Self::Scope { body, .. } => [Some(body), None],
            _ => [None, None],
        }
    }

    /// As [`Op::blocks`], to change them.
    pub fn blocks_mut(&mut self) -> [Option<&mut Block>; 2] {
        match self {
            Self::If { then, els, .. } => [Some(&mut then.block), Some(&mut els.block)],
            Self::While(w) => [Some(&mut w.before), Some(&mut w.after)],
            Self::Loop { body, step, .. } => [Some(body), Some(step)],
            Self::Scope { body, .. } => [Some(body), None],
            _ => [None, None],
        }
    }

    /// Calls `f` on the values that are read inside but belong to no instruction there: what arms yield, what turns
    /// test, exit with and carry.
    pub fn inner_operands(&self, f: &mut dyn FnMut(Value)) {
        match self {
            Self::If { then, els, .. } => {
                then.yields.iter().chain(&els.yields).for_each(|v| f(*v));
            }
            Self::While(w) => {
                f(w.cond);
                w.exits.iter().chain(&w.next).for_each(|v| f(*v));
            }
            _ => {}
        }
    }

    /// As [`Op::inner_operands`], to change them.
    pub fn inner_operands_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        match self {
            Self::If { then, els, .. } => {
                then.yields
                    .iter_mut()
                    .chain(&mut els.yields)
                    .for_each(&mut *f);
            }
            Self::While(w) => {
                f(&mut w.cond);
                w.exits.iter_mut().chain(&mut w.next).for_each(&mut *f);
            }
            _ => {}
        }
    }

    /// Whether the operation is convergent: never moved, merged, duplicated or removed.
    #[must_use]
    pub const fn is_convergent(&self) -> bool {
        matches!(self, Self::NarrowMask(_)) || self.is_collective()
    }

    /// Whether what the operation does depends on who does it together: barriers, and what lanes ask each other.
    #[must_use]
    pub const fn is_collective(&self) -> bool {
        match self {
            Self::Warp { .. } => true,
            Self::Load { alias, .. } | Self::Store { alias, .. } => {
                matches!(alias, Alias::Exchange)
            }
            _ => self.is_barrier(),
        }
    }

    /// Whether the operation waits for other items, so that what they wrote is seen after it.
    #[must_use]
    pub const fn is_barrier(&self) -> bool {
        matches!(self, Self::Barrier | Self::Arrive { .. })
    }

    /// Whether the operation jumps (staged form).
    #[must_use]
    pub const fn is_jump(&self) -> bool {
        matches!(self, Self::Break(_) | Self::Continue(_) | Self::Return)
    }
}

impl Block {
    /// Calls `f` on every instruction, outer ones before those nested in them.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Inst)) {
        for inst in &self.insts {
            f(inst);
            for block in inst.op.blocks().into_iter().flatten() {
                block.visit(f);
            }
        }
    }

    /// Whether it records a failure on every way through.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.insts.iter().any(|inst| {
            matches!(
                inst.op,
                Op::Fault { .. } | Op::Panic { .. } | Op::Record { .. }
            )
        })
    }

    /// Whether an instruction anywhere in the block is such.
    #[must_use]
    pub fn any(&self, is: &dyn Fn(&Op) -> bool) -> bool {
        self.insts.iter().any(|inst| {
            let mut nested = inst.op.blocks().into_iter().flatten();
            is(&inst.op) || nested.any(|block| block.any(is))
        })
    }

    /// Calls `f` on every value read anywhere in the block.
    pub fn uses(&self, f: &mut dyn FnMut(Value)) {
        self.visit(&mut |inst| {
            inst.op.operands(f);
            inst.op.inner_operands(f);
        });
    }

    /// Calls `f` on every value read anywhere in the block, to change it.
    pub fn uses_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        for inst in &mut self.insts {
            inst.op.operands_mut(f);
            for block in inst.op.blocks_mut().into_iter().flatten() {
                block.uses_mut(f);
            }
            inst.op.inner_operands_mut(f);
        }
    }

    /// Calls `f` on every value defined anywhere in the block, to change it.
    pub fn definitions_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        for inst in &mut self.insts {
            if let Op::While(w) = &mut inst.op {
                w.params.iter_mut().for_each(&mut *f);
            }
            for block in inst.op.blocks_mut().into_iter().flatten() {
                block.definitions_mut(f);
            }
            inst.results.iter_mut().for_each(&mut *f);
        }
    }
}

/// Which value stands for which; chains are followed.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    to: Vec<Option<Value>>,
}

impl Renaming {
    /// From now on `from` is `to`.
    pub fn set(&mut self, from: Value, to: Value) {
        let index = from.0 as usize;
        if self.to.len() <= index {
            self.to.resize(index + 1, None);
        }
        self.to[index] = Some(to);
    }

    /// From now on `from` is itself.
    pub fn unset(&mut self, from: Value) {
        if let Some(to) = self.to.get_mut(from.0 as usize) {
            *to = None;
        }
    }

    /// What `value` is now.
    #[must_use]
    pub fn get(&self, mut value: Value) -> Value {
        while let Some(Some(to)) = self.to.get(value.0 as usize) {
            value = *to;
        }
        value
    }

    /// Renames the operands an operation reads before its nested blocks.
    pub fn operands(&self, op: &mut Op) {
        op.operands_mut(&mut |v| *v = self.get(*v));
    }

    /// Renames a list of values.
    pub fn list(&self, values: &mut [Value]) {
        values.iter_mut().for_each(|v| *v = self.get(*v));
    }

    /// Renames every use in a block.
    pub fn block(&self, block: &mut Block) {
        if !self.to.is_empty() {
            block.uses_mut(&mut |v| *v = self.get(*v));
        }
    }
}

impl Function {
    /// Numbers values in the order of their definition and forgets those that nothing defines.
    pub fn compact(&mut self) {
        let mut renaming = vec![None; self.values.len()];
        let mut types = Vec::with_capacity(self.values.len());
        let old = std::mem::take(&mut self.values);
        let mut define = |v: &mut Value| {
            let new = Value(u32::try_from(types.len()).unwrap_or(u32::MAX));
            types.push(old[v.0 as usize]);
            renaming[v.0 as usize] = Some(new);
            *v = new;
        };
        for param in &mut self.params {
            define(&mut param.value);
        }
        self.body.definitions_mut(&mut define);
        self.body.uses_mut(&mut |v| {
            // An undefined value stays undefined, for the verifier to find.
            *v = renaming[v.0 as usize].unwrap_or(Value(u32::MAX));
        });
        for object in &mut self.locals {
            object.count = object.count.map(|v| renaming[v.0 as usize].unwrap_or(v));
        }
        self.values = types;
    }
}
