//! Kernels whose indices are not checked: `checks = "none"`.

use crate::ir::{Block, Const, Function, IndexChecks, Op, Type};

/// Takes the way without a failure wherever a staged function asks whether an index is in bounds.
pub fn unchecked(function: &mut Function) {
    if function.indices != IndexChecks::Left {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    block(function, &mut body);
    function.body = body;
}

fn block(function: &mut Function, of: &mut Block) {
    let mut out = Vec::with_capacity(of.insts.len());
    for mut inst in std::mem::take(&mut of.insts) {
        if let Op::If { cond, then, els } = &mut inst.op
            && let Some(goes) = way(&mut then.block, &mut els.block)
        {
            let goes = Op::Const(Const(goes.into()));
            *cond = function.push(goes, Type::Bool, inst.loc, &mut out);
        }
        for nested in inst.op.blocks_mut().into_iter().flatten() {
            block(function, nested);
        }
        out.push(inst);
    }
    of.insts = out;
}

/// Which way leads to the access, if the other one records that an index is out of bounds: it does so no more.
fn way(then: &mut Block, els: &mut Block) -> Option<bool> {
    let forget = |block: &mut Block| {
        let before = block.insts.len();
        block
            .insts
            .retain(|inst| !matches!(inst.op, Op::Fault { kind, .. } if kind.is_of_bounds()));
        block.insts.len() < before
    };
    if forget(els) {
        return Some(true);
    }
    forget(then).then_some(false)
}
