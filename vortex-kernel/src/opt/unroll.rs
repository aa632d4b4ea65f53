//! Several iterations of a small counted loop become one.
//!
//! ```text
//!                                              while k < n - 3 { B(k) B(k + 1) B(k + 2) B(k + 3); k += 4 }
//! while k < n { B(k); k += 1 }      ==>
//!                                              while k < n { B(k); k += 1 }
//! ```
//!
//! The overhead of an iteration (the test, the counter, running pointers) is then paid once for several; and loads of
//! read-only memory come first in the longer iteration, so that the device waits for them together. This applies only
//! to loops whose lanes all have the same number of iterations: otherwise there are usually few. And only loops without
//! control flow inside, except for choices of values (`if d < best { best = d; at = k }`): what does not depend on them
//! is computed before the first.
//!
//! A loop whose range has another step than 1 continues while there is room for another step, `last - k >= step`, and
//! tests that at its end. The longer iterations continue while there is room for all of their steps, so that one
//! iteration at least is left to the short loop. Lanes start such loops at different places, to go through much memory
//! together: they may have one iteration more or less than others.

use super::course::size;
use super::defs::Defs;
use super::loops::{Steps, mark_inside, steps};
use super::tuning::Tuning;
use super::uniformity::Uniformity;
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, Results, SecondaryMap, Type, Value,
    While,
};
use crate::meta::count;
use rustc_hash::FxHashSet;
use smallvec::smallvec;

/// Steps of counters up to this; more would be of no use, and sums of them are far from wrapping.
const LARGEST_STEP: u32 = 1 << 16;

/// How many instructions more a loop may have for each value that the next iteration has under another name, as in
/// `c = b; b = a`: it takes a move in each iteration, or else in each longer one.
const MOVE: usize = 8;

/// Unrolls the loops of a structured function.
pub fn unroll(function: &mut Function, tuning: &Tuning) {
    let (mut pass, mut body) = Unroll::start(function, tuning);
    pass.block(&mut body);
    function.body = body;
}

/// Why a loop is not unrolled.
pub(super) enum Obstacle<'w> {
    /// Something in it that must not be in several iterations at once.
    Inside(&'w Inst),
    /// So many instructions, where this many are allowed.
    Size { size: usize, most: usize },
    /// It is not known to count up to something in equal steps.
    NoCounter,
    /// Lanes can have different numbers of iterations.
    Divergent,
    /// What it counts up to changes in it.
    LimitChanges,
    /// It counts with values of this type.
    CountsWith(Type),
}

/// Tells of each loop of a structured function that is not unrolled why.
pub(super) fn obstacles(
    function: &Function,
    tuning: &Tuning,
    mut tell: impl FnMut(&Inst, Obstacle<'_>),
) {
    let mut function = function.clone();
    let (mut pass, body) = Unroll::start(&mut function, tuning);
    body.visit(&mut |inst| {
        if let Op::While(w) = &inst.op
            && let Err(obstacle) = pass.count(w)
        {
            tell(inst, obstacle);
        }
    });
}

struct Unroll<'a> {
    function: &'a mut Function,
    defs: Defs,
    inside: SecondaryMap<Value, bool>,
    uniformity: Uniformity,
    tuning: &'a Tuning,
}

/// How a loop counts.
struct Count {
    /// Which of its parameters.
    at: usize,
    /// How it determines whether it continues.
    test: Test,
    /// Iterations to be made one.
    iterations: u32,
}

/// How a loop determines whether it continues. What it compares with does not change in it.
enum Test {
    /// While the counter, which grows by `step`, is less than `limit`.
    Below { limit: Value, step: u32 },
    /// While there is room for another step between the counter and `last`.
    Room { last: Value, step: Value },
}

impl<'a> Unroll<'a> {
    /// Takes the body of a function out of it.
    fn start(function: &'a mut Function, tuning: &'a Tuning) -> (Self, Block) {
        let uniformity = Uniformity::of(function);
        let body = std::mem::take(&mut function.body);
        let pass = Self {
            defs: Defs::of(&body, function),
            inside: function.map_values(false),
            uniformity,
            function,
            tuning,
        };
        (pass, body)
    }

    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            if let Op::While(w) = &mut inst.op
                && let Ok(count) = self.count(w)
            {
                count!("unroll", "loops unrolled", 1);
                let results = self.longer(w, &count, inst.loc, &mut out);
                w.init = results;
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// How the loop counts, if it is one to unroll.
    fn count<'w>(&mut self, w: &'w While) -> Result<Count, Obstacle<'w>> {
        let straight = |inst: &Inst| {
            let plain = matches!(inst.op, Op::Load { .. } | Op::Store { .. }) || inst.op.is_pure();
            plain && !inst.op.is_convergent() || is_choice(&inst.op)
        };
        let mut insts = w.before.insts.iter().chain(&w.after.insts);
        if let Some(inst) = insts.find(|inst| !straight(inst)) {
            return Err(Obstacle::Inside(inst));
        }
        let size = (size(&w.before) + size(&w.after)).saturating_sub(MOVE * moves(w));
        let sizes = &self.tuning.unroll;
        let Some(longer) = sizes.iter().find(|longer| size <= longer.size) else {
            let most = sizes.iter().map(|longer| longer.size).max().unwrap_or(0);
            return Err(Obstacle::Size { size, most });
        };
        let (at, test) = self.test(w)?;
        mark_inside(w, &mut self.inside, true);
        let mut limits = match test {
            Test::Below { limit, .. } => vec![limit],
            Test::Room { last, step } => vec![last, step],
        }
        .into_iter();
        let invariant = limits.all(|limit| !self.inside[limit]);
        mark_inside(w, &mut self.inside, false);
        if !invariant {
            return Err(Obstacle::LimitChanges);
        }
        match self.function.ty(w.params[at]) {
            Type::U32 => Ok(Count {
                at,
                test,
                iterations: longer.iterations,
            }),
            ty => Err(Obstacle::CountsWith(ty)),
        }
    }

    /// Which parameter counts, and how it is tested.
    fn test<'w>(&self, w: &'w While) -> Result<(usize, Test), Obstacle<'w>> {
        let place = |counter| w.params.iter().position(|p| *p == counter);
        if let Some(steps) = steps(w, &self.defs) {
            let Steps {
                counter,
                last,
                step,
                ..
            } = steps;
            let at = place(counter).ok_or(Obstacle::NoCounter)?;
            return Ok((at, Test::Room { last, step }));
        }
        let below = || {
            let Op::Compare(CmpOp::Lt, counter, limit) = *self.defs.get(w.cond)? else {
                return None;
            };
            let at = place(counter)?;
            let step = match *self.defs.get(w.next[at])? {
                Op::Binary(BinOp::Add, a, b) if a == counter => self.defs.constant(b)?,
                _ => return None,
            };
            let test = Test::Below { limit, step };
            (1..=LARGEST_STEP).contains(&step).then_some((at, test))
        };
        let counts = below().ok_or(Obstacle::NoCounter)?;
        if self.uniformity.is_divergent(w.cond) {
            return Err(Obstacle::Divergent);
        }
        match w.before.insts.iter().find(|inst| !inst.op.is_pure()) {
            Some(inst) => Err(Obstacle::Inside(inst)),
            None => Ok(counts),
        }
    }

    /// Appends the loop of longer iterations; gives what the parameters are after it.
    fn longer(&mut self, w: &While, count: &Count, loc: Loc, out: &mut Vec<Inst>) -> Vec<Value> {
        let like = |function: &mut Function, values: &[Value]| -> Vec<Value> {
            let new = |v: &Value| function.new_value(function.ty(*v));
            values.iter().map(new).collect()
        };
        let params = like(self.function, &w.params);
        let results = like(self.function, &w.params);
        let (before, cond) = self.goes_on(count, params[count.at], loc, out);
        // The counter advances at once, not step by step.
        let all = match count.test {
            Test::Room { step, .. } => Some(self.steps(step, count.iterations, loc, out)),
            Test::Below { .. } => None,
        };

        let (mut after, mut pair) = (Block::default(), Block::default());
        let mut now = params.clone();
        for nth in 0..count.iterations {
            let mut iteration = Block {
                insts: w
                    .before
                    .insts
                    .iter()
                    .chain(&w.after.insts)
                    .cloned()
                    .collect(),
            };
            // Nothing that stands for something is stood for itself: all of `now` is new, or from outside of the loop.
            let mut renaming = Renaming::default();
            for (param, value) in w.params.iter().zip(&now) {
                renaming.set(*param, *value);
            }
            iteration.definitions_mut(&mut |v| {
                let new = self.function.new_value(self.function.ty(*v));
                renaming.set(*v, new);
                *v = new;
            });
            renaming.block(&mut iteration);
            now = w.next.iter().map(|v| renaming.get(*v)).collect();
            pair.insts.append(&mut iteration.insts);
            if (nth + 1).is_multiple_of(self.tuning.loads_together) || nth + 1 == count.iterations {
                loads_first(self.function, &mut pair);
                choices_last(&mut pair);
                after.insts.append(&mut pair.insts);
            }
        }
        if let Some(all) = all {
            let sum = Op::Binary(BinOp::Add, params[count.at], all);
            now[count.at] = self.push(sum, loc, &mut after.insts);
        }
        out.push(Inst {
            results: Results::from_slice(&results),
            op: Op::While(Box::new(While {
                params: params.clone(),
                init: w.init.clone(),
                before,
                cond,
                exits: params,
                after,
                next: now,
                optional: false,
            })),
            loc,
        });
        results
    }

    /// The test of the longer iterations: whether the loop would continue after each of the iterations that are in one.
    /// What it compares with is appended to `out`.
    fn goes_on(
        &mut self,
        count: &Count,
        counter: Value,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> (Block, Value) {
        let mut block = Block::default();
        let cond = self.function.new_value(Type::Bool);
        let test = match count.test {
            Test::Below { limit, step } => {
                // `limit - ahead`, but not below 0: from there on no longer iteration fits.
                let ahead = step * (count.iterations - 1);
                let ahead = self.push(Op::Const(Const::from(ahead)), loc, out);
                let less = self.push(Op::Binary(BinOp::Min, limit, ahead), loc, out);
                let limit = self.push(Op::Binary(BinOp::Sub, limit, less), loc, out);
                Op::Compare(CmpOp::Lt, counter, limit)
            }
            Test::Room { last, step } => {
                let all = self.steps(step, count.iterations, loc, out);
                // All steps except for one, so that steps too large for a longer iteration leave no room for it.
                let most = self.push(Op::Const(Const::from(u32::MAX)), loc, out);
                let fitting = Const::from(u32::MAX / count.iterations);
                let fitting = self.push(Op::Const(fitting), loc, out);
                let fits = Op::Compare(CmpOp::Le, step, fitting);
                let fits = self.function.push(fits, Type::Bool, loc, out);
                let but_one = self.push(Op::Binary(BinOp::Add, all, most), loc, out);
                let room = self.push(Op::Select(fits, but_one, most), loc, out);
                let left = Op::Binary(BinOp::Sub, last, counter);
                let left = self.push(left, loc, &mut block.insts);
                Op::Compare(CmpOp::Gt, left, room)
            }
        };
        block.insts.push(Inst {
            results: smallvec![cond],
            op: test,
            loc,
        });
        (block, cond)
    }

    /// Appends this many steps as one.
    fn steps(&mut self, step: Value, iterations: u32, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let times = self.push(Op::Const(Const::from(iterations)), loc, out);
        self.push(Op::Binary(BinOp::Mul, step, times), loc, out)
    }

    fn push(&mut self, op: Op, loc: Loc, out: &mut Vec<Inst>) -> Value {
        self.function.push(op, Type::U32, loc, out)
    }
}

/// Brings loads of what nobody writes, and the addresses they need, before everything else.
fn loads_first(function: &Function, block: &mut Block) {
    let mut late = FxHashSet::default();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for inst in std::mem::take(&mut block.insts) {
        let early = match inst.op {
            Op::Load { alias, .. } => {
                matches!(alias, Alias::Shared(_) | Alias::Data(_) | Alias::Launch)
            }
            ref op => {
                let of_words = |v: &Value| function.ty(*v) != Type::F32;
                is_address(op) && inst.results.iter().all(of_words)
            }
        };
        let mut ready = early;
        inst.op.operands(&mut |v| ready &= !late.contains(&v));
        if ready {
            first.push(inst);
        } else {
            late.extend(inst.results.iter().copied());
            rest.push(inst);
        }
    }
    first.append(&mut rest);
    block.insts = first;
}

/// Values that iterations only pass on from one name to another.
fn moves(w: &While) -> usize {
    let passed_on = |(param, next): &(&Value, &Value)| param != next && w.params.contains(next);
    w.params.iter().zip(&w.next).filter(passed_on).count()
}

/// Whether an operation is an `If` that only computes values.
fn is_choice(op: &Op) -> bool {
    let pure = |block: &Block| block.insts.iter().all(|inst| inst.op.is_pure());
    matches!(op, Op::If { then, els, .. } if pure(&then.block) && pure(&els.block))
}

/// Moves choices, and what depends on them, after what computes values without, so that the latter of several
/// iterations are next to each other.
fn choices_last(block: &mut Block) {
    if !block.insts.iter().any(|inst| is_choice(&inst.op)) {
        return;
    }
    let mut late = FxHashSet::default();
    let (first, mut last): (Vec<Inst>, Vec<Inst>) = std::mem::take(&mut block.insts)
        .into_iter()
        .partition(|inst| {
            let mut ready = inst.op.is_pure();
            inst.op.operands(&mut |v| ready &= !late.contains(&v));
            // The first loads have been brought to the front; others stay in order.
            let is_first = matches!(inst.op, Op::Load { .. }) && late.is_empty();
            if !ready && !is_first {
                late.extend(inst.results.iter().copied());
            }
            ready || is_first
        });
    block.insts = first;
    block.insts.append(&mut last);
}

/// Whether it is what addresses are computed with.
fn is_address(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::PtrAdd { .. }
            | Op::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, ..)
    )
}
