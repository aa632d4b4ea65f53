//! Where a loop is left.

use super::jumps::{escapes, leaves};
use crate::ir::{Arm, Inst, Label, Loc, Op, Value};

/// The one place where a run of instructions leaves its loop: `if cond == when { last; break } rest`.
pub(super) struct Exit {
    pub(super) cond: Value,
    pub(super) when: bool,
    pub(super) last: Vec<Inst>,
    /// What the branch's results are in `rest`.
    pub(super) renames: Vec<(Value, Value)>,
    pub(super) rest: Vec<Inst>,
    pub(super) loc: Loc,
}

impl Exit {
    /// Cuts `insts` at its first jump, if that is such a place and nothing in `rest` leaves; `insts` keeps what runs
    /// before it.
    pub(super) fn split_off(insts: &mut Vec<Inst>, label: Label) -> Option<Self> {
        let jumps = |inst: &Inst| !escapes(std::slice::from_ref(inst)).is_empty();
        let at = insts.iter().position(jumps)?;
        let Op::If { then, els, .. } = &insts[at].op else {
            return None;
        };
        let breaks = |arm: &Arm| {
            let ends = matches!(arm.block.insts.last(), Some(i) if i.op == Op::Break(label));
            ends && escapes(&arm.block.insts[..arm.block.insts.len() - 1]).is_empty()
        };
        let when = match (breaks(then), breaks(els)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let staying = if when { els } else { then };
        if leaves(&staying.block.insts, label) || leaves(&insts[at + 1..], label) {
            return None;
        }
        let mut rest = insts.split_off(at);
        let Inst { results, op, loc } = rest.remove(0);
        let Op::If { cond, then, els } = op else {
            return None;
        };
        let (mut leaving, staying) = if when { (then, els) } else { (els, then) };
        leaving.block.insts.pop();
        rest.splice(0..0, staying.block.insts);
        Some(Self {
            cond,
            when,
            last: leaving.block.insts,
            renames: results.into_iter().zip(staying.yields).collect(),
            rest,
            loc,
        })
    }
}
