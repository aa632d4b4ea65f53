//! Two versions of a loop: one without bounds checks, for when all of them will hold, and the loop as it was.
//!
//! A check is an `If` on `index < len` with an arm that records a fault. If `len` does not change in the loop and `index`
//! has an upper bound made of values that do not change either ([`super::bounds`]), then comparing the bound
//! with `len` once, before the loop, answers for all turns. The test is an ordinary branch: where lanes
//! disagree about it, each runs its own version.
//!
//! Outer loops come first, the loop over a warp's items above all: there the test costs next to nothing. A loop whose inner
//! loops hold checks that it cannot answer leaves the matter to them.

use super::bounds::{Bounds, Emit, Obligation, Sym};
use super::defs::Defs;
use super::loops::{clone_inst, counter_starts, mark_inside};
use crate::ir::{Alias, Arm, Block, CmpOp, Const, Function, Inst, Op, Type, Value, While};

/// Loops with more instructions are not duplicated.
const SIZE_LIMIT: usize = 600;

/// Versions the loops of a structured function.
pub fn version(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Version {
        defs: Defs::of(&body, function.values.len()),
        inside: vec![false; function.values.len()],
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Version<'a> {
    function: &'a mut Function,
    defs: Defs,
    inside: Vec<bool>,
}

/// A check, and how to answer it before the loop, if it can be.
struct Check {
    in_inner_loop: bool,
    len: Value,
    /// An upper bound of the index, and what must hold for it.
    bound: Option<(Sym, Vec<Obligation>)>,
}

impl Version<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            if let Op::While(w) = &inst.op
                && let Some(checks) = self.answers(w)
            {
                self.versions(inst, &checks, &mut out);
                continue;
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// The checks of a loop, if it is worth while to answer them before it.
    fn answers(&mut self, w: &While) -> Option<Vec<Check>> {
        let mut size = 0;
        w.before.visit(&mut |_| size += 1);
        w.after.visit(&mut |_| size += 1);
        if size > SIZE_LIMIT {
            return None;
        }
        mark_inside(w, &mut self.inside, true);
        let mut collect = Collect {
            bounds: Bounds {
                function: self.function,
                defs: &self.defs,
                inside: &self.inside,
                facts: Vec::new(),
                starts: Vec::new(),
            },
            checks: Vec::new(),
            loops: 0,
        };
        collect.turns(w);
        let checks = collect.checks;
        mark_inside(w, &mut self.inside, false);
        let answered = checks.iter().any(|c| c.bound.is_some());
        let left_to_inner = |c: &Check| c.in_inner_loop && c.bound.is_none();
        (answered && !checks.iter().any(left_to_inner)).then_some(checks)
    }

    fn versions(&mut self, inst: Inst, checks: &[Check], out: &mut Vec<Inst>) {
        let loc = inst.loc;
        let mut emit = Emit {
            function: self.function,
            block: Block::default(),
            loc,
        };
        let mut all = None;
        for check in checks {
            let Some((bound, obligations)) = &check.bound else {
                continue;
            };
            for obligation in obligations {
                let holds = emit.obligation(obligation);
                all = Some(emit.and(all, holds));
            }
            let bound = emit.sym(bound);
            let holds = emit.compare(CmpOp::Lt, bound, check.len);
            all = Some(emit.and(all, holds));
        }
        out.append(&mut emit.block.insts);
        let Some(cond) = all else {
            out.push(inst);
            return;
        };
        let truth = self.function.new_value(Type::Bool);
        out.push(Inst {
            results: vec![truth],
            op: Op::Const(Const(1)),
            loc,
        });
        let mut fast = clone_inst(self.function, &inst);
        let mut verdicts = checks.iter().map(|c| c.bound.is_some());
        if let Op::While(w) = &mut fast.op {
            take_answers(&mut w.before, &mut verdicts, truth);
            take_answers(&mut w.after, &mut verdicts, truth);
        }
        let results: Vec<Value> = (inst.results.iter())
            .map(|v| self.function.new_value(self.function.ty(*v)))
            .collect();
        let outer = inst.results.clone();
        let arm = |inst: Inst| Arm {
            yields: inst.results.clone(),
            block: Block { insts: vec![inst] },
        };
        let slow = Inst { results, ..inst };
        out.push(Inst {
            results: outer,
            op: Op::If {
                cond,
                then: arm(fast),
                els: arm(slow),
            },
            loc,
        });
    }
}

/// Whether an `If` is a check: its else-arm does nothing but record a failure. Gives the condition.
fn check_of(inst: &Inst) -> Option<Value> {
    match &inst.op {
        Op::If { cond, els, .. } if is_failure(&els.block) => Some(*cond),
        _ => None,
    }
}

/// Whether a block records a failure on every way through.
fn is_failure(block: &Block) -> bool {
    block.insts.iter().any(|inst| {
        matches!(
            inst.op,
            Op::Fault { .. }
                | Op::Store {
                    alias: Alias::Fault,
                    ..
                }
        )
    })
}

/// Replaces the conditions of answered checks, in the order [`Collect`] found them.
fn take_answers(block: &mut Block, verdicts: &mut dyn Iterator<Item = bool>, truth: Value) {
    for inst in &mut block.insts {
        if check_of(inst).is_some()
            && verdicts.next() == Some(true)
            && let Op::If { cond, .. } = &mut inst.op
        {
            *cond = truth;
        }
        for nested in inst.op.blocks_mut().into_iter().flatten() {
            take_answers(nested, verdicts, truth);
        }
    }
}

struct Collect<'a> {
    bounds: Bounds<'a>,
    checks: Vec<Check>,
    loops: u32,
}

impl Collect<'_> {
    fn turns(&mut self, w: &While) {
        let (facts, starts) = (self.bounds.facts.len(), self.bounds.starts.len());
        counter_starts(w, self.bounds.defs, &mut self.bounds.starts);
        self.block(&w.before);
        self.bounds.learn(w.cond, true);
        self.block(&w.after);
        self.bounds.facts.truncate(facts);
        self.bounds.starts.truncate(starts);
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            if let Some(cond) = check_of(inst) {
                let check = self.check(cond);
                self.checks.push(check);
            }
            match &inst.op {
                Op::Assume(cond) => self.bounds.learn(*cond, true),
                Op::If { cond, then, els } => {
                    for (truth, arm) in [(true, then), (false, els)] {
                        let mark = self.bounds.facts.len();
                        self.bounds.learn(*cond, truth);
                        self.block(&arm.block);
                        self.bounds.facts.truncate(mark);
                    }
                }
                Op::While(w) => {
                    self.loops += 1;
                    self.turns(w);
                    self.loops -= 1;
                }
                _ => {}
            }
        }
    }

    fn check(&self, cond: Value) -> Check {
        let bounds = &self.bounds;
        let unanswered = Check {
            in_inner_loop: self.loops > 0,
            len: cond,
            bound: None,
        };
        let (index, len) = match bounds.defs.get(cond) {
            Some(Op::Compare(CmpOp::Lt, index, len)) => (*index, *len),
            Some(Op::Compare(CmpOp::Gt, len, index)) => (*index, *len),
            _ => return unanswered,
        };
        let u32 = bounds.function.ty(index) == Type::U32;
        if !u32 || bounds.inside[len.0 as usize] {
            return unanswered;
        }
        Check {
            len,
            bound: bounds.upper(index),
            ..unanswered
        }
    }
}
