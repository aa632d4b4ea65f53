//! Which returns of a staged function the items of a group agree about.
//!
//! As `opt::uniformity`, but over variables and jumps: where items that do not agree jump, they do not agree about
//! anything in the loops and scopes that the jump leaves. Items that return no longer take part.

use std::collections::HashSet;

use crate::ir::{Block, Function, Inst, Label, Op, SecondaryMap, Value, Var};
use crate::opt::uniformity;

/// Turns the returns that are to become flags into `break`s to `gone`: those that items do not agree about, and any
/// that may follow such a return, outside of loops with barriers. Returns whether there are any.
///
/// A loop with barriers that has no other end keeps its returns: items that are gone would run it for ever. So they
/// would a loop without barriers inside, if all continued there until they agree to return: where such a loop has
/// returns that become flags, all of its returns do, unless they are what ends a loop with barriers.
pub(super) fn mark(function: &mut Function, meeting: &HashSet<Label>, gone: Label) -> bool {
    let mut sweep = Sweep {
        values: function.map_values(false),
        vars: function.map_vars(false),
        apart: HashSet::new(),
        ending: HashSet::new(),
        left: HashSet::new(),
        loops: HashSet::new(),
        around: Vec::new(),
        outermost_loop: None,
        returns: Vec::new(),
        changed: true,
    };
    while sweep.changed {
        sweep.changed = false;
        sweep.returns.clear();
        sweep.ending.clear();
        sweep.left.clear();
        sweep.block(&function.body, false);
    }
    let (ending, left) = (sweep.ending, sweep.left);
    let becomes_flag = |r: &Return| {
        let mut around = r.around.iter().filter(|label| meeting.contains(label));
        r.apart && around.all(|label| ending.contains(label))
    };
    // In a loop, one comes before another even if it stands after it.
    let flagged = sweep.returns.iter().filter(|r| becomes_flag(r));
    let loops: HashSet<Label> = flagged.clone().filter_map(|r| r.outermost_loop).collect();
    let inner = flagged.flat_map(|r| r.around.iter().copied());
    let inner: HashSet<Label> = inner
        .filter(|label| sweep.loops.contains(label) && !meeting.contains(label))
        .collect();
    let mut returns = sweep.returns.into_iter();
    let mut any = false;
    replace(&mut function.body, &mut || {
        let r = returns.next()?;
        let follows = any || r.outermost_loop.is_some_and(|label| loops.contains(&label));
        let meets = r.around.iter().any(|label| meeting.contains(label));
        let is_left = |label: &Label| !meeting.contains(label) || left.contains(label);
        let follows = follows
            && (!meets || r.around.iter().any(|label| inner.contains(label)))
            && r.around.iter().all(is_left);
        let becomes_flag = becomes_flag(&r) || (follows && !r.apart);
        any |= becomes_flag;
        becomes_flag.then_some(gone)
    });
    any
}

fn replace(block: &mut Block, gone: &mut dyn FnMut() -> Option<Label>) {
    for inst in &mut block.insts {
        if inst.op == Op::Return
            && let Some(label) = gone()
        {
            inst.op = Op::Break(label);
        }
        for block in inst.op.blocks_mut().into_iter().flatten() {
            replace(block, gone);
        }
    }
}

struct Return {
    /// Whether items reach it separately.
    apart: bool,
    /// The loops and scopes that it leaves.
    around: Vec<Label>,
    outermost_loop: Option<Label>,
}

struct Sweep {
    /// Which values and variables differ between items.
    values: SecondaryMap<Value, bool>,
    vars: SecondaryMap<Var, bool>,
    /// The loops and scopes that items leave at different times.
    apart: HashSet<Label>,
    /// The loops and scopes that end other than by a return at which items come apart.
    ending: HashSet<Label>,
    /// Those of them that end by a jump out of them.
    left: HashSet<Label>,
    loops: HashSet<Label>,
    /// The labels around this point, outermost first.
    around: Vec<Label>,
    outermost_loop: Option<Label>,
    /// In their order.
    returns: Vec<Return>,
    changed: bool,
}

impl Sweep {
    fn differs(&self, value: Value) -> bool {
        self.values[value]
    }

    fn define(&mut self, value: Value, differs: bool) {
        let known = &mut self.values[value];
        self.changed |= differs && !*known;
        *known |= differs;
    }

    fn set(&mut self, var: Var, differs: bool) {
        let known = &mut self.vars[var];
        self.changed |= differs && !*known;
        *known |= differs;
    }

    /// `apart`: not all items that are still there come here together.
    fn block(&mut self, block: &Block, apart: bool) {
        for inst in &block.insts {
            self.inst(inst, apart);
        }
    }

    fn inst(&mut self, inst: &Inst, apart: bool) {
        match &inst.op {
            Op::If { cond, then, els } => {
                let split = self.differs(*cond);
                self.block(&then.block, apart || split);
                self.block(&els.block, apart || split);
                for (n, result) in inst.results.iter().enumerate() {
                    let yields = [then, els].map(|arm| arm.yields.get(n).copied());
                    let differs = yields.iter().flatten().any(|v| self.differs(*v));
                    self.define(*result, differs || (split && yields[0] != yields[1]));
                }
            }
            Op::Loop { label, .. } | Op::Scope { label, .. } => {
                if let Op::Scope { .. } = inst.op {
                    self.ending.insert(*label);
                    self.left.insert(*label);
                }
                let outermost_loop = self.outermost_loop;
                if let Op::Loop { .. } = inst.op {
                    self.loops.insert(*label);
                    self.outermost_loop.get_or_insert(*label);
                }
                self.around.push(*label);
                for block in inst.op.blocks().into_iter().flatten() {
                    let apart = apart || self.apart.contains(label);
                    self.block(block, apart);
                }
                self.around.pop();
                self.outermost_loop = outermost_loop;
            }
            Op::Break(label) | Op::Continue(label) => {
                let from = self.around.iter().rposition(|l| l == label).unwrap_or(0);
                let ends = matches!(inst.op, Op::Break(_));
                let left = self.around[from..].iter().filter(|l| ends || *l != label);
                self.left.extend(left.clone());
                self.ending.extend(left);
                for left in self.around[from..].iter().filter(|_| apart) {
                    self.changed |= self.apart.insert(*left);
                }
            }
            Op::Return => {
                let around = self.around.clone();
                if !apart {
                    self.ending.extend(&around);
                }
                self.returns.push(Return {
                    apart,
                    around,
                    outermost_loop: self.outermost_loop,
                });
            }
            Op::VarSet(var, value) => {
                let differs = apart || self.differs(*value);
                self.set(*var, differs);
            }
            Op::VarGet(var) => {
                let differs = self.vars[*var];
                inst.results.iter().for_each(|v| self.define(*v, differs));
            }
            op => {
                let mut differs = uniformity::is_source(op);
                op.operands(&mut |v| differs |= self.differs(v));
                inst.results.iter().for_each(|v| self.define(*v, differs));
            }
        }
    }
}
