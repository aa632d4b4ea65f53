//! Addresses of elements whose index is a sum share their parts.
//!
//! ```text
//! base + (row + left) * 4               above = base + row * 4;  l = left * 4;  r = right * 4
//! base + (row + right) * 4     ==>      above + l
//! base + (row2 + left) * 4              above + r
//! base + (row2 + right) * 4             below = base + row2 * 4; below + l; below + r
//! ```
//!
//! All addresses that a stencil reads are sums of a row and a column: each then costs one addition instead of two and a
//! shift. Addresses wrap, so this is exact. It is done where both parts of a sum occur in others, in the same straight
//! code; [`gvn`](super::gvn()) then merges the duplicates.

use super::defs::Defs;
use crate::ir::{BinOp, Block, Const, Function, Inst, Loc, Op, Type, Value};
use crate::meta::count;
use rustc_hash::{FxHashMap, FxHashSet};

/// Shares parts of addresses in a structured function.
pub fn address_sums(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let defs = Defs::of(&body, function);
    Share { function, defs }.block(&mut body);
    function.body = body;
}

struct Share<'a> {
    function: &'a mut Function,
    defs: Defs,
}

/// An address `base + (a + b) * scale`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Sum {
    base: Value,
    parts: [Value; 2],
    scale: u32,
}

/// What is known about the parts of the sums of a block.
#[derive(Default)]
struct Parts {
    /// In how many different sums they are together with what they are added to.
    with_base: FxHashMap<(Value, Value, u32), u32>,
    /// In how many they are scaled so.
    scaled: FxHashMap<(Value, u32), u32>,
    /// Whether they are what is added to the base first: rows are, if one is, and columns are not.
    goes_first: FxHashMap<Value, bool>,
}

impl Parts {
    fn of(sums: &FxHashSet<Sum>) -> Self {
        let mut counted = Self::default();
        for &Sum { base, parts, scale } in sums {
            for part in parts {
                *counted.with_base.entry((base, part, scale)).or_insert(0) += 1;
                *counted.scaled.entry((part, scale)).or_insert(0) += 1;
            }
        }
        counted
    }

    /// The part of a sum to be added to the base first, and the other one, if both are worth it. That is as in sums
    /// before; or else the other one is what occurs more often.
    fn split(&mut self, sum: &Sum) -> Option<(Value, Value)> {
        let [a, b] = sum.parts;
        let scaled = |part| self.scaled[&(part, sum.scale)];
        let [of_a, of_b] = sum.parts.map(|part| self.goes_first.get(&part).copied());
        let a_first = of_a
            .or(of_b.map(|first| !first))
            .unwrap_or_else(|| scaled(a) <= scaled(b));
        let (first, last) = if a_first { (a, b) } else { (b, a) };
        let shared = self.with_base[&(sum.base, first, sum.scale)] > 1 && scaled(last) > 1;
        if a == b || !shared {
            return None;
        }
        self.goes_first.entry(first).or_insert(true);
        self.goes_first.entry(last).or_insert(false);
        Some((first, last))
    }
}

impl Share<'_> {
    fn block(&mut self, block: &mut Block) {
        let sums = block.insts.iter().filter_map(|inst| self.sum(&inst.op));
        let mut parts = Parts::of(&sums.collect());
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            if let Some(sum) = self.sum(&inst.op)
                && let Some((first, last)) = parts.split(&sum)
                && let [result] = inst.results[..]
            {
                let (ty, loc) = (self.function.ty(result), inst.loc);
                let first = Op::PtrAdd {
                    base: sum.base,
                    index: first,
                    scale: sum.scale,
                };
                let base = self.push(first, ty, loc, &mut out);
                let bits = Op::Const(Const::from(sum.scale.trailing_zeros()));
                let word = self.function.ty(last);
                let bits = self.push(bits, word, loc, &mut out);
                let bytes = Op::Binary(BinOp::Shl, last, bits);
                let index = self.push(bytes, word, loc, &mut out);
                inst.op = Op::PtrAdd {
                    base,
                    index,
                    scale: 1,
                };
                count!("address_sums", "addresses split", 1);
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// The address as a sum of two values that are not constant.
    fn sum(&self, op: &Op) -> Option<Sum> {
        let &Op::PtrAdd { base, index, scale } = op else {
            return None;
        };
        let Some(&Op::Binary(BinOp::Add, a, b)) = self.defs.get(index) else {
            return None;
        };
        let mut parts = [a, b];
        parts.sort_unstable();
        let varies = parts.iter().all(|part| self.defs.constant(*part).is_none());
        (scale.is_power_of_two() && varies).then_some(Sum { base, parts, scale })
    }

    fn push(&mut self, op: Op, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let (value, inst) = self.function.inst(op, ty, loc);
        out.push(inst);
        value
    }
}
