//! Finds barriers that only some items of a group may reach.

use super::Uniformity;
use crate::ir::{BinOp, Block, Function, Inst, Loc, Op, UnOp, Value};
use std::collections::{HashMap, HashSet};

/// A barrier, and the condition that is not the same for all items of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivergentBarrier {
    /// Which part of one.
    pub part: BarrierPart,
    /// Where the barrier is.
    pub barrier: Loc,
    /// Where the condition is.
    pub condition: Loc,
}

/// What there is of a barrier at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierPart {
    /// All of it.
    Whole,
    /// Where items arrive.
    Arrival,
    /// Where they wait for the others.
    Waiting,
}

impl BarrierPart {
    pub(super) const fn of(op: &Op) -> Option<Self> {
        match op {
            Op::BarrierArrive | Op::Arrive { .. } => Some(Self::Arrival),
            Op::BarrierWait(_) | Op::Await { .. } => Some(Self::Waiting),
            op if op.is_barrier() => Some(Self::Whole),
            _ => None,
        }
    }
}

/// Checks a structured function before `codegen::entry`: every barrier is under conditions only that all items of a
/// group agree about. Writes down whether there are any.
///
/// # Errors
/// The first barrier that is not.
pub fn check_barriers(function: &mut Function) -> Result<(), DivergentBarrier> {
    let any = function.body.any(&Op::is_barrier);
    function.facts.uses_barrier = Some(any);
    if !any {
        return Ok(());
    }
    let uniformity = Uniformity::in_group(function);
    let divergent = |v| uniformity.is_divergent(v);
    let found = block(&function.body, None, &divergent);
    found.map_err(|(part, barrier, condition)| DivergentBarrier {
        part,
        barrier,
        condition: reason(function, condition, &divergent),
    })
}

/// Where the condition is that makes items leave the loop of `condition` in different iterations; that of an `If` is
/// its own.
fn reason(function: &Function, condition: &Inst, divergent: &dyn Fn(Value) -> bool) -> Loc {
    let Op::While(w) = &condition.op else {
        return condition.loc;
    };
    let mut made = HashMap::new();
    function.body.visit(&mut |inst| {
        made.extend(
            inst.results
                .iter()
                .enumerate()
                .map(|(n, v)| (*v, (n, inst))),
        );
        if let Op::While(w) = &inst.op {
            made.extend(w.params.iter().enumerate().map(|(n, v)| (*v, (n, inst))));
        }
    });
    let mut seen = HashSet::new();
    let mut next = vec![w.cond];
    while let Some(value) = next.pop() {
        if !divergent(value) || !seen.insert(value) {
            continue;
        }
        let Some((n, inst)) = made.get(&value) else {
            continue;
        };
        match &inst.op {
            // A break sets what the loop is tested with.
            Op::If { cond, then, els } => {
                if divergent(*cond) {
                    return inst.loc;
                }
                next.extend([then.yields[*n], els.yields[*n]]);
            }
            Op::While(w) if w.params.get(*n) == Some(&value) => next.push(w.next[*n]),
            Op::While(w) => next.push(w.exits[*n]),
            Op::Unary(UnOp::Not, a) => next.push(*a),
            Op::Binary(BinOp::And | BinOp::Or, a, b) => next.extend([*a, *b]),
            Op::Compare(..) => return inst.loc,
            _ => {}
        }
    }
    condition.loc
}

/// Fails with what there is of a barrier, where, and what it stands under that items do not agree on.
fn block<'a>(
    b: &'a Block,
    condition: Option<&'a Inst>,
    divergent: &dyn Fn(Value) -> bool,
) -> Result<(), (BarrierPart, Loc, &'a Inst)> {
    for inst in &b.insts {
        if let (Some(part), Some(condition)) = (BarrierPart::of(&inst.op), condition) {
            return Err((part, inst.loc, condition));
        }
        let tested = match &inst.op {
            Op::If { cond, .. } => Some(*cond),
            Op::While(w) => Some(w.cond),
            _ => None,
        };
        let here = tested.is_some_and(divergent).then_some(inst);
        for nested in inst.op.blocks().into_iter().flatten() {
            block(nested, condition.or(here), divergent)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse;

    fn check(body: &str) -> Result<(), DivergentBarrier> {
        let text = format!(
            "kernel \"k\" (v0: u32 \"n\" arg 0 at 0) args 4 {{ loc @1 \"k.rs\":1:1 loc @2 \"k.rs\":2:2 {body} }}"
        );
        check_barriers(&mut parse(&text).unwrap())
    }

    #[test]
    fn conditions_that_a_group_agrees_on_are_fine() {
        check("barrier v1: u32 = id group_x v2: bool = lt v1, v0 if v2 @1 { barrier @2 }").unwrap();
    }

    #[test]
    fn others_are_named() {
        let divergent = DivergentBarrier {
            part: BarrierPart::Whole,
            barrier: Loc::from_u32(2),
            condition: Loc::from_u32(1),
        };
        for id in ["x", "linear", "local_y", "local_linear"] {
            let text = format!(
                "v1: u32 = id {id} v2: bool = lt v1, v0 v3: bool = lt v0, v0 if v2 @1 {{ if v3 {{ barrier @2 }} }}"
            );
            assert_eq!(check(&text), Err(divergent));
        }
    }

    #[test]
    fn what_a_warp_agrees_on_a_group_may_not() {
        let text =
            "v1: u32 = id group_x v2: bool = lt v1, v0 v3: bool = warp any v2 if v3 { barrier }";
        assert!(check(text).is_err());
    }

    #[test]
    fn iterations_that_items_do_not_agree_on_are_named() {
        let text = "v1: u32 = id local_x while (v2: u32 = v0) @1 { v3: bool = lt v2, v1 test v3 barrier @2 next v1 }";
        assert!(check(text).is_err());
    }
}
