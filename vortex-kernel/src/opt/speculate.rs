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
//! This is done where the slices have elements at all; otherwise the limit of the speculative loop is 0. It always
//! terminates: the loop counts to a limit that does not change in it, whatever else may end it.

use super::defs::Defs;
use super::loops::{Limit, counter_starts, limits};
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, Arm, BinOp, Block, CmpOp, Const, Function, Inst, Loc, Op, SecondaryMap, Type, Value,
    While,
};

/// A check to be done without a branch.
pub(super) struct Trial {
    pub(super) index: Value,
    pub(super) len: Value,
}

/// The lengths that must not be 0 for a loop to be tried, if it can be. `verdicts` tells, of its checks in order, which
/// are answered before it.
pub(super) fn lengths(
    w: &While,
    verdicts: &[bool],
    defs: &Defs,
    inside: &SecondaryMap<Value, bool>,
) -> Option<Vec<Value>> {
    if !counts(w, defs, inside) || !w.before.insts.iter().all(only_computes) {
        return None;
    }
    let mut verdicts = verdicts.iter();
    let mut lengths = Vec::new();
    for inst in &w.after.insts {
        match check(inst) {
            None if only_computes(inst) => {}
            None => return None,
            Some((cond, then)) => {
                if !then.block.insts.iter().all(only_computes) {
                    return None;
                }
                if *verdicts.next()? {
                    continue;
                }
                let Trial { index, len } = trial(cond, defs)?;
                if inside[len]
                    || !then
                        .block
                        .insts
                        .iter()
                        .all(|inst| is_at(inst, index, &then.block))
                {
                    return None;
                }
                if !lengths.contains(&len) {
                    lengths.push(len);
                }
            }
        }
    }
    (!lengths.is_empty()).then_some(lengths)
}

/// Whether the loop counts up to a limit that does not change in it, whatever else ends it.
fn counts(w: &While, defs: &Defs, inside: &SecondaryMap<Value, bool>) -> bool {
    let starts = counter_starts(w, defs);
    let counts = |limit: &Limit| {
        let counter = w.params[limit.at];
        !inside[limit.limit] && starts.iter().any(|(start, _)| *start == counter)
    };
    limits(w).iter().any(counts)
}

/// Whether an instruction changes nothing, and can be executed again.
fn only_computes(inst: &Inst) -> bool {
    match &inst.op {
        Op::Load { .. } => true,
        Op::If { then, els, .. } => [then, els]
            .iter()
            .all(|arm| arm.block.insts.iter().all(|inst| inst.op.is_pure())),
        op => op.is_pure(),
    }
}

/// The condition of a check, and what it guards.
fn check(inst: &Inst) -> Option<(Value, &Arm)> {
    match &inst.op {
        Op::If { cond, then, els } if els.block.is_failure() => Some((*cond, then)),
        _ => None,
    }
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

/// Makes of a loop, of which [`lengths`] has found that it can be tried, one without the checks that are not answered:
/// those whose condition is not `truth`. It gets one more parameter, which it leaves with: whether all of them held.
/// It does nothing unless `tried`. What goes before it is appended to `out`.
pub(super) fn attempt(
    function: &mut Function,
    w: &mut While,
    (tried, truth): (Value, Value),
    loc: Loc,
    out: &mut Vec<Inst>,
) {
    let zero = function.push(Op::Const(Const(0)), Type::U32, loc, out);
    forbid(function, w, (tried, zero), loc, out);
    let fine = function.new_value(Type::Bool);
    w.params.push(fine);
    w.init.push(tried);
    w.exits.push(fine);

    let mut all = fine;
    let mut indices: Vec<_> = w.before.insts.iter().filter_map(index_of).collect();
    let mut renaming = Renaming::default();
    let mut insts = Vec::with_capacity(w.after.insts.len());
    for inst in std::mem::take(&mut w.after.insts) {
        let mut block = Block { insts: vec![inst] };
        renaming.block(&mut block);
        for mut inst in block.insts {
            indices.extend(index_of(&inst));
            let cond = check(&inst)
                .map(|(cond, _)| cond)
                .filter(|cond| *cond != truth);
            let index = indices.iter().find(|(compared, _)| Some(*compared) == cond);
            let (Some(&(cond, index)), Op::If { then, .. }) = (index, &mut inst.op) else {
                insts.push(inst);
                continue;
            };
            first_unless(function, &mut then.block, (index, cond, zero), &mut insts);
            for (result, value) in inst.results.iter().zip(&then.yields) {
                renaming.set(*result, *value);
            }
            let so_far = Op::Binary(BinOp::And, all, cond);
            all = function.push(so_far, Type::Bool, inst.loc, &mut insts);
        }
    }
    w.after.insts = insts;
    renaming.list(&mut w.next);
    w.next.push(all);
}

/// Has a loop not run unless it is `tried`, by a limit that does not change in it. What goes before it is appended to
/// `out`.
fn forbid(
    function: &mut Function,
    w: &mut While,
    (tried, zero): (Value, Value),
    loc: Loc,
    out: &mut Vec<Inst>,
) {
    let mut inside = w.params.clone();
    w.before
        .visit(&mut |inst| inside.extend(inst.results.iter().copied()));
    let outside = |limit: &Limit| !inside.contains(&limit.limit);
    let Some(Limit { at, limit, holds }) = limits(w).into_iter().find(outside) else {
        return;
    };
    // What is signed may begin below 0. Otherwise a limit of 0 is one instruction less than another start.
    if function.ty(limit) != Type::U32 {
        let start = Op::Select(tried, w.init[at], limit);
        w.init[at] = function.push(start, function.ty(limit), loc, out);
        return;
    }
    let nothing = function.push(Op::Select(tried, limit, zero), Type::U32, loc, out);
    for inst in &mut w.before.insts {
        if inst.results[..] == [holds] {
            inst.op = Op::Compare(CmpOp::Lt, w.params[at], nothing);
        }
    }
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

/// A comparison, and the index that it is about.
fn index_of(inst: &Inst) -> Option<(Value, Value)> {
    match inst.op {
        Op::Compare(CmpOp::Lt, index, _) | Op::Compare(CmpOp::Gt, _, index) => {
            Some((*inst.results.first()?, index))
        }
        _ => None,
    }
}
