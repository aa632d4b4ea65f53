//! The next iteration's numbers, computed while the test whether there is one is still in flight.
//!
//! ```text
//! while a * a + b * b <= 4 {                 while { p = a * a; q = b * b; c = p + q <= 4
//!     (a, b) = (a * a - b * b + x,     ==>           a' = p - q + x; b' = 2 * a * b + y; c } {
//!               2 * a * b + y)                   (a, b) = (a', b')
//! }                                          }
//! ```
//!
//! A test of floats that lanes may disagree about is a chain of instructions: the float operations, the comparison, the
//! combination of several conditions into one, and `pred`. Each of them waits for the one before, and what comes after
//! `pred` waits for that. Float operations of the iteration itself, which have no effect but their results, need not
//! wait: [`schedule`](super::schedule()) puts them in between. The last iteration computes them needlessly, in cycles
//! in which it would have waited.

use super::defs::Defs;
use super::loops::ROTATION_LIMIT;
use super::uniformity::Uniformity;
use crate::ir::{BinOp, Block, Function, Inst, Op, Type, UnOp, Value, While};
use crate::meta::count;
use rustc_hash::FxHashSet;

/// Computes what iterations need ahead of their tests.
pub fn ahead(function: &mut Function) {
    if !function.body.any(&|op| matches!(op, Op::While(_))) {
        return;
    }
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Ahead {
        defs: Defs::of(&body, function),
        uniformity,
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Ahead<'a> {
    function: &'a Function,
    defs: Defs,
    uniformity: Uniformity,
}

impl Ahead<'_> {
    fn block(&mut self, block: &mut Block) {
        for inst in &mut block.insts {
            if let Op::While(w) = &mut inst.op {
                self.while_loop(w);
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
        }
    }

    fn while_loop(&mut self, w: &mut While) {
        let is_straight = |block: &Block| block.insts.iter().all(|i| i.op.blocks() == [None, None]);
        if self.uniformity.is_uniform(w.cond)
            || !is_straight(&w.before)
            || !is_straight(&w.after)
            || !self.tests_floats(w.cond)
        {
            return;
        }
        let mut stays = FxHashSet::default();
        for inst in std::mem::take(&mut w.after.insts) {
            let mut is_moved = w.before.insts.len() < ROTATION_LIMIT && self.is_cheap_float(&inst);
            inst.op
                .operands(&mut |operand| is_moved &= !stays.contains(&operand));
            if is_moved {
                count!("ahead", "operations computed ahead", 1);
                w.before.insts.push(inst);
            } else {
                stays.extend(inst.results.iter().copied());
                w.after.insts.push(inst);
            }
        }
    }

    /// Whether a condition, or one of those that it is made of, is about floats.
    fn tests_floats(&self, cond: Value) -> bool {
        match self.defs.get(cond) {
            Some(Op::Compare(_, a, _)) => self.function.ty(*a) == Type::F32,
            Some(Op::Binary(_, a, b)) => self.tests_floats(*a) || self.tests_floats(*b),
            Some(Op::Unary(_, a)) => self.tests_floats(*a),
            _ => false,
        }
    }

    /// Whether an instruction computes a float in few cycles: nothing is lost where the unit is asked for that in vain.
    fn is_cheap_float(&self, inst: &Inst) -> bool {
        let [result] = inst.results[..] else {
            return false;
        };
        let is_slow = match inst.op {
            Op::Binary(op, ..) => matches!(op, BinOp::Div | BinOp::Rem),
            Op::Unary(op, _) => op == UnOp::Sqrt,
            Op::Const(_) => false,
            _ => !inst.op.is_pure(),
        };
        self.function.ty(result) == Type::F32 && !is_slow
    }
}
