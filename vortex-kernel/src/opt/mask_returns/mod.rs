//! Lets items that have returned arrive at barriers.
//!
//! A barrier waits for all items of a group, and an item that returns, or whose division fails, must not keep the
//! others waiting. So this pass over the staged form replaces such a `return` by a flag: the item continues, but only
//! from barrier to barrier.
//!
//! ```text
//! if c { return }          scope { if c { gone = true; break } }
//! A                        scope { if gone { break } A }
//! barrier          ==>     barrier
//! B                        scope { if gone { break } B }
//! ```
//!
//! Code that decides whether a barrier is reached is not guarded; all items run it: the `if`s and loops around
//! barriers, the jumps that leave those, and what computes their conditions (`slice`). Whether the items of a group
//! agree about these conditions is for [`check_barriers`](super::check_barriers) to determine afterwards.
//!
//! Returns that items agree about (`agree`) in a loop with barriers stay what they are: they may be what ends it.
//! Where no barrier follows, the items that are gone return at last.

mod agree;
mod slice;

use smallvec::smallvec;
use std::collections::{BTreeSet, HashSet};

use crate::ir::visit::Renaming;
use crate::ir::{Arm, Block, Function, Inst, Label, Loc, Op, Type, Value, Var};
use slice::Slice;

/// Rewrites a verified staged function; does nothing to one without barriers or without returns.
pub fn mask_returns(function: &mut Function) {
    if !function.body.any(&Op::is_barrier) {
        return;
    }
    let mut labels = Labels::default();
    labels.block(&function.body);
    // Stands for the returns that become flags, as long as this takes.
    let gone = labels.fresh();
    if !agree::mark(function, &labels.meeting, gone) {
        return;
    }
    labels.note_returns(&function.body);
    let slice = Slice::of(function, &|inst| labels.meets(inst));
    let body = std::mem::take(&mut function.body.insts);
    let mut pass = Arrivals {
        flag: function.vars.push(Type::Bool),
        function,
        labels,
        slice,
        gone,
        some_gone: false,
        guarded: BTreeSet::new(),
    };
    let (flag, clear) = (pass.flag, pass.constant(Type::Bool, 0));
    let (value, clear) = clear;
    let mut insts = vec![clear, Inst::effect(Op::VarSet(flag, value), Loc::NONE)];
    let body = pass.block(body, &[], false);
    // Items that are gone do not reach the first assignment of these, nor any read: any value will do.
    for var in std::mem::take(&mut pass.guarded) {
        let (nothing, zero) = pass.constant(pass.function.vars[var], 0);
        insts.extend([zero, Inst::effect(Op::VarSet(var, nothing), Loc::NONE)]);
    }
    insts.extend(body);
    function.body.insts = insts;
}

/// The labels of a function.
#[derive(Default)]
struct Labels {
    /// Those of loops and scopes with a barrier inside, and of loops with a return that stays one.
    meeting: HashSet<Label>,
    next: u32,
}

impl Labels {
    fn block(&mut self, block: &Block) {
        block.visit(&mut |inst| {
            if let Op::Loop { label, .. } | Op::Scope { label, .. } = inst.op {
                self.next = self.next.max(label.as_u32().saturating_add(1));
                let mut nested = inst.op.blocks().into_iter().flatten();
                if nested.any(|block| block.any(&Op::is_barrier)) {
                    self.meeting.insert(label);
                }
            }
        });
    }

    /// All items reach a return that stays one, in every iteration of the loops around it.
    fn note_returns(&mut self, block: &Block) {
        block.visit(&mut |inst| {
            if let Op::Loop { label, body, step } = &inst.op
                && [body, step]
                    .iter()
                    .any(|block| block.any(&|op| *op == Op::Return))
            {
                self.meeting.insert(*label);
            }
        });
    }

    fn fresh(&mut self) -> Label {
        self.next += 1;
        Label::from_u32(self.next - 1)
    }

    /// Whether all items must reach this: at a barrier, at a jump that decides about one, around these.
    fn meets(&self, inst: &Inst) -> bool {
        let meets = |op: &Op| match op {
            Op::Break(label) | Op::Continue(label) => self.meeting.contains(label),
            Op::Return => true,
            op => op.is_barrier(),
        };
        let mut nested = inst.op.blocks().into_iter().flatten();
        meets(&inst.op) || nested.any(|block| block.any(&meets))
    }
}

struct Arrivals<'a> {
    function: &'a mut Function,
    labels: Labels,
    slice: Slice,
    /// A `break` to this is a return that becomes a flag.
    gone: Label,
    flag: Var,
    /// Items that are gone may be among those that run what comes next.
    some_gone: bool,
    /// What is assigned by those only who are not gone.
    guarded: BTreeSet<Var>,
}

impl Arrivals<'_> {
    fn constant(&mut self, ty: Type, word: u32) -> (Value, Inst) {
        self.function.inst(Op::Const(word.into()), ty, Loc::NONE)
    }

    /// `if gone { then } else { els }`.
    fn if_gone(&mut self, then: Vec<Inst>, els: Vec<Inst>, loc: Loc) -> [Inst; 2] {
        let (cond, get) = self.function.inst(Op::VarGet(self.flag), Type::Bool, loc);
        let [then, els] = [then, els].map(|insts| Arm::new(Block { insts }, Vec::new()));
        [get, Inst::effect(Op::branch(cond, then, els), loc)]
    }

    /// A block, and the values that what encloses it takes from there. `followed`: a barrier may come after its end.
    fn block(&mut self, insts: Vec<Inst>, yields: &[Value], followed: bool) -> Vec<Inst> {
        let mut out = Vec::new();
        let mut rest = insts.into_iter();
        let mut piece = Vec::new();
        loop {
            let ahead = rest.as_slice();
            let met = ahead.first().is_none_or(|inst| self.labels.meets(inst));
            if !met {
                piece.extend(rest.next());
                continue;
            }
            let followed = followed || ahead.iter().any(|inst| self.labels.meets(inst));
            if !followed {
                self.last(std::mem::take(&mut piece), &mut out);
                return out;
            }
            self.piece(std::mem::take(&mut piece), ahead, yields, &mut out);
            let Some(inst) = rest.next() else {
                return out;
            };
            let ahead = rest.as_slice();
            let followed = followed || ahead.iter().any(|inst| self.labels.meets(inst));
            let inst = self.meeting(inst, followed, &mut out);
            out.push(inst);
        }
    }

    /// What comes after the last barrier: items that are gone end here.
    fn last(&mut self, mut insts: Vec<Inst>, out: &mut Vec<Inst>) {
        if let (true, Some(first)) = (self.some_gone, insts.first()) {
            let (ends, loc) = (vec![Inst::effect(Op::Return, first.loc)], first.loc);
            out.extend(self.if_gone(ends, Vec::new(), loc));
        }
        replace_jumps(&mut insts, self.gone, &|_| vec![Op::Return]);
        out.append(&mut insts);
    }

    /// Instructions between those that all items reach; `ahead` are the ones that follow in the block.
    fn piece(&mut self, piece: Vec<Inst>, ahead: &[Inst], yields: &[Value], out: &mut Vec<Inst>) {
        let mut guarded: Vec<Inst> = Vec::new();
        let mut rest = piece.into_iter();
        while let Some(inst) = rest.next() {
            let for_all = self.slice.takes(&inst);
            // Until an item may be gone, nothing needs a guard.
            if !self.some_gone && guarded.is_empty() && !self.returns(&inst) {
                out.push(inst);
                continue;
            }
            if !for_all {
                guarded.push(inst);
                continue;
            }
            if slice::depends(&inst, &guarded) {
                let later = [std::slice::from_ref(&inst), rest.as_slice(), ahead];
                self.guard(std::mem::take(&mut guarded), &later, yields, out);
            }
            out.push(self.faultless(inst));
        }
        self.guard(guarded, &[ahead], yields, out);
    }

    fn returns(&self, inst: &Inst) -> bool {
        let gone = Op::Break(self.gone);
        let mut nested = inst.op.blocks().into_iter().flatten();
        inst.op == gone || nested.any(|block| block.any(&|op| *op == gone))
    }

    /// Puts instructions into a scope that items which are gone leave at once.
    fn guard(
        &mut self,
        mut insts: Vec<Inst>,
        later: &[&[Inst]],
        yields: &[Value],
        out: &mut Vec<Inst>,
    ) {
        let Some(loc) = insts.first().map(|inst| inst.loc) else {
            return;
        };
        let label = self.labels.fresh();
        let returns = insts.iter().any(|inst| self.returns(inst));
        let ends = insts.last().is_some_and(|last| last.op.is_jump());

        // What is used after the scope leaves it through variables.
        let mut used = HashSet::new();
        yields.iter().for_each(|v| _ = used.insert(*v));
        for inst in later.iter().copied().flatten() {
            inst.uses(&mut |v| _ = used.insert(v));
        }
        let mut renaming = Renaming::default();
        let (mut puts, mut gets) = (Vec::new(), Vec::new());
        for inst in &mut insts {
            for result in inst.results.iter_mut().filter(|v| used.contains(v)) {
                let ty = self.function.ty(*result);
                let var = self.function.vars.push(ty);
                let inner = self.function.new_value(ty);
                let (nothing, zero) = self.constant(ty, 0);
                out.extend([zero, Inst::effect(Op::VarSet(var, nothing), loc)]);
                puts.push(Inst::effect(Op::VarSet(var, inner), loc));
                gets.push(Inst {
                    results: smallvec![*result],
                    op: Op::VarGet(var),
                    loc,
                });
                renaming.set(*result, inner);
                *result = inner;
            }
        }
        let mut body = Block { insts };
        renaming.block(&mut body);
        body.visit(&mut |inst| {
            if let Op::VarSet(var, _) = inst.op {
                self.guarded.insert(var);
            }
        });
        let (yes, set) = self.constant(Type::Bool, 1);
        let flag = self.flag;
        if returns {
            let leave = move |_| vec![Op::VarSet(flag, yes), Op::Break(label)];
            replace_jumps(&mut body.insts, self.gone, &leave);
            body.insts.insert(0, set);
        }
        if self.some_gone {
            let leave = vec![Inst::effect(Op::Break(label), loc)];
            let guard = self.if_gone(leave, Vec::new(), loc);
            body.insts.splice(0..0, guard);
        }
        if !ends {
            body.insts.append(&mut puts);
        }
        out.push(Inst::effect(Op::Scope { label, body }, loc));
        out.append(&mut gets);
        self.some_gone |= returns;
    }

    /// An instruction that items run even if they are gone: but then they record no fault.
    fn faultless(&mut self, mut inst: Inst) -> Inst {
        if self.some_gone {
            for block in inst.op.blocks_mut().into_iter().flatten() {
                let insts = std::mem::take(&mut block.insts);
                for inner in insts {
                    let loc = inner.loc;
                    if matches!(inner.op, Op::Fault { .. }) {
                        let guarded = self.if_gone(Vec::new(), vec![inner], loc);
                        block.insts.extend(guarded);
                    } else {
                        let inner = self.faultless(inner);
                        block.insts.push(inner);
                    }
                }
            }
        }
        inst
    }

    /// An instruction that all items reach.
    fn meeting(&mut self, mut inst: Inst, followed: bool, out: &mut Vec<Inst>) -> Inst {
        match &mut inst.op {
            Op::If { then, els, .. } => {
                let before = self.some_gone;
                let mut after = before;
                for arm in [then, els] {
                    self.some_gone = before;
                    let insts = std::mem::take(&mut arm.block.insts);
                    arm.block.insts = self.block(insts, &arm.yields, followed);
                    if arm.yields.len() < inst.results.len() {
                        // It ended in a jump, and perhaps does no more.
                        for result in &inst.results {
                            let (value, zero) = self.constant(self.function.ty(*result), 0);
                            out.push(zero);
                            arm.yields.push(value);
                        }
                    }
                    after |= self.some_gone;
                }
                self.some_gone = after;
            }
            Op::Loop { body, step, .. } => {
                let gone = Op::Break(self.gone);
                self.some_gone |= [&*body, &*step].iter().any(|b| b.any(&|op| *op == gone));
                for block in [body, step] {
                    let insts = std::mem::take(&mut block.insts);
                    block.insts = self.block(insts, &[], true);
                }
            }
            Op::Scope { body, .. } => {
                let insts = std::mem::take(&mut body.insts);
                body.insts = self.block(insts, &[], followed);
            }
            _ => {}
        }
        inst
    }
}

/// Replaces every `break` to `label`.
fn replace_jumps(insts: &mut Vec<Inst>, label: Label, by: &dyn Fn(Loc) -> Vec<Op>) {
    for inst in &mut *insts {
        for block in inst.op.blocks_mut().into_iter().flatten() {
            replace_jumps(&mut block.insts, label, by);
        }
    }
    if let Some(last) = insts.pop_if(|last| last.op == Op::Break(label)) {
        let ops = by(last.loc).into_iter();
        insts.extend(ops.map(|op| Inst::effect(op, last.loc)));
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::parse;
    use crate::opt::{StructureError, structure};

    fn kernel(body: &str) -> Result<(), StructureError> {
        let text = format!(
            "kernel \"k\" (v0: u32 \"n\" arg 0 at 0) args 4 {{ v1: u32 = id local_x v2: bool = eq v1, v0 {body} }}"
        );
        structure(&parse(&text).unwrap()).map(drop)
    }

    #[test]
    fn items_may_be_gone() {
        kernel("if v2 { return } barrier").unwrap();
        kernel("loop L0 { v3: bool = eq v0, v0 if v3 { break L0 } if v2 { return } barrier }")
            .unwrap();
    }

    #[test]
    fn what_items_assign_that_are_not_gone() {
        let text = "kernel \"k\" (v0: ptr<global> \"x\" arg 0 at 0) args 4 {
          var m0: u32
          v1: u32 = id local_x
          v2: u32 = const 3
          v3: bool = eq v1, v2
          if v3 { return }
          set m0, v1
          barrier
          v4: u32 = get m0
          store v0+0, v4 any
          barrier
        }";
        structure(&parse(text).unwrap()).unwrap();
    }

    #[test]
    fn a_loop_with_barriers_needs_an_end_that_items_agree_on() {
        let error = kernel("loop L0 { if v2 { return } barrier }");
        assert!(matches!(error, Err(StructureError::Barrier(_))));
        let error = kernel("loop L0 { if v2 { break L0 } barrier }");
        assert!(matches!(error, Err(StructureError::Barrier(_))));
    }
}
