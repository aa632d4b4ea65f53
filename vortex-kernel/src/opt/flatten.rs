//! Loops with a small constant number of iterations are unrolled completely.
//!
//! ```text
//! while k < 3 { B(k); k += 1 }      ==>      B(0) B(1) B(2)
//! ```
//!
//! The counter becomes constants, so tests, addresses and checks fold, and bounds checks of all iterations can be
//! tested together before an outer loop. The number of iterations is determined by executing the counter: any counter
//! works that starts from a constant, whichever way it goes.
//!
//! Loops with barriers or warp operations stay, for these are not duplicated.

use super::defs::Defs;
use super::tuning::Tuning;
use crate::ir::visit::Renaming;
use crate::ir::{Block, Const, Function, Inst, Op, Type, Value, While, eval};
use crate::meta::count;
use rustc_hash::FxHashMap;

/// Flattens the loops of a structured function, inner ones first.
pub fn flatten(function: &mut Function, tuning: &Tuning) {
    if !function.body.any(&|op| matches!(op, Op::While(_))) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Flatten {
        defs: Defs::of(&body, function),
        renaming: Renaming::default(),
        function,
        tuning,
    };
    pass.block(&mut body);
    function.body = body;
}

/// How often a loop continues, if that is known and no more than `most` times.
pub(super) fn iterations(
    function: &Function,
    defs: &Defs,
    w: &While,
    most: usize,
) -> Option<usize> {
    let mut words = Words {
        function,
        defs,
        words: FxHashMap::default(),
    };
    let mut now: Vec<_> = w.init.iter().map(|init| words.get(*init)).collect();
    if now.iter().all(Option::is_none) {
        return None;
    }
    for iterations in 0..=most {
        words.words.clear();
        for (param, word) in w.params.iter().zip(&now) {
            words.set(*param, *word);
        }
        words.block(&w.before);
        if words.get(w.cond)? == 0 {
            return Some(iterations);
        }
        words.block(&w.after);
        now = w.next.iter().map(|next| words.get(*next)).collect();
    }
    None
}

struct Flatten<'a> {
    function: &'a mut Function,
    defs: Defs,
    /// What the results of loops that are gone are now.
    renaming: Renaming,
    tuning: &'a Tuning,
}

impl Flatten<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            self.renaming.operands(&mut inst.op);
            match &mut inst.op {
                // What hardly ever runs stays as short as it is.
                Op::If { then, els, .. } if els.is_fallback => {
                    self.block(&mut then.block);
                    self.renaming.block(&mut els.block);
                }
                op => {
                    for nested in op.blocks_mut().into_iter().flatten() {
                        self.block(nested);
                    }
                }
            }
            let renaming = &self.renaming;
            inst.op.inner_operands_mut(&mut |v| *v = renaming.get(*v));
            if let Op::While(w) = &inst.op
                && let Some(iterations) = self.iterations(w)
            {
                count!("flatten", "loops made straight", 1);
                self.straight(w, iterations, &inst.results, &mut out);
                continue;
            }
            if let [result] = inst.results[..] {
                self.defs.set(result, &inst.op);
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// How often the loop continues, if it is one to make straight.
    fn iterations(&self, w: &While) -> Option<usize> {
        iterations(
            self.function,
            &self.defs,
            w,
            self.tuning.straight_iterations,
        )
        .filter(|iterations| self.fits(w, *iterations))
    }

    fn fits(&self, w: &While, iterations: usize) -> bool {
        let convergent = |block: &Block| block.any(&Op::is_convergent);
        let (before, after) = (size(&w.before), size(&w.after));
        (iterations + 1) * before + iterations * after <= self.tuning.straight_size
            && !convergent(&w.before)
            && !convergent(&w.after)
    }

    /// Appends that many iterations, and the test that ends them.
    fn straight(&mut self, w: &While, iterations: usize, results: &[Value], out: &mut Vec<Inst>) {
        let mut now = w.init.clone();
        for nth in 0..=iterations {
            // Nothing that stands for something is stood for itself: all of `now` is new, or from outside of the loop.
            for (param, value) in w.params.iter().zip(&now) {
                self.renaming.set(*param, *value);
            }
            self.copy(&w.before, out);
            if nth < iterations {
                self.copy(&w.after, out);
                now = w.next.iter().map(|v| self.renaming.get(*v)).collect();
            }
        }
        for (result, exit) in results.iter().zip(&w.exits) {
            let exit = self.renaming.get(*exit);
            self.renaming.set(*result, exit);
        }
    }

    fn copy(&mut self, block: &Block, out: &mut Vec<Inst>) {
        let mut copy = block.clone();
        copy.definitions_mut(&mut |v| {
            let new = self.function.new_value(self.function.ty(*v));
            self.renaming.set(*v, new);
            *v = new;
        });
        self.renaming.block(&mut copy);
        for inst in &copy.insts {
            if let [result] = inst.results[..] {
                self.defs.set(result, &inst.op);
            }
        }
        out.append(&mut copy.insts);
    }
}

/// Instructions of a block, those of failures aside.
pub(super) fn size(block: &Block) -> usize {
    let nested = |inst: &Inst| -> usize {
        let blocks = inst.op.blocks().into_iter().flatten();
        blocks.filter(|b| !b.is_failure()).map(size).sum()
    };
    block.insts.iter().map(|inst| 1 + nested(inst)).sum()
}

/// Words of values, as far as they follow from constants, in one iteration.
struct Words<'a> {
    function: &'a Function,
    defs: &'a Defs,
    words: FxHashMap<Value, u32>,
}

impl Words<'_> {
    fn get(&self, value: Value) -> Option<u32> {
        let word = self.words.get(&value).copied();
        word.or_else(|| self.defs.constant(value))
    }

    fn set(&mut self, value: Value, word: Option<u32>) {
        if let Some(word) = word {
            self.words.insert(value, word);
        }
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            if let Op::If { cond, then, els } = &inst.op {
                let Some(cond) = self.get(*cond) else {
                    continue;
                };
                let arm = if cond != 0 { then } else { els };
                self.block(&arm.block);
                for (result, value) in inst.results.iter().zip(&arm.yields) {
                    let word = self.get(*value);
                    self.set(*result, word);
                }
            } else if let [result] = inst.results[..] {
                let word = self.word(&inst.op, self.function.ty(result));
                self.set(result, word);
            }
        }
    }

    /// What counts and decides: words and truths.
    fn word(&self, op: &Op, ty: Type) -> Option<u32> {
        if ty.is_wide() || !(ty.is_int() || ty == Type::Bool) {
            return None;
        }
        match *op {
            Op::Const(Const(word)) => u32::try_from(word).ok(),
            Op::Unary(op, a) => Some(eval::unary(op, ty, self.get(a)?)),
            Op::Binary(op, a, b) => Some(eval::binary(op, ty, self.get(a)?, self.get(b)?)),
            Op::Compare(op, a, b) => {
                let of = self.function.ty(a);
                let narrow = !of.is_wide();
                let (a, b) = (self.get(a)?, self.get(b)?);
                narrow.then(|| eval::compare(op, of, a, b).into())
            }
            Op::Select(cond, a, b) => self.get(if self.get(cond)? != 0 { a } else { b }),
            Op::Cast(a) => {
                let from = self.function.ty(a);
                let narrow = !from.is_wide() && !from.is_half();
                let a = self.get(a)?;
                narrow.then(|| eval::cast(from, ty, a))
            }
            _ => None,
        }
    }
}
