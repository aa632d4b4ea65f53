//! The minimum or maximum of floats in a loop becomes an operation instead of a branch.
//!
//! ```text
//! while .. { if d < best { best = d; at = k } }     ==>     while .. { c = d < best; best = min(d, best); at = c ? k : at }
//! ```
//!
//! `min` differs from the branch: of two zeros it returns -0, and of a number and a NaN the number. So `d` must not
//! have a sign, like a sum of squares, and `best` must start from a constant that is neither: its later values have won
//! a comparison, which a NaN does not.

use super::defs::Defs;
use crate::ir::{BinOp, Block, CmpOp, Const, Function, Inst, Op, Type, UnOp, Value, While};
use crate::meta::count;

/// Finds them in the loops of a structured function.
pub fn float_minima(function: &mut Function) {
    let compares = |op: &Op| matches!(op, Op::Compare(_, a, _) if function.ty(*a) == Type::F32);
    let is_loop = |op: &Op| matches!(op, Op::While(w) if w.after.any(&compares));
    if !function.body.any(&is_loop) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let defs = Defs::of(&body, function);
    block(&mut body, &defs, function);
    function.body = body;
}

fn block(of: &mut Block, defs: &Defs, function: &mut Function) {
    for inst in &mut of.insts {
        for nested in inst.op.blocks_mut().into_iter().flatten() {
            block(nested, defs, function);
        }
        if let Op::While(w) = &mut inst.op {
            for at in 0..w.params.len() {
                if let Some(found) = found(w, at, defs, function) {
                    count!("float_minima", "least and greatest of floats", 1);
                    found.replace(w, function);
                }
            }
        }
    }
}

/// A parameter of a loop that becomes the lesser, or the greater, of itself and something.
struct Found {
    /// Which choice of the iteration it is, and which of its results.
    inst: usize,
    result: usize,
    op: BinOp,
    operands: [Value; 2],
}

fn found(w: &While, at: usize, defs: &Defs, function: &Function) -> Option<Found> {
    let (best, next) = (w.params[at], w.next[at]);
    let starts_well = |value: Value| {
        let start = f32::from_bits(defs.constant(value)?);
        Some(!start.is_nan() && start.to_bits() != (-0.0f32).to_bits())
    };
    if function.ty(best) != Type::F32 || !starts_well(w.init[at])? {
        return None;
    }
    let defined = |inst: &Inst| inst.results.iter().position(|result| *result == next);
    let mut insts = w.after.insts.iter().enumerate();
    let (inst, result) = insts.find_map(|(nth, inst)| Some((nth, defined(inst)?)))?;
    let (cond, taken, kept) = match &w.after.insts[inst].op {
        Op::If { cond, then, els } => (*cond, then.yields[result], els.yields[result]),
        Op::Select(cond, a, b) => (*cond, *a, *b),
        _ => return None,
    };
    let Op::Compare(order, a, b) = *defs.get(cond)? else {
        return None;
    };
    let is_swapped = match (a, b) {
        (a, b) if (a, b) == (taken, best) => false,
        (a, b) if (a, b) == (best, taken) => true,
        _ => return None,
    };
    let op = match (order, is_swapped) {
        (CmpOp::Lt | CmpOp::Le, false) | (CmpOp::Gt | CmpOp::Ge, true) => BinOp::Min,
        (CmpOp::Gt | CmpOp::Ge, false) | (CmpOp::Lt | CmpOp::Le, true) => BinOp::Max,
        _ => return None,
    };
    (kept == best && has_no_sign(taken, defs, DEPTH)).then_some(Found {
        inst,
        result,
        op,
        operands: [taken, best],
    })
}

/// How many operations are looked through.
const DEPTH: u32 = 8;

/// Whether a float is a NaN, or its sign is clear.
fn has_no_sign(value: Value, defs: &Defs, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let no_sign = |value: Value| has_no_sign(value, defs, depth);
    match defs.get(value) {
        Some(Op::Const(Const(bits))) => *bits < 1 << 31,
        Some(Op::Unary(UnOp::Abs, _)) => true,
        Some(Op::Unary(UnOp::Sqrt, a)) => no_sign(*a),
        Some(Op::Binary(BinOp::Mul, a, b)) => a == b || no_sign(*a) && no_sign(*b),
        Some(Op::Binary(BinOp::Add | BinOp::Div, a, b)) => no_sign(*a) && no_sign(*b),
        Some(Op::MulAdd(a, b, c)) => (a == b || no_sign(*a) && no_sign(*b)) && no_sign(*c),
        _ => false,
    }
}

impl Found {
    fn replace(self, w: &mut While, function: &mut Function) {
        let [taken, best] = self.operands;
        let choice = &mut w.after.insts[self.inst];
        let (result, loc) = (choice.results[self.result], choice.loc);
        // What nobody needs any more goes later.
        let op = Op::Binary(self.op, taken, best);
        let (least, inst) = function.inst(op, Type::F32, loc);
        w.after.uses_mut(&mut |v| {
            if *v == result {
                *v = least;
            }
        });
        for next in w.next.iter_mut().filter(|next| **next == result) {
            *next = least;
        }
        w.after.insts.insert(self.inst, inst);
    }
}
