//! Statistics of finished code.

use super::narrow::Placed;
use super::spills;
use crate::isa::{Class, Inst, Opcode};
use crate::meta::{collecting, count};

/// Counts in the finished code, whose frames begin with this many bytes of private memory.
pub(super) fn code(code: &[Placed], private: u32) {
    if !collecting() {
        return;
    }
    let number = |is: &dyn Fn(&Inst) -> bool| code.iter().filter(|placed| is(&placed.inst)).count();
    let opcode = |opcode: Opcode| number(&|inst| inst.opcode == opcode);
    let on_stack = |class: Class| {
        number(&|inst| {
            let is_private = u32::try_from(inst.imm).is_ok_and(|offset| offset < private);
            let is_slot = spills::is_access(*inst) || inst.uses_stack() && !is_private;
            inst.opcode.info().class == class && is_slot
        })
    };
    let branches = code.iter().filter(|placed| placed.branch.is_some());
    count!("codegen", "instructions", code.len());
    count!("codegen", "branches", branches.count());
    count!("codegen", "splits", opcode(Opcode::Split));
    count!("codegen", "divergent loop exits", opcode(Opcode::Pred));
    count!("codegen", "spills", on_stack(Class::Store));
    count!("codegen", "reloads", on_stack(Class::Load));
}
