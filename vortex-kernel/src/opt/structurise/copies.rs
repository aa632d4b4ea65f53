//! Variables of arms that end the work item.

use std::collections::HashMap;

use super::{Structuriser, inst};
use crate::ir::{Block, Inst, Loc, Op, Var};

impl Structuriser<'_> {
    /// Has a block that always returns assign to copies of variables, which begin as what the variables are.
    pub(super) fn keep_variables(&mut self, block: &mut Block, loc: Loc) {
        let mut copies: HashMap<Var, Var> = HashMap::new();
        let function = &mut *self.function;
        block.visit(&mut |inst| {
            if let Op::VarSet(var, _) = inst.op {
                copies.entry(var).or_insert_with(|| {
                    function.vars.push(function.vars[var.0 as usize]);
                    Var(u32::try_from(function.vars.len() - 1).unwrap_or(u32::MAX))
                });
            }
        });
        let mut read = Vec::new();
        rename(&mut block.insts, &copies, &mut read);
        for var in read {
            let value = self.function.new_value(self.function.vars[var.0 as usize]);
            let copied = [
                inst(Op::VarGet(var), vec![value], loc),
                inst(Op::VarSet(copies[&var], value), Vec::new(), loc),
            ];
            block.insts.splice(0..0, copied);
        }
    }
}

/// Replaces variables by their copies, and notes which are read.
fn rename(insts: &mut [Inst], copies: &HashMap<Var, Var>, read: &mut Vec<Var>) {
    for inst in insts {
        match &mut inst.op {
            Op::VarGet(var) => {
                if let Some(copy) = copies.get(var) {
                    if !read.contains(var) {
                        read.push(*var);
                    }
                    *var = *copy;
                }
            }
            Op::VarSet(var, _) => *var = copies[var],
            _ => {}
        }
        for block in inst.op.blocks_mut().into_iter().flatten() {
            rename(&mut block.insts, copies, read);
        }
    }
}
