//! Checks whose indices only the iteration itself knows, without a branch in it.
//!
//! `sum += x[columns[k]]` has a check that cannot be tested before the loop. If the loop changes nothing but its own
//! values, it can be speculated: where an index is out of bounds, such a load reads the first element, and the loop
//! records that. If any was, its results are discarded, and the original loop runs from its beginning, and fails where
//! it fails.
//!
//! ```text
//!                                        ok, s = true, 0
//! s = 0                                  while k < n {
//! while k < n {                            c = columns[k]
//!   c = columns[k]                         fine = c < x.len()
//!   if c < x.len() { s += x[c] }           s += x[fine ? c : 0]
//!   else { fail }              ==>         ok &= fine
//!   k += 1                                 k += 1
//! }                                      }
//!                                        if !ok { the loop as it was }
//! ```
//!
//! This is done where the slices have elements at all; otherwise the limit of the speculative loop is 0, or it is not
//! begun. It always terminates: the loop counts to a limit that does not change in it, whatever else may end it.
//!
//! A loop that does not count, such as that to the root of a tree, ends after the first check that does not hold: until
//! then it is the original loop. So do the loops around it, as what they do next might not end. A loop around one that
//! counts to what has been loaded is not tried, only the inner one: after a check that does not hold, that limit may be
//! anything.
//!
//! ```text
//! while p[x] != x {                      while (fine = x < p.len()) & (p[fine ? x : 0] != x) {
//!   x = p[x]                     ==>       x = p[x]
//! }                                      }
//!                                        if !fine { the loop as it was }
//! ```

mod attempt;

pub(super) use attempt::attempt;

use super::checks::{check_of, open_check_of};
use super::defs::Defs;
use super::loops::{Limit, counter_starts, limits};
use crate::ir::{
    Alias, BinOp, Block, CmpOp, Const, Function, Inst, Op, SecondaryMap, Type, Value, While,
};

/// A check to be done without a branch.
pub(super) struct Trial {
    pub(super) index: Value,
    pub(super) len: Value,
}

/// How a loop can be tried.
pub(super) struct Plan {
    /// The lengths that must not be 0.
    pub(super) lengths: Vec<Value>,
    /// Whether the loop and those inside of it end after a check that does not hold: one of them might not otherwise.
    ends: bool,
    /// Whether something is checked before it is known whether the loop does anything.
    at_once: bool,
}

/// How a loop can be tried, if it can be. `verdicts` tells, of its checks in order, which are answered before it.
pub(super) fn plan(
    w: &While,
    verdicts: &[bool],
    defs: &Defs,
    inside: &SecondaryMap<Value, bool>,
) -> Option<Plan> {
    let mut walk = Walk {
        verdicts: verdicts.iter(),
        defs,
        inside,
        lengths: Vec::new(),
        all_count: true,
        any_tests_by_loop: false,
    };
    let in_test = walk.test(w);
    let at_once = !walk.lengths.is_empty();
    let can_be = in_test
        && walk.block(&w.after)
        && !walk.lengths.is_empty()
        && (walk.all_count || !walk.any_tests_by_loop);
    can_be.then_some(Plan {
        lengths: walk.lengths,
        ends: !walk.all_count,
        at_once,
    })
}

struct Walk<'a> {
    verdicts: std::slice::Iter<'a, bool>,
    defs: &'a Defs,
    inside: &'a SecondaryMap<Value, bool>,
    lengths: Vec<Value>,
    /// Whether all loops so far count.
    all_count: bool,
    /// Whether any has another one in what decides whether it continues.
    any_tests_by_loop: bool,
}

impl Walk<'_> {
    /// Whether a loop's test only computes, so that it can be done again.
    fn test(&mut self, w: &While) -> bool {
        let counted = counts(w, self.defs);
        self.all_count &= counted.is_some();
        self.any_tests_by_loop |= w.before.any(&|op| matches!(op, Op::While(_)));
        // Of the first element, a row may be very long.
        let is_row = counted.is_some_and(|limit| self.inside[limit]);
        !is_row && !w.optional && self.block(&w.before)
    }

    fn block(&mut self, block: &Block) -> bool {
        block.insts.iter().all(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Load { .. } => true,
            Op::If { cond, then, .. } if check_of(inst).is_some() => {
                let is_answered =
                    open_check_of(inst, self.defs).is_none() || self.verdicts.next() == Some(&true);
                match is_answered {
                    true => self.block(&then.block),
                    false => self.check(*cond, &then.block),
                }
            }
            Op::If { then, els, .. } => {
                !els.is_fallback && self.block(&then.block) && self.block(&els.block)
            }
            Op::While(inner) => self.test(inner) && self.block(&inner.after),
            op => op.is_pure(),
        }
    }

    /// Whether what a check guards can be done with the first element where the check does not hold.
    fn check(&mut self, cond: Value, guarded: &Block) -> bool {
        let Some(Trial { index, len }) = trial(cond, self.defs) else {
            return false;
        };
        let mut insts = guarded.insts.iter();
        let is_of_element = |inst: &Inst| {
            let only_computes = inst.op.is_pure() || matches!(inst.op, Op::Load { .. });
            only_computes && is_at(inst, index, guarded)
        };
        if self.inside[len] || !insts.all(is_of_element) {
            return false;
        }
        if !self.lengths.contains(&len) {
            self.lengths.push(len);
        }
        true
    }
}

/// The limits that do not change in a loop, of those that its parameters are compared with.
fn counted(w: &While) -> impl Iterator<Item = Limit> {
    let mut inside = w.params.clone();
    w.before
        .visit(&mut |inst| inside.extend(inst.results.iter().copied()));
    let limits = limits(w).into_iter();
    limits.filter(move |limit| !inside.contains(&limit.limit))
}

/// What a loop counts up to, whatever else ends it: a limit that does not change in it.
fn counts(w: &While, defs: &Defs) -> Option<Value> {
    let starts = counter_starts(w, defs);
    let is_start = |limit: &Limit| starts.iter().any(|(start, _)| *start == w.params[limit.at]);
    counted(w).find(is_start).map(|limit| limit.limit)
}

pub(super) fn trial(cond: Value, defs: &Defs) -> Option<Trial> {
    match *defs.get(cond)? {
        Op::Compare(CmpOp::Lt, index, len) | Op::Compare(CmpOp::Gt, len, index) => {
            Some(Trial { index, len })
        }
        _ => None,
    }
}

/// Whether an instruction of a block, if it is a load, loads the element with this index, of what nobody writes: the
/// first element, in place of one that does not exist, may be another item's.
pub(super) fn is_at(inst: &Inst, index: Value, block: &Block) -> bool {
    let Op::Load { ptr, alias, .. } = inst.op else {
        return !matches!(inst.op, Op::If { .. });
    };
    if !matches!(alias, Alias::Shared(_) | Alias::Data(_)) {
        return false;
    }
    let address = block.insts.iter().find(|inst| inst.results[..] == [ptr]);
    let of_index = |op: &Op| matches!(op, Op::PtrAdd { index: at, .. } if *at == index);
    address.is_some_and(|address| of_index(&address.op))
}

/// Has what a check guards access the first element unless the check holds. It is the distance from the first that is
/// chosen: a lane computes it while it compares the index.
pub(super) fn first_unless(
    function: &mut Function,
    guarded: &mut Block,
    (index, cond, zero): (Value, Value, Value),
    out: &mut Vec<Inst>,
) {
    for mut inst in std::mem::take(&mut guarded.insts) {
        if let Op::PtrAdd {
            index: at, scale, ..
        } = &mut inst.op
            && *at == index
        {
            let bytes = function.push(Op::Const(Const::from(*scale)), Type::U32, inst.loc, out);
            let distance = Op::Binary(BinOp::Mul, index, bytes);
            let distance = function.push(distance, Type::U32, inst.loc, out);
            let chosen = Op::Select(cond, distance, zero);
            *at = function.push(chosen, Type::U32, inst.loc, out);
            *scale = 1;
        }
        out.push(inst);
    }
}
