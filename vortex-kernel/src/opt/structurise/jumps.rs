//! Where control goes after a list of instructions.

use crate::ir::{Inst, Label, Op};

/// Where a jump goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Break(Label),
    Continue(Label),
    Return,
}

impl Target {
    pub(super) fn of(op: &Op) -> Option<Self> {
        match op {
            Op::Break(label) => Some(Self::Break(*label)),
            Op::Continue(label) => Some(Self::Continue(*label)),
            Op::Return => Some(Self::Return),
            _ => None,
        }
    }
}

/// The jumps that leave a run of instructions, without repetition.
pub(super) fn escapes(insts: &[Inst]) -> Vec<Target> {
    let mut found = Vec::new();
    collect_escapes(insts, &mut Vec::new(), &mut found);
    found
}

fn collect_escapes(insts: &[Inst], inside: &mut Vec<Label>, found: &mut Vec<Target>) {
    for inst in insts {
        if let Some(target) = Target::of(&inst.op) {
            let stays = match target {
                Target::Break(label) | Target::Continue(label) => inside.contains(&label),
                Target::Return => false,
            };
            if !stays && !found.contains(&target) {
                found.push(target);
            }
        }
        let label = match inst.op {
            Op::Loop { label, .. } | Op::Scope { label, .. } => Some(label),
            _ => None,
        };
        inside.extend(label);
        for block in inst.op.blocks().into_iter().flatten() {
            collect_escapes(&block.insts, inside, found);
        }
        if label.is_some() {
            inside.pop();
        }
    }
}

/// Whether something in a loop's iteration leaves the loop.
pub(super) fn leaves(insts: &[Inst], label: Label) -> bool {
    let found = escapes(insts);
    found.iter().any(|t| *t != Target::Continue(label))
}

/// Whether control never gets past these instructions.
pub(super) fn always_jumps(insts: &[Inst]) -> bool {
    insts.iter().any(|inst| match &inst.op {
        Op::If { then, els, .. } => {
            always_jumps(&then.block.insts) && always_jumps(&els.block.insts)
        }
        Op::Loop { label, body, step } => {
            let breaks = Target::Break(*label);
            !escapes(&body.insts).contains(&breaks) && !escapes(&step.insts).contains(&breaks)
        }
        Op::Scope { label, body } => {
            always_jumps(&body.insts) && !escapes(&body.insts).contains(&Target::Break(*label))
        }
        op => op.is_jump(),
    })
}

/// Whether control never gets past these instructions, but always out of the kernel.
pub(in crate::opt) fn only_returns(insts: &[Inst]) -> bool {
    always_jumps(insts) && escapes(insts) == [Target::Return]
}
