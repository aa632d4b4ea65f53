//! Loads that are the same in every iteration move to before the loop.
//!
//! ```text
//!                                                  v := if 0 < n { load p } else { 0 }
//! while k < n { v := load p; B(v); k += 1 }  ==>   while k < n { B(v); k += 1 }
//! ```
//!
//! The address may be invalid if the loop does not run at all, so that is tested first. This applies only to loads of
//! read-only memory that every iteration makes, and only where all lanes agree on whether the loop runs, so that the
//! test does not split lanes.

use super::loops::{clone_inst, mark_inside, none_inside};
use super::uniformity::Uniformity;
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, Arm, Block, Const, Function, Inst, Op, Results, SecondaryMap, Type, Value, While,
};
use crate::meta::count;

/// Loads that are moved out of a loop, at most: each takes a register through all of it.
const LOADS: usize = 4;

/// Instructions of a test that are done once more.
const TEST: usize = 4;

/// Moves loads out of the loops of a structured function.
pub fn loads(function: &mut Function) {
    let movable = |op: &Op| matches!(op, Op::While(w) if w.after.insts.iter().any(is_constant));
    if !function.body.any(&movable) {
        return;
    }
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Loads {
        inside: none_inside(function),
        uniformity,
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

/// Whether an instruction loads what nobody writes.
fn is_constant(inst: &Inst) -> bool {
    let Op::Load { alias, .. } = inst.op else {
        return false;
    };
    matches!(alias, Alias::Shared(_) | Alias::Data(_))
}

struct Loads<'a> {
    function: &'a mut Function,
    /// Whether the loop that is looked at defines a value.
    inside: SecondaryMap<Value, bool>,
    uniformity: Uniformity,
}

impl Loads<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let Op::While(w) = &mut inst.op
                && self.asks(w)
            {
                let moved = self.moved(w);
                if !moved.is_empty() {
                    count!("loads", "loads moved out of loops", moved.len());
                    self.before(w, moved, out);
                }
            }
            out.push(inst);
        });
    }

    /// Whether it can be asked before the loop if it runs at all.
    fn asks(&self, w: &While) -> bool {
        let test = &w.before.insts;
        let pure = test.len() <= TEST && test.iter().all(|inst| inst.op.is_pure());
        pure && self.uniformity.is_uniform(w.cond)
    }

    /// Takes the loads out of the loop.
    fn moved(&mut self, w: &mut While) -> Vec<Inst> {
        // What was made for other loops is at no address.
        mark_inside(w, &mut self.inside, true);
        let mut moved = Vec::new();
        w.after.insts.retain(|inst| {
            let Op::Load { ptr, .. } = inst.op else {
                return true;
            };
            // There is no pointer to say for one that is not loaded.
            let is_pointer = |v: &Value| matches!(self.function.ty(*v), Type::Ptr(_));
            let moves = is_constant(inst)
                && !self.inside[ptr]
                && !inst.results.iter().any(is_pointer)
                && moved.len() < LOADS;
            if moves {
                moved.push(inst.clone());
            }
            !moves
        });
        mark_inside(w, &mut self.inside, false);
        moved
    }

    /// Appends the loads, on the condition that the loop runs.
    fn before(&mut self, w: &While, loads: Vec<Inst>, out: &mut Vec<Inst>) {
        let mut renaming = Renaming::default();
        for (param, init) in w.params.iter().zip(&w.init) {
            renaming.set(*param, *init);
        }
        for inst in &w.before.insts {
            let mut test = inst.clone();
            renaming.operands(&mut test.op);
            let test = clone_inst(self.function, &test);
            for (old, new) in inst.results.iter().zip(&test.results) {
                renaming.set(*old, *new);
            }
            out.push(test);
        }
        let (mut results, mut then, mut els) = (Results::new(), Arm::default(), Arm::default());
        let loc = loads.first().map_or(crate::ir::Loc::NONE, |load| load.loc);
        for mut load in loads {
            let nothing = Inst {
                results: self.like(&load.results),
                op: Op::Const(Const(0)),
                loc: load.loc,
            };
            results.extend(load.results.iter().copied());
            load.results = self.like(&load.results);
            then.yields.extend(load.results.iter().copied());
            then.block.insts.push(load);
            els.yields.extend(nothing.results.iter().copied());
            els.block.insts.push(nothing);
        }
        let cond = renaming.get(w.cond);
        out.push(Inst {
            results,
            op: Op::branch(cond, then, els),
            loc,
        });
    }

    fn like(&mut self, values: &[Value]) -> Results {
        let new = |value: &Value| self.function.new_value(self.function.ty(*value));
        values.iter().map(new).collect()
    }
}
