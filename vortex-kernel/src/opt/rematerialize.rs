//! What only rarely executed or later code needs is recomputed there.
//!
//! # After a loop over blocks
//!
//! What code after the loop over blocks of items needs, and that loop does not, is recomputed after it.
//!
//! ```text
//! n = load launch; ok = n < len             if covered { the loop over blocks }
//! if covered { the loop over blocks }  ==>  n = load launch; ok = n < len
//! if ok { .. n .. }                         if ok { .. n .. }
//! ```
//!
//! Otherwise it would occupy registers during that loop, which needs them itself. The code after it runs once, so its
//! time does not matter. [`gvn`](super::gvn()) would undo this, and is not run after it.
//!
//! # In fallbacks
//!
//! Of two versions of a loop, the one with more checks needs more registers: for the lengths that they compare with,
//! and for splitting lanes. If both use one value, it has one place, which is then memory, also for the fast version.
//! So a fallback recomputes at its start what it uses of arguments, sizes and ids, and what is made only of those:
//!
//! ```text
//! p = load launch; n = load launch          p = load launch; n = load launch
//! if n > last { .. p .. }              ==>  if n > last { .. p .. }
//! else { .. p .. n .. }                     else { q = load launch; m = load launch; .. q .. m .. }
//! ```

use super::loops::may_run_anywhere;
use crate::ir::visit::Renaming;
use crate::ir::{Alias, Arm, Block, Function, Inst, Op, SecondaryMap, Value, While};
use crate::meta::count;

/// Computes again what is needed after the loops over blocks of a structured function, and in its fallbacks.
pub fn rematerialize(function: &mut Function) {
    after_blocks(function);
    let mut body = std::mem::take(&mut function.body);
    let (known, params) = (function.map_values(None), function.map_values(false));
    let mut fallbacks = Fallbacks {
        function,
        known,
        params,
        known_insts: Vec::new(),
        around: None,
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

/// Computes again what stands before an instruction and is needed only after it. Returns how many instructions that
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
    here.visit(&mut |inst| {
        if let Op::While(w) = &inst.op
            && w.optional
        {
            w.before.uses(&mut |value| anew.used[value] = true);
            w.after.uses(&mut |value| anew.used[value] = true);
            let carried = w.next.iter().chain(&w.exits).chain([&w.cond]);
            carried.for_each(|value| anew.used[*value] = true);
        }
    });
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
    /// Where in the block a value is defined, of those that are before and may be computed again.
    defined: SecondaryMap<Value, Option<usize>>,
    /// Values that are in registers anyway, as the loop over blocks needs them.
    used: SecondaryMap<Value, bool>,
    renaming: Renaming,
    insts: Vec<Inst>,
}

impl Anew {
    /// Computes a value again, and what it is made of, if it can be.
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
        let ty = function.ty(value);
        let new = function.push(op, ty, inst.loc, &mut self.insts);
        self.renaming.set(value, new);
    }
}

struct Fallbacks<'a> {
    function: &'a mut Function,
    /// Where among `known_insts` a value is defined, of those that can be computed again here.
    known: SecondaryMap<Value, Option<usize>>,
    /// What is made of arguments, sizes, ids and the parameters of loops alone, and what is loaded from there of what
    /// nobody writes, in the blocks around.
    known_insts: Vec<Inst>,
    /// Parameters of loops.
    params: SecondaryMap<Value, bool>,
    /// Of the outermost loop around: how many of `known_insts` stand before it, and how often it uses values.
    around: Option<(usize, SecondaryMap<Value, u32>)>,
}

impl Fallbacks<'_> {
    fn block(&mut self, block: &mut Block) {
        let outside = self.known_insts.len();
        for at in 0..block.insts.len() {
            let (before, later) = block.insts.split_at_mut(at + 1);
            let inst = &mut before[at];
            match &mut inst.op {
                Op::If { then, els, .. } => {
                    for arm in [then, els] {
                        if arm.is_fallback {
                            self.anew(arm, later);
                        }
                        self.block(&mut arm.block);
                    }
                }
                Op::While(w) => self.while_loop(w),
                _ => {}
            }
            self.learn(inst);
        }
        for inst in self.known_insts.drain(outside..) {
            self.known[inst.results[0]] = None;
        }
    }

    fn while_loop(&mut self, w: &mut While) {
        // They are in registers until the next iteration.
        w.params.iter().for_each(|param| self.params[*param] = true);
        let is_outermost = self.around.is_none();
        if is_outermost {
            let mut uses = self.function.map_values(0u32);
            let mut count = |value: Value| uses[value] += 1;
            w.before.uses(&mut count);
            w.after.uses(&mut count);
            w.exits
                .iter()
                .chain(&w.next)
                .for_each(|value| count(*value));
            self.around = Some((self.known_insts.len(), uses));
        }
        self.block(&mut w.before);
        self.block(&mut w.after);
        if is_outermost {
            self.around = None;
        }
    }

    /// Remembers an instruction if what it computes can be computed again.
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

    /// Computes what an arm uses at its start, except for what is in registers all the same: because `later` code uses
    /// it, or because the loop around does in its other iterations.
    fn anew(&mut self, arm: &mut Arm, later: &[Inst]) {
        let mut used = self.function.map_values(false);
        for inst in later {
            inst.uses(&mut |value| used[value] = true);
        }
        if let Some((outside, uses)) = &self.around {
            let mut elsewhere = uses.clone();
            arm.block.uses(&mut |value| {
                elsewhere[value] = elsewhere[value].saturating_sub(1);
            });
            for inst in &self.known_insts[..*outside] {
                used[inst.results[0]] |= elsewhere[inst.results[0]] > 0;
            }
        }
        let mut anew = Anew {
            defined: self.known.clone(),
            used,
            renaming: Renaming::default(),
            insts: Vec::new(),
        };
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
    }
}
