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

use super::loops::may_run_anywhere;
use crate::ir::visit::Renaming;
use crate::ir::{Block, Function, Inst, Op, SecondaryMap, Value};
use crate::meta::count;

/// Computes anew what is needed after the loops over blocks of a structured function.
pub fn rematerialize(function: &mut Function) {
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
        if let [result] = inst.results[..] {
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
    /// Where in the block a value is defined, of those that are before.
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
        if self.used[value] || !may_run_anywhere(&inst.op) {
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
