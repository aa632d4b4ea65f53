//! What compiling finds out about a kernel, written into its metadata and, if anybody wants to know, its statistics.

use super::narrow::Placed;
use super::{Image, Known};
use crate::ir::{Alias, Function, Op};
use crate::isa::{Class, Inst, Opcode, RegFile, x};
use crate::meta::{Facts, collecting, count};

/// What the body of one work item says.
pub(super) fn of_body(function: &Function, known: &Known) -> Facts {
    let has = |is: &dyn Fn(&Op) -> bool| Some(function.body.any(is));
    let indirect = |op: &Op| match op {
        Op::Load { alias, .. } | Op::Store { alias, .. } | Op::Atomic { alias, .. } => {
            *alias == Alias::Any
        }
        _ => false,
    };
    let calls = function.callees.iter().map(|callee| callee.name.clone());
    Facts {
        known_block: known.block,
        known_lanes: known.lanes,
        uses_barrier: has(&Op::is_barrier),
        uses_atomics: has(&|op| matches!(op, Op::Atomic { .. })),
        recursion: Some(false),
        function_calls: Some(calls.collect()),
        no_indirect_global_access: Some(!function.body.any(&indirect)),
        ..Facts::default()
    }
}

/// What the finished image says, whose last bytes are constant tables.
pub(super) fn of_image(image: &mut Image, code: &[Placed], frame: u32, constants: usize) {
    let facts = &mut image.facts;
    let uses_stack = code.iter().any(|placed| uses_stack(&placed.inst));
    facts.stack = Some(if uses_stack { frame } else { 0 });
    facts.code_size = u32::try_from(image.bytes.len()).ok();
    facts.constants = u32::try_from(constants).ok();
    facts.prints = Some(image.prints);
    facts.fault_sites = u32::try_from(image.fault_sites.len()).ok();
    facts.uses_groups = Some(image.groups.is_some());
    facts.local_memory = Some(image.groups.map_or(0, |groups| groups.local_bytes));
    facts.image_variants = Some(1);
}

fn uses_stack(inst: &Inst) -> bool {
    inst.sources()
        .any(|source| source == (RegFile::Integer, x::SP))
}

/// Counts in the finished code.
pub(super) fn count_code(code: &[Placed]) {
    if !collecting() {
        return;
    }
    let number = |is: &dyn Fn(&Inst) -> bool| code.iter().filter(|placed| is(&placed.inst)).count();
    let opcode = |opcode: Opcode| number(&|inst| inst.opcode == opcode);
    count!("codegen", "instructions", code.len());
    count!("codegen", "splits", opcode(Opcode::Split));
    count!("codegen", "divergent loop exits", opcode(Opcode::Pred));
    count!(
        "codegen",
        "branches",
        code.iter().filter(|placed| placed.branch.is_some()).count()
    );
    let on_stack = |stores: bool| {
        number(&|inst| {
            let class = inst.opcode.info().class;
            let wanted = if stores { Class::Store } else { Class::Load };
            class == wanted && uses_stack(inst)
        })
    };
    count!("codegen", "spills", on_stack(true));
    count!("codegen", "reloads", on_stack(false));
}

/// Places in a function where a work item can fail.
pub(super) fn faults(function: &Function) -> usize {
    let mut faults = 0;
    function
        .body
        .visit(&mut |inst| faults += usize::from(matches!(inst.op, Op::Fault { .. })));
    faults
}
