//! Walking over instructions: operands, nested blocks, uses.

use super::{Block, Function, Inst, Loc, Op, PrimaryMap, ReservedValue, SecondaryMap, Value};

impl Op {
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

    /// Calls `f` on the values that are read inside but belong to no instruction there: what arms yield, what
    /// iterations test, exit with and carry.
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
}

impl Inst {
    /// Calls `f` on every value read by the instruction and anywhere in its blocks.
    pub fn uses(&self, f: &mut dyn FnMut(Value)) {
        self.op.operands(f);
        self.op.inner_operands(f);
        for block in self.op.blocks().into_iter().flatten() {
            block.uses(f);
        }
    }

    /// The same, to change it.
    pub fn uses_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.op.operands_mut(f);
        for block in self.op.blocks_mut().into_iter().flatten() {
            block.uses_mut(f);
        }
        self.op.inner_operands_mut(f);
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

    /// Rewrites every instruction, in program order and after those nested in it: `each` appends what becomes of one.
    pub(crate) fn rewrite(&mut self, each: &mut dyn FnMut(Inst, &mut Vec<Inst>)) {
        let mut out = Vec::with_capacity(self.insts.len());
        for mut inst in std::mem::take(&mut self.insts) {
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                nested.rewrite(each);
            }
            each(inst, &mut out);
        }
        self.insts = out;
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

    /// Whether it records a failure, and does nothing else.
    #[must_use]
    pub fn only_fails(&self) -> bool {
        let fails = |op: &Op| matches!(op, Op::Fault { .. } | Op::Panic { .. } | Op::Record { .. });
        let only = |op: &Op| fails(op) || op.is_pure() || matches!(op, Op::Load { .. });
        self.is_failure() && self.insts.iter().all(|inst| only(&inst.op))
    }

    /// Whether the predicate holds for any instruction in the block.
    #[must_use]
    pub fn any(&self, is: &dyn Fn(&Op) -> bool) -> bool {
        self.insts.iter().any(|inst| {
            let mut nested = inst.op.blocks().into_iter().flatten();
            is(&inst.op) || nested.any(|block| block.any(is))
        })
    }

    /// Calls `f` on every value read anywhere in the block.
    pub fn uses(&self, f: &mut dyn FnMut(Value)) {
        self.insts.iter().for_each(|inst| inst.uses(f));
    }

    /// Calls `f` on every value read anywhere in the block, to change it.
    pub fn uses_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.insts.iter_mut().for_each(|inst| inst.uses_mut(f));
    }

    /// Calls `f` on the location of every instruction in the block, to change it.
    pub fn locs_mut(&mut self, f: &mut dyn FnMut(&mut Loc)) {
        for inst in &mut self.insts {
            f(&mut inst.loc);
            for block in inst.op.blocks_mut().into_iter().flatten() {
                block.locs_mut(f);
            }
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
    to: SecondaryMap<Value, Option<Value>>,
}

impl Renaming {
    /// From now on `from` is `to`.
    pub fn set(&mut self, from: Value, to: Value) {
        self.to[from] = Some(to);
    }

    /// From now on `from` is itself.
    pub fn unset(&mut self, from: Value) {
        self.to.remove(from);
    }

    /// What `value` is now.
    #[must_use]
    pub fn get(&self, mut value: Value) -> Value {
        while let Some(to) = self.to[value] {
            value = to;
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

    /// Renames every use in an instruction.
    pub fn inst(&self, inst: &mut Inst) {
        inst.uses_mut(&mut |v| *v = self.get(*v));
    }

    /// Renames every use in a block.
    pub fn block(&self, block: &mut Block) {
        if !self.to.is_empty() {
            block.uses_mut(&mut |v| *v = self.get(*v));
        }
    }
}

impl Function {
    /// A copy of a block with everything in it defined again.
    #[must_use]
    pub fn clone_block(&mut self, block: &Block) -> Block {
        self.define_anew(block.clone())
    }

    /// The same of a block that is a copy already.
    pub(crate) fn define_anew(&mut self, mut block: Block) -> Block {
        let mut renaming = Renaming::default();
        block.definitions_mut(&mut |v| {
            let new = self.new_value(self.ty(*v));
            renaming.set(*v, new);
            *v = new;
        });
        renaming.block(&mut block);
        block
    }

    /// A location that says the same, of an instruction for one of the items that a lane does at once.
    pub(crate) fn loc_of_item(&mut self, loc: Loc, item: [u8; 2]) -> Loc {
        if loc == Loc::NONE {
            return loc;
        }
        let new = self.locs.push(self.locs[loc].clone());
        self.block_items[new] = Some(item);
        new
    }

    /// Numbers values in the order of their definition and drops undefined ones.
    pub fn compact(&mut self) {
        let mut renaming = self.map_values(None);
        let mut types = PrimaryMap::with_capacity(self.values.len());
        let old = std::mem::take(&mut self.values);
        let mut define = |v: &mut Value| {
            let new = types.push(old[*v]);
            renaming[*v] = Some(new);
            *v = new;
        };
        for param in &mut self.params {
            define(&mut param.value);
        }
        self.body.definitions_mut(&mut define);
        self.body.uses_mut(&mut |v| {
            // An undefined value stays undefined, for the verifier to find.
            *v = renaming[*v].unwrap_or_else(Value::reserved_value);
        });
        for object in self.locals.values_mut() {
            object.count = object.count.map(|v| renaming[v].unwrap_or(v));
        }
        self.values = types;
    }
}
