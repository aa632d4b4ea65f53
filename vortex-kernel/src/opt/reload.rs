//! What a loop over groups only needs outside of its inner loops is loaded again where it is needed.
//!
//! ```text
//! n = load launch; c = load launch          while .. {
//! while .. {                                    n = load launch
//!     for k in 0..n { .. }           ==>        for k in 0..n { .. }
//!     store c + ..                              c = load launch
//! }                                             store c + ..
//! ```
//!
//! Otherwise arguments and the sizes of the launch occupy registers while a group works, and other values go to the
//! stack: a store and loads instead of just loads. It is done where a loop has more live integers than there are
//! registers, and barriers: then an iteration is long. [`gvn`](super::gvn()) and [`licm`](super::licm()) would undo
//! this, and are not run after it.

use super::loops::{mark_inside, outermost_loops, outermost_loops_mut};
use super::schedule::integers_alive;
use super::tuning::Tuning;
use crate::ir::visit::Renaming;
use crate::ir::{Alias, BinOp, Block, Function, Inst, Loc, Op, SecondaryMap, Value, While};
use crate::meta::count;

/// What one value may be made of, as far as it is made again.
const DEPTH: u32 = 2;

/// Loads again what loops over groups of a structured function need.
pub fn reload(function: &mut Function, tuning: &Tuning) {
    if !function.body.any(&Op::is_barrier) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut ops = function.map_values(None);
    body.visit(&mut |inst| {
        if let [result] = inst.results[..]
            && may_be_anew(&inst.op)
        {
            ops[result] = Some(inst.clone());
        }
    });
    let mut wanted = Vec::new();
    outermost_loops(&body, &mut |w| {
        let is_full = || {
            let inst = Inst::effect(Op::While(Box::new(w.clone())), Loc::NONE);
            integers_alive(function, &body, &[inst]) > tuning.full[0]
        };
        wanted.push(w.after.any(&Op::is_barrier) && is_full());
    });
    let mut wanted = wanted.into_iter();
    outermost_loops_mut(&mut body, &mut |w| {
        if wanted.next() == Some(true) {
            Reload {
                function: &mut *function,
                ops: &ops,
                wanted: SecondaryMap::new(),
            }
            .while_loop(w);
        }
    });
    function.body = body;
}

/// Whether it costs one instruction, and is the same wherever it runs.
fn may_be_anew(op: &Op) -> bool {
    matches!(
        op,
        Op::Load {
            alias: Alias::Launch,
            ..
        } | Op::Const(_)
            | Op::Binary(
                BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Shl | BinOp::Shr,
                ..
            )
    )
}

struct Reload<'a> {
    function: &'a mut Function,
    ops: &'a SecondaryMap<Value, Option<Inst>>,
    /// Values that are to be made again.
    wanted: SecondaryMap<Value, bool>,
}

impl Reload<'_> {
    fn while_loop(&mut self, w: &mut While) {
        self.wanted = self.candidates(w);
        self.segments(&mut w.before, std::slice::from_mut(&mut w.cond));
        self.segments(&mut w.after, &mut w.next);
    }

    /// What is needed in the loop, but not in loops inside, and can be made again.
    fn candidates(&self, w: &While) -> SecondaryMap<Value, bool> {
        let mut all = SecondaryMap::new();
        let mut inside = self.function.map_values(false);
        mark_inside(w, &mut inside, true);
        let mut note = |value: Value| {
            all[value] = !inside[value] && self.is_cheap(value, DEPTH);
        };
        w.before.uses(&mut note);
        w.after.uses(&mut note);
        w.next.iter().for_each(|value| note(*value));
        for block in [&w.before, &w.after] {
            block.visit(&mut |inst| {
                if let Op::While(inner) = &inst.op {
                    for block in [&inner.before, &inner.after] {
                        block.uses(&mut |value| all[value] = false);
                    }
                    let carried = inner.next.iter().chain(&inner.exits);
                    carried
                        .chain([&inner.cond])
                        .for_each(|value| all[*value] = false);
                }
            });
        }
        all
    }

    /// Whether a value is loaded from the launch block, or made of what is in few steps.
    fn is_cheap(&self, value: Value, depth: u32) -> bool {
        match &self.ops[value] {
            Some(inst) => match inst.op {
                Op::Load { .. } => true,
                Op::Binary(_, a, b) => {
                    let is_part = |value: Value| {
                        matches!(&self.ops[value], Some(inst) if matches!(inst.op, Op::Const(_)))
                            || depth > 0 && self.is_cheap(value, depth - 1)
                    };
                    is_part(a) && is_part(b)
                }
                _ => false,
            },
            None => false,
        }
    }

    /// Makes again what a block needs, once between any two loops or barriers in it, and what is needed after it.
    fn segments(&mut self, block: &mut Block, after: &mut [Value]) {
        let mut out = Vec::with_capacity(block.insts.len());
        let mut anew = Renaming::default();
        for inst in std::mem::take(&mut block.insts) {
            let ends =
                inst.op.is_barrier()
                    || matches!(inst.op, Op::While(_))
                    || inst.op.blocks().into_iter().flatten().any(|block| {
                        block.any(&|op| op.is_barrier() || matches!(op, Op::While(_)))
                    });
            let mut one = Block { insts: vec![inst] };
            let mut used = Vec::new();
            one.uses(&mut |value| used.push(value));
            for value in used {
                if self.wanted.get(value).copied().unwrap_or_default() {
                    self.make(value, &mut anew, &mut out);
                }
            }
            anew.block(&mut one);
            out.append(&mut one.insts);
            if ends {
                anew = Renaming::default();
            }
        }
        for value in after.iter_mut() {
            if self.wanted.get(*value).copied().unwrap_or_default() {
                self.make(*value, &mut anew, &mut out);
                *value = anew.get(*value);
            }
        }
        block.insts = out;
    }

    fn make(&mut self, value: Value, anew: &mut Renaming, out: &mut Vec<Inst>) {
        let Some(inst) = &self.ops[value] else {
            return;
        };
        if anew.get(value) != value || matches!(inst.op, Op::Const(_)) {
            return;
        }
        if let Op::Binary(_, a, b) = inst.op {
            self.make(a, anew, out);
            self.make(b, anew, out);
        }
        let mut op = inst.op.clone();
        anew.operands(&mut op);
        let new = self
            .function
            .push(op, self.function.ty(value), inst.loc, out);
        anew.set(value, new);
        count!("reload", "values loaded anew", 1);
    }
}
