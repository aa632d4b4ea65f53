//! Addresses that advance by the same amount in every iteration become running pointers.
//!
//! In `base + (k * n + column) * 4`, with `k` a counter and the rest invariant, the address advances by `n * 4` bytes
//! an iteration: the loop carries a pointer, initialised before it, and needs one addition per iteration instead of a
//! multiplication, an addition, a shift and another addition. Arithmetic is modulo 2^32 on both sides, so this is
//! exact. Addresses that differ by a constant share a pointer. Only addresses that every iteration computes are worth a
//! pointer, and only a limited number: each occupies a register.
//!
//! Addresses of the loop over a warp's items are not worth one if it has an inner loop that runs as long as each lane
//! needs: that loop would lack these registers all the time, and the savings are small in comparison.

use super::conditions::Emit;
use super::defs::Defs;
use super::loops::{mark_inside, narrows, none_inside};
use super::symbolic::Sym;
use super::uniformity::Uniformity;
use crate::ir::{BinOp, Block, Const, Function, Inst, Op, SecondaryMap, Type, Value, While};
use crate::meta::count;

/// Running pointers of one loop.
const POINTERS: usize = 8;

/// Introduces running pointers in the loops of a structured function.
pub fn strength(function: &mut Function) {
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Strength {
        uniformity,
        defs: Defs::of(&body, function),
        inside: none_inside(function),
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Strength<'a> {
    function: &'a mut Function,
    defs: Defs,
    inside: SecondaryMap<Value, bool>,
    uniformity: Uniformity,
}

/// A parameter that every iteration adds `step` to.
struct Counter {
    param: Value,
    init: Value,
    step: Sym,
}

/// `base + offset + sum(factor * counter)`, modulo 2^32.
#[derive(Clone, PartialEq)]
struct Linear {
    base: Sym,
    offset: u32,
    /// By number of the counter, ascending.
    factors: Vec<(usize, Sym)>,
}

/// A running pointer.
struct Pointer {
    base: Value,
    scale: u32,
    linear: Linear,
    param: Value,
}

impl Strength<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let Op::While(w) = &mut inst.op {
                self.while_loop(w, out);
            }
            out.push(inst);
        });
    }

    fn while_loop(&mut self, w: &mut While, out: &mut Vec<Inst>) {
        let parts = |op: &Op| matches!(op, Op::While(w) if self.uniformity.is_divergent(w.cond));
        if narrows(w) && w.after.any(&parts) {
            return;
        }
        // Values made for inner loops are unknown to the tables; they are not what addresses are made of.
        mark_inside(w, &mut self.inside, true);
        let counters = self.counters(w);
        if !counters.is_empty() {
            let mut pointers = Vec::new();
            self.addresses(&mut w.before, &counters, &mut pointers);
            self.addresses(&mut w.after, &counters, &mut pointers);
            if !pointers.is_empty() {
                count!("strength", "running pointers", pointers.len());
            }
            for pointer in pointers {
                self.carry(w, &counters, &pointer, out);
            }
        }
        mark_inside(w, &mut self.inside, false);
    }

    fn counters(&self, w: &While) -> Vec<Counter> {
        let mut counters = Vec::new();
        for (i, param) in w.params.iter().enumerate() {
            let step = match self.defs.get(w.next[i]) {
                Some(Op::Binary(BinOp::Add, a, b)) if a == param => *b,
                Some(Op::Binary(BinOp::Add, a, b)) if b == param => *a,
                _ => continue,
            };
            if self.function.ty(*param) == Type::U32
                && let Some(step) = self.invariant(step)
            {
                counters.push(Counter {
                    param: *param,
                    init: w.init[i],
                    step,
                });
            }
        }
        counters
    }

    fn invariant(&self, value: Value) -> Option<Sym> {
        if let Some(word) = self.defs.constant(value) {
            return Some(Sym::Const(word));
        }
        let u32 = self.function.ty(value) == Type::U32;
        (u32 && !self.inside[value]).then_some(Sym::Value(value))
    }

    fn linear(&self, value: Value, counters: &[Counter], depth: u32) -> Option<Linear> {
        let constant = |offset| Linear {
            base: Sym::Const(0),
            offset,
            factors: Vec::new(),
        };
        match self.invariant(value) {
            Some(Sym::Const(word)) => return Some(constant(word)),
            Some(base) => {
                // The columns of a lane's items are constants apart.
                let (base, offset) = self.displaced(value).unwrap_or((base, 0));
                return Some(Linear {
                    base,
                    ..constant(offset)
                });
            }
            None => {}
        }
        if let Some(at) = counters.iter().position(|c| c.param == value) {
            return Some(Linear {
                factors: vec![(at, Sym::Const(1))],
                ..constant(0)
            });
        }
        let depth = depth.checked_sub(1)?;
        let Op::Binary(op, a, b) = *self.defs.get(value)? else {
            return None;
        };
        let a = self.linear(a, counters, depth)?;
        let b = self.linear(b, counters, depth)?;
        match op {
            BinOp::Add => Some(a.plus(b)),
            BinOp::Sub => Some(a.plus(b.times(&Sym::Const(u32::MAX)))),
            BinOp::Mul if b.factors.is_empty() => Some(a.times(&b.value())),
            BinOp::Mul if a.factors.is_empty() => Some(b.times(&a.value())),
            BinOp::Shl => match b.value() {
                Sym::Const(n) => Some(a.times(&Sym::Const(1 << (n & 31)))),
                _ => None,
            },
            _ => None,
        }
    }

    /// An invariant sum as its first part and a constant.
    fn displaced(&self, value: Value) -> Option<(Sym, u32)> {
        match *self.defs.get(value)? {
            Op::Binary(BinOp::Add, a, b) => Some((Sym::Value(a), self.defs.constant(b)?)),
            _ => None,
        }
    }

    /// Replaces the addresses in a block by running pointers.
    fn addresses(&mut self, block: &mut Block, counters: &[Counter], pointers: &mut Vec<Pointer>) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            if let Some((base, offset)) = self.address(&inst.op, counters, pointers) {
                // Simplify folds the constant into the access.
                let index = Op::Const(Const::from(offset));
                let index = self.function.push(index, Type::U32, inst.loc, &mut out);
                let scale = 1;
                inst.op = Op::PtrAdd { base, index, scale };
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// The running pointer for an address, and how far from it the address is.
    fn address(
        &mut self,
        op: &Op,
        counters: &[Counter],
        pointers: &mut Vec<Pointer>,
    ) -> Option<(Value, u32)> {
        let Op::PtrAdd { base, index, scale } = *op else {
            return None;
        };
        let plain = scale == 1 && counters.iter().any(|c| c.param == index);
        if plain || self.inside[base] {
            return None;
        }
        let mut linear = self.linear(index, counters, 12)?;
        if linear.factors.is_empty() {
            return None;
        }
        let offset = std::mem::take(&mut linear.offset).wrapping_mul(scale);
        let known = pointers
            .iter()
            .find(|p| (p.base, p.scale) == (base, scale) && p.linear == linear);
        if let Some(pointer) = known {
            return Some((pointer.param, offset));
        }
        if pointers.len() == POINTERS {
            return None;
        }
        let param = self.function.new_value(self.function.ty(base));
        pointers.push(Pointer {
            base,
            scale,
            linear,
            param,
        });
        Some((param, offset))
    }

    /// Adds a pointer to what the loop carries; its start and its step are computed before the loop.
    fn carry(
        &mut self,
        w: &mut While,
        counters: &[Counter],
        pointer: &Pointer,
        out: &mut Vec<Inst>,
    ) {
        let mut start = pointer.linear.base.clone();
        let mut step = Sym::Const(0);
        for (at, factor) in &pointer.linear.factors {
            let counter = &counters[*at];
            let init = match self.defs.constant(counter.init) {
                Some(word) => Sym::Const(word),
                None => Sym::Value(counter.init),
            };
            start = Sym::op(BinOp::Add, start, Sym::op(BinOp::Mul, init, factor.clone()));
            let stride = Sym::op(BinOp::Mul, counter.step.clone(), factor.clone());
            step = Sym::op(BinOp::Add, step, stride);
        }
        let step = Sym::op(BinOp::Mul, step, Sym::Const(pointer.scale));
        let ty = self.function.ty(pointer.param);
        let mut emit = Emit::new(self.function, crate::ir::Loc::NONE);
        let (start, step) = (emit.sym(&start), emit.sym(&step));
        out.append(&mut emit.block.insts);
        let mut ptr_add = |base, index, scale, out: &mut Vec<Inst>| {
            let op = Op::PtrAdd { base, index, scale };
            self.function.push(op, ty, crate::ir::Loc::NONE, out)
        };
        let init = ptr_add(pointer.base, start, pointer.scale, out);
        let next = ptr_add(pointer.param, step, 1, &mut w.after.insts);
        w.params.push(pointer.param);
        w.init.push(init);
        w.next.push(next);
    }
}

impl Linear {
    fn value(&self) -> Sym {
        Sym::op(BinOp::Add, self.base.clone(), Sym::Const(self.offset))
    }

    fn plus(self, other: Self) -> Self {
        let mut factors = self.factors;
        for (at, factor) in other.factors {
            match factors.iter_mut().find(|(a, _)| *a == at) {
                Some((_, sum)) => *sum = Sym::op(BinOp::Add, sum.clone(), factor),
                None => factors.push((at, factor)),
            }
        }
        factors.sort_by_key(|(at, _)| *at);
        factors.retain(|(_, factor)| *factor != Sym::Const(0));
        Self {
            base: Sym::op(BinOp::Add, self.base, other.base),
            offset: self.offset.wrapping_add(other.offset),
            factors,
        }
    }

    fn times(self, by: &Sym) -> Self {
        let times = |s: Sym| Sym::op(BinOp::Mul, s, by.clone());
        // A constant offset stays one only under a constant factor.
        let (base, offset) = match by {
            Sym::Const(word) => (times(self.base), self.offset.wrapping_mul(*word)),
            _ => (times(self.value()), 0),
        };
        let factors = self.factors.into_iter();
        Self {
            base,
            offset,
            factors: factors.map(|(at, f)| (at, times(f))).collect(),
        }
    }
}
