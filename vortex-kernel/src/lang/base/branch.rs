//! Branches, in which everything else is made that depends on something.

use super::staged::{Staged, values_of};
use crate::ir::{Arm, FaultKind, FaultOperands, Op, Value};
use crate::lang::recorder::{
    At, OpenBlock, emit_const, emit_jump, emit_many, emit_void, in_block, mark_dead, result_like,
    type_of,
};

/// `if condition { .. } else { .. }`, both closures recorded where they stand.
pub(in crate::lang) fn branch<R: Staged>(
    condition: Value,
    then: impl FnOnce() -> R,
    els: impl FnOnce() -> R,
    at: At,
) -> R {
    let (then, els) = (in_block(then), in_block(els));
    joined(condition, then, els, at)
}

/// What two arms come to. It stands once for each type of a result, and not once for each `if` of each kernel.
fn joined<R: Staged>(
    condition: Value,
    (then_value, then): (R, OpenBlock),
    (els_value, els): (R, OpenBlock),
    at: At,
) -> R {
    let outcome = match (then.dead, els.dead) {
        (true, true) => None,
        (false, true) => Some(then_value),
        (true, false) => Some(els_value),
        (false, false) => Some(then_value.either(els_value)),
    };
    let shape = outcome.map(values_of).unwrap_or_default();
    let of_then = if then.dead {
        Vec::new()
    } else {
        values_of(then_value)
    };
    let of_els = if els.dead {
        Vec::new()
    } else {
        values_of(els_value)
    };
    let results = emit_if(condition, [(then, of_then), (els, of_els)], &shape, at);
    match outcome {
        Some(value) => value.rebuild(&mut results.into_iter()),
        None => {
            mark_dead();
            R::unreachable()
        }
    }
}

/// An `if` of two arms, each with the values at its end if that can be reached. Gives its results, which are like
/// `shape`.
fn emit_if(cond: Value, arms: [(OpenBlock, Vec<Value>); 2], shape: &[Value], at: At) -> Vec<Value> {
    let results: Vec<_> = shape.iter().map(|&value| result_like(value)).collect();
    let [then, els] = arms.map(|(block, values)| arm(block, values, &results, at));
    emit_many(Op::branch(cond, then, els), results.clone(), at);
    results
}

/// Closes an arm of an `if` with these results.
fn arm(arm: OpenBlock, values: Vec<Value>, results: &[Value], at: At) -> Arm {
    let yields = if arm.ends_in_jump() || results.is_empty() {
        Vec::new()
    } else if arm.dead {
        // Its end cannot be reached, but not because of a jump at the end: it still has to name something.
        results
            .iter()
            .map(|&result| emit_const(0, type_of(result), at))
            .collect()
    } else {
        values
    };
    Arm::new(arm.block, yields)
}

/// Ends the work item with a fault if `failed`.
pub(in crate::lang) fn fail_if(failed: Value, kind: FaultKind, operands: [Value; 2], at: At) {
    fail_with(failed, kind, || operands.into(), at);
}

/// The same with operands that are computed only then.
pub(in crate::lang) fn fail_with(
    failed: Value,
    kind: FaultKind,
    operands: impl FnOnce() -> FaultOperands,
    at: At,
) {
    let fail = || {
        let operands = operands();
        emit_void(Op::Fault { kind, operands }, at);
        emit_jump(Op::Return, at);
    };
    branch(failed, fail, || (), at);
}
