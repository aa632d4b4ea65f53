//! Removes what is not needed: instructions whose results are unused and which do nothing else, results of branches and
//! loops, and values that loops carry only to compute themselves.
//!
//! A loop without effects stays: it may not end.

use crate::ir::{Block, Function, Inst, Op, SecondaryMap, Value};

/// Drops assumptions, which have done their work.
pub fn forget(function: &mut Function) {
    fn block(b: &mut Block) {
        b.insts.retain(|inst| !matches!(inst.op, Op::Assume(_)));
        for inst in &mut b.insts {
            inst.op.blocks_mut().into_iter().flatten().for_each(block);
        }
    }
    block(&mut function.body);
}

/// Removes dead code from a structured function.
pub fn dce(function: &mut Function) {
    let mut live = Live {
        values: function.map_values(false),
        changed: true,
    };
    while live.changed {
        live.changed = false;
        live.block(&function.body);
    }
    live.sweep(&mut function.body);
}

struct Live {
    values: SecondaryMap<Value, bool>,
    changed: bool,
}

impl Live {
    fn is(&self, value: Value) -> bool {
        self.values[value]
    }

    fn mark(&mut self, value: Value) {
        let live = &mut self.values[value];
        self.changed |= !*live;
        *live = true;
    }

    /// Marks backwards what instructions with a purpose need.
    fn block(&mut self, block: &Block) {
        for inst in block.insts.iter().rev() {
            match &inst.op {
                Op::If { then, els, .. } => {
                    for (i, result) in inst.results.iter().enumerate() {
                        if self.is(*result) {
                            self.mark(then.yields[i]);
                            self.mark(els.yields[i]);
                        }
                    }
                    self.block(&then.block);
                    self.block(&els.block);
                }
                Op::While(w) => {
                    self.mark(w.cond);
                    for (result, exit) in inst.results.iter().zip(&w.exits) {
                        if self.is(*result) {
                            self.mark(*exit);
                        }
                    }
                    // Again only for what an iteration was found to need of the one before: loops are nested, and
                    // rounds with them.
                    let carried = |live: &Self| w.params.iter().filter(|v| live.is(**v)).count();
                    loop {
                        let known = carried(self);
                        for (param, next) in w.params.iter().zip(&w.next) {
                            if self.is(*param) {
                                self.mark(*next);
                            }
                        }
                        self.block(&w.after);
                        self.block(&w.before);
                        if carried(self) == known {
                            break;
                        }
                    }
                    for (param, init) in w.params.iter().zip(&w.init) {
                        if self.is(*param) {
                            self.mark(*init);
                        }
                    }
                    continue;
                }
                _ => {}
            }
            if self.needed(inst) {
                inst.op.operands(&mut |v| self.mark(v));
            }
        }
    }

    fn needed(&self, inst: &Inst) -> bool {
        let effect = match &inst.op {
            Op::If { then, els, .. } => {
                let mut insts = then.block.insts.iter().chain(&els.block.insts);
                insts.any(|i| self.needed(i))
            }
            Op::While(_) => true,
            op => op.is_kept(),
        };
        effect || inst.results.iter().any(|v| self.is(*v))
    }

    fn sweep(&self, block: &mut Block) {
        block.insts.retain(|inst| self.needed(inst));
        for inst in &mut block.insts {
            let live: Vec<bool> = inst.results.iter().map(|v| self.is(*v)).collect();
            match &mut inst.op {
                Op::If { then, els, .. } => {
                    for arm in [then, els] {
                        keep(&mut arm.yields, &live);
                        self.sweep(&mut arm.block);
                    }
                    keep_results(inst, &live);
                }
                Op::While(w) => {
                    keep(&mut w.exits, &live);
                    let of_params: Vec<bool> = w.params.iter().map(|v| self.is(*v)).collect();
                    keep(&mut w.params, &of_params);
                    keep(&mut w.init, &of_params);
                    keep(&mut w.next, &of_params);
                    self.sweep(&mut w.before);
                    self.sweep(&mut w.after);
                    keep_results(inst, &live);
                }
                _ => {}
            }
        }
    }
}

fn keep(values: &mut Vec<Value>, which: &[bool]) {
    let mut which = which.iter();
    values.retain(|_| which.next().is_none_or(|live| *live));
}

fn keep_results(inst: &mut Inst, which: &[bool]) {
    let mut which = which.iter();
    inst.results
        .retain(|_| which.next().is_none_or(|live| *live));
}
