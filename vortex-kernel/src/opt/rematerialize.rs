//! What only seldom or later code needs is computed anew there.
//!
//! # After a loop over blocks
//!
//! What code after the loop over blocks of items needs, and that loop does not, is computed anew after it.
//!
//! ```text
//! n = load launch; ok = n < len             if covered { the loop over blocks }
//! if covered { the loop over blocks }  ==>  n = load launch; ok = n < len
//! if ok { .. n .. }                         if ok { .. n .. }
//! ```
//!
//! Otherwise it would be in registers all the time that a warp spends in that loop, which needs them itself. What comes
//! after it runs once, so the time does not matter. [`gvn`](super::gvn()) would undo this, and is not run after it.
//!
//! # In fallbacks
//!
//! Of two versions of a loop, the one with more checks needs more registers: the lengths that they compare with, and
//! what parts the lanes. If both use one value, it has one place, which is then memory, for the fast version, too. So
//! what a fallback uses of arguments, sizes and ids, and what is made of those alone, it computes at its start:
//!
//! ```text
//! p = load launch; n = load launch          p = load launch; n = load launch
//! if n > last { .. p .. }              ==>  if n > last { .. p .. }
//! else { .. p .. n .. }                     else { q = load launch; m = load launch; .. q .. m .. }
//! ```

use super::checks::is_fallback;
use super::loops::may_run_anywhere;
use crate::ir::visit::Renaming;
use crate::ir::{Alias, Arm, Block, Function, Inst, Op, SecondaryMap, Value};
use crate::meta::count;

/// Computes anew what is needed after the loops over blocks of a structured function, and in its fallbacks.
pub fn rematerialize(function: &mut Function) {
    after_blocks(function);
    let mut body = std::mem::take(&mut function.body);
    let (known, params) = (function.map_values(None), function.map_values(false));
    let mut fallbacks = Fallbacks {
        function,
        known,
        params,
        known_insts: Vec::new(),
    };
    fallbacks.block(&mut body);
    function.body = body;
}

fn after_blocks(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut at = 0;
    while at < body.insts.len() {
        if has_optional_loop(&body.insts[at]) {
            at += after(function, &mut body, at);
        }
        at += 1;
    }
    function.body = body;
}

fn has_optional_loop(inst: &Inst) -> bool {
    let is_loop = |op: &Op| matches!(op, Op::While(w) if w.optional);
    inst.op
        .blocks()
        .into_iter()
        .flatten()
        .any(|block| block.any(&is_loop))
}

/// Computes anew what stands before an instruction and is needed only after it. Returns how many instructions that
/// took, which stand after it now.
fn after(function: &mut Function, body: &mut Block, at: usize) -> usize {
    let mut later = Block {
        insts: body.insts.split_off(at + 1),
    };
    let here = Block {
        insts: body.insts.split_off(at),
    };
    let mut anew = Anew {
        defined: function.map_values(None),
        used: function.map_values(false),
        renaming: Renaming::default(),
        insts: Vec::new(),
    };
    for (place, inst) in body.insts.iter().enumerate() {
        if let [result] = inst.results[..]
            && may_run_anywhere(&inst.op)
        {
            anew.defined[result] = Some(place);
        }
    }
    here.uses(&mut |value| anew.used[value] = true);
    later.uses(&mut |value| anew.value(function, &body.insts, value));
    anew.renaming.block(&mut later);
    let new = anew.insts.len();
    count!("rematerialize", "values computed anew", new);
    for mut part in [here.insts, anew.insts, later.insts] {
        body.insts.append(&mut part);
    }
    new
}

struct Anew {
    /// Where in the block a value is defined, of those that are before and may be computed anew.
    defined: SecondaryMap<Value, Option<usize>>,
    /// Values that are in registers anyway.
    used: SecondaryMap<Value, bool>,
    renaming: Renaming,
    insts: Vec<Inst>,
}

impl Anew {
    /// Computes a value anew, and what it is made of, if it can be.
    fn value(&mut self, function: &mut Function, before: &[Inst], value: Value) {
        let Some(place) = self.defined[value] else {
            return;
        };
        let inst = &before[place];
        if self.used[value] {
            return;
        }
        // Once is enough.
        self.defined[value] = None;
        inst.op
            .operands(&mut |operand| self.value(function, before, operand));
        let mut op = inst.op.clone();
        self.renaming.operands(&mut op);
        let new = function.new_value(function.ty(value));
        self.renaming.set(value, new);
        self.insts.push(Inst {
            results: vec![new],
            op,
            loc: inst.loc,
        });
    }
}

struct Fallbacks<'a> {
    function: &'a mut Function,
    /// Where among `known_insts` a value is defined, of those that can be computed anew here.
    known: SecondaryMap<Value, Option<usize>>,
    /// What is made of arguments, sizes, ids and the parameters of loops alone, and what is loaded from there of what
    /// nobody writes, in the blocks around.
    known_insts: Vec<Inst>,
    /// Parameters of loops.
    params: SecondaryMap<Value, bool>,
}

impl Fallbacks<'_> {
    fn block(&mut self, block: &mut Block) {
        let outside = self.known_insts.len();
        for inst in &mut block.insts {
            if let Op::If { then, els, .. } = &mut inst.op {
                let seldom = [
                    is_fallback(&then.block, &els.block),
                    is_fallback(&els.block, &then.block),
                ];
                for (arm, is_fallback) in [then, els].into_iter().zip(seldom) {
                    if is_fallback {
                        self.anew(arm);
                    }
                }
            }
            if let Op::While(w) = &inst.op {
                // They are in registers until the next iteration.
                w.params.iter().for_each(|param| self.params[*param] = true);
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            self.learn(inst);
        }
        for inst in self.known_insts.drain(outside..) {
            self.known[inst.results[0]] = None;
        }
    }

    /// Remembers an instruction if what it computes can be computed anew.
    fn learn(&mut self, inst: &Inst) {
        let [result] = inst.results[..] else {
            return;
        };
        let mut is_known = match inst.op {
            Op::Load { alias, .. } => {
                matches!(alias, Alias::Launch | Alias::Shared(_) | Alias::Data(_))
            }
            _ => inst.op.is_pure() && inst.op.blocks() == [None, None],
        };
        inst.op.operands(&mut |operand| {
            is_known &= self.known[operand].is_some() || self.params[operand];
        });
        if is_known {
            self.known[result] = Some(self.known_insts.len());
            self.known_insts.push(inst.clone());
        }
    }

    /// Computes what an arm uses at its start.
    fn anew(&mut self, arm: &mut Arm) {
        let mut anew = Anew {
            defined: std::mem::take(&mut self.known),
            used: self.function.map_values(false),
            renaming: Renaming::default(),
            insts: Vec::new(),
        };
        let known = anew.defined.clone();
        let insts = &self.known_insts;
        arm.block
            .uses(&mut |value| anew.value(self.function, insts, value));
        for value in &arm.yields {
            anew.value(self.function, insts, *value);
        }
        anew.renaming.block(&mut arm.block);
        anew.renaming.list(&mut arm.yields);
        count!(
            "rematerialize",
            "values computed anew in fallbacks",
            anew.insts.len()
        );
        anew.insts.append(&mut arm.block.insts);
        arm.block.insts = anew.insts;
        self.known = known;
    }
}
