//! Two comparisons that bound a value become one.
//!
//! ```text
//! x > 0 && x + 1 < w     ==>     x - 1 < limit,     limit = w < 2 ? 0 : w - 2
//! ```
//!
//! `a <= x` and `x + c < w` hold just when `x - a < max(w, a + c) - (a + c)`, unsigned, where `x + c` does not wrap: if
//! `x` is less than `a`, the difference wraps to more than any `w - a - c`. That `x + c` does not wrap is known about
//! ids, which are far from 2^32. Usually the limit is the same for all items, and computed before their loop.
//!
//! It is done in conjunctions, mostly the guards of stencils, whose parts are grouped by the value that they are about:
//! so what several of them say about the row is computed once.
//!
//! Where both are with constants, [`super::constant_ranges`] needs to know nothing about `x`.

use super::constant_ranges::comparison;
use super::defs::Defs;
use crate::ir::{BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, SecondaryMap, Type, Value};
use crate::meta::count;

/// Constants in comparisons up to this are added up.
const SMALL: u32 = 1 << 15;

/// Merges comparisons in the conjunctions of a structured function.
pub fn range_tests(function: &mut Function) {
    let joins = |op: &Op| match op {
        Op::Binary(BinOp::And | BinOp::Or, a, _) => function.ty(*a) == Type::Bool,
        _ => false,
    };
    if !function.body.any(&joins) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut uses = function.map_values(0_u32);
    let mut is_small = function.map_values(false);
    let defs = Defs::of(&body, function);
    body.uses(&mut |value| uses[value] += 1);
    body.visit(&mut |inst| {
        if let Op::Assume(cond) = inst.op
            && let Some(Op::Compare(CmpOp::Lt, id, most)) = defs.get(cond)
        {
            is_small[*id] |= defs
                .constant(*most)
                .is_some_and(|most| most <= u32::MAX - SMALL);
        }
    });
    let mut inner = function.map_values(false);
    body.visit(&mut |inst| {
        if let Op::Binary(BinOp::And, a, b) = inst.op {
            for part in [a, b] {
                inner[part] |= uses[part] == 1;
            }
        }
    });
    let mut pass = Tests {
        function,
        defs,
        inner,
        is_small,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Tests<'a> {
    function: &'a mut Function,
    defs: Defs,
    /// What only a conjunction uses.
    inner: SecondaryMap<Value, bool>,
    /// Values of which the sum with a small constant does not wrap.
    is_small: SecondaryMap<Value, bool>,
}

/// What a part of a conjunction says.
#[derive(Clone, Copy)]
enum Says {
    /// `least <= x`.
    AtLeast {
        x: Value,
        least: u32,
    },
    /// `x + more < end`.
    Below {
        x: Value,
        more: u32,
        end: Value,
    },
    Other,
}

impl Says {
    fn about(self) -> Option<Value> {
        match self {
            Self::AtLeast { x, .. } | Self::Below { x, .. } => Some(x),
            Self::Other => None,
        }
    }
}

impl Tests<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let [result] = inst.results[..]
                && let Some(op) = comparison(self.function, &self.defs, &inst.op, inst.loc, out)
            {
                self.defs.set(result, &op);
                inst.op = op;
            } else if let [result] = inst.results[..]
                && matches!(inst.op, Op::Binary(BinOp::And, ..))
                && self.function.ty(result) == Type::Bool
                && !self.inner[result]
                && let Some(op) = self.conjunction(result, inst.loc, out)
            {
                inst.op = op;
            }
            out.push(inst);
        });
    }

    /// A conjunction with fewer parts, if there is one; what it is made of is appended to `out`.
    fn conjunction(&mut self, all: Value, loc: Loc, out: &mut Vec<Inst>) -> Option<Op> {
        let mut parts = Vec::new();
        self.parts(all, &mut parts);
        let mut merged = false;
        let mut at = 0;
        while at < parts.len() {
            let pair = (at + 1..parts.len()).find_map(|other| {
                let test = self.merge(parts[at].1, parts[other].1, loc, out)?;
                Some((other, test))
            });
            if let Some((other, test)) = pair {
                parts.remove(other);
                // It is about the same value still, and nothing more can be added to it.
                parts[at].0 = test;
                merged = true;
                count!("range_tests", "comparisons merged", 1);
            }
            at += 1;
        }
        if !merged {
            return None;
        }
        // By what they are about, in the order in which that comes first.
        let mut groups: Vec<(Option<Value>, Vec<Value>)> = Vec::new();
        for (part, says) in parts {
            match groups
                .iter_mut()
                .find(|(about, _)| about.is_some() && *about == says.about())
            {
                Some((_, group)) => group.push(part),
                None => groups.push((says.about(), vec![part])),
            }
        }
        let mut groups: Vec<Value> = groups
            .into_iter()
            .filter_map(|(_, group)| {
                let and = |a, b| self.push(Op::Binary(BinOp::And, a, b), Type::Bool, loc, out);
                group.into_iter().reduce(and)
            })
            .collect();
        let last = groups.pop()?;
        let and = |a, b| self.push(Op::Binary(BinOp::And, a, b), Type::Bool, loc, out);
        let first = groups.into_iter().reduce(and);
        Some(Op::Binary(BinOp::And, first.unwrap_or(last), last))
    }

    fn parts(&self, cond: Value, parts: &mut Vec<(Value, Says)>) {
        if let Some(&Op::Binary(BinOp::And, a, b)) = self.defs.get(cond) {
            for part in [a, b] {
                let is_tree = matches!(self.defs.get(part), Some(Op::Binary(BinOp::And, ..)));
                if is_tree && self.inner[part] {
                    self.parts(part, parts);
                } else {
                    parts.push((part, self.says(part)));
                }
            }
        }
    }

    fn says(&self, cond: Value) -> Says {
        let Some(&Op::Compare(op, a, b)) = self.defs.get(cond) else {
            return Says::Other;
        };
        if self.function.ty(a) != Type::U32 {
            return Says::Other;
        }
        let least = match (op, self.defs.constant(b)) {
            (CmpOp::Gt, Some(word)) => word.checked_add(1),
            (CmpOp::Ge, Some(word)) => Some(word),
            (CmpOp::Ne, Some(0)) => Some(1),
            _ => None,
        };
        if let Some(least) = least.filter(|least| *least <= SMALL) {
            return Says::AtLeast { x: a, least };
        }
        let (sum, end) = match op {
            CmpOp::Lt => (a, b),
            CmpOp::Gt => (b, a),
            _ => return Says::Other,
        };
        let (x, more) = match self.defs.get(sum) {
            Some(&Op::Binary(BinOp::Add, x, more)) => {
                let more = self.defs.constant(more);
                match more.filter(|more| *more <= SMALL && self.is_small[x]) {
                    Some(more) => (x, more),
                    None => (sum, 0),
                }
            }
            _ => (sum, 0),
        };
        Says::Below { x, more, end }
    }

    /// The comparison that says what two say.
    fn merge(&mut self, one: Says, other: Says, loc: Loc, out: &mut Vec<Inst>) -> Option<Value> {
        let (least, (x, more, end)) = match (one, other) {
            (Says::AtLeast { x: a, least }, Says::Below { x, more, end })
            | (Says::Below { x, more, end }, Says::AtLeast { x: a, least })
                if a == x =>
            {
                (least, (x, more, end))
            }
            _ => return None,
        };
        let mut word = |this: &mut Self, word: u32| {
            this.push(Op::Const(Const::from(word)), Type::U32, loc, out)
        };
        let zero = word(self, 0);
        let away = word(self, least.wrapping_neg());
        let both = word(self, least + more);
        let u32 = Type::U32;
        let distance = self.push(Op::Binary(BinOp::Add, x, away), u32, loc, out);
        let none = self.push(Op::Compare(CmpOp::Lt, end, both), Type::Bool, loc, out);
        let room = self.push(Op::Binary(BinOp::Sub, end, both), u32, loc, out);
        let limit = self.push(Op::Select(none, zero, room), u32, loc, out);
        Some(self.push(
            Op::Compare(CmpOp::Lt, distance, limit),
            Type::Bool,
            loc,
            out,
        ))
    }

    fn push(&mut self, op: Op, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        self.function.push(op, ty, loc, out)
    }
}
