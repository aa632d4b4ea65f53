//! Conditions before a loop about values that do not change in it: minimised, and turned into code.

use super::symbolic::{Float, Sym};
use crate::ir::{BinOp, Block, CmpOp, Const, Function, Loc, Op, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A condition over `u32` expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Obligation {
    /// The sum does not wrap.
    Sum(Sym, Sym),
    /// The product does not wrap.
    Product(Sym, Sym),
    /// The first is not less than the second.
    NotLess(Sym, Sym),
    /// The first is less than the second.
    Less(Sym, Sym),
    /// The float is a number.
    Number(Float),
    /// The float is a number and not negative.
    NotNegative(Float),
    /// A condition itself.
    Holds(Value),
}

/// As few obligations as are fulfilled just when all of these are.
pub(super) fn merged(obligations: impl Iterator<Item = Obligation>) -> Vec<Obligation> {
    let mut all = FxHashSet::default();
    let obligations: Vec<_> = obligations.filter(|o| all.insert(o.clone())).collect();
    let rows = rows(&obligations, &all);
    let covered = |obligation: &&Obligation| rows.iter().any(|row| row.covers(obligation));
    let mut fewer: Vec<_> = (obligations.iter().filter(|o| !covered(o)).cloned()).collect();
    for row in &rows {
        row.ask(&mut fewer);
    }
    without_lesser(fewer)
}

/// Of constants that must be less than the same, the largest is enough.
fn without_lesser(mut obligations: Vec<Obligation>) -> Vec<Obligation> {
    let mut largest: FxHashMap<Sym, u32> = FxHashMap::default();
    for obligation in &obligations {
        if let Obligation::Less(Sym::Const(word), limit) = obligation {
            let known = largest.entry(limit.clone()).or_default();
            *known = (*known).max(*word);
        }
    }
    obligations.retain(|obligation| match obligation {
        Obligation::Less(Sym::Const(word), limit) => largest.get(limit) == Some(word),
        _ => true,
    });
    obligations
}

/// Sums that do not wrap and are less than `len`: of each of the bases with each of the offsets.
///
/// `base + a` and `base + b` are so just when `base <= len`, and `a` and `b` are less than `len - base`. And where
/// the bases are products with the same factor, as the starts of rows are, only the last one matters.
struct Row<'a> {
    bases: Vec<&'a Sym>,
    offsets: Vec<&'a Sym>,
    len: &'a Sym,
}

/// Where two sums or more can be asked for together, because they belong to nothing else.
fn rows<'a>(obligations: &'a [Obligation], all: &FxHashSet<Obligation>) -> Vec<Row<'a>> {
    let mut lens = FxHashMap::default();
    for obligation in obligations {
        if let Obligation::Less(sum, _) = obligation {
            *lens.entry(sum).or_insert(0) += 1;
        }
    }
    let mut rows: Vec<Row<'a>> = Vec::new();
    for obligation in obligations {
        let Obligation::Less(sum @ Sym::Op(BinOp::Add, base, offset), len) = obligation else {
            continue;
        };
        let (base, offset) = (&**base, &**offset);
        if lens[sum] > 1 || !all.contains(&Obligation::Sum(base.clone(), offset.clone())) {
            continue;
        }
        match (rows.iter_mut()).find(|row| row.bases == [base] && row.len == len) {
            Some(row) => row.offsets.push(offset),
            None => rows.push(Row {
                bases: vec![base],
                offsets: vec![offset],
                len,
            }),
        }
    }
    let mut joined: Vec<Row<'a>> = Vec::new();
    for row in rows {
        match (joined.iter_mut()).find(|other| other.is_parallel(&row, all)) {
            Some(other) => other.bases.extend(row.bases),
            None => joined.push(row),
        }
    }
    joined.retain(|row| row.bases.len() > 1 || row.offsets.len() > 1);
    joined
}

impl Row<'_> {
    /// Whether the bases are products with the same factor that must not wrap, and everything else is equal.
    fn is_parallel(&self, other: &Self, all: &FxHashSet<Obligation>) -> bool {
        let (Some((a, factor)), Some((b, same))) =
            (product(self.bases[0]), product(other.bases[0]))
        else {
            return false;
        };
        let is_asked = |at: &Sym| all.contains(&Obligation::Product(at.clone(), factor.clone()));
        factor == same
            && self.len == other.len
            && self.offsets.len() == other.offsets.len()
            && (self.offsets.iter()).all(|offset| other.offsets.contains(offset))
            && is_asked(a)
            && is_asked(b)
    }

    /// Whether an obligation follows from those that the row asks for.
    fn covers(&self, obligation: &Obligation) -> bool {
        let has = |base, offset| self.bases.contains(&base) && self.offsets.contains(&offset);
        match obligation {
            Obligation::Sum(base, offset) => has(base, offset),
            Obligation::Less(Sym::Op(BinOp::Add, base, offset), len) => {
                self.len == len && has(base, offset)
            }
            Obligation::Product(at, factor) if self.bases.len() > 1 => (self.bases.iter())
                .any(|base| product(base).is_some_and(|product| product == (at, factor))),
            _ => false,
        }
    }

    fn ask(&self, obligations: &mut Vec<Obligation>) {
        let mut base = self.bases[0].clone();
        if self.bases.len() > 1
            && let Some((_, factor)) = product(&base)
        {
            let rows = self.bases.iter().filter_map(|base| product(base));
            let last = (rows.map(|(at, _)| at.clone()))
                .reduce(|a, b| Sym::op(BinOp::Max, a, b))
                .unwrap_or(Sym::Const(0));
            let factor = factor.clone();
            obligations.push(Obligation::Product(last.clone(), factor.clone()));
            base = Sym::op(BinOp::Mul, last, factor);
        }
        let room = Sym::op(BinOp::Sub, self.len.clone(), base.clone());
        obligations.push(Obligation::NotLess(self.len.clone(), base));
        let offsets = self.offsets.iter().copied();
        obligations.extend(offsets.map(|offset| Obligation::Less(offset.clone(), room.clone())));
    }
}

fn product(sym: &Sym) -> Option<(&Sym, &Sym)> {
    match sym {
        Sym::Op(BinOp::Mul, a, b) => Some((a, b)),
        _ => None,
    }
}

/// Appends the code for expressions and obligations; equal expressions get one value.
pub(super) struct Emit<'a> {
    function: &'a mut Function,
    pub(super) block: Block,
    loc: Loc,
    made: FxHashMap<Sym, Value>,
    floats: FxHashMap<Float, Value>,
}

impl<'a> Emit<'a> {
    pub(super) fn new(function: &'a mut Function, loc: Loc) -> Self {
        Self {
            function,
            block: Block::default(),
            loc,
            made: FxHashMap::default(),
            floats: FxHashMap::default(),
        }
    }

    fn inst(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(op, ty, self.loc, &mut self.block.insts)
    }

    pub(super) fn sym(&mut self, sym: &Sym) -> Value {
        if let Some(value) = self.made.get(sym) {
            return *value;
        }
        let value = match sym {
            Sym::Const(word) => self.inst(Op::Const(Const::from(*word)), Type::U32),
            Sym::Value(value) if self.function.ty(*value) == Type::U32 => return *value,
            Sym::Value(value) => self.inst(Op::Cast(*value), Type::U32),
            Sym::Op(op, a, b) => {
                let (a, b) = (self.sym(a), self.sym(b));
                self.inst(Op::Binary(*op, a, b), Type::U32)
            }
            Sym::Bits(word) => {
                let mut bits = self.sym(word);
                for distance in [1, 2, 4, 8, 16] {
                    let distance = self.sym(&Sym::Const(distance));
                    let half = self.inst(Op::Binary(BinOp::Shr, bits, distance), Type::U32);
                    bits = self.inst(Op::Binary(BinOp::Or, bits, half), Type::U32);
                }
                bits
            }
            Sym::OfFloat(float) => {
                let float = self.float(float);
                self.inst(Op::Cast(float), Type::U32)
            }
        };
        self.made.insert(sym.clone(), value);
        value
    }

    fn float(&mut self, float: &Float) -> Value {
        if let Some(value) = self.floats.get(float) {
            return *value;
        }
        let value = match float {
            Float::Const(bits) => self.inst(Op::Const(Const::from(*bits)), Type::F32),
            Float::Value(value) => return *value,
            Float::Op(op, a, b) => {
                let (a, b) = (self.float(a), self.float(b));
                self.inst(Op::Binary(*op, a, b), Type::F32)
            }
            Float::OfWord(word) => {
                let word = self.sym(word);
                self.inst(Op::Cast(word), Type::F32)
            }
        };
        self.floats.insert(float.clone(), value);
        value
    }

    pub(super) fn compare(&mut self, op: CmpOp, a: Value, b: Value) -> Value {
        self.inst(Op::Compare(op, a, b), Type::Bool)
    }

    pub(super) fn obligation(&mut self, obligation: &Obligation) -> Value {
        match obligation {
            Obligation::Sum(a, b) => {
                let sum = self.sym(&Sym::op(BinOp::Add, a.clone(), b.clone()));
                let a = self.sym(a);
                self.compare(CmpOp::Ge, sum, a)
            }
            Obligation::Product(a, b) => {
                let (a, b) = (self.sym(a), self.sym(b));
                let high = self.inst(Op::Binary(BinOp::MulHigh, a, b), Type::U32);
                let zero = self.sym(&Sym::Const(0));
                self.compare(CmpOp::Eq, high, zero)
            }
            Obligation::NotLess(a, b) => {
                let (a, b) = (self.sym(a), self.sym(b));
                self.compare(CmpOp::Ge, a, b)
            }
            Obligation::Less(a, b) => {
                let (a, b) = (self.sym(a), self.sym(b));
                self.compare(CmpOp::Lt, a, b)
            }
            Obligation::Number(float) => {
                let float = self.float(float);
                self.compare(CmpOp::Eq, float, float)
            }
            Obligation::NotNegative(float) => {
                let (float, zero) = (self.float(float), self.float(&Float::ZERO));
                self.compare(CmpOp::Ge, float, zero)
            }
            Obligation::Holds(cond) => *cond,
        }
    }

    /// The conjunction of `cond` and `so_far`.
    pub(super) fn and(&mut self, so_far: Option<Value>, cond: Value) -> Value {
        match so_far {
            Some(so_far) => self.inst(Op::Binary(BinOp::And, so_far, cond), Type::Bool),
            None => cond,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bounds_hold::holds;
    use super::*;
    use std::rc::Rc;

    const EDGES: [u32; 8] = [0, 1, 2, 5, 0x1_0000, 0x8000_0000, u32::MAX - 1, u32::MAX];

    /// `row * width + column < len`, as bounds of indices are asked for.
    fn inside(row: &Sym, column: &Sym, len: &Sym) -> [Obligation; 3] {
        let width = Sym::Value(Value::from_u32(4));
        let start = Sym::Op(BinOp::Mul, Rc::new(row.clone()), Rc::new(width.clone()));
        let at = Sym::Op(BinOp::Add, Rc::new(start.clone()), Rc::new(column.clone()));
        [
            Obligation::Product(row.clone(), width),
            Obligation::Sum(start, column.clone()),
            Obligation::Less(at, len.clone()),
        ]
    }

    /// Which of two rows' two columns are asked for in an array, and which in another, as bits; and how many
    /// obligations are left.
    #[test]
    fn merged_obligations_mean_the_same() {
        let value = |number| Sym::Value(Value::from_u32(number));
        let (rows, columns) = ([value(0), value(1)], [value(2), Sym::Const(1)]);
        let lens = [value(3), Sym::Const(12)];
        for (asked, left) in [
            (0b0000_0001, 3),
            (0b0000_0011, 4),
            (0b0000_0101, 3),
            (0b0000_1111, 4),
            (0b0000_0111, 7),
            (0b0000_1001, 6),
            (0b0001_0001, 4),
            (0b0011_0011, 7),
            (0b1111_1111, 14),
            (0b0110_1001, 10),
        ] {
            let mut obligations = Vec::new();
            for bit in (0..8).filter(|bit| asked >> bit & 1 == 1) {
                let (array, row, column) = (bit >> 2, bit >> 1 & 1, bit & 1);
                obligations.extend(inside(&rows[row], &columns[column], &lens[array]));
            }
            let fewer = merged(obligations.iter().cloned());
            assert_eq!(fewer.len(), left, "{asked:b}: {fewer:?}");
            for number in 0..EDGES.len().pow(5) {
                let edge = |digit| EDGES[number / EDGES.len().pow(digit) % EDGES.len()];
                let values = [0, 1, 2, 3, 4].map(edge);
                assert_eq!(
                    obligations.iter().all(|o| holds(o, &values)),
                    fewer.iter().all(|o| holds(o, &values)),
                    "{asked:b} for {values:?}: {fewer:?}"
                );
            }
        }
    }
}
