//! What makes two instructions equal, for passes that merge such.

use super::fold::{inverse, is_commutative, swapped};
use crate::ir::{
    Alias, BinOp, CmpOp, Const, Csr, DataId, Function, Id, Inst, LocalId, Op, PrivateId, Type,
    UnOp, Value,
};

/// What makes two instructions equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Const(u64, Type),
    Unary(UnOp, Value),
    Binary(BinOp, Value, Value),
    Compare(CmpOp, Value, Value),
    Select(Value, Value, Value),
    MulAdd(Value, Value, Value),
    Cast(Value, Type),
    Bitcast(Value, Type),
    PtrAdd(Value, Value, u32),
    /// The last field is the number of the last store that may overlap.
    Load(Value, i32, Type, u32),
    Id(Id),
    Csr(Csr),
    LocalAddr(LocalId),
    PrivateAddr(PrivateId),
    DataAddr(DataId),
}

/// What makes an instruction equal to others, if something does. `seen_by` is the number of the last store that a load
/// may see.
pub(super) fn key(
    function: &Function,
    inst: &Inst,
    seen_by: impl FnOnce(Alias) -> Option<u32>,
) -> Option<Key> {
    let ty = function.ty(*inst.results.first()?);
    Some(match inst.op {
        Op::Const(Const(word)) => Key::Const(word, ty),
        Op::Unary(op, a) => Key::Unary(op, a),
        Op::Binary(op, a, b) if is_commutative(op) => Key::Binary(op, a.min(b), a.max(b)),
        Op::Binary(op, a, b) => Key::Binary(op, a, b),
        Op::Compare(op, a, b) => compare_key(op, a, b),
        Op::Select(cond, a, b) => Key::Select(cond, a, b),
        Op::MulAdd(a, b, c) => Key::MulAdd(a, b, c),
        Op::Cast(a) => Key::Cast(a, ty),
        Op::Bitcast(a) => Key::Bitcast(a, ty),
        Op::PtrAdd { base, index, scale } => Key::PtrAdd(base, index, scale),
        Op::Load { ptr, offset, alias } => Key::Load(ptr, offset, ty, seen_by(alias)?),
        Op::Id(id) => Key::Id(id),
        Op::Csr(csr) => Key::Csr(csr),
        Op::LocalAddr(id) => Key::LocalAddr(id),
        Op::PrivateAddr(id) => Key::PrivateAddr(id),
        Op::DataAddr(id) => Key::DataAddr(id),
        _ => return None,
    })
}

pub(super) fn compare_key(op: CmpOp, a: Value, b: Value) -> Key {
    match op {
        CmpOp::Gt | CmpOp::Ge => Key::Compare(swapped(op), b, a),
        CmpOp::Eq | CmpOp::Ne => Key::Compare(op, a.min(b), a.max(b)),
        CmpOp::Lt | CmpOp::Le => Key::Compare(op, a, b),
    }
}

/// Whether one condition always is what another one is, or never; nothing if that is not known. `op_of` says what
/// makes a value.
pub(super) fn agree<'a>(
    function: &Function,
    op_of: impl Fn(Value) -> Option<&'a Op>,
    one: Value,
    other: Value,
) -> Option<bool> {
    let plain = |value: Value| match op_of(value) {
        Some(Op::Unary(UnOp::Not, inner)) => (*inner, false),
        _ => (value, true),
    };
    let ((one, one_holds), (other, other_holds)) = (plain(one), plain(other));
    let same = if one == other {
        true
    } else {
        let (&Op::Compare(op, a, b), &Op::Compare(later, x, y)) = (op_of(one)?, op_of(other)?)
        else {
            return None;
        };
        let key = compare_key(later, x, y);
        let opposite = || Some(compare_key(inverse(op, function.ty(a))?, a, b));
        match compare_key(op, a, b) == key {
            true => true,
            false if opposite()? == key => false,
            false => return None,
        }
    };
    Some(same == (one_holds == other_holds))
}
