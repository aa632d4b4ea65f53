//! A loop with `break` is tested in one place.
//!
//! ```text
//! loop {                                          let mut go_on = true;
//!     let done = if k >= n { true } else {        while go_on & (k < n) {
//!         B; found                                    B; go_on = !found;
//!     };                                 ==>          k += 1
//!     if done { break }                           }
//!     k += 1
//! }
//! ```
//!
//! Structuring turns `while k < n { B; if found { break } k += 1 }` into the first form: one exit, after both tests. In
//! it lanes split for each iteration's first test, rejoin, and split for the second. In the second form the mask is
//! narrowed once, by the results of the previous iteration's second test and the next one's first; and what `B`
//! computes is where it may leave the loop.
//!
//! The next iteration's test is then computed for lanes that have left by `break`, too, so it must be pure. A value of
//! the loop is the same for all lanes only if they leave it together, and then they still do.
//!
//! A value that changes only when the loop is left by `break` is selected after the loop:
//!
//! ```text
//! while go_on & (k < n) {                         while go_on & (k < n) {
//!     B; best = found ? k : best;          ==>        B; last = k;
//!     go_on = !found; k += 1                          go_on = !found; k += 1
//! }                                               }
//!                                                 best = go_on ? best : last
//! ```

mod guards;

use super::defs::Defs;
use super::equal::agree;
use super::uniformity::Uniformity;
use crate::ir::visit::Renaming;
use crate::ir::{
    Arm, BinOp, Block, Const, Function, Inst, Loc, Op, Results, Type, UnOp, Value, While,
};
use crate::meta::count;
use smallvec::smallvec;

/// Gives the loops of a structured function one test.
pub fn early_exits(function: &mut Function) {
    if !function.body.any(&|op| matches!(op, Op::While(_))) {
        return;
    }
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = EarlyExits {
        defs: Defs::of(&body, function),
        uniformity,
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct EarlyExits<'a> {
    function: &'a mut Function,
    defs: Defs,
    uniformity: Uniformity,
}

/// How a loop's `before` ends: in a choice of which one arm leaves the loop.
struct Exit {
    /// Where the choice is.
    at: usize,
    /// Whether it leaves when the condition holds.
    when: bool,
    /// Which of the choice's results says that it leaves.
    result: usize,
    /// What that result is then.
    says: bool,
}

/// An iteration leaves if a condition is this.
#[derive(Clone, Copy)]
struct Leaves {
    said: Value,
    says: bool,
}

/// What is left of a choice where lanes stay, and of what follows it.
struct Staying {
    cond: Value,
    insts: Vec<Inst>,
    /// What the choice's results are now.
    renaming: Renaming,
}

impl Staying {
    /// Takes it out of `insts`, of which those before the choice are left. Lanes leave when its condition is `when`.
    fn of(insts: &mut Vec<Inst>, at: usize, when: bool) -> Option<Self> {
        let mut rest = insts.split_off(at);
        let choice = rest.remove(0);
        let Op::If { cond, then, els } = choice.op else {
            return None;
        };
        let staying = if when { els } else { then };
        let mut renaming = Renaming::default();
        for (result, yielded) in choice.results.iter().zip(&staying.yields) {
            renaming.set(*result, *yielded);
        }
        let mut insts = staying.block.insts;
        insts.append(&mut rest);
        Some(Self {
            cond,
            insts,
            renaming,
        })
    }
}

/// What a loop hands out.
enum Out {
    /// The same at both exits.
    Same(Value),
    /// What `before` and what the iteration has that it leaves at.
    Chosen {
        by_test: Value,
        by_break: ByBreak,
        /// Something of that type from outside.
        init: Value,
        /// The parameter that this is, if it keeps its initial value until the loop is left by `break`.
        keeps: Option<usize>,
    },
}

/// What a loop hands out that is left by `break`.
#[derive(Clone, Copy)]
enum ByBreak {
    Value(Value),
    /// What it always is then.
    Truth(bool),
}

impl EarlyExits<'_> {
    fn block(&mut self, block: &mut Block) {
        block.rewrite(&mut |mut inst, out| {
            if let Op::While(w) = &mut inst.op
                && let Some(exit) = self.exit(w)
                && let Some(outs) = self.outs(w, &exit)
            {
                count!("early_exits", "exits merged", 1);
                let after = self.merge(w, &mut inst.results, &exit, &outs, inst.loc, out);
                out.push(inst);
                out.extend(after);
            } else {
                out.push(inst);
            }
        });
    }

    /// How the loop leaves, if it does by a choice, and if its next test may be made for lanes that have left.
    fn exit(&self, w: &While) -> Option<Exit> {
        let insts = &w.before.insts;
        let at = insts.iter().position(|inst| !inst.op.is_pure())?;
        let pure = |insts: &[Inst]| insts.iter().all(|inst| inst.op.is_pure());
        let convergent = [&w.before, &w.after]
            .into_iter()
            .any(|block| block.any(&Op::is_convergent));
        if convergent || !pure(&insts[at + 1..]) || !pure(&w.after.insts) {
            return None;
        }
        let Op::If { then, els, .. } = &insts[at].op else {
            return None;
        };
        let (says_so, is_inverted) = match self.defs.get(w.cond) {
            Some(Op::Unary(UnOp::Not, inverse)) => (*inverse, true),
            _ => (w.cond, false),
        };
        let result = insts[at].results.iter().position(|r| *r == says_so)?;
        let leaves = |arm: &Arm| {
            let says = self.defs.constant(arm.yields[result]) == Some(u32::from(is_inverted));
            says && pure(&arm.block.insts)
                && arm
                    .block
                    .insts
                    .iter()
                    .all(|inst| matches!(inst.op, Op::Const(_)))
        };
        let when = match (leaves(then), leaves(els)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        Some(Exit {
            at,
            when,
            result,
            says: is_inverted,
        })
    }

    /// What the loop hands out, if that can be told about both exits.
    fn outs(&self, w: &While, exit: &Exit) -> Option<Vec<Out>> {
        let choice = &w.before.insts[exit.at];
        let (leaving, staying) = exit.arms(choice)?;
        let of = |list: &[Value], value: Value| list.iter().position(|v| *v == value);
        let defined =
            |insts: &[Inst], value| insts.iter().any(|inst| inst.results.contains(&value));
        let outs = w.exits.iter().copied();
        outs.map(|out| {
            let (by_test, by_break) = match of(&choice.results, out) {
                Some(nth) => (leaving.yields[nth], staying.yields[nth]),
                None => (out, out),
            };
            if defined(&w.before.insts[exit.at..], by_test)
                || defined(&leaving.block.insts, by_test)
            {
                return None;
            }
            let param = of(&w.params, by_test);
            let becomes = |param: usize| {
                let next = w.next[param];
                of(&choice.results, next).map_or(next, |nth| staying.yields[nth])
            };
            let is_computed = param.is_some() || defined(&w.before.insts[..exit.at], by_test);
            if by_test == by_break && !is_computed {
                return Some(Out::Same(out));
            }
            if let Some(param) = param
                && becomes(param) == by_break
            {
                return Some(match self.when_broken(w, param, by_break, exit) {
                    Some(by_break) => Out::Chosen {
                        by_test,
                        by_break,
                        init: w.init[param],
                        keeps: Some(param),
                    },
                    None => Out::Same(by_test),
                });
            }
            // Until there was an iteration: nobody looks at it, but what is the same for all lanes must stay so.
            let ty = self.function.ty(by_test);
            let like = || {
                let mut inits = w.init.iter().copied();
                inits.find(|v| self.function.ty(*v) == ty && self.uniformity.is_uniform(*v))
            };
            let init = match param {
                Some(param) => w.init[param],
                None if is_computed => like()?,
                None => by_test,
            };
            let is_said = by_break == staying.yields[exit.result];
            Some(Out::Chosen {
                by_test,
                by_break: match is_said {
                    true => ByBreak::Truth(exit.says),
                    false => ByBreak::Value(by_break),
                },
                init,
                keeps: None,
            })
        })
        .collect()
    }

    /// What a parameter is when the loop is left by `break`, if it is what it was in all other iterations; `next` is
    /// what one makes of it.
    fn when_broken(&self, w: &While, param: usize, next: Value, exit: &Exit) -> Option<ByBreak> {
        let (_, staying) = exit.arms(&w.before.insts[exit.at])?;
        let leaves = Leaves {
            said: staying.yields[exit.result],
            says: exit.says,
        };
        self.when_said(w.params[param], next, leaves, &staying.block.insts)
    }

    /// What `next`, which becomes of `this`, is when an iteration says that it leaves, if it is `this` in all others.
    fn when_said(&self, this: Value, next: Value, by: Leaves, insts: &[Inst]) -> Option<ByBreak> {
        let leaves = |cond: Value| Some(self.agree(cond, by.said)? == by.says);
        match self.defs.get(next) {
            Some(&Op::Select(cond, value, other)) if other == this && leaves(cond)? => {
                Some(ByBreak::Value(value))
            }
            Some(&Op::Select(cond, other, value)) if other == this && !leaves(cond)? => {
                Some(ByBreak::Value(value))
            }
            Some(&Op::Binary(BinOp::Or, a, b)) if self.function.ty(this) == Type::Bool => {
                let cond = other_of(this, [a, b])?;
                leaves(cond)?.then_some(ByBreak::Truth(true))
            }
            Some(&Op::Binary(BinOp::And, a, b)) if self.function.ty(this) == Type::Bool => {
                let cond = other_of(this, [a, b])?;
                (!leaves(cond)?).then_some(ByBreak::Truth(false))
            }
            None => {
                let truth = self.when_arms_say(this, next, by, insts)?;
                Some(ByBreak::Truth(truth))
            }
            _ => None,
        }
    }

    /// The same where `next` is a result of a choice: a truth, if all arms that leave agree on it.
    fn when_arms_say(&self, this: Value, next: Value, by: Leaves, insts: &[Inst]) -> Option<bool> {
        let choice = insts.iter().find(|inst| inst.results.contains(&next))?;
        let Op::If { cond, then, els } = &choice.op else {
            return None;
        };
        let result = |value| choice.results.iter().position(|result| *result == value);
        let next = result(next)?;
        let mut all = None;
        for (arm, holds) in [(then, true), (els, false)] {
            let next = arm.yields[next];
            let (said, truth) = match result(by.said) {
                Some(nth) => (arm.yields[nth], self.truth(arm.yields[nth])),
                None => (by.said, Some(self.agree(*cond, by.said)? == holds)),
            };
            let by_break = match truth {
                Some(truth) if truth != by.says && next == this => continue,
                Some(truth) if truth != by.says => return None,
                Some(_) => ByBreak::Truth(self.truth(next)?),
                None => self.when_said(this, next, Leaves { said, ..by }, &arm.block.insts)?,
            };
            let ByBreak::Truth(truth) = by_break else {
                return None;
            };
            if *all.get_or_insert(truth) != truth {
                return None;
            }
        }
        all
    }

    /// What a condition always is.
    fn truth(&self, value: Value) -> Option<bool> {
        let is_condition = self.function.ty(value) == Type::Bool;
        let word = self.defs.constant(value).filter(|_| is_condition);
        word.map(|word| word != 0)
    }

    /// Whether one condition always is what another one is, or never; nothing if that is not known.
    fn agree(&self, one: Value, other: Value) -> Option<bool> {
        agree(self.function, |value| self.defs.get(value), one, other)
    }

    /// Makes the loop's two tests one. What it needs before is appended to `out`; what chooses between the exits is
    /// returned.
    fn merge(
        &mut self,
        w: &mut While,
        results: &mut Results,
        exit: &Exit,
        outs: &[Out],
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Vec<Inst> {
        let said = w.before.insts[exit.at].results[exit.result];
        let Some(staying) = Staying::of(&mut w.before.insts, exit.at, exit.when) else {
            return Vec::new();
        };
        let Staying {
            cond,
            insts,
            renaming,
        } = staying;
        let mut after = Block { insts };
        after.insts.append(&mut w.after.insts);
        renaming.block(&mut after);
        renaming.list(&mut w.next);

        // Whether the iteration before continues.
        let mut said = renaming.get(said);
        if exit.says {
            said = self.bool(Op::Unary(UnOp::Not, said), loc, &mut after.insts);
        }
        let go_on = self.function.new_value(Type::Bool);
        let init = self.bool(Op::Const(Const::from(1)), loc, out);
        w.params.push(go_on);
        w.init.push(init);
        w.next.push(said);
        self.test_also(w, go_on, cond, exit.when, loc);
        w.after = after;
        let mut after = self.hand_out(w, results, outs, go_on, &renaming, loc);
        self.merge_guards(w, results, go_on, loc, &mut after);
        after
    }

    /// Has the loop hand out what it did.
    fn hand_out(
        &mut self,
        w: &mut While,
        results: &mut Results,
        outs: &[Out],
        go_on: Value,
        renaming: &Renaming,
        loc: Loc,
    ) -> Vec<Inst> {
        let mut chosen = Vec::new();
        let mut by_test_last = None;
        for (at, out) in outs.iter().enumerate() {
            let (by_test, by_break, init, keeps) = match *out {
                Out::Same(value) => {
                    w.exits[at] = value;
                    continue;
                }
                Out::Chosen {
                    by_test,
                    by_break,
                    init,
                    keeps,
                } => (by_test, by_break, init, keeps),
            };
            if let Some(param) = keeps {
                w.next[param] = w.params[param];
            }
            let ty = self.function.ty(by_test);
            let at_test = self.function.new_value(ty);
            let is_last = match by_test_last {
                Some(is_last) => is_last,
                None => *by_test_last.insert(self.outside(w, results, go_on)),
            };
            w.exits[at] = by_test;
            let at_break = match by_break {
                ByBreak::Truth(truth) => {
                    let truth = Op::Const(Const::from(u32::from(truth)));
                    self.bool(truth, loc, &mut chosen)
                }
                ByBreak::Value(value) if !defines(w, value) => value,
                ByBreak::Value(value) => {
                    let carried = self.function.new_value(ty);
                    w.params.push(carried);
                    w.init.push(init);
                    w.next.push(renaming.get(value));
                    self.outside(w, results, carried)
                }
            };
            chosen.push(Inst {
                results: smallvec![std::mem::replace(&mut results[at], at_test)],
                op: Op::Select(is_last, at_test, at_break),
                loc,
            });
        }
        chosen
    }

    /// Has the loop go on where `goes_on` does and a condition is not `leaves`.
    fn test_also(&mut self, w: &mut While, goes_on: Value, cond: Value, leaves: bool, loc: Loc) {
        let stays = match leaves {
            true => self.bool(Op::Unary(UnOp::Not, cond), loc, &mut w.before.insts),
            false => cond,
        };
        let both = Op::Binary(BinOp::And, goes_on, stays);
        w.cond = self.bool(both, loc, &mut w.before.insts);
    }

    /// A value of a loop behind it: the loop hands it out, if it is its own.
    fn outside(&mut self, w: &mut While, results: &mut Results, value: Value) -> Value {
        if !defines(w, value) {
            return value;
        }
        let outside = self.function.new_value(self.function.ty(value));
        w.exits.push(value);
        results.push(outside);
        outside
    }

    fn bool(&mut self, op: Op, loc: Loc, out: &mut Vec<Inst>) -> Value {
        self.function.push(op, Type::Bool, loc, out)
    }
}

/// The other one of two operands, if one is this.
fn other_of(this: Value, operands: [Value; 2]) -> Option<Value> {
    match operands {
        [a, b] if a == this => Some(b),
        [a, b] if b == this => Some(a),
        _ => None,
    }
}

/// Whether a value is a parameter of a loop, or what an instruction of its own makes.
fn defines(w: &While, value: Value) -> bool {
    let mut insts = w.before.insts.iter().chain(&w.after.insts);
    w.params.contains(&value) || insts.any(|inst| inst.results.contains(&value))
}

impl Exit {
    /// The arm that leaves, and the one that stays.
    fn arms<'a>(&self, choice: &'a Inst) -> Option<(&'a Arm, &'a Arm)> {
        match &choice.op {
            Op::If { then, els, .. } if self.when => Some((then, els)),
            Op::If { then, els, .. } => Some((els, then)),
            _ => None,
        }
    }
}
