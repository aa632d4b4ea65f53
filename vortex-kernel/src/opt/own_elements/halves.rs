//! Trees: loops in which each item below a number takes in what the item as many places above it has written.
//!
//! ```text
//! let mut half = local_size() / 2;
//! while half > 0 {
//!     if i < half { part[i] += part[i + half]; }
//!     barrier();
//!     half /= 2;
//! }
//! ```
//!
//! Items write below `half` there, and read from `half` on: never the same, as long as `half` is the same for both. It
//! is if they are in the same iteration. So all items must be in step: each barrier is outside of all conditions, and
//! each loop around one ends by what is the same for all items. And `half` must have been divided, so that `i + half`
//! does not wrap around.

use super::index::Indices;
use crate::ir::{BinOp, Function, Inst, Op, UnOp, Value, While};
use rustc_hash::FxHashSet;

/// Numbers that loops divide, where all items are in step.
pub(super) fn halves(function: &Function, indices: &Indices<'_>) -> FxHashSet<Value> {
    let mut halves = FxHashSet::default();
    for inst in &function.body.insts {
        let in_step = match &inst.op {
            Op::Barrier => true,
            Op::While(w) => {
                let params = w.params.iter().zip(w.init.iter().zip(&w.next));
                let divided = params.filter(|(param, (init, next))| {
                    indices.is_divided(**init, |value| indices.is_alike(value))
                        && indices.is_divided(**next, |value| value == **param)
                });
                let found: Vec<Value> = divided.map(|(param, _)| *param).collect();
                let in_step = !has_barrier(&inst.op) || ends_by(w, &found, indices);
                halves.extend(found);
                in_step
            }
            op => !has_barrier(op),
        };
        if !in_step {
            return FxHashSet::default();
        }
    }
    halves
}

/// Whether an operation is a barrier, or has one inside.
fn has_barrier(op: &Op) -> bool {
    let mut blocks = op.blocks().into_iter().flatten();
    op.is_barrier() || blocks.any(|block| block.any(&Op::is_barrier))
}

/// Whether all items leave a loop in the same iteration, as its condition compares one of these with what is the same
/// for all, and meet at all barriers in it.
fn ends_by(w: &While, halves: &[Value], indices: &Indices<'_>) -> bool {
    let mut cond = w.cond;
    while let Some(Op::Unary(UnOp::Not, inverse)) = indices.op(cond) {
        cond = *inverse;
    }
    let Some(Op::Compare(_, a, b)) = indices.op(cond) else {
        return false;
    };
    let is_known = |value: &Value| halves.contains(value) || indices.is_alike(*value);
    let met = |inst: &Inst| matches!(inst.op, Op::Barrier) || !has_barrier(&inst.op);
    is_known(a) && is_known(b) && !w.before.any(&Op::is_barrier) && w.after.insts.iter().all(met)
}

impl Indices<'_> {
    /// Whether a value is a word divided by a constant, at least by 2, of which more is known.
    fn is_divided(&self, value: Value, of: impl Fn(Value) -> bool) -> bool {
        match self.op(value) {
            Some(Op::Binary(BinOp::Div, a, b)) => {
                self.constant(*b).is_some_and(|by| by >= 2) && of(*a)
            }
            Some(Op::Binary(BinOp::Shr, a, b)) => {
                self.constant(*b).is_some_and(|by| (1..32).contains(&by)) && of(*a)
            }
            _ => false,
        }
    }
}
