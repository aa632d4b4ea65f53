//! Choices that lanes disagree about are made without a branch, if that is short.
//!
//! ```text
//! n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }          a = n / 2;  b = 3 * n + 1
//!                                                ==>      n = select n % 2 == 0, a, b
//! ```
//!
//! Lanes that disagree execute both arms anyway, one after the other, between a split and a join. [`super::simplify()`]
//! does so for what costs next to nothing even where all lanes take the same arm.

use super::defs::cost_of_arms;
use super::uniformity::Uniformity;
use crate::ir::{Arm, Block, Function, Inst, Op, Type, Value};
use crate::meta::count;

/// What the arms and the choices between their values cost less than, together.
const MOST: u32 = 9;

/// Converts the choices of a structured function.
pub fn if_conversion(function: &mut Function) {
    let is_choice = |op: &Op| matches!(op, Op::If { then, .. } if !then.yields.is_empty());
    if !function.body.any(&is_choice) {
        return;
    }
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    block(function, &uniformity, &mut body);
    function.body = body;
}

fn block(function: &Function, uniformity: &Uniformity, in_block: &mut Block) {
    let mut out = Vec::with_capacity(in_block.insts.len());
    for mut inst in std::mem::take(&mut in_block.insts) {
        for nested in inst.op.blocks_mut().into_iter().flatten() {
            block(function, uniformity, nested);
        }
        match inst.op {
            Op::If { cond, then, els }
                if uniformity.is_divergent(cond)
                    && converts(function, &inst.results, [&then, &els]) =>
            {
                count!("if_conversion", "branches", 1);
                let yields = then.yields.into_iter().zip(els.yields);
                out.extend(then.block.insts.into_iter().chain(els.block.insts));
                for (result, (a, b)) in inst.results.into_iter().zip(yields) {
                    out.push(Inst {
                        results: [result].into_iter().collect(),
                        op: Op::Select(cond, a, b),
                        loc: inst.loc,
                    });
                }
            }
            _ => out.push(inst),
        }
    }
    in_block.insts = out;
}

/// Whether both arms only compute, and both together with the choices cost little.
fn converts(function: &Function, results: &[Value], arms: [&Arm; 2]) -> bool {
    let choices = results.iter().map(|result| match function.ty(*result) {
        Type::Bool => 1,
        // Through integer registers, which takes longer than to part and meet again.
        Type::F32 => MOST,
        _ => 3,
    });
    let arms = cost_of_arms(function, arms);
    !results.is_empty() && arms.is_some_and(|arms| arms + choices.sum::<u32>() < MOST)
}
