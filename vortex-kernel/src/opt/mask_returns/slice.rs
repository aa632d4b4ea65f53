//! What computes the conditions around barriers.

use std::collections::HashSet;

use crate::ir::{Alias, Block, Function, Inst, Op, Value, Var};

/// The values and variables that conditions around barriers are computed from.
#[derive(Default)]
pub(super) struct Slice {
    values: HashSet<Value>,
    vars: HashSet<Var>,
}

impl Slice {
    pub(super) fn of(function: &Function, meets: &dyn Fn(&Inst) -> bool) -> Self {
        let mut slice = Self::default();
        loop {
            let before = (slice.values.len(), slice.vars.len());
            slice.block(&function.body, meets);
            if before == (slice.values.len(), slice.vars.len()) {
                return slice;
            }
        }
    }

    fn block(&mut self, block: &Block, meets: &dyn Fn(&Inst) -> bool) {
        for inst in block.insts.iter().rev() {
            let meeting = meets(inst);
            if let (true, Op::If { cond, .. }) = (meeting, &inst.op) {
                self.values.insert(*cond);
            }
            if meeting || self.takes(inst) {
                self.inst(inst);
                for nested in inst.op.blocks().into_iter().flatten() {
                    self.block(nested, meets);
                }
            }
        }
    }

    /// An instruction that all items run: what it needs is needed.
    fn inst(&mut self, inst: &Inst) {
        match &inst.op {
            Op::VarGet(var) => _ = self.vars.insert(*var),
            Op::If { cond, then, els } => {
                // Where it meets and only its barriers count, its values need not be known.
                for (n, result) in inst.results.iter().enumerate() {
                    if self.values.contains(result) {
                        let yields = [then, els].map(|arm| arm.yields.get(n).copied());
                        self.values.extend(yields.into_iter().flatten());
                    }
                }
                if is_harmless(inst) {
                    // All of it runs, so everything it computes with must be there.
                    self.values.insert(*cond);
                    for arm in [then, els] {
                        arm.block.uses(&mut |v| _ = self.values.insert(v));
                        arm.block.visit(&mut |inst| {
                            if let Op::VarGet(var) = inst.op {
                                self.vars.insert(var);
                            }
                        });
                    }
                }
            }
            op => op.operands(&mut |v| _ = self.values.insert(v)),
        }
    }

    /// Whether items run this even if they are gone: because a condition needs it, and since it does no harm.
    pub(super) fn takes(&self, inst: &Inst) -> bool {
        let sets = |op: &Op| matches!(op, Op::VarSet(var, _) if self.vars.contains(var));
        let mut nested = inst.op.blocks().into_iter().flatten();
        let needed = inst.results.iter().any(|v| self.values.contains(v))
            || sets(&inst.op)
            || nested.any(|block| block.any(&sets));
        needed && is_harmless(inst)
    }
}

/// Whether an instruction only computes, and fails at most.
fn is_harmless(inst: &Inst) -> bool {
    let pure = |inst: &Inst| match &inst.op {
        Op::VarGet(_) | Op::VarSet(..) => true,
        Op::If { .. } => is_harmless(inst),
        op => op.is_pure(),
    };
    match &inst.op {
        // A check, and the access that it guards.
        Op::If { then, els, .. } => [then, els].iter().all(|arm| {
            arm.block.insts.iter().all(|inst| match &inst.op {
                Op::Fault { .. } => true,
                Op::Load { alias, .. } => {
                    matches!(alias, Alias::Shared(_) | Alias::Launch | Alias::Data(_))
                }
                _ => pure(inst),
            })
        }),
        _ => pure(inst),
    }
}

/// Whether `inst` must stay behind what precedes it: it uses or overwrites something of it, or would fail where it
/// may not be reached.
pub(super) fn depends(inst: &Inst, before: &[Inst]) -> bool {
    if before.is_empty() {
        return false;
    }
    let mut nested = inst.op.blocks().into_iter().flatten();
    if nested.any(|block| block.any(&|op| matches!(op, Op::Fault { .. }))) {
        return true;
    }
    let (mut reads, mut writes) = (HashSet::new(), HashSet::new());
    let defined: HashSet<Value> = before.iter().flat_map(|i| i.results.clone()).collect();
    for other in before {
        variables(other, &mut reads, &mut writes);
    }
    let (mut own_reads, mut own_writes) = (HashSet::new(), HashSet::new());
    variables(inst, &mut own_reads, &mut own_writes);
    let mut uses = false;
    inst.uses(&mut |v| uses |= defined.contains(&v));
    uses || own_reads.iter().any(|var| writes.contains(var))
        || own_writes
            .iter()
            .any(|var| reads.contains(var) || writes.contains(var))
}

fn variables(inst: &Inst, reads: &mut HashSet<Var>, writes: &mut HashSet<Var>) {
    let mut note = |op: &Op| match op {
        Op::VarGet(var) => _ = reads.insert(*var),
        Op::VarSet(var, _) => _ = writes.insert(*var),
        _ => {}
    };
    note(&inst.op);
    for block in inst.op.blocks().into_iter().flatten() {
        block.visit(&mut |inst| note(&inst.op));
    }
}
