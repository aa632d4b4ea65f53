//! Algebra on single instructions: constants are computed, identities applied.
//!
//! Identities hold for every word: integers wrap, floats are IEEE, so `x + 0.0` and `x * 0.0` stay as they are, and so
//! does `x * 1.0` where `x` may be a NaN that arithmetic would make another one.

use super::clear_bits;
use super::defs::Defs;
use super::folded::Folded;
use super::outcomes::{fold_compare_of_choice, fold_conditions};
use crate::ir::{BinOp, CmpOp, Function, Op, Type, UnOp, Value, eval};
use crate::isa::IMMEDIATES;

/// `min` or `max`, if that is what a choice between an integer and a constant comes to: next to small constants they
/// are cheaper.
fn limited(function: &Function, defs: &Defs, cond: Value, [a, b]: [Value; 2]) -> Option<BinOp> {
    let Some(Op::Compare(op, x, y)) = defs.get(cond) else {
        return None;
    };
    let ty = function.ty(a);
    // Folded comparisons have their constant on the right.
    let limit = defs.constant(*y)?;
    let (chosen, constant) = if a == *x { (true, b) } else { (false, a) };
    if !ty.is_int() || ty.is_wide() || !(chosen || b == *x) {
        return None;
    }
    let constant = defs.constant(constant)?;
    // `x < 10 ? x : 9` is what `x <= 9 ? x : 9` has become.
    let below = eval::canonical(limit.wrapping_sub(1), ty);
    let next = matches!(op, CmpOp::Lt | CmpOp::Ge) && eval::compare(CmpOp::Lt, ty, below, limit);
    if constant != limit && !(next && constant == below) {
        return None;
    }
    match op {
        CmpOp::Eq | CmpOp::Ne => None,
        CmpOp::Lt | CmpOp::Le if chosen => Some(BinOp::Min),
        CmpOp::Gt | CmpOp::Ge if !chosen => Some(BinOp::Min),
        _ => Some(BinOp::Max),
    }
}

/// Simplifies `op`, whose result has type `ty`.
pub(super) fn fold(function: &Function, defs: &Defs, op: &Op, ty: Type) -> Option<Folded> {
    let c = |v: &Value| defs.constant(*v);
    if ty == Type::Bool
        && let Some(folded) = fold_conditions(function, defs, op)
    {
        return Some(folded);
    }
    match op {
        Op::Unary(op, a) => {
            if let Some(a) = c(a) {
                return Some(Folded::Word(eval::unary(*op, ty, a)));
            }
            fold_unary(function, defs, *op, *a)
        }
        Op::Binary(op, a, b) => fold_binary(defs, *op, *a, *b, ty)
            .or_else(|| clear_bits::fold(function, defs, *op, *a, *b)),
        Op::Compare(op, a, b) => fold_compare(function, defs, *op, *a, *b),
        Op::Select(cond, a, b) => {
            if let Some(cond) = c(cond) {
                return Some(Folded::Value(if cond != 0 { *a } else { *b }));
            }
            if a == b {
                return Some(Folded::Value(*a));
            }
            if let Some(Op::Unary(UnOp::Not, inverse)) = defs.get(*cond) {
                return Some(Folded::Op(Op::Select(*inverse, *b, *a)));
            }
            if ty == Type::Bool {
                return match (c(a), c(b)) {
                    (Some(1), Some(0)) => Some(Folded::Value(*cond)),
                    (Some(0), Some(1)) => Some(Folded::Op(Op::Unary(UnOp::Not, *cond))),
                    (Some(1), _) => Some(Folded::Op(Op::Binary(BinOp::Or, *cond, *b))),
                    (_, Some(0)) => Some(Folded::Op(Op::Binary(BinOp::And, *cond, *a))),
                    _ => None,
                };
            }
            let op = limited(function, defs, *cond, [*a, *b])?;
            Some(Folded::Op(Op::Binary(op, *a, *b)))
        }
        Op::MulAdd(a, b, d) => {
            let (a, b, d) = (c(a)?, c(b)?, c(d)?);
            Some(Folded::Word(eval::mul_add(a, b, d)))
        }
        Op::Cast(a) => {
            let from = function.ty(*a);
            if from == ty {
                return Some(Folded::Value(*a));
            }
            // A word that is 0 or 1 says so itself: `(x & 1 == 1) as u32`.
            if let Some(Op::Compare(CmpOp::Ne, word, zero)) = defs.get(*a)
                && c(zero) == Some(0)
                && function.ty(*word) == ty
                && is_unsigned(ty)
                && largest(function, defs, *word) == 1
            {
                return Some(Folded::Value(*word));
            }
            if let Some(a) = c(a) {
                return Some(Folded::Word(eval::cast(from, ty, a)));
            }
            // Casts round towards zero by themselves.
            let (op, of) = rounded(defs, *a).filter(|_| ty.is_int())?;
            let same = op == UnOp::Trunc || op == UnOp::Floor && is_unsigned(ty);
            same.then_some(Folded::Op(Op::Cast(of)))
        }
        Op::Bitcast(a) => {
            if function.ty(*a) == ty {
                return Some(Folded::Value(*a));
            }
            if let Some(a) = c(a) {
                return Some(Folded::Word(a));
            }
            match defs.get(*a) {
                Some(Op::Bitcast(inner)) if function.ty(*inner) == ty => {
                    Some(Folded::Value(*inner))
                }
                _ => None,
            }
        }
        Op::PtrAdd { base, index, scale } => {
            let index = c(index)?;
            let offset = index.wrapping_mul(*scale);
            if offset == 0 {
                return Some(Folded::Value(*base));
            }
            let whole = |base, index| Op::PtrAdd {
                base,
                index,
                scale: 1,
            };
            match defs.get(*base) {
                // Constants gather in one place, from where accesses take them as their offset, if all of them fit.
                Some(Op::PtrAdd {
                    base,
                    index,
                    scale: 1,
                }) if c(index).is_some_and(|inner| gather(inner, offset)) => {
                    let sum = c(index).unwrap_or(0).wrapping_add(offset);
                    Some(Folded::WithConst(whole, *base, sum, Type::U32))
                }
                _ if *scale != 1 => Some(Folded::WithConst(whole, *base, offset, Type::U32)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether two constants that are added to an address had better be one: not if the second alone fits an access.
fn gather(first: u32, second: u32) -> bool {
    let is_short = |offset: u32| IMMEDIATES.contains(&offset.cast_signed());
    is_short(first.wrapping_add(second)) || !is_short(second)
}

fn fold_unary(function: &Function, defs: &Defs, op: UnOp, a: Value) -> Option<Folded> {
    match (op, defs.get(a)?) {
        (UnOp::Neg | UnOp::Not, Op::Unary(inner, b)) if *inner == op => Some(Folded::Value(*b)),
        (UnOp::Neg, Op::Binary(BinOp::Sub, x, y)) if function.ty(a).is_int() => {
            Some(Folded::Op(Op::Binary(BinOp::Sub, *y, *x)))
        }
        (UnOp::Abs, Op::Unary(UnOp::Neg | UnOp::Abs, b)) => {
            Some(Folded::Op(Op::Unary(UnOp::Abs, *b)))
        }
        (UnOp::Not, Op::Compare(cmp, x, y)) => {
            let inverse = inverse(*cmp, function.ty(*x))?;
            Some(Folded::Op(Op::Compare(inverse, *x, *y)))
        }
        _ => None,
    }
}

/// The comparison that holds exactly when `op` does not; ordered comparisons of floats have none.
pub(crate) fn inverse(op: CmpOp, ty: Type) -> Option<CmpOp> {
    let ordered = ty == Type::F32;
    Some(match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        _ if ordered => return None,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    })
}

/// The comparison with its operands swapped.
pub(super) fn swapped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq | CmpOp::Ne => op,
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
    }
}

pub(super) fn is_commutative(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Add
            | BinOp::Mul
            | BinOp::MulHigh
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::Min
            | BinOp::Max
    )
}

/// Identities of floats that hold bit for bit.
fn fold_float(
    defs: &Defs,
    op: BinOp,
    [a, b]: [Value; 2],
    constants: [Option<u32>; 2],
) -> Option<Folded> {
    let [ca, cb] = constants.map(|word| word.map(f32::from_bits));
    let is_negative_zero = |x: f32| x == 0.0 && x.is_sign_negative();
    let other = match (op, ca, cb) {
        (BinOp::Mul, Some(1.0), _) => Some(b),
        (BinOp::Add, Some(x), _) if is_negative_zero(x) => Some(b),
        (BinOp::Mul | BinOp::Div, _, Some(1.0)) => Some(a),
        (BinOp::Add, _, Some(x)) if is_negative_zero(x) => Some(a),
        _ => None,
    };
    if let Some(other) = other {
        return is_calculated(defs, other).then_some(Folded::Value(other));
    }
    let (BinOp::Div, Some(divisor)) = (op, cb) else {
        return None;
    };
    // Both are rounded from the same number, as the reciprocal of a power of two is one.
    let reciprocal = divisor.recip();
    let is_power = divisor.to_bits() << 9 == 0 && divisor.is_normal() && reciprocal.is_normal();
    let multiply = |a, b| Op::Binary(BinOp::Mul, a, b);
    is_power.then(|| Folded::WithConst(multiply, a, reciprocal.to_bits(), Type::F32))
}

/// The float that was rounded to an integer, and how: what `math::floor` and its like are made of.
fn rounded(defs: &Defs, value: Value) -> Option<(UnOp, Value)> {
    let binary = |value| match *defs.get(value)? {
        Op::Binary(op, a, b) => Some((op, a, b)),
        _ => None,
    };
    let (BinOp::CopySign, sum, of) = binary(value)? else {
        return None;
    };
    let (BinOp::Add, near, beyond) = binary(sum)? else {
        return None;
    };
    let &Op::Unary(op, inside) = defs.get(near)? else {
        return None;
    };
    let (BinOp::Min, above, _) = binary(inside)? else {
        return None;
    };
    let is_inside = matches!(binary(above)?, (BinOp::Max, x, _) if x == of);
    let is_beyond = binary(beyond)? == (BinOp::Sub, of, inside);
    (op.rounds() && is_inside && is_beyond).then_some((op, of))
}

/// Whether a float is what an operation gives that leaves no NaN but one: arithmetic on it that changes no number then
/// changes no bit.
fn is_calculated(defs: &Defs, value: Value) -> bool {
    match defs.get(value) {
        Some(Op::Binary(op, ..)) => !matches!(op, BinOp::CopySign | BinOp::FlipSign),
        op => matches!(op, Some(Op::MulAdd(..) | Op::Unary(UnOp::Sqrt, _))),
    }
}

fn fold_binary(defs: &Defs, op: BinOp, a: Value, b: Value, ty: Type) -> Option<Folded> {
    let (ca, cb) = (defs.constant(a), defs.constant(b));
    if let (Some(ca), Some(cb)) = (ca, cb) {
        // What a zero divisor gives is the device's business.
        let by_zero = matches!(op, BinOp::Div | BinOp::Rem) && ty != Type::F32 && cb == 0;
        return (!by_zero).then(|| Folded::Word(eval::binary(op, ty, ca, cb)));
    }
    if ty == Type::F32 {
        return fold_float(defs, op, [a, b], [ca, cb]);
    }
    if ca.is_some() && is_commutative(op) {
        return Some(Folded::Op(Op::Binary(op, b, a)));
    }
    if a == b {
        match op {
            BinOp::Sub | BinOp::Xor => return Some(Folded::Word(0)),
            BinOp::And | BinOp::Or | BinOp::Min | BinOp::Max => return Some(Folded::Value(a)),
            _ => {}
        }
    }
    if let Some(value) = absorbing(defs, op, a, b).or_else(|| absorbing(defs, op, b, a)) {
        return Some(Folded::Value(value));
    }
    if op == BinOp::Sub
        && let Some(distance) = distance(defs, a, b, ty)
    {
        return Some(distance);
    }
    if ca == Some(0) && matches!(op, BinOp::Shl | BinOp::Shr) {
        return Some(Folded::Word(0));
    }
    if ca == Some(0) && op == BinOp::Sub {
        return Some(Folded::Op(Op::Unary(UnOp::Neg, b)));
    }
    let cb = cb?;
    let ones = eval::canonical(u32::MAX, ty);
    let binary = |op: BinOp| -> fn(Value, Value) -> Op {
        match op {
            BinOp::Shl => |a, b| Op::Binary(BinOp::Shl, a, b),
            BinOp::Shr => |a, b| Op::Binary(BinOp::Shr, a, b),
            BinOp::And => |a, b| Op::Binary(BinOp::And, a, b),
            _ => |a, b| Op::Binary(BinOp::Add, a, b),
        }
    };
    let power = (cb.is_power_of_two() && !ty.is_signed()).then(|| cb.trailing_zeros());
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor if cb == 0 => Some(Folded::Value(a)),
        BinOp::Shl | BinOp::Shr if cb & (ty.bits() - 1) == 0 => Some(Folded::Value(a)),
        BinOp::Mul | BinOp::And | BinOp::MulHigh if cb == 0 => Some(Folded::Word(0)),
        BinOp::Mul | BinOp::Div if cb == 1 => Some(Folded::Value(a)),
        BinOp::Rem if cb == 1 => Some(Folded::Word(0)),
        BinOp::And if cb == ones => Some(Folded::Value(a)),
        BinOp::Or if cb == ones => Some(Folded::Word(ones)),
        BinOp::Xor if ty == Type::Bool => Some(Folded::Op(Op::Unary(UnOp::Not, a))),
        // One shape for sums with constants: `x + c`, and the constants of nested sums added up.
        BinOp::Sub => Some(Folded::WithConst(
            binary(BinOp::Add),
            a,
            eval::canonical(cb.wrapping_neg(), ty),
            ty,
        )),
        BinOp::Add => match defs.get(a) {
            Some(Op::Binary(BinOp::Add, x, y)) => {
                let sum = eval::binary(BinOp::Add, ty, defs.constant(*y)?, cb);
                Some(Folded::WithConst(binary(BinOp::Add), *x, sum, ty))
            }
            _ => None,
        },
        BinOp::Mul if cb.is_power_of_two() => {
            let shift = cb.trailing_zeros();
            Some(Folded::WithConst(binary(BinOp::Shl), a, shift, ty))
        }
        BinOp::Div => power.map(|n| Folded::WithConst(binary(BinOp::Shr), a, n, ty)),
        BinOp::Rem => power.map(|_| Folded::WithConst(binary(BinOp::And), a, cb - 1, ty)),
        _ => None,
    }
}

/// `(x | y) & x` is `x`, and `(x & y) & x` is `x & y`; so with `|`.
fn absorbing(defs: &Defs, op: BinOp, a: Value, b: Value) -> Option<Value> {
    let Some(Op::Binary(inner @ (BinOp::And | BinOp::Or), x, y)) = defs.get(a) else {
        return None;
    };
    if !matches!(op, BinOp::And | BinOp::Or) || (*x != b && *y != b) {
        return None;
    }
    Some(if op == *inner { a } else { b })
}

/// `(x + y) - x`, and `(x + 1) * n - x * n`, as the length of a row is written.
fn distance(defs: &Defs, end: Value, start: Value, ty: Type) -> Option<Folded> {
    let sum = |sum: Value| match defs.get(sum) {
        Some(Op::Binary(BinOp::Add, x, y)) => Some((*x, *y)),
        _ => None,
    };
    match sum(end) {
        Some((x, y)) if x == start => return Some(Folded::Value(y)),
        Some((x, y)) if y == start => return Some(Folded::Value(x)),
        _ => {}
    }
    let (Op::Binary(op, next, by), Op::Binary(same, here, size)) =
        (defs.get(end)?, defs.get(start)?)
    else {
        return None;
    };
    let (x, more) = sum(*next)?;
    let more = defs.constant(more).filter(|_| x == *here && op == same)?;
    match (op, defs.constant(*by), defs.constant(*size)) {
        (BinOp::Mul, ..) if by == size && more == 1 => Some(Folded::Value(*by)),
        (BinOp::Shl, Some(by), Some(size)) if by == size => {
            Some(Folded::Word(eval::binary(BinOp::Shl, ty, more, by)))
        }
        _ => None,
    }
}

fn fold_compare(function: &Function, defs: &Defs, op: CmpOp, a: Value, b: Value) -> Option<Folded> {
    let ty = function.ty(a);
    let (ca, cb) = (defs.constant(a), defs.constant(b));
    if let (Some(ca), Some(cb)) = (ca, cb) {
        return Some(Folded::Word(eval::compare(op, ty, ca, cb).into()));
    }
    if a == b && ty != Type::F32 {
        let holds = matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge);
        return Some(Folded::Word(holds.into()));
    }
    if ca.is_some() {
        return Some(Folded::Op(Op::Compare(swapped(op), b, a)));
    }
    if let Some(folded) = fold_compare_of_sums(function, defs, op, a, b) {
        return Some(folded);
    }
    let cb = cb?;
    if ty == Type::Bool {
        return match (op, cb) {
            (CmpOp::Eq, 1) | (CmpOp::Ne, 0) => Some(Folded::Value(a)),
            (CmpOp::Eq, 0) | (CmpOp::Ne, 1) => Some(Folded::Op(Op::Unary(UnOp::Not, a))),
            _ => None,
        };
    }
    if ty == Type::F32 || ty.is_wide() {
        return None;
    }
    if let Some(folded) = fold_compare_of_choice(function, defs, op, a, cb) {
        return Some(folded);
    }
    // One instruction knows how to compare with a constant, and it asks for less. A zero is in a register anyway.
    let next = eval::canonical(cb.wrapping_add(1), ty);
    let less = (op == CmpOp::Le && cb != 0 && eval::compare(CmpOp::Lt, ty, cb, next)).then_some(
        Folded::WithConst(|a, next| Op::Compare(CmpOp::Lt, a, next), a, next, ty),
    );
    if ty.is_signed() {
        return less;
    }
    match (op, cb) {
        (CmpOp::Lt, 0) => return Some(Folded::Word(0)),
        (CmpOp::Ge, 0) => return Some(Folded::Word(1)),
        _ => {}
    }
    let largest = largest(function, defs, a);
    // One bit is compared with 0, which takes an instruction less.
    if let (1, CmpOp::Eq | CmpOp::Ne, 1) = (largest, op, cb) {
        let op = match op {
            CmpOp::Eq => |a, zero| Op::Compare(CmpOp::Ne, a, zero),
            _ => |a, zero| Op::Compare(CmpOp::Eq, a, zero),
        };
        return Some(Folded::WithConst(op, a, 0, ty));
    }
    let answer = match op {
        CmpOp::Lt | CmpOp::Ne => (largest < cb).then_some(1),
        CmpOp::Ge | CmpOp::Eq => (largest < cb).then_some(0),
        CmpOp::Le => (largest <= cb).then_some(1),
        CmpOp::Gt => (largest <= cb).then_some(0),
    };
    answer.map(Folded::Word).or(less)
}

/// `b - n < b` says that the difference does not wrap: `b >= n`. So an index that is counted from the end is compared
/// with a constant.
fn fold_compare_of_sums(
    function: &Function,
    defs: &Defs,
    op: CmpOp,
    a: Value,
    b: Value,
) -> Option<Folded> {
    let parts = |value: Value| match defs.get(value) {
        Some(Op::Binary(BinOp::Add, x, y)) => match defs.constant(*y) {
            Some(word) => (*x, word),
            None => (value, 0),
        },
        _ => (value, 0),
    };
    let ((x, of_a), (y, of_b)) = (parts(a), parts(b));
    let less = of_b.wrapping_sub(of_a);
    let is_difference = x == y && function.ty(a) == Type::U32 && (1..=LITTLE).contains(&less);
    let op = match op {
        CmpOp::Lt if is_difference => |b, less| Op::Compare(CmpOp::Ge, b, less),
        CmpOp::Ge if is_difference => |b, less| Op::Compare(CmpOp::Lt, b, less),
        _ => return None,
    };
    Some(Folded::WithConst(op, b, less, Type::U32))
}

/// Up to here a constant is part of the instruction that compares with it.
const LITTLE: u32 = 2047;

/// How many operations a range is followed through.
const RANGE_DEPTH: u32 = 8;

/// The largest word that an unsigned value can be, as far as the operations tell that compute it.
pub(super) fn largest(function: &Function, defs: &Defs, value: Value) -> u32 {
    largest_within(function, defs, value, RANGE_DEPTH)
}

fn largest_within(function: &Function, defs: &Defs, value: Value, depth: u32) -> u32 {
    let of_type = |value: Value| match function.ty(value) {
        Type::Bool => 1,
        Type::U8 => u32::from(u8::MAX),
        Type::U16 => u32::from(u16::MAX),
        _ => u32::MAX,
    };
    let any = of_type(value);
    let (Some(op), Some(depth)) = (defs.get(value), depth.checked_sub(1)) else {
        return any;
    };
    let of = |v: &Value| largest_within(function, defs, *v, depth);
    let found = match op {
        Op::Const(_) => defs.constant(value),
        Op::Select(_, a, b) | Op::Binary(BinOp::Max, a, b) => Some(of(a).max(of(b))),
        Op::Binary(BinOp::And | BinOp::Min, a, b) => Some(of(a).min(of(b))),
        Op::Binary(BinOp::Or | BinOp::Xor, a, b) => {
            let zeros = (of(a) | of(b)).leading_zeros();
            Some(u32::MAX.checked_shr(zeros).unwrap_or(0))
        }
        Op::Binary(BinOp::Add, a, b) => of(a).checked_add(of(b)),
        Op::Binary(BinOp::Mul, a, b) => of(a).checked_mul(of(b)),
        Op::Binary(op, a, b) => match (op, defs.constant(*b)) {
            (BinOp::Shl, Some(amount @ ..32)) => of(a).checked_mul(1 << amount),
            (BinOp::Shr, Some(amount @ ..32)) => Some(of(a) >> amount),
            (BinOp::Div, Some(divisor @ 1..)) => Some(of(a) / divisor),
            (BinOp::Rem, Some(divisor @ 1..)) => Some(of(a).min(divisor - 1)),
            _ => None,
        },
        Op::Cast(a) if function.ty(*a) == Type::Bool || is_unsigned(function.ty(*a)) => Some(of(a)),
        _ => None,
    };
    // What does not fit the type has wrapped.
    found.filter(|word| *word <= any).unwrap_or(any)
}

fn is_unsigned(ty: Type) -> bool {
    ty.is_int() && !ty.is_signed() && !ty.is_wide()
}
