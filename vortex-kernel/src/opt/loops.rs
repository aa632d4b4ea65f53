//! What passes over loops share.

use super::defs::Defs;
use crate::ir::{Alias, BinOp, Block, CmpOp, Function, Inst, Op, SecondaryMap, Value, While};

/// Whether the loop narrows the mask of its warp, as that over a warp's items does.
pub(super) fn narrows(w: &While) -> bool {
    w.before.any(&|op| matches!(op, Op::NarrowMask(_)))
}

/// Sets `inside` for every value that the loop defines.
pub(super) fn mark_inside(w: &While, inside: &mut SecondaryMap<Value, bool>, is: bool) {
    let mut set = |v: &Value| inside[*v] = is;
    w.params.iter().for_each(&mut set);
    for block in [&w.before, &w.after] {
        block.visit(&mut |inst| {
            inst.results.iter().for_each(&mut set);
            if let Op::While(inner) = &inst.op {
                inner.params.iter().for_each(&mut set);
            }
        });
    }
}

/// Whether a loop, or one inside of it, defines a value.
fn defines_within(w: &While, value: Value) -> bool {
    let mut found = w.params.contains(&value);
    for block in [&w.before, &w.after] {
        block.visit(&mut |inst| {
            found |= inst.results.contains(&value);
            if let Op::While(inner) = &inst.op {
                found |= inner.params.contains(&value);
            }
        });
    }
    found
}

/// Says of the values that a function has so far that no loop defines them, and of later ones that one does.
pub(super) fn none_inside(function: &Function) -> SecondaryMap<Value, bool> {
    let mut inside = SecondaryMap::with_default(true);
    for value in function.values.keys() {
        inside[value] = false;
    }
    inside
}

/// Whether an operation may run where it need not: it is pure, or loads what the launch says.
pub(super) fn may_run_anywhere(op: &Op) -> bool {
    op.is_pure() || matches!(op, Op::Load { alias, .. } if *alias == Alias::Launch)
}

/// A copy of an instruction with everything inside, and its results, defined again.
pub(super) fn clone_inst(function: &mut Function, inst: &Inst) -> Inst {
    let block = crate::ir::Block {
        insts: vec![inst.clone()],
    };
    function.define_anew(block).insts.remove(0)
}

/// How often loops are taken to run of which that is not known.
pub(crate) const ITERATIONS: u32 = 8;

/// What leads to a loop's test is duplicated when the loop is lowered, so that an iteration ends with it; with more
/// instructions than this that is not worth it.
pub(crate) const ROTATION_LIMIT: usize = 12;

/// Goes through the loops of a block that are in no other.
pub(crate) fn outermost_loops(block: &Block, found: &mut dyn FnMut(&While)) {
    for inst in &block.insts {
        match &inst.op {
            Op::While(w) => found(w),
            op => {
                for nested in op.blocks().into_iter().flatten() {
                    outermost_loops(nested, found);
                }
            }
        }
    }
}

/// The same, to change them.
pub(super) fn outermost_loops_mut(block: &mut Block, found: &mut dyn FnMut(&mut While)) {
    for inst in &mut block.insts {
        match &mut inst.op {
            Op::While(w) => found(w),
            op => {
                for nested in op.blocks_mut().into_iter().flatten() {
                    outermost_loops_mut(nested, found);
                }
            }
        }
    }
}

/// A comparison of a parameter with a limit, less than which it is as long as the loop continues.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// Which parameter.
    pub(super) at: usize,
    pub(super) limit: Value,
    /// What the comparison gives.
    pub(super) holds: Value,
}

/// The limits of a loop's parameters that its condition, or one of those that it is the conjunction of, compares them
/// with.
pub(super) fn limits(w: &While) -> Vec<Limit> {
    let comparisons = comparisons(w).into_iter();
    let less = comparisons.filter(|(inst, ..)| matches!(inst.op, Op::Compare(CmpOp::Lt, ..)));
    less.filter_map(|(inst, counter, limit)| {
        Some(Limit {
            at: w.params.iter().position(|p| *p == counter)?,
            limit,
            holds: inst.results[0],
        })
    })
    .collect()
}

/// The comparisons with `<` and `<=` that hold as long as the loop continues, and their operands; the last one first.
fn comparisons(w: &While) -> Vec<(&Inst, Value, Value)> {
    let mut conjuncts = vec![w.cond];
    let mut comparisons = Vec::new();
    for inst in w.before.insts.iter().rev() {
        let [holds] = inst.results[..] else {
            continue;
        };
        if !conjuncts.contains(&holds) {
            continue;
        }
        match inst.op {
            Op::Binary(BinOp::And, a, b) => conjuncts.extend([a, b]),
            Op::Compare(CmpOp::Lt | CmpOp::Le, less, more) => comparisons.push((inst, less, more)),
            _ => {}
        }
    }
    comparisons
}

/// The parameters that count upwards from their initial value without wrapping: they step by one while they are less
/// than something.
pub(super) fn counter_starts(w: &While, defs: &Defs) -> Vec<(Value, Value)> {
    let counts = |limit: &Limit| {
        let param = w.params[limit.at];
        let one = |value| defs.constant(value) == Some(1);
        matches!(defs.get(w.next[limit.at]), Some(Op::Binary(BinOp::Add, a, b)) if *a == param && one(*b))
    };
    let counters = limits(w).into_iter().filter(counts);
    counters
        .map(|limit| (w.params[limit.at], w.init[limit.at]))
        .collect()
}

/// A parameter that is what it starts at, or within a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limited {
    pub(super) param: Value,
    pub(super) start: Value,
    pub(super) limit: Value,
    /// It is less than the limit, unless that is 0, and not only at most that.
    pub(super) is_less: bool,
}

/// The parameters that go on with what the loop's test has compared (`while at + 4 <= len { .. at += 4 }`), or with the
/// rest by something or a part of its bits: positions in a ring.
pub(super) fn limited(w: &While, defs: &Defs) -> impl Iterator<Item = Limited> {
    let tested = comparisons(w);
    let params = w.params.iter().zip(&w.init).zip(&w.next);
    params.filter_map(move |((param, start), next)| {
        let limits = Limits {
            w,
            param: *param,
            tested: &tested,
            defs,
        };
        let (limit, is_less) = limits.of(*next, LIMITED_DEPTH)??;
        // What is known of one that changes is not known of what it was an iteration before.
        (!defines_within(w, limit)).then_some(Limited {
            param: *param,
            start: *start,
            limit,
            is_less,
        })
    })
}

/// What a parameter becomes is followed through so many choices.
const LIMITED_DEPTH: u32 = 4;

/// What a parameter is limited by in the next iteration.
struct Limits<'a> {
    w: &'a While,
    param: Value,
    /// What is at most something where the loop continues.
    tested: &'a [(&'a Inst, Value, Value)],
    defs: &'a Defs,
}

impl Limits<'_> {
    /// The limit of a value, and whether it is less; of what the parameter is already, none.
    fn of(&self, value: Value, depth: u32) -> Option<Option<(Value, bool)>> {
        if value == self.param {
            return Some(None);
        }
        let depth = depth.checked_sub(1)?;
        let limit = match self.defs.get(value) {
            Some(Op::Binary(BinOp::And, _, mask)) => (*mask, false),
            Some(Op::Binary(BinOp::Rem, _, divisor)) => (*divisor, true),
            Some(Op::Select(_, a, b)) => return self.of_both([*a, *b], depth),
            None => return self.of_both(self.chosen(value)?, depth),
            _ => {
                let test = self.tested.iter().find(|(_, less, _)| *less == value);
                (test?.2, false)
            }
        };
        Some(Some(limit))
    }

    fn of_both(&self, values: [Value; 2], depth: u32) -> Option<Option<(Value, bool)>> {
        match values.map(|value| self.of(value, depth)) {
            [Some(None), other] | [other, Some(None)] => other,
            [a, b] => a.filter(|_| a == b),
        }
    }

    /// Between which values an `If` of the loop chooses.
    fn chosen(&self, value: Value) -> Option<[Value; 2]> {
        self.w.after.insts.iter().find_map(|inst| match &inst.op {
            Op::If { then, els, .. } => {
                let at = inst.results.iter().position(|result| *result == value)?;
                Some([then.yields[at], els.yields[at]])
            }
            _ => None,
        })
    }
}

/// The parameters that never get above their initial value, unsigned, as no iteration passes on more than it has: a
/// distance that is halved, the upper end of a binary search.
pub(super) fn falling(w: &While, defs: &Defs) -> Vec<(Value, Value)> {
    let limits = limits(w);
    let mut falling = Vec::new();
    for (at, param) in w.params.iter().copied().enumerate() {
        let below = limits.iter().filter(|limit| limit.limit == param);
        let falls = Falls {
            param,
            below: below.map(|limit| w.params[limit.at]).collect(),
            cond: w.cond,
            defs,
        };
        if falls.is_at_most(w.next[at], FALLING_DEPTH) {
            falling.push((param, w.init[at]));
        }
    }
    falling
}

/// What a parameter becomes is followed this deep.
const FALLING_DEPTH: u32 = 4;

/// A parameter in an iteration.
struct Falls<'a> {
    param: Value,
    /// Other parameters, which are less.
    below: Vec<Value>,
    /// What the loop continues for.
    cond: Value,
    defs: &'a Defs,
}

impl Falls<'_> {
    /// Whether a value is at most the parameter.
    fn is_at_most(&self, value: Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if value == self.param || self.below.contains(&value) {
            return true;
        }
        match self.defs.get(value) {
            Some(Op::Select(_, a, b)) => self.is_at_most(*a, depth) && self.is_at_most(*b, depth),
            Some(Op::Binary(BinOp::Min | BinOp::And, a, b)) => {
                self.is_at_most(*a, depth) || self.is_at_most(*b, depth)
            }
            Some(Op::Binary(BinOp::Rem, a, _)) => self.is_at_most(*a, depth),
            // The half of a sum is that, even if the sum wraps.
            Some(Op::Binary(BinOp::Shr, sum, by))
                if self.defs.constant(*by) == Some(1) && self.is_sum(*sum) =>
            {
                true
            }
            Some(op @ Op::Binary(BinOp::Shr | BinOp::Div, a, _)) => {
                self.is_part(op) && self.is_at_most(*a, depth)
            }
            Some(Op::Binary(BinOp::Add, a, b)) => {
                let decrements = self.defs.constant(*b) == Some(u32::MAX);
                decrements && self.is_not_zero(*a) || self.is_on_the_way(*a, *b)
            }
            _ => false,
        }
    }

    /// Of the parameter and of what is less.
    fn is_sum(&self, sum: Value) -> bool {
        match self.defs.get(sum) {
            Some(Op::Binary(BinOp::Add, a, b)) => {
                let is = |one, other| one == self.param && self.below.contains(&other);
                is(*a, *b) || is(*b, *a)
            }
            _ => false,
        }
    }

    /// Whether an operation gives at most what it is done to.
    fn is_part(&self, op: &Op) -> bool {
        match op {
            Op::Binary(BinOp::Shr, ..) => true,
            Op::Binary(BinOp::Div, _, by) => self.defs.constant(*by).is_some_and(|by| by > 0),
            _ => false,
        }
    }

    /// `from + (param - from) / n`
    fn is_on_the_way(&self, from: Value, part: Value) -> bool {
        let Some(op @ Op::Binary(_, way, _)) = self.defs.get(part) else {
            return false;
        };
        let is_way = matches!(self.defs.get(*way),
            Some(Op::Binary(BinOp::Sub, to, start)) if *to == self.param && *start == from);
        self.below.contains(&from) && is_way && self.is_part(op)
    }

    /// Whether it is the parameter, and the loop only continues where that is not 0.
    fn is_not_zero(&self, value: Value) -> bool {
        value == self.param && self.needs(self.cond, FALLING_DEPTH)
    }

    /// Whether a condition holds only where the parameter is not 0.
    fn needs(&self, cond: Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if let Some(Op::Compare(CmpOp::Gt | CmpOp::Ne, a, b)) = self.defs.get(cond) {
            return *a == self.param && self.defs.constant(*b) == Some(0);
        }
        let both = self.defs.both(cond).filter(|both| both.is_and);
        both.is_some_and(|both| self.needs(both.first, depth) || self.needs(both.second, depth))
    }
}

/// A counter that continues in steps while there is room for another: see [`steps`].
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub(super) counter: Value,
    /// What it starts at.
    pub(super) start: Value,
    /// What it does not exceed, if its start does not.
    pub(super) last: Value,
    pub(super) step: Value,
}

/// The counter of a range stepped by more than one: the loop continues while `last - counter >= step`.
pub(super) fn steps(w: &While, defs: &Defs) -> Option<Steps> {
    let Op::Compare(CmpOp::Ge, room, step) = defs.get(w.cond)? else {
        return None;
    };
    let Op::Binary(BinOp::Sub, last, counter) = defs.get(*room)? else {
        return None;
    };
    let at = w.params.iter().position(|p| p == counter)?;
    let Op::Binary(BinOp::Add, a, b) = defs.get(w.next[at])? else {
        return None;
    };
    let same = b == step
        || defs
            .constant(*b)
            .is_some_and(|b| defs.constant(*step) == Some(b));
    (a == counter && same).then_some(Steps {
        counter: *counter,
        start: w.init[at],
        last: *last,
        step: *step,
    })
}
