//! Loops in steps that all items take equally often count their iterations.
//!
//! ```text
//! for k in (local_id()..32).step_by(8) { B(k) }
//!         ==>     n = 0; k = local_id(); while n < 4 { B(k); n += 1; k += 8 }
//! ```
//!
//! Whatever number an item of 8 has, it takes four steps. Whether the loop goes on is the same for all lanes then, and
//! known beforehand, so [`flatten`](super::flatten()) can make it straight.

use super::defs::Defs;
use super::fold::largest;
use super::loops::steps;
use super::ranges::Ranges;
use crate::ir::{BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, Type, While};
use crate::meta::count;

/// Finds them in a structured function.
pub fn even_steps(function: &mut Function) {
    let in_steps = |op: &Op| matches!(op, Op::While(w) if !w.params.is_empty());
    if !function.body.any(&in_steps) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut pass = EvenSteps {
        defs: Defs::of(&body, function),
        ranges: Ranges::default(),
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct EvenSteps<'a> {
    function: &'a mut Function,
    defs: Defs,
    /// What the assumptions say that hold here.
    ranges: Ranges,
}

impl EvenSteps<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                let learnt = self.ranges.learnt();
                self.block(nested);
                self.ranges.forget(learnt);
            }
            if let [result] = inst.results[..] {
                self.ranges.see(result, &inst.op, self.function.ty(result));
            }
            match &mut inst.op {
                Op::Assume(cond) => self.ranges.learn(*cond, true),
                Op::While(w) => {
                    if let Some(again) = self.goes_on(w) {
                        count!("even_steps", "loops", 1);
                        self.count(w, again, inst.loc, &mut out);
                    }
                }
                _ => {}
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// How often the loop goes on after its first half iteration, if it is a loop in steps, and that is the same
    /// wherever it starts.
    fn goes_on(&self, w: &While) -> Option<u32> {
        let steps = steps(w, &self.defs)?;
        let (last, step) = (
            self.defs.constant(steps.last)?,
            self.defs.constant(steps.step)?,
        );
        let start = steps.start;
        if self.function.ty(start) != Type::U32 || step == 0 || self.defs.constant(start).is_some()
        {
            return None;
        }
        let most = largest(self.function, &self.defs, start).min(self.ranges.most(start));
        let (fewest, often) = (last.checked_sub(most)? / step, last / step);
        (fewest == often).then_some(often)
    }

    /// Has the loop go on so often.
    fn count(&mut self, w: &mut While, again: u32, loc: Loc, out: &mut Vec<Inst>) {
        let [zero, one, again] = [0, 1, again].map(|word| {
            let constant = Op::Const(Const::from(word));
            self.function.push(constant, Type::U32, loc, out)
        });
        let counter = self.function.new_value(Type::U32);
        w.params.push(counter);
        w.init.push(zero);
        let less = Op::Compare(CmpOp::Lt, counter, again);
        w.cond = self
            .function
            .push(less, Type::Bool, loc, &mut w.before.insts);
        let next = Op::Binary(BinOp::Add, counter, one);
        let next = self.function.push(next, Type::U32, loc, &mut w.after.insts);
        w.next.push(next);
    }
}
