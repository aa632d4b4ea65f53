//! Several turns of a small counted loop become one.
//!
//! ```text
//!                                              while k < n - 3 { B(k) B(k + 1) B(k + 2) B(k + 3); k += 4 }
//! while k < n { B(k); k += 1 }      ==>
//!                                              while k < n { B(k); k += 1 }
//! ```
//!
//! What a turn pays for itself (the test, the counter, running pointers) is then paid once for several; and loads of
//! memory that nobody writes come first in the longer turn, so that the device waits for them together.
//! Only loops without control flow inside, whose lanes all do the same number of turns, so that no lane waits.

use super::defs::{Defs, is_pure};
use super::loops::mark_inside;
use super::uniformity::Uniformity;
use crate::ir::visit::Renaming;
use crate::ir::{Alias, BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, Type, Value, While};
use crate::meta::count;
use rustc_hash::FxHashSet;

/// Instructions of a turn, up to which four turns or two become one.
const SMALL: [(usize, u32); 2] = [(10, 4), (24, 2)];

/// Turns whose loads come first together. With more loads under way, the device's cache has to ask for too much at once.
const TOGETHER: u32 = 2;

/// Steps of counters up to this; more would be of no use, and sums of them are far from wrapping.
const LARGEST_STEP: u32 = 1 << 16;

/// Unrolls the loops of a structured function.
pub fn unroll(function: &mut Function) {
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Unroll {
        defs: Defs::of(&body, function.values.len()),
        inside: vec![false; function.values.len()],
        uniformity,
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Unroll<'a> {
    function: &'a mut Function,
    defs: Defs,
    inside: Vec<bool>,
    uniformity: Uniformity,
}

/// How a loop counts.
struct Count {
    /// Which of its parameters.
    at: usize,
    step: u32,
    limit: Value,
    /// Turns to be made one.
    turns: u32,
}

impl Unroll<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            if let Op::While(w) = &mut inst.op
                && let Some(count) = self.count(w)
            {
                count!("unroll", "loops unrolled", 1);
                let results = self.longer(w, &count, inst.loc, &mut out);
                w.init = results;
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// How the loop counts, if it is one to unroll.
    fn count(&mut self, w: &While) -> Option<Count> {
        let Op::Compare(CmpOp::Lt, counter, limit) = *self.defs.get(w.cond)? else {
            return None;
        };
        let at = w.params.iter().position(|p| *p == counter)?;
        let step = match *self.defs.get(w.next[at])? {
            Op::Binary(BinOp::Add, a, b) if a == counter => self.defs.constant(b)?,
            _ => return None,
        };
        let straight = |inst: &Inst| {
            let plain = matches!(inst.op, Op::Load { .. } | Op::Store { .. }) || is_pure(&inst.op);
            plain && !inst.op.is_convergent()
        };
        let fits = self.function.ty(counter) == Type::U32
            && (1..=LARGEST_STEP).contains(&step)
            && self.uniformity.is_uniform(w.cond)
            && w.before.insts.iter().all(|inst| is_pure(&inst.op))
            && w.after.insts.iter().all(straight)
            && w.exits.iter().all(|exit| w.params.contains(exit));
        mark_inside(w, &mut self.inside, true);
        let invariant = !self.inside[limit.0 as usize];
        mark_inside(w, &mut self.inside, false);
        let size = w.before.insts.len() + w.after.insts.len();
        let (_, turns) = *SMALL.iter().find(|(largest, _)| size <= *largest)?;
        (fits && invariant).then_some(Count {
            at,
            step,
            limit,
            turns,
        })
    }

    /// Appends the loop of longer turns; gives what the parameters are after it.
    fn longer(&mut self, w: &While, count: &Count, loc: Loc, out: &mut Vec<Inst>) -> Vec<Value> {
        let like = |function: &mut Function, values: &[Value]| -> Vec<Value> {
            let new = |v: &Value| function.new_value(function.ty(*v));
            values.iter().map(new).collect()
        };
        let params = like(self.function, &w.params);
        let results = like(self.function, &w.params);

        // `limit - ahead`, but not below 0: from there on no longer turn fits.
        let ahead = self.push(
            Op::Const(Const::from(count.step * (count.turns - 1))),
            loc,
            out,
        );
        let less = self.push(Op::Binary(BinOp::Min, count.limit, ahead), loc, out);
        let limit = self.push(Op::Binary(BinOp::Sub, count.limit, less), loc, out);
        let cond = self.function.new_value(Type::Bool);
        let before = Block {
            insts: vec![Inst {
                results: vec![cond],
                op: Op::Compare(CmpOp::Lt, params[count.at], limit),
                loc,
            }],
        };

        let (mut after, mut pair) = (Block::default(), Block::default());
        let mut now = params.clone();
        for nth in 0..count.turns {
            let mut turn = Block {
                insts: w
                    .before
                    .insts
                    .iter()
                    .chain(&w.after.insts)
                    .cloned()
                    .collect(),
            };
            // Nothing that stands for something is stood for itself: all of `now` is new, or from outside of the loop.
            let mut renaming = Renaming::default();
            for (param, value) in w.params.iter().zip(&now) {
                renaming.set(*param, *value);
            }
            turn.definitions_mut(&mut |v| {
                let new = self.function.new_value(self.function.ty(*v));
                renaming.set(*v, new);
                *v = new;
            });
            renaming.block(&mut turn);
            now = w.next.iter().map(|v| renaming.get(*v)).collect();
            pair.insts.append(&mut turn.insts);
            if nth % TOGETHER == TOGETHER - 1 {
                loads_first(self.function, &mut pair);
                after.insts.append(&mut pair.insts);
            }
        }
        out.push(Inst {
            results: results.clone(),
            op: Op::While(Box::new(While {
                params: params.clone(),
                init: w.init.clone(),
                before,
                cond,
                exits: params,
                after,
                next: now,
            })),
            loc,
        });
        results
    }

    fn push(&mut self, op: Op, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let value = self.function.new_value(Type::U32);
        let results = vec![value];
        out.push(Inst { results, op, loc });
        value
    }
}

/// Brings loads of what nobody writes, and the addresses they need, before everything else.
fn loads_first(function: &Function, block: &mut Block) {
    let mut late = FxHashSet::default();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for inst in std::mem::take(&mut block.insts) {
        let early = match inst.op {
            Op::Load { alias, .. } => {
                matches!(alias, Alias::Shared(_) | Alias::Data(_) | Alias::Launch)
            }
            ref op => {
                let of_words = |v: &Value| function.ty(*v) != Type::F32;
                is_address(op) && inst.results.iter().all(of_words)
            }
        };
        let mut ready = early;
        inst.op.operands(&mut |v| ready &= !late.contains(&v));
        if ready {
            first.push(inst);
        } else {
            late.extend(inst.results.iter().copied());
            rest.push(inst);
        }
    }
    first.append(&mut rest);
    block.insts = first;
}

/// Whether it is what addresses are computed with.
fn is_address(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::PtrAdd { .. }
            | Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, ..)
    )
}
