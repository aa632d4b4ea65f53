//! 64-bit integers become pairs of words.
//!
//! Runs on the structured form, after `legalize_warp` and before `codegen::entry`: after it no value has type `I64` or
//! `U64`, so no later pass must know about them, and each sees what the halves are made of. Both halves are `U32`,
//! whatever the sign of the whole.

mod arith;
mod casts;
mod division;

use crate::ir::{
    Arm, BinOp, Block, Builder, Const, Function, Inst, Loc, Op, Param, SecondaryMap, Type, Value,
    WarpOp, While, eval,
};
use smallvec::smallvec;
use std::collections::HashMap;

/// The low and the high half of a 64-bit value.
#[derive(Clone, Copy)]
struct Pair {
    lo: Value,
    hi: Value,
}

/// Replaces the 64-bit values of a structured function by pairs of words.
pub fn legalize_i64(function: &mut Function) {
    if !function.values.values().any(|ty| ty.is_wide()) {
        return;
    }
    let body = std::mem::take(&mut function.body);
    let mut pass = Wide {
        pairs: SecondaryMap::new(),
        known: HashMap::new(),
    };
    pass.params(function);
    let mut b = Builder::new(function, Loc::NONE);
    pass.block(&mut b, body);
    function.body = b.finish();
}

struct Wide {
    /// What is for each value that was one of 64 bits.
    pairs: SecondaryMap<Value, Option<Pair>>,
    /// Values that are constants: shifts and divisions by them are simple.
    known: HashMap<Value, u64>,
}

impl Wide {
    fn params(&mut self, function: &mut Function) {
        for mut param in std::mem::take(&mut function.params) {
            if !function.ty(param.value).is_wide() {
                function.params.push(param);
                continue;
            }
            let (lo, hi) = (function.new_value(Type::U32), function.new_value(Type::U32));
            self.set(param.value, Pair { lo, hi });
            param.value = lo;
            let high = Param {
                value: hi,
                name: format!("{}.high", param.name),
                offset: param.offset + 4,
                ..param
            };
            function.params.push(param);
            function.params.push(high);
        }
    }

    fn set(&mut self, value: Value, pair: Pair) {
        self.pairs[value] = Some(pair);
    }

    /// The halves of a value, if it is of 64 bits.
    fn get(&self, value: Value) -> Option<Pair> {
        self.pairs[value]
    }

    /// Each value, or both its halves.
    fn list(&self, values: &[Value]) -> Vec<Value> {
        let mut list = Vec::with_capacity(values.len());
        for value in values {
            match self.get(*value) {
                Some(Pair { lo, hi }) => list.extend([lo, hi]),
                None => list.push(*value),
            }
        }
        list
    }

    /// As [`Wide::list`], for values that are defined here.
    fn define(&mut self, function: &mut Function, values: &[Value]) -> Vec<Value> {
        for value in values {
            if function.ty(*value).is_wide() {
                let (lo, hi) = (function.new_value(Type::U32), function.new_value(Type::U32));
                self.set(*value, Pair { lo, hi });
            }
        }
        self.list(values)
    }

    fn block(&mut self, b: &mut Builder<'_>, block: Block) {
        for inst in block.insts {
            b.loc = inst.loc;
            self.inst(b, inst);
        }
    }

    fn nested(&mut self, b: &mut Builder<'_>, block: Block) -> Block {
        let mut inner = b.inner();
        self.block(&mut inner, block);
        inner.finish()
    }

    fn inst(&mut self, b: &mut Builder<'_>, mut inst: Inst) {
        match inst.op {
            Op::If { cond, then, els } => {
                let [then, els] = [then, els].map(|arm| Arm {
                    block: self.nested(b, arm.block),
                    yields: self.list(&arm.yields),
                    is_fallback: arm.is_fallback,
                });
                inst.op = Op::branch(cond, then, els);
                inst.results = self.define(b.function, &inst.results).into();
            }
            Op::While(w) => {
                let w = *w;
                let init = self.list(&w.init);
                let params = self.define(b.function, &w.params);
                let before = self.nested(b, w.before);
                let exits = self.list(&w.exits);
                let after = self.nested(b, w.after);
                let next = self.list(&w.next);
                inst.results = self.define(b.function, &inst.results).into();
                inst.op = Op::While(Box::new(While {
                    params,
                    init,
                    before,
                    cond: w.cond,
                    exits,
                    after,
                    next,
                    optional: w.optional,
                }));
            }
            Op::Store {
                ptr,
                value,
                offset,
                alias,
            } => {
                if let Some(Pair { lo, hi }) = self.get(value) {
                    b.store(ptr, offset, lo, alias);
                    b.store(ptr, offset.wrapping_add(4), hi, alias);
                    return;
                }
            }
            Op::Fault { kind, operands } => {
                // A record has room for the low halves: that of the smallest integer, 0, tells the host which one it
                // was.
                let low = |v: Value| self.get(v).map_or(v, |pair| pair.lo);
                let operands = operands.into_iter().map(low).collect();
                inst.op = Op::Fault { kind, operands };
            }
            _ => {
                if self.value(b, &inst) {
                    return;
                }
            }
        }
        b.block.insts.push(inst);
    }

    /// An operation on 64-bit values that has one result; false if it is not one.
    fn value(&mut self, b: &mut Builder<'_>, inst: &Inst) -> bool {
        let &[result] = inst.results.as_slice() else {
            return false;
        };
        if let Some(known) = self.constant(b, &inst.op, result) {
            self.known.insert(result, known);
        }
        let ty = b.function.ty(result);
        if ty.is_wide() {
            if let Some(pair) = self.pair(b, &inst.op, ty) {
                self.set(result, pair);
                return true;
            }
            return false;
        }
        let op = match &inst.op {
            Op::Compare(op, x, y) => {
                let signed = b.function.ty(*x).is_signed();
                match (self.get(*x), self.get(*y)) {
                    (Some(x), Some(y)) => arith::compare(b, *op, signed, x, y),
                    _ => return false,
                }
            }
            Op::Cast(a) => {
                let signed = b.function.ty(*a).is_signed();
                match self.get(*a) {
                    Some(pair) => casts::from_pair(b, pair, signed, ty),
                    None => return false,
                }
            }
            _ => return false,
        };
        b.block.insts.push(Inst {
            results: smallvec![result],
            op,
            loc: inst.loc,
        });
        true
    }

    /// The halves of what an operation computes.
    fn pair(&self, b: &mut Builder<'_>, op: &Op, ty: Type) -> Option<Pair> {
        let signed = ty.is_signed();
        Some(match op {
            Op::Const(Const(word)) => Pair {
                lo: b.u32(*word as u32),
                hi: b.u32((*word >> 32) as u32),
            },
            Op::Unary(op, a) => arith::unary(b, *op, self.get(*a)?),
            Op::Binary(op @ (BinOp::Shl | BinOp::Shr), a, amount) => {
                let (a, by) = (self.get(*a)?, self.get(*amount)?.lo);
                match self.known.get(amount) {
                    Some(known) => arith::shift_by(b, *op, signed, a, (known & 63) as u32),
                    None => arith::shift(b, *op, signed, a, by),
                }
            }
            Op::Binary(op @ (BinOp::Div | BinOp::Rem), x, y) => {
                let operands = (self.get(*x)?, self.get(*y)?);
                division::divide(b, *op, signed, operands, self.known.get(y).copied())
            }
            Op::Binary(op, x, y) => arith::binary(b, *op, signed, self.get(*x)?, self.get(*y)?),
            Op::Select(cond, x, y) => arith::select(b, *cond, self.get(*x)?, self.get(*y)?),
            Op::Cast(a) => match self.get(*a) {
                Some(same) => same,
                None => casts::to_pair(b, *a, signed),
            },
            Op::Warp {
                op: op @ WarpOp::Read,
                operands,
            } => {
                let [value, lane] = operands[..] else {
                    return None;
                };
                let Pair { lo, hi } = self.get(value)?;
                let [lo, hi] = [lo, hi].map(|half| {
                    let (op, operands) = (*op, vec![half, lane]);
                    b.value(Op::Warp { op, operands }, Type::U32)
                });
                Pair { lo, hi }
            }
            Op::Load { ptr, offset, alias } => Pair {
                lo: b.load(Type::U32, *ptr, *offset, *alias),
                hi: b.load(Type::U32, *ptr, offset.wrapping_add(4), *alias),
            },
            _ => return None,
        })
    }

    /// The word of a constant, also of one that is cast.
    fn constant(&self, b: &Builder<'_>, op: &Op, result: Value) -> Option<u64> {
        match op {
            Op::Const(Const(word)) => Some(*word),
            Op::Cast(a) => {
                let (from, to) = (b.function.ty(*a), b.function.ty(result));
                Some(eval::wide::cast(from, to, *self.known.get(a)?))
            }
            _ => None,
        }
    }
}
