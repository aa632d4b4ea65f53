//! Variables of arms that end the work item.
//!
//! Nothing reads what such an arm assigns. So it assigns to copies, initialised from the variables: for the items that
//! continue, the variables keep their values, uniform if they were. Runs on the staged form, while there are still
//! `return`s.

use std::collections::HashMap;

use super::structurise::only_returns;
use crate::ir::{Block, Function, Inst, Loc, Op, SecondaryMap, Var};

/// Rewrites a verified staged function.
pub fn privatize_exits(function: &mut Function) {
    if !function.body.any(&|op| *op == Op::Return) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Leaving {
        known: function.map_vars(false),
        log: Vec::new(),
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Leaving<'a> {
    /// Which variables have a value at this point.
    known: SecondaryMap<Var, bool>,
    /// Those that got theirs in the blocks that are open, in order.
    log: Vec<Var>,
    function: &'a mut Function,
}

impl Leaving<'_> {
    fn block(&mut self, block: &mut Block) {
        let before = self.log.len();
        for inst in &mut block.insts {
            match &mut inst.op {
                Op::VarSet(var, _) => {
                    let known = &mut self.known[*var];
                    if !std::mem::replace(known, true) {
                        self.log.push(*var);
                    }
                }
                Op::If { then, els, .. } => {
                    for arm in [then, els] {
                        match only_returns(&arm.block.insts) {
                            true => self.copy(&mut arm.block, inst.loc),
                            false => self.block(&mut arm.block),
                        }
                    }
                }
                op => {
                    for nested in op.blocks_mut().into_iter().flatten() {
                        self.block(nested);
                    }
                }
            }
        }
        for var in self.log.drain(before..) {
            self.known[var] = false;
        }
    }

    /// Has a block assign to copies of variables that have a value in front of it.
    fn copy(&mut self, block: &mut Block, loc: Loc) {
        let mut copies: HashMap<Var, Var> = HashMap::new();
        let (vars, known) = (&mut self.function.vars, &self.known);
        block.visit(&mut |inst| {
            if let Op::VarSet(var, _) = inst.op
                && known[var]
            {
                copies.entry(var).or_insert_with(|| {
                    let ty = vars[var];
                    vars.push(ty)
                });
            }
        });
        let mut read = Vec::new();
        rename(&mut block.insts, &copies, &mut read);
        for (var, copy) in read {
            let ty = self.function.vars[var];
            let (value, get) = self.function.inst(Op::VarGet(var), ty, loc);
            let set = Inst::effect(Op::VarSet(copy, value), loc);
            block.insts.splice(0..0, [get, set]);
        }
    }
}

/// Replaces variables by their copies, and notes which are read.
fn rename(insts: &mut [Inst], copies: &HashMap<Var, Var>, read: &mut Vec<(Var, Var)>) {
    for inst in insts {
        match &mut inst.op {
            Op::VarGet(var) => {
                if let Some(copy) = copies.get(var) {
                    if !read.contains(&(*var, *copy)) {
                        read.push((*var, *copy));
                    }
                    *var = *copy;
                }
            }
            Op::VarSet(var, _) => {
                if let Some(copy) = copies.get(var) {
                    *var = *copy;
                }
            }
            _ => {}
        }
        for block in inst.op.blocks_mut().into_iter().flatten() {
            rename(&mut block.insts, copies, read);
        }
    }
}
