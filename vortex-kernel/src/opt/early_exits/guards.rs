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

use super::{EarlyExits, Staying, defines};
use crate::ir::{Arm, Const, Inst, Loc, Op, Results, UnOp, Value, While};
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
    /// What the loop hands out then.
    outs: Vec<Leaving>,
}

/// What is handed out by an exit.
#[derive(Clone, Copy)]
enum Leaving {
    /// What it hands out anyway.
    Same,
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
            true => Some(Leaving::Constant(Const::from(0))),
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
    fn leaving(&self, w: &While, at: usize, arm: &Arm, out: Value) -> Option<Leaving> {
        let Some(param) = w.params.iter().position(|param| *param == out) else {
            return (!defines(w, out)).then_some(Leaving::Same);
        };
        let next = w.next[param];
        let guard = &w.after.insts[at];
        let next = match guard.results.iter().position(|result| *result == next) {
            Some(nth) => arm.yields[nth],
            None => next,
        };
        if let Some(Op::Const(word)) = self.defs.get(next) {
            return Some(Leaving::Constant(*word));
        }
        let mut later = w.after.insts[at..].iter();
        match later.any(|inst| inst.results.contains(&next)) {
            true => None,
            false if next == out => Some(Leaving::Same),
            false => Some(Leaving::Value(next)),
        }
    }

    fn merge_guard(
        &mut self,
        w: &mut While,
        results: &mut Results,
        guard: &Guard,
        loc: Loc,
    ) -> Vec<Inst> {
        let Some(staying) = Staying::of(&mut w.after.insts, guard.at, guard.when) else {
            return Vec::new();
        };
        let Staying {
            cond,
            insts,
            renaming,
        } = staying;
        w.before.insts.append(&mut w.after.insts);
        w.after.insts = insts;
        renaming.block(&mut w.after);
        renaming.list(&mut w.next);

        let first = w.cond;
        self.test_also(w, first, cond, guard.when, loc);
        let mut chosen = Vec::new();
        if guard.outs.iter().all(|out| matches!(out, Leaving::Same)) {
            return chosen;
        }
        let is_guard = self.outside(w, results, first);
        for (nth, leaving) in guard.outs.iter().enumerate() {
            let ty = self.function.ty(results[nth]);
            let at_guard = match *leaving {
                Leaving::Same => continue,
                Leaving::Constant(word) => {
                    self.function.push(Op::Const(word), ty, loc, &mut chosen)
                }
                Leaving::Value(value) => self.outside(w, results, value),
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
