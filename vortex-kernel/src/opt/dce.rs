//! Removes what is not needed: instructions whose results are unused and which do nothing else, results of branches and
//! loops, and values that loops carry only to compute themselves.
//!
//! A loop without effects stays: it may not end.

use crate::ir::{Block, Function, Inst, Op, SecondaryMap, Value, While};
use smallvec::SmallVec;

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
    let mut body = std::mem::take(&mut function.body);
    let mut marking = Marking {
        origins: function.map_values(None),
        live: function.map_values(false),
        found: Vec::with_capacity(function.values.len()),
    };
    marking.roots(&body);
    marking.close();
    let live = Live {
        values: marking.live,
    };
    live.sweep(&mut body);
    function.body = body;
}

/// What a value comes from.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// A result of this instruction: which one.
    Result(&'a Inst, usize),
    /// A parameter of this loop: which one.
    Param(&'a While, usize),
}

/// Finds what instructions with a purpose need.
struct Marking<'a> {
    origins: SecondaryMap<Value, Option<Origin<'a>>>,
    live: SecondaryMap<Value, bool>,
    /// Live values whose origins have not been looked at.
    found: Vec<Value>,
}

impl<'a> Marking<'a> {
    fn mark(&mut self, value: Value) {
        let live = &mut self.live[value];
        if !*live {
            *live = true;
            self.found.push(value);
        }
    }

    /// Notes where values come from, and marks what is needed for more than values. Whether anything was.
    fn roots(&mut self, block: &'a Block) -> bool {
        let mut any = false;
        for inst in &block.insts {
            for (i, result) in inst.results.iter().enumerate() {
                self.origins[*result] = Some(Origin::Result(inst, i));
            }
            match &inst.op {
                Op::If { cond, then, els } => {
                    let arms = [self.roots(&then.block), self.roots(&els.block)];
                    if arms.contains(&true) {
                        self.mark(*cond);
                        any = true;
                    }
                }
                Op::While(w) => {
                    for (i, param) in w.params.iter().enumerate() {
                        self.origins[*param] = Some(Origin::Param(w, i));
                    }
                    self.roots(&w.before);
                    self.roots(&w.after);
                    self.mark(w.cond);
                    any = true;
                }
                op if op.is_kept() => {
                    op.operands(&mut |value| self.mark(value));
                    any = true;
                }
                _ => {}
            }
        }
        any
    }

    /// Marks what live values are computed of.
    fn close(&mut self) {
        while let Some(value) = self.found.pop() {
            match self.origins[value] {
                Some(Origin::Result(inst, i)) => match &inst.op {
                    Op::If { cond, then, els } => {
                        for needed in [*cond, then.yields[i], els.yields[i]] {
                            self.mark(needed);
                        }
                    }
                    Op::While(w) => self.mark(w.exits[i]),
                    op => op.operands(&mut |value| self.mark(value)),
                },
                Some(Origin::Param(w, i)) => {
                    self.mark(w.init[i]);
                    self.mark(w.next[i]);
                }
                // A parameter of the function.
                None => {}
            }
        }
    }
}

struct Live {
    values: SecondaryMap<Value, bool>,
}

impl Live {
    fn is(&self, value: Value) -> bool {
        self.values[value]
    }

    fn which(&self, values: &[Value]) -> SmallVec<[bool; 8]> {
        values.iter().map(|value| self.is(*value)).collect()
    }

    fn sweep(&self, block: &mut Block) {
        block.insts.retain_mut(|inst| self.keeps(inst));
    }

    /// Whether an instruction is needed, without what is not needed inside.
    fn keeps(&self, inst: &mut Inst) -> bool {
        match &mut inst.op {
            Op::If { then, els, .. } => {
                let live = self.which(&inst.results);
                let mut is_empty = true;
                for arm in [then, els] {
                    keep(&mut arm.yields, &live);
                    self.sweep(&mut arm.block);
                    is_empty &= arm.block.insts.is_empty();
                }
                keep_results(inst, &live);
                // What is left inside is there for a result, or for more than that.
                live.contains(&true) || !is_empty
            }
            Op::While(w) => {
                let live = self.which(&inst.results);
                keep(&mut w.exits, &live);
                let of_params = self.which(&w.params);
                keep(&mut w.params, &of_params);
                keep(&mut w.init, &of_params);
                keep(&mut w.next, &of_params);
                self.sweep(&mut w.before);
                self.sweep(&mut w.after);
                keep_results(inst, &live);
                true
            }
            op => op.is_kept() || inst.results.iter().any(|result| self.is(*result)),
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
