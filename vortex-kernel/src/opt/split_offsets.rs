//! Constant parts of addresses move into the displacements of accesses.
//!
//! ```text
//! p = base + (i + 3) * 4            q = base + i * 4
//! q = (base + 64) + i * 4    ==>
//! load p+0, load q+0                load q+12, load q+64
//! ```
//!
//! The remaining addresses are often the same, so one register suffices for a row of elements, or for two arrays in
//! local memory. Of a constant that is too large for a displacement, the rest is one, and the upper part belongs to the
//! address, which those have in common that are near each other. Addresses wrap, so this is exact. Running pointers
//! have been made before this.

use super::defs::Defs;
use crate::ir::{BinOp, Block, Const, Function, Inst, Loc, Op, Type, Value};
use crate::isa::IMMEDIATES;
use crate::meta::count;

/// How many displacements accesses can take.
const REACH: u32 = (IMMEDIATES.end - IMMEDIATES.start).cast_unsigned();

/// Sums are followed this deep.
const DEPTH: u32 = 3;

/// Splits the addresses of a structured function.
pub fn split_offsets(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let defs = Defs::of(&body, function);
    SplitOffsets { function, defs }.block(&mut body);
    function.body = body;
}

struct SplitOffsets<'a> {
    function: &'a mut Function,
    defs: Defs,
}

impl SplitOffsets<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let Op::PtrAdd { base, index, scale } = inst.op
                && let [result] = inst.results[..]
            {
                let split = self.split(base, index, scale, inst.loc, out);
                if let Some((base, index, constant)) = split {
                    let (ty, loc) = (self.function.ty(result), inst.loc);
                    let rest = Op::PtrAdd { base, index, scale };
                    let mut base = self.push(rest, ty, loc, out);
                    let upper = constant.wrapping_add(REACH / 2) / REACH * REACH;
                    if upper != 0 {
                        let op = self.moved(base, upper, loc, out);
                        base = self.push(op, ty, loc, out);
                    }
                    inst.op = self.moved(base, constant.wrapping_sub(upper), loc, out);
                    self.defs.set(result, &inst.op);
                    count!("split_offsets", "addresses split", 1);
                }
            }
            out.push(inst);
        });
    }

    fn push(&mut self, op: Op, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let (value, inst) = self.function.inst(op, ty, loc);
        self.defs.set(value, &inst.op);
        out.push(inst);
        value
    }

    /// The base, index and constant rest of an address that is not constant but has a constant part.
    fn split(
        &mut self,
        base: Value,
        index: Value,
        scale: u32,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Option<(Value, Value, u32)> {
        if self.defs.constant(index).is_some() {
            return None;
        }
        let (base, mut constant) = self.base(base);
        let (index, more) = self.index(index, DEPTH, loc, out);
        constant = constant.wrapping_add(more.wrapping_mul(scale));
        (constant != 0).then_some((base, index, constant))
    }

    /// An address with a constant added.
    fn moved(&mut self, base: Value, constant: u32, loc: Loc, out: &mut Vec<Inst>) -> Op {
        let index = self.push(Op::Const(Const::from(constant)), Type::U32, loc, out);
        Op::PtrAdd {
            base,
            index,
            scale: 1,
        }
    }

    /// What a constant is added to, and the constant.
    fn base(&self, base: Value) -> (Value, u32) {
        let found = match self.defs.get(base) {
            Some(Op::PtrAdd { base, index, scale }) => {
                let index = self.defs.constant(*index);
                index.map(|index| (*base, index.wrapping_mul(*scale)))
            }
            _ => None,
        };
        found.unwrap_or((base, 0))
    }

    /// An index without what is constant in it, and the constant. What is left of a sum is made again, and appended to
    /// `out`.
    fn index(&mut self, index: Value, depth: u32, loc: Loc, out: &mut Vec<Inst>) -> (Value, u32) {
        let ty = self.function.ty(index);
        let Some(depth) = depth.checked_sub(1).filter(|_| ty == Type::U32) else {
            return (index, 0);
        };
        let Some(&Op::Binary(op, a, b)) = self.defs.get(index) else {
            return (index, 0);
        };
        let constant = self.defs.constant(b);
        match (op, constant) {
            (BinOp::Add, Some(word)) => (a, word),
            (BinOp::Sub, Some(word)) => (a, word.wrapping_neg()),
            (BinOp::Add | BinOp::Sub, None) => {
                let (of_a, more) = self.index(a, depth, loc, out);
                let (of_b, other) = self.index(b, depth, loc, out);
                let constant = match op {
                    BinOp::Sub => more.wrapping_sub(other),
                    _ => more.wrapping_add(other),
                };
                match constant {
                    0 => (index, 0),
                    _ => (
                        self.push(Op::Binary(op, of_a, of_b), ty, loc, out),
                        constant,
                    ),
                }
            }
            (BinOp::Shl, Some(bits)) => {
                let (rest, constant) = self.index(a, depth, loc, out);
                match constant {
                    0 => (index, 0),
                    _ => {
                        let rest = self.push(Op::Binary(op, rest, b), ty, loc, out);
                        (rest, constant << (bits & 31))
                    }
                }
            }
            _ => (index, 0),
        }
    }
}
