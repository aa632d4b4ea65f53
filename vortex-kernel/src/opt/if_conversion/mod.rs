//! Choices that lanes disagree about are made without a branch, if that is short.
//!
//! ```text
//! n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }          a = n / 2;  b = 3 * n + 1
//!                                                ==>      n = select n % 2 == 0, a, b
//! ```
//!
//! Lanes that disagree execute both arms anyway, one after the other, between a split and a join. [`super::simplify()`]
//! does so for what costs next to nothing even where all lanes take the same arm.

mod nested;
mod sums;

use super::defs::{Defs, cost_if_pure, cost_of};
use super::outcomes::Outcomes;
use super::uniformity::Uniformity;
use crate::ir::visit::Renaming;
use crate::ir::{Arm, BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, Type, UnOp, Value};
use crate::meta::count;
use sums::{Added, Sums};

/// What the arms and the choices between their values cost less than, together.
const MOST: u32 = 9;

/// What it costs to add a float only where a condition holds.
const SUM: u32 = 3;

/// What it costs to negate a float only where a condition holds.
const FLIP: u32 = 3;

/// What an arm costs less than that most lanes take anyway.
const MOST_OF_USUAL: u32 = 18;

/// Converts the choices of a structured function, and tells whether conditions became one.
pub fn if_conversion(function: &mut Function) -> bool {
    let is_nested = |arm: &Arm| {
        let last = arm.block.insts.last();
        last.is_some_and(|inst| matches!(inst.op, Op::If { .. }))
    };
    let is_choice = |op: &Op| {
        matches!(op, Op::If { then, els, .. }
            if !then.yields.is_empty() || is_nested(then) || is_nested(els))
    };
    if !function.body.any(&is_choice) {
        return false;
    }
    let chooses_floats = |op: &Op| {
        let is_float = |value: &Value| function.ty(*value) == Type::F32;
        matches!(op, Op::If { then, .. } if then.yields.iter().any(is_float))
    };
    let sums = function.body.any(&chooses_floats);
    let sums = sums.then(|| Sums::of(function));
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = IfConversion {
        uniformity,
        sums,
        defs: Defs::of(&body, function),
        merged: false,
        function,
    };
    pass.block(&mut body);
    let merged = pass.merged;
    function.body = body;
    merged
}

struct IfConversion<'a> {
    function: &'a mut Function,
    uniformity: Uniformity,
    /// If there are choices between floats.
    sums: Option<Sums>,
    defs: Defs,
    /// Whether conditions became one.
    merged: bool,
}

impl IfConversion<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            self.merge_nested(&mut inst, &mut out);
            match inst.op {
                Op::If {
                    cond,
                    mut then,
                    els,
                } if self.uniformity.is_divergent(cond)
                    && let floor = self.floor(cond, &inst.results, [&then, &els])
                    && self.converts(&inst.results, cond, [&then, &els], floor) =>
                {
                    count!("if_conversion", "branches", 1);
                    let raised = floor.map(|float| {
                        let raised = self.raise(float, &mut then.block, inst.loc, &mut out);
                        (float, raised)
                    });
                    let yields = then.yields.into_iter().zip(els.yields);
                    out.extend(then.block.insts.into_iter().chain(els.block.insts));
                    for (result, (a, b)) in inst.results.into_iter().zip(yields) {
                        let op = match self.added([a, b]) {
                            Some(added) => self.sum(cond, added, raised, inst.loc, &mut out),
                            None => self.choice(cond, a, b, inst.loc, &mut out),
                        };
                        self.defs.set(result, &op);
                        out.push(Inst {
                            results: [result].into_iter().collect(),
                            op,
                            loc: inst.loc,
                        });
                    }
                }
                _ => out.push(inst),
            }
        }
        block.insts = out;
    }

    /// A value that is computed of others.
    fn pure(&mut self, op: Op, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let value = self.function.push(op, ty, loc, out);
        if let Some(inst) = out.last() {
            self.defs.set(value, &inst.op);
        }
        value
    }

    /// `if cond { a } else { b }`: if `a` is a number, and `b` is 0 where `cond` holds, one of both is always 0.
    fn choice(&mut self, cond: Value, a: Value, b: Value, loc: Loc, out: &mut Vec<Inst>) -> Op {
        if let Some(of) = self.negated([a, b]) {
            return self.flip(cond, of, loc, out);
        }
        let Some(&Op::Select(other, _, zero)) = self.defs.get(b) else {
            return Op::Select(cond, a, b);
        };
        let is_sum = self.defs.constant(a).is_some()
            && self.defs.constant(zero) == Some(0)
            && self.exclude_each_other(cond, other);
        if !is_sum {
            return Op::Select(cond, a, b);
        }
        let op = Op::Select(cond, a, zero);
        let a = self.function.push(op, self.function.ty(b), loc, out);
        Op::Binary(BinOp::Or, a, b)
    }

    /// The float that is negated in one of two arms, and whether that is the first one.
    fn negated(&self, [a, b]: [Value; 2]) -> Option<(Value, bool)> {
        let is_negated = |value, of| {
            let def = self.defs.get(value);
            matches!(def, Some(Op::Unary(UnOp::Neg, x)) if *x == of)
                && self.function.ty(of) == Type::F32
        };
        match (is_negated(a, b), is_negated(b, a)) {
            (true, _) => Some((b, true)),
            (_, true) => Some((a, false)),
            _ => None,
        }
    }

    /// A float that is negated where the condition is that.
    fn flip(
        &mut self,
        cond: Value,
        (of, when): (Value, bool),
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Op {
        let cond = match when {
            true => cond,
            false => self.pure(Op::Unary(UnOp::Not, cond), Type::Bool, loc, out),
        };
        let bit = self.pure(Op::Cast(cond), Type::U32, loc, out);
        let amount = self.pure(Op::Const(Const(31)), Type::U32, loc, out);
        let sign = Op::Binary(BinOp::Shl, bit, amount);
        let sign = self.pure(sign, Type::U32, loc, out);
        let sign = self.pure(Op::Bitcast(sign), Type::F32, loc, out);
        Op::Binary(BinOp::FlipSign, of, sign)
    }

    /// What a choice between floats adds to a sum, if it is one.
    fn added(&self, of: [Value; 2]) -> Option<Added> {
        let sums = self.sums.as_ref()?;
        Added::of(of, &self.defs, sums)
    }

    /// The float that a condition says to be more than 0, if the first arm adds what is 0 where that is.
    fn floor(&self, cond: Value, results: &[Value], [then, els]: [&Arm; 2]) -> Option<Value> {
        let floats = results.iter().zip(then.yields.iter().zip(&els.yields));
        let floats = floats.filter(|(result, _)| self.function.ty(**result) == Type::F32);
        let added: Option<Vec<Value>> = floats
            .map(|(_, (a, b))| {
                let added = self.added([*a, *b]).filter(|added| added.when);
                added.map(|added| added.added)
            })
            .collect();
        let added = added.filter(|added| !added.is_empty())?;
        let only_sums = added.len() == results.len();
        sums::more_than_zero(cond, then, &added, only_sums, &self.defs)
    }

    /// Lets a block use the maximum of a float and 0 in place of the float; gives that maximum.
    fn raise(&mut self, float: Value, block: &mut Block, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let zero = self.pure(Op::Const(Const(0)), Type::F32, loc, out);
        let raised = self.pure(Op::Binary(BinOp::Max, float, zero), Type::F32, loc, out);
        let mut renaming = Renaming::default();
        renaming.set(float, raised);
        renaming.block(block);
        for inst in &block.insts {
            self.defs.set(inst.results[0], &inst.op);
        }
        raised
    }

    /// A sum with what is added where the condition is that. If a float has been raised to another one, what is added
    /// is made of that, and is 0 otherwise; but it may be the float itself, added before the choice.
    fn sum(
        &mut self,
        cond: Value,
        Added { sum, added, when }: Added,
        raised: Option<(Value, Value)>,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Op {
        if let Some((float, raised)) = raised {
            let added = if added == float { raised } else { added };
            return Op::Binary(BinOp::Add, sum, added);
        }
        let zero = self.pure(Op::Const(Const(0)), Type::F32, loc, out);
        let choice = match when {
            true => Op::Select(cond, added, zero),
            false => Op::Select(cond, zero, added),
        };
        let added = self.pure(choice, Type::F32, loc, out);
        Op::Binary(BinOp::Add, sum, added)
    }

    /// Whether two conditions never hold both.
    fn exclude_each_other(&self, a: Value, b: Value) -> bool {
        if let (Some(Op::Compare(CmpOp::Eq, x, word)), Some(Op::Compare(CmpOp::Eq, y, other))) =
            (self.defs.get(a), self.defs.get(b))
            && x == y
        {
            let words = (self.defs.constant(*word)).zip(self.defs.constant(*other));
            return words.is_some_and(|(a, b)| a != b && self.function.ty(*x) != Type::F32);
        }
        let of = |cond| Outcomes::of(self.function, &self.defs, cond);
        let excluded = of(a)
            .zip(of(b))
            .map(|(a, b)| a.is_within(b.inverted(self.function), self.function, &self.defs));
        excluded == Some(true)
    }

    /// Whether both arms only compute, and cost little together with the choices between what they yield. The arm
    /// that nearly all lanes take is executed anyway.
    fn converts(
        &self,
        results: &[Value],
        cond: Value,
        arms: [&Arm; 2],
        floor: Option<Value>,
    ) -> bool {
        let yields = arms[0].yields.iter().zip(&arms[1].yields);
        let choices = results.iter().zip(yields).map(|(result, (a, b))| {
            match self.function.ty(*result) {
                Type::Bool => 1,
                Type::F32 if floor.is_some() => 1,
                // Through integer registers: a sum does not wait for that.
                Type::F32 if self.added([*a, *b]).is_some() => SUM,
                Type::F32 if self.negated([*a, *b]).is_some() => FLIP,
                // Which otherwise takes longer than to part and meet again.
                Type::F32 => MOST,
                _ => self.cost_of_choice([*a, *b]),
            }
        });
        let choices: u32 = choices.sum();
        let costs = arms.map(|arm| self.cost_of(&arm.block.insts));
        let [Some(then), Some(els)] = costs else {
            return false;
        };
        let (seldom, usual) = match self.usually(cond) {
            Some(true) => (els, then),
            Some(false) => (then, els),
            None => (then + els, 0),
        };
        !results.is_empty() && seldom + choices < MOST && usual < MOST_OF_USUAL
    }

    /// What a condition is for nearly all lanes: two numbers are seldom equal.
    fn usually(&self, cond: Value) -> Option<bool> {
        match self.defs.get(cond) {
            Some(Op::Compare(CmpOp::Eq, ..)) => Some(false),
            Some(Op::Compare(CmpOp::Ne, ..)) => Some(true),
            _ => None,
        }
    }

    /// What instructions cost that only compute.
    fn cost_of(&self, insts: &[Inst]) -> Option<u32> {
        cost_of(self.function, insts, |op, ty| match op {
            Op::Select(_, a, b) if ty != Type::F32 => Some(self.cost_of_choice([*a, *b])),
            op => cost_if_pure(op, ty),
        })
    }

    /// What a choice between two integers costs: less with constants, least where one of them is 0.
    fn cost_of_choice(&self, of: [Value; 2]) -> u32 {
        match of.map(|value| self.defs.constant(value)) {
            [Some(0), _] | [_, Some(0)] => 1,
            [Some(_), Some(_)] => 2,
            _ => 3,
        }
    }
}
