//! Accesses to memory, and their addresses as sums.

use super::OwnElements;
use super::places::{Factor, ItemId, Places, Term, Width};
use super::sum::{Index, constant, number, plus, term, times};
use crate::ir::{Alias, BinOp, Block, CmpOp, Function, Id, LocalId, Op, Type, UnOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// What an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    /// Through the address at this offset of the argument struct.
    Argument(u32),
    Local(LocalId),
}

/// Bytes that an item accesses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bytes {
    object: Object,
    terms: Vec<Term>,
    widths: Vec<Width>,
    /// The lowest and the end of what is added to the terms.
    from: u32,
    end: u32,
    /// Ids that have one value wherever this is accessed.
    fixed: Vec<Fixed>,
    divisor: Option<Vec<Term>>,
}

/// An id that is known to have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fixed {
    id: ItemId,
    /// As what it is found to be that.
    by: [Value; 2],
}

impl Bytes {
    /// Those of two accesses, if they differ in nothing but what is the same for all items.
    pub(super) fn with(self, other: &Self) -> Option<Self> {
        if self.object != other.object || self.divisor != other.divisor {
            return None;
        }
        let (terms, rest, other_rest) = shared(self.terms, &other.terms);
        let widths = wider(
            widths_with(self.widths, rest)?,
            widths_with(other.widths.clone(), other_rest)?,
        )?;
        let mut fixed = self.fixed;
        fixed.retain(|one| other.fixed.contains(one));
        Some(Self {
            terms,
            widths,
            fixed,
            from: self.from.min(other.from),
            end: self.end.max(other.end),
            ..self
        })
    }

    /// Whether it has all of another access's.
    pub(super) fn contains(&self, other: &Self) -> bool {
        self.clone().with(other).as_ref() == Some(self)
    }

    pub(super) fn places(self) -> Places {
        let mut first = self.terms;
        first.push(Term {
            id: None,
            constant: self.from,
            factors: Vec::new(),
        });
        Places {
            first,
            count: self.end - self.from,
            widths: self.widths,
            fixed: self.fixed.iter().map(|fixed| fixed.id).collect(),
            divisor: self.divisor,
        }
    }
}

/// What two sums share, and what else there is in each.
fn shared(a: Vec<Term>, b: &[Term]) -> (Vec<Term>, Vec<Term>, Vec<Term>) {
    let mut only_b = b.to_vec();
    let (both, only_a) = a.into_iter().partition(|term| {
        let at = only_b.iter().position(|other| other == term);
        at.map(|at| only_b.remove(at)).is_some()
    });
    (both, only_a, only_b)
}

/// The widths, where a sum is added or not, which must be the same for all items.
fn widths_with(mut widths: Vec<Width>, sum: Vec<Term>) -> Option<Vec<Width>> {
    if sum.iter().any(|term| term.id.is_some()) {
        return None;
    }
    if !sum.is_empty() {
        widths.push(Width {
            stride: sum,
            limit: constant(2),
        });
        widths.sort_unstable();
    }
    Some(widths)
}

/// That of two lists that has all that the other has.
fn wider(a: Vec<Width>, b: Vec<Width>) -> Option<Vec<Width>> {
    let contains = |all: &[Width], some: &[Width]| {
        let mut all = all.iter();
        some.iter().all(|width| all.any(|other| other == width))
    };
    if contains(&a, &b) {
        return Some(a);
    }
    contains(&b, &a).then_some(b)
}

/// What is known about accesses to an argument.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// They are atomic.
    Atomic,
    Own(Bytes),
}

/// The accesses to an argument.
#[derive(Clone, Debug)]
pub(super) struct Accessed {
    /// `None` where nothing is known of which elements an item accesses.
    pub(super) how: Option<Argument>,
    /// As many instructions access it.
    pub(super) times: u32,
}

impl Argument {
    fn with(self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Atomic, Self::Atomic) => Some(Self::Atomic),
            (Self::Own(a), Self::Own(b)) => a.with(b).map(Self::Own),
            _ => None,
        }
    }

    /// The elements, if they are each item's own, of this many accesses.
    pub(super) fn own(self, accesses: u32) -> Option<OwnElements> {
        let Self::Own(bytes) = self else {
            return None;
        };
        let Object::Argument(address) = bytes.object else {
            return None;
        };
        Some(OwnElements {
            address,
            places: bytes.places(),
            accesses,
        })
    }
}

/// An access to local memory.
pub(super) struct LocalAccess {
    pub(super) object: LocalId,
    pub(super) stores: bool,
    /// Where, if that is known.
    pub(super) bytes: Option<Bytes>,
    /// On which side of a number that is divided all items access it here, if that is known.
    pub(super) side: Option<Side>,
}

/// On which side of a number elements are, which are this many bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Below(Value, u32),
    From(Value, u32),
}

/// The accesses of a function.
pub(super) struct Indices<'a> {
    function: &'a Function,
    /// Arguments, with their offsets.
    params: FxHashMap<Value, u32>,
    /// What computes a value.
    ops: FxHashMap<Value, &'a Op>,
    /// Of a value that depends on a condition: that, and what the value is if the condition holds.
    chosen: FxHashMap<Value, (Value, Value)>,
    /// What is less than something else wherever the walk is.
    less: Vec<(Value, Value)>,
    /// Ids that have one value there.
    fixed: Vec<Fixed>,
    /// By number.
    pub(super) arguments: FxHashMap<u32, Accessed>,
    /// Accesses to local memory in the order of the walk.
    pub(super) local: Vec<LocalAccess>,
    /// Numbers that loops divide, while all items are in step.
    halves: FxHashSet<Value>,
    /// Items do more together than memory tells.
    pub(super) shares: bool,
    /// Some access could be to any argument.
    raw: bool,
}

/// Expressions are followed this deep.
const DEPTH: u32 = 12;

impl<'a> Indices<'a> {
    /// What computes the values of a structured function; its accesses are to be [found](Self::find).
    pub(super) fn new(function: &'a Function) -> Self {
        let mut walk = Self {
            function,
            params: (function.params.iter())
                .filter(|param| param.offset < function.args_size)
                .map(|param| (param.value, param.offset))
                .collect(),
            ops: FxHashMap::default(),
            chosen: FxHashMap::default(),
            less: Vec::new(),
            fixed: Vec::new(),
            arguments: FxHashMap::default(),
            local: Vec::new(),
            halves: FxHashSet::default(),
            shares: false,
            raw: false,
        };
        function.body.visit(&mut |inst| {
            if let [result] = inst.results[..]
                && inst.op.is_pure()
            {
                walk.ops.insert(result, &inst.op);
            }
            if let Op::If { cond, then, .. } = &inst.op {
                let chosen = then.yields.iter().map(|value| (*cond, *value));
                walk.chosen.extend(inst.results.iter().copied().zip(chosen));
            }
        });
        walk
    }

    /// With the accesses, if each is known to be to one argument or array. `halves` are numbers that loops divide,
    /// while all items are in step.
    pub(super) fn find(mut self, halves: FxHashSet<Value>) -> Option<Self> {
        self.halves = halves;
        self.block(&self.function.body);
        (!self.raw).then_some(self)
    }

    fn block(&mut self, block: &'a Block) {
        for inst in &block.insts {
            match &inst.op {
                Op::If { cond, then, els } => {
                    self.under(*cond, true, &then.block);
                    self.under(*cond, false, &els.block);
                }
                Op::While(w) => {
                    self.block(&w.before);
                    self.under(w.cond, true, &w.after);
                }
                Op::Load { ptr, offset, alias } => {
                    let ty = inst.results.first().map(|v| self.function.ty(*v));
                    self.access(*ptr, *offset, ty, *alias, false);
                }
                Op::Store {
                    ptr,
                    value,
                    offset,
                    alias,
                } => {
                    let ty = self.function.ty(*value);
                    self.access(*ptr, *offset, Some(ty), *alias, true);
                }
                Op::Atomic { alias, .. } => match alias {
                    Alias::Exclusive(number) => self.argument(*number, Some(Argument::Atomic)),
                    _ => {
                        self.shares = true;
                        self.raw |= !matches!(alias, Alias::Local(_));
                    }
                },
                // What is printed is written down in order.
                Op::Warp { .. } | Op::Print { .. } => self.shares = true,
                _ => {}
            }
        }
    }

    /// What runs where a condition holds, or does not.
    fn under(&mut self, cond: Value, holds: bool, block: &'a Block) {
        let known = (self.less.len(), self.fixed.len());
        self.learn(cond, holds);
        self.block(block);
        self.less.truncate(known.0);
        self.fixed.truncate(known.1);
    }

    /// What follows of numbers from a condition that holds, or does not.
    fn learn(&mut self, cond: Value, holds: bool) {
        match (self.ops.get(&cond).copied(), holds) {
            (Some(Op::Unary(UnOp::Not, inverse)), _) => self.learn(*inverse, !holds),
            (Some(Op::Binary(BinOp::And, a, b)), true)
            | (Some(Op::Binary(BinOp::Or, a, b)), false) => {
                self.learn(*a, holds);
                self.learn(*b, holds);
            }
            (Some(Op::Compare(CmpOp::Lt, a, b)), true)
            | (Some(Op::Compare(CmpOp::Ge, a, b)), false)
            | (Some(Op::Compare(CmpOp::Gt, b, a)), true)
            | (Some(Op::Compare(CmpOp::Le, b, a)), false)
                if self.function.ty(*a) == Type::U32 =>
            {
                self.less.push((*a, *b));
            }
            (Some(Op::Compare(CmpOp::Eq, a, b)), true)
            | (Some(Op::Compare(CmpOp::Ne, a, b)), false)
                if self.function.ty(*a) == Type::U32 =>
            {
                let fixed = self.fixed_by(*a, *b).or_else(|| self.fixed_by(*b, *a));
                self.fixed.extend(fixed);
            }
            _ => {}
        }
    }

    /// The id that two equal words give away: one is it and a constant, and the other is the same for all items.
    fn fixed_by(&self, a: Value, b: Value) -> Option<Fixed> {
        let sum = self.computed(a, DEPTH)?;
        self.alike(b, DEPTH)?;
        // A multiple of two ids may wrap to the same.
        match &sum.terms[..] {
            [term] if term.factors.is_empty() && term.constant == 1 && sum.widths.is_empty() => {
                Some(Fixed {
                    id: term.id?,
                    by: [a, b],
                })
            }
            _ => None,
        }
    }

    fn access(&mut self, ptr: Value, offset: i32, ty: Option<Type>, alias: Alias, stores: bool) {
        match alias {
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Private(_) => {}
            Alias::Any | Alias::Unknown | Alias::Exchange => self.raw = true,
            Alias::Local(object) => {
                let bytes = ty.and_then(|ty| self.bytes(ptr, offset, ty));
                let bytes = bytes.filter(|bytes| bytes.object == Object::Local(object));
                let side = self.side(ptr, offset, bytes.as_ref());
                self.local.push(LocalAccess {
                    object,
                    stores,
                    bytes,
                    side,
                });
            }
            Alias::Exclusive(number) => {
                let bytes = ty.and_then(|ty| self.bytes(ptr, offset, ty));
                let bytes = bytes.filter(|bytes| matches!(bytes.object, Object::Argument(_)));
                self.argument(number, bytes.map(Argument::Own));
            }
        }
    }

    fn argument(&mut self, number: u32, access: Option<Argument>) {
        match self.arguments.entry(number) {
            Entry::Vacant(entry) => {
                entry.insert(Accessed {
                    how: access,
                    times: 1,
                });
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.times += 1;
                known.how = known.how.take().zip(access).and_then(|(a, b)| a.with(&b));
            }
        }
    }

    /// On which side of a number an access to an array is: all items below the number access their own elements, or
    /// those that are as many further on. An element is as large as all that is accessed of it, or larger.
    fn side(&self, ptr: Value, offset: i32, bytes: Option<&Bytes>) -> Option<Side> {
        let Op::PtrAdd { base, index, scale } = *self.op(ptr)? else {
            return None;
        };
        if !matches!(self.op(base)?, Op::LocalAddr(_)) || offset < 0 {
            return None;
        }
        let is_item = |value| {
            self.computed(value, DEPTH)
                .is_some_and(|sum| sum.is_local_number())
        };
        let mut below = self.less.iter();
        let is_half = |(item, half): &&(Value, Value)| self.halves.contains(half) && is_item(*item);
        let half = below.rfind(is_half)?.1;
        match *self.op(index)? {
            Op::Id(_) if is_item(index) => {
                let is_inside = bytes?.end <= scale && bytes?.widths.is_empty();
                is_inside.then_some(Side::Below(half, scale))
            }
            Op::Binary(BinOp::Add, a, b) => {
                let is_above = a == half && is_item(b) || b == half && is_item(a);
                is_above.then_some(Side::From(half, scale))
            }
            _ => None,
        }
    }

    /// What computes a value, if it is computed from others alone.
    pub(super) fn op(&self, value: Value) -> Option<&'a Op> {
        self.ops.get(&value).copied()
    }

    /// A constant's value.
    pub(super) fn constant(&self, value: Value) -> Option<u32> {
        self.computed(value, DEPTH)?.as_number()
    }

    /// Whether a value is the same for all items.
    pub(super) fn is_alike(&self, value: Value) -> bool {
        self.alike(value, DEPTH).is_some()
    }

    /// The bytes of an object that are accessed, if it is one.
    fn bytes(&self, ptr: Value, offset: i32, ty: Type) -> Option<Bytes> {
        let mut sum = Index {
            constant: u32::try_from(offset).ok()?,
            ..Index::default()
        };
        let mut ptr = ptr;
        let object = loop {
            if let Some(offset) = self.params.get(&ptr) {
                break Object::Argument(*offset);
            }
            match *self.ops.get(&ptr).copied()? {
                Op::LocalAddr(object) => break Object::Local(object),
                Op::PtrAdd { base, index, scale } if self.function.ty(index) == Type::U32 => {
                    let index = times(self.sum(index, DEPTH)?, &number(scale))?;
                    sum = plus(sum, index)?;
                    ptr = base;
                }
                _ => return None,
            }
        };
        sum.terms.sort_unstable();
        sum.widths.sort_unstable();
        Some(Bytes {
            object,
            terms: sum.terms,
            widths: sum.widths,
            from: sum.constant,
            end: sum.constant.checked_add(ty.bytes())?,
            fixed: self.fixed.clone(),
            divisor: sum.divisor,
        })
    }

    /// A value as a sum. As each part of it is at most the whole, none has wrapped around if the whole, without
    /// wrapping, is a word.
    fn sum(&self, value: Value, depth: u32) -> Option<Index> {
        let depth = depth.checked_sub(1)?;
        self.computed(value, depth)
            .or_else(|| self.bounded(value, depth))
    }

    /// A number of which nothing is known but a limit.
    fn bounded(&self, value: Value, depth: u32) -> Option<Index> {
        let limits = self.less.iter().filter(|(less, _)| *less == value);
        let mut limits = limits.filter_map(|(_, limit)| self.alike(*limit, depth));
        let width = Width {
            stride: constant(1),
            limit: limits.next()?,
        };
        Some(Index {
            widths: vec![width],
            ..Index::default()
        })
    }

    /// A value as a sum that is the same for all items.
    fn alike(&self, value: Value, depth: u32) -> Option<Vec<Term>> {
        let sum = self.computed(value, depth)?;
        let mut terms = sum.terms;
        let alike = sum.widths.is_empty() && terms.iter().all(|term| term.id.is_none());
        terms.extend(constant(sum.constant));
        alike.then_some(terms)
    }

    fn computed(&self, value: Value, depth: u32) -> Option<Index> {
        let depth = depth.checked_sub(1)?;
        if let Some(offset) = self.params.get(&value) {
            let is_word = self.function.ty(value) == Type::U32;
            return is_word.then(|| term(None, vec![Factor::Argument(*offset)]));
        }
        let Some(op) = self.op(value) else {
            return self.divided(value, depth);
        };
        Some(match *op {
            Op::Const(word) => number(u32::try_from(word.0).ok()?),
            Op::Id(id) => match id {
                Id::GlobalLinear => term(Some(ItemId::Linear), Vec::new()),
                Id::Global(d) => term(Some(ItemId::At(d)), Vec::new()),
                Id::LocalLinear => term(Some(ItemId::LocalLinear), Vec::new()),
                Id::Local(d) => term(Some(ItemId::Local(d)), Vec::new()),
                Id::GroupLinear => term(Some(ItemId::GroupLinear), Vec::new()),
                Id::Group(d) => term(Some(ItemId::Group(d)), Vec::new()),
                Id::GlobalSize(d) => term(None, vec![Factor::Size(d)]),
                Id::LocalSize(d) => term(None, vec![Factor::LocalSize(d)]),
                Id::LocalCount => term(None, [0, 1, 2].map(Factor::LocalSize).to_vec()),
                _ => return None,
            },
            Op::Binary(BinOp::Add, a, b) => plus(self.sum(a, depth)?, self.sum(b, depth)?)?,
            Op::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.sum(a, depth)?, self.sum(b, depth)?);
                match b.widths.is_empty() {
                    true => times(a, &b)?,
                    false => times(b, &a)?,
                }
            }
            Op::Binary(BinOp::Shl, a, b) => {
                let factor = 1u32.checked_shl(self.sum(b, depth)?.as_number()?)?;
                times(self.sum(a, depth)?, &number(factor))?
            }
            Op::Binary(op @ (BinOp::Div | BinOp::Shr), a, b)
                if self.function.ty(a) == Type::U32
                    && let Some(part) = self.part(op, a, b, depth) =>
            {
                term(None, vec![part])
            }
            Op::Binary(op @ (BinOp::Div | BinOp::Rem), a, b)
                if self.function.ty(a) == Type::U32 =>
            {
                let number = self.computed(a, depth)?;
                let id = match op {
                    BinOp::Div => ItemId::Quotient,
                    _ => ItemId::Remainder,
                };
                let is_number = number == term(Some(ItemId::Linear), Vec::new());
                Index {
                    divisor: Some(self.alike(b, depth).filter(|_| is_number)?),
                    ..term(Some(id), Vec::new())
                }
            }
            Op::Bitcast(a) if self.function.ty(a) == Type::U32 => self.sum(a, depth)?,
            _ => return None,
        })
    }

    /// What is left of an argument that is divided by a constant.
    fn part(&self, op: BinOp, a: Value, b: Value, depth: u32) -> Option<Factor> {
        let argument = *self.params.get(&a)?;
        let by = self.computed(b, depth)?.as_number()?;
        let divisor = match op {
            BinOp::Shr => 1u32.checked_shl(by)?,
            _ => by,
        };
        (divisor != 0).then_some(Factor::PartOf(argument, divisor))
    }

    /// The quotient or the remainder of a division that is done unless its divisor is 0. If that is part of a sum, the
    /// divisor must not be 0 for [`Places`] to be disjoint.
    fn divided(&self, value: Value, depth: u32) -> Option<Index> {
        let (cond, value) = *self.chosen.get(&value)?;
        let Op::Binary(BinOp::Div | BinOp::Rem, _, divisor) = *self.op(value)? else {
            return None;
        };
        let Op::Compare(CmpOp::Ne, compared, zero) = *self.op(cond)? else {
            return None;
        };
        let is_asked = compared == divisor && self.computed(zero, depth)?.as_number() == Some(0);
        let quotient = self.computed(value, depth).filter(|_| is_asked)?;
        quotient.divisor.is_some().then_some(quotient)
    }
}
