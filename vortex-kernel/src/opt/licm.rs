//! Moves what a loop recomputes in every iteration from unchanging values to before the loop.
//!
//! Only instructions that every iteration runs are moved: what stands in an arm stays there, so that rare paths keep
//! their own computations and cost no registers on the others. Pure operations cannot fault, so they may run although
//! the loop does not run. Loads may where they cannot fault either: from the launch block, or in `before`, which
//! every loop runs once.

use super::loops::{mark_inside, narrows};
use crate::ir::{Alias, Block, Function, Inst, Op, SecondaryMap, Value, While};
use crate::meta::count;

/// Hoists invariant instructions out of the loops of a structured function.
pub fn licm(function: &mut Function) {
    let mut inside = function.map_values(false);
    block(&mut function.body, &mut inside);
}

/// `inside` says about every value whether one of the loops being walked defines it; all false outside of loops.
fn block(b: &mut Block, inside: &mut SecondaryMap<Value, bool>) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        if let Op::While(w) = &mut inst.op {
            // Inner loops first: what they give up may leave this one too.
            block(&mut w.before, inside);
            block(&mut w.after, inside);
            hoist(w, inside, &mut out);
        } else {
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                block(nested, inside);
            }
        }
        out.push(inst);
    }
    b.insts = out;
}

fn hoist(w: &mut While, inside: &mut SecondaryMap<Value, bool>, out: &mut Vec<Inst>) {
    mark_inside(w, inside, true);
    // Lanes that are about to be switched off must not load what only the others may.
    let narrows = narrows(w);
    let before = out.len();
    for (first, block) in [(true, &mut w.before), (false, &mut w.after)] {
        block.insts.retain_mut(|inst| {
            let movable = match inst.op {
                Op::Load { alias, .. } => {
                    alias == Alias::Launch
                        || (first && !narrows && matches!(alias, Alias::Shared(_) | Alias::Data(_)))
                }
                ref op => op.is_pure(),
            };
            let mut invariant = movable;
            inst.op.operands(&mut |v| invariant &= !inside[v]);
            if invariant {
                for result in &inst.results {
                    inside[*result] = false;
                }
                out.push(inst.take());
            }
            !invariant
        });
    }
    let hoisted = out.len() - before;
    if hoisted > 0 {
        count!("licm", "instructions hoisted", hoisted);
    }
    mark_inside(w, inside, false);
}
