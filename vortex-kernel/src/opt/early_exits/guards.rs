//! The next test of an iteration becomes part of its loop's, if a lane that fails it leaves.
//!
//! ```text
//! while go_on & (k < n) {                         while go_on & (k < n) & (k < len) {
//!     go_on = if k < len {                            B; go_on = !found
//!         B; !found                        ==>        k += 1
//!     } else { false }                            }
//!     k += 1
//! }
//! ```
//!
//! It is what `xs.get(k)?` in a loop records. Lanes no longer split in each iteration.

use super::{EarlyExits, defines};
use crate::ir::visit::Renaming;
use crate::ir::{Arm, BinOp, Const, Inst, Loc, Op, Results, Type, UnOp, Value, While};
use crate::meta::count;
use smallvec::smallvec;

/// What is computed between both tests costs at most so much: lanes that have left compute it once more.
const MOST: usize = 6;

/// A choice of which one arm leaves.
struct Guard {
    /// Where it is behind the loop's test.
    at: usize,
    /// Whether it leaves when the condition holds.
    when: bool,
    /// What the loop hands out then, where that is not what it hands out anyway.
    outs: Vec<Option<Leaving>>,
}

/// What is handed out by an exit.
#[derive(Clone, Copy)]
enum Leaving {
    Value(Value),
    Constant(Const),
}

impl EarlyExits<'_> {
    /// Makes the tests that follow a loop's own part of that. `go_on` is the parameter that says whether the
    /// iteration before continues. What chooses between the exits is appended to `after`.
    pub(super) fn merge_guards(
        &mut self,
        w: &mut While,
        results: &mut Results,
        go_on: Value,
        loc: Loc,
        after: &mut Vec<Inst>,
    ) {
        while let Some(guard) = self.guard(w, go_on) {
            count!("early_exits", "guards merged", 1);
            let mut chosen = self.merge_guard(w, results, &guard, loc);
            chosen.append(after);
            *after = chosen;
        }
    }

    fn guard(&self, w: &While, go_on: Value) -> Option<Guard> {
        let insts = &w.after.insts;
        let at = insts.iter().position(|inst| !inst.op.is_pure())?;
        let Op::If { then, els, .. } = &insts[at].op else {
            return None;
        };
        let nth = w.params.iter().position(|param| *param == go_on)?;
        let said = insts[at..].iter().find_map(|inst| match inst.op {
            Op::Unary(UnOp::Not, said) if inst.results[..] == [w.next[nth]] => Some(said),
            _ => None,
        });
        let (said, says) = said.map_or((w.next[nth], false), |said| (said, true));
        let result = insts[at].results.iter().position(|r| *r == said)?;
        let leaves = |arm: &Arm| {
            let mut insts = arm.block.insts.iter();
            insts.all(|inst| matches!(inst.op, Op::Const(_)))
                && self.defs.constant(arm.yields[result]) == Some(u32::from(says))
        };
        let when = match (leaves(then), leaves(els)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        // Lanes that leave do what follows, too.
        let stays = insts[at + 1..].iter().any(|inst| !inst.op.is_pure());
        if at > MOST || stays {
            return None;
        }
        let leaving = if when { then } else { els };
        let outs = w.exits.iter().map(|out| match *out == go_on {
            true => Some(Some(Leaving::Constant(Const::from(0)))),
            false => self.leaving(w, at, leaving, *out),
        });
        Some(Guard {
            at,
            when,
            outs: outs.collect::<Option<_>>()?,
        })
    }

    /// What `out` is if the loop is left by a guard: what the next iteration's test would make it. That cannot be
    /// told of everything.
    fn leaving(&self, w: &While, at: usize, arm: &Arm, out: Value) -> Option<Option<Leaving>> {
        let Some(param) = w.params.iter().position(|param| *param == out) else {
            return (!defines(w, out)).then_some(None);
        };
        let next = w.next[param];
        let guard = &w.after.insts[at];
        let next = match guard.results.iter().position(|result| *result == next) {
            Some(nth) => arm.yields[nth],
            None => next,
        };
        if let Some(Op::Const(word)) = self.defs.get(next) {
            return Some(Some(Leaving::Constant(*word)));
        }
        let mut later = w.after.insts[at..].iter();
        if later.any(|inst| inst.results.contains(&next)) {
            return None;
        }
        Some((next != out).then_some(Leaving::Value(next)))
    }

    fn merge_guard(
        &mut self,
        w: &mut While,
        results: &mut Results,
        guard: &Guard,
        loc: Loc,
    ) -> Vec<Inst> {
        let mut tail = w.after.insts.split_off(guard.at);
        w.before.insts.append(&mut w.after.insts);
        let choice = tail.remove(0);
        let Op::If { cond, then, els } = choice.op else {
            return Vec::new();
        };
        let staying = if guard.when { els } else { then };
        let mut renaming = Renaming::default();
        for (result, yielded) in choice.results.iter().zip(&staying.yields) {
            renaming.set(*result, *yielded);
        }
        w.after = staying.block;
        w.after.insts.append(&mut tail);
        renaming.block(&mut w.after);
        renaming.list(&mut w.next);

        let first = w.cond;
        let mut stays = cond;
        if guard.when {
            stays = self.bool(Op::Unary(UnOp::Not, cond), loc, &mut w.before.insts);
        }
        let both = Op::Binary(BinOp::And, first, stays);
        w.cond = self.bool(both, loc, &mut w.before.insts);

        let mut chosen = Vec::new();
        if guard.outs.iter().all(Option::is_none) {
            return chosen;
        }
        let is_guard = self.function.new_value(Type::Bool);
        w.exits.push(first);
        results.push(is_guard);
        for (nth, leaving) in guard.outs.iter().enumerate() {
            let Some(leaving) = leaving else {
                continue;
            };
            let ty = self.function.ty(results[nth]);
            let at_guard = match *leaving {
                Leaving::Constant(word) => {
                    self.function.push(Op::Const(word), ty, loc, &mut chosen)
                }
                Leaving::Value(value) if !defines(w, value) => value,
                Leaving::Value(value) => {
                    let at_guard = self.function.new_value(ty);
                    w.exits.push(value);
                    results.push(at_guard);
                    at_guard
                }
            };
            let at_test = self.function.new_value(ty);
            chosen.push(Inst {
                results: smallvec![std::mem::replace(&mut results[nth], at_test)],
                op: Op::Select(is_guard, at_guard, at_test),
                loc,
            });
        }
        chosen
    }
}
