//! Floats as sums of terms with signs, and what two of them are where a bit chooses between both.
//!
//! All is exact, to the sign of a NaN: signs move into the factors of a product, but not out of a sum.

use crate::ir::{BinOp, CmpOp, Const, Function, Inst, Loc, Op, Type, UnOp, Value};
use crate::opt::defs::{self, Defs};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

/// How many operations of an arm are looked through: all parts of two sums are compared, so that it takes four times as
/// long for each of them.
const DEPTH: u32 = 6;

/// What a choice between floats costs, which goes through integer registers.
const CHOICE: u32 = 6;

const SIGN: u32 = 1 << 31;

/// Whether a float is negated: always, and once more for each of these bits that is set in the word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Sign {
    negative: bool,
    bits: u32,
}

impl Sign {
    const fn negated(self) -> Self {
        Self {
            negative: !self.negative,
            bits: self.bits,
        }
    }

    /// That of a product in an arm; bits come in when arms are merged.
    const fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative ^ other.negative,
            bits: 0,
        }
    }

    /// The sign that is `self` where a bit is clear, and `other` where it is set.
    fn or(self, other: Self, bit: u32) -> Option<Self> {
        let flips = if self.negative == other.negative {
            0
        } else {
            1 << bit
        };
        (self.bits == other.bits).then_some(Self {
            negative: self.negative,
            bits: self.bits ^ flips,
        })
    }
}

/// A float and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term {
    sign: Sign,
    atom: Atom,
}

impl Term {
    fn positive(atom: Atom) -> Self {
        Self {
            sign: Sign::default(),
            atom,
        }
    }

    /// What is added that a float is taken from.
    const fn negated(self) -> Self {
        Self {
            sign: self.sign.negated(),
            atom: self.atom,
        }
    }
}

/// The number of a float among [`Atoms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Atom(usize);

/// How a float is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Made {
    /// Before the choice.
    Before(Value),
    /// A constant without a sign.
    Constant(u32),
    Sum(Term, Term),
    Product(Atom, Atom),
    /// A product, with its sign, and what is added to it with one rounding.
    Fused(Sign, [Atom; 2], Term),
    /// The first one where a bit is clear, the second one where it is set.
    Choice(u32, Term, Term),
}

/// All floats, each once.
#[derive(Default)]
pub(super) struct Atoms {
    made: Vec<Made>,
    numbers: FxHashMap<Made, Atom>,
}

/// Terms of what the arms of a choice compute.
pub(super) struct Terms<'a> {
    atoms: Atoms,
    defs: &'a Defs,
    /// What is defined in the arms.
    inside: &'a FxHashSet<Value>,
}

impl<'a> Terms<'a> {
    pub(super) fn new(defs: &'a Defs, inside: &'a FxHashSet<Value>) -> Self {
        Self {
            atoms: Atoms::default(),
            defs,
            inside,
        }
    }

    pub(super) fn into_atoms(self) -> Atoms {
        self.atoms
    }

    /// What a value that an arm gives is made of.
    pub(super) fn of_arm(&mut self, value: Value) -> Option<Term> {
        self.of(value, DEPTH)
    }

    fn of(&mut self, value: Value, depth: u32) -> Option<Term> {
        if let Some(bits) = self.defs.constant(value) {
            let sign = Sign {
                negative: bits & SIGN != 0,
                bits: 0,
            };
            return Some(self.atoms.term(sign, Made::Constant(bits & !SIGN)));
        }
        if !self.inside.contains(&value) {
            return Some(self.atoms.term(Sign::default(), Made::Before(value)));
        }
        let none = Sign::default();
        let depth = depth.checked_sub(1)?;
        match *self.defs.get(value)? {
            Op::Unary(UnOp::Neg, a) => {
                let a = self.of(a, depth)?;
                // The sign would be that of a factor, which a NaN does not keep.
                let is_product = matches!(self.atoms[a.atom], Made::Product(..));
                (!is_product).then(|| a.negated())
            }
            Op::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let [a, mut b] = [self.part(a, depth)?, self.part(b, depth)?];
                if op == BinOp::Sub {
                    b = b.negated();
                }
                Some(self.atoms.term(none, Made::Sum(a, b)))
            }
            Op::Binary(BinOp::Mul, a, b) => {
                let [a, b] = [self.of(a, depth)?, self.of(b, depth)?];
                let sign = a.sign.times(b.sign);
                Some(self.atoms.term(sign, Made::Product(a.atom, b.atom)))
            }
            Op::MulAdd(a, b, c) => {
                let [a, b] = [self.of(a, depth)?, self.of(b, depth)?];
                let c = self.part(c, depth)?;
                let sign = a.sign.times(b.sign);
                let made = Made::Fused(sign, [a.atom, b.atom], c);
                Some(self.atoms.term(none, made))
            }
            _ => None,
        }
    }

    /// What a part of a sum is made of: the sign of a NaN does not matter there.
    fn part(&mut self, value: Value, depth: u32) -> Option<Term> {
        match self.defs.get(value) {
            Some(&Op::Unary(UnOp::Neg, a)) if self.inside.contains(&value) => {
                self.part(a, depth.checked_sub(1)?).map(Term::negated)
            }
            _ => self.of(value, depth),
        }
    }

    /// The term that is each of these where the bits of the word are its number.
    pub(super) fn merged(&mut self, mut arms: Vec<Term>) -> Option<Term> {
        let mut bit = 0;
        while arms.len() > 1 {
            let pairs = arms.chunks_exact(2);
            arms = pairs
                .map(|pair| self.atoms.merge(bit, pair[0], pair[1]))
                .collect();
            bit += 1;
        }
        arms.pop()
    }
}

impl std::ops::Index<Atom> for Atoms {
    type Output = Made;

    fn index(&self, Atom(number): Atom) -> &Made {
        &self.made[number]
    }
}

impl Atoms {
    fn atom(&mut self, made: Made) -> Atom {
        let next = Atom(self.made.len());
        let number = *self.numbers.entry(made).or_insert(next);
        if number == next {
            self.made.push(made);
        }
        number
    }

    fn term(&mut self, sign: Sign, made: Made) -> Term {
        let atom = self.atom(made);
        Term { sign, atom }
    }

    /// What is `clear` where a bit is, and `set` where that is.
    fn merge(&mut self, bit: u32, clear: Term, set: Term) -> Term {
        let sign = clear.sign.or(set.sign, bit);
        match (sign, self[clear.atom], self[set.atom]) {
            (Some(sign), ..) if clear.atom == set.atom => Term { sign, ..clear },
            (_, Made::Sum(a, b), Made::Sum(c, d)) if clear.sign == set.sign => {
                let [a, b] = self.pairs(bit, [a, b], [c, d]);
                self.term(clear.sign, Made::Sum(a, b))
            }
            (Some(sign), Made::Product(a, b), Made::Product(c, d)) => {
                let factors = self.factors(bit, [a, b], [c, d]);
                self.term(sign, Made::Product(factors[0], factors[1]))
            }
            (_, Made::Fused(one, [a, b], x), Made::Fused(other, [c, d], y))
                if clear.sign == set.sign
                    && let Some(sign) = one.or(other, bit) =>
            {
                let factors = self.factors(bit, [a, b], [c, d]);
                let added = self.merge(bit, x, y);
                self.term(clear.sign, Made::Fused(sign, factors, added))
            }
            // Signs of products are those of their factors.
            (Some(sign), one, other)
                if !matches!(
                    (one, other),
                    (Made::Product(..), _) | (_, Made::Product(..))
                ) =>
            {
                let [clear, set] = [clear, set].map(|term| Term::positive(term.atom));
                self.term(sign, Made::Choice(bit, clear, set))
            }
            _ => self.term(Sign::default(), Made::Choice(bit, clear, set)),
        }
    }

    /// Two terms and two others that they are merged with, in the order that costs less.
    fn pairs(&mut self, bit: u32, [a, b]: [Term; 2], [c, d]: [Term; 2]) -> [Term; 2] {
        let straight = [self.merge(bit, a, c), self.merge(bit, b, d)];
        let crossed = [self.merge(bit, a, d), self.merge(bit, b, c)];
        let cost = |terms: &[Term; 2]| terms.iter().map(|term| self.cost(*term)).sum::<u32>();
        if cost(&crossed) < cost(&straight) {
            crossed
        } else {
            straight
        }
    }

    /// The same of factors, which have no signs.
    fn factors(&mut self, bit: u32, ab: [Atom; 2], cd: [Atom; 2]) -> [Atom; 2] {
        let [ab, cd] = [ab, cd].map(|atoms| atoms.map(Term::positive));
        self.pairs(bit, ab, cd).map(|term| term.atom)
    }

    /// Instructions that a term takes, if nothing is shared: an estimate, by which only orders are chosen.
    fn cost(&self, term: Term) -> u32 {
        let flips = 3 * u32::from(term.sign.bits != 0);
        let factor = |atom| self.cost(Term::positive(atom));
        flips
            + match self[term.atom] {
                Made::Before(_) | Made::Constant(_) => 0,
                Made::Sum(a, b) => 1 + self.cost(a) + self.cost(b),
                Made::Product(a, b) => 1 + factor(a) + factor(b),
                Made::Fused(_, [a, b], c) => 1 + factor(a) + factor(b) + self.cost(c),
                Made::Choice(_, a, b) => CHOICE + self.cost(a) + self.cost(b),
            }
    }

    /// Instructions that compute a term.
    pub(super) fn emit(
        self,
        term: Term,
        word: Value,
        result: Value,
        loc: Loc,
        function: &mut Function,
    ) -> Vec<Inst> {
        let mut emission = Emission {
            atoms: self,
            terms: FxHashMap::default(),
            word,
            out: Vec::new(),
            loc,
            function,
        };
        let value = emission.term(term);
        let mut out = emission.out;
        match out.last_mut() {
            Some(last) => last.results = smallvec![result],
            // Nothing had to be computed.
            None => {
                let (results, op) = (smallvec![result], Op::Cast(value));
                out.push(Inst { results, op, loc });
            }
        }
        out
    }
}

/// What an instruction of an emission costs.
pub(super) fn cost(function: &Function, inst: &Inst) -> u32 {
    match inst.op {
        Op::Select(..) => CHOICE,
        // Of one bit: on to the next operation.
        Op::Compare(..) => 0,
        _ => defs::cost(&inst.op, function.ty(inst.results[0])),
    }
}

struct Emission<'a> {
    atoms: Atoms,
    terms: FxHashMap<Term, Value>,
    word: Value,
    out: Vec<Inst>,
    loc: Loc,
    function: &'a mut Function,
}

impl Emission<'_> {
    fn push(&mut self, op: Op, ty: Type) -> Value {
        self.function.push(op, ty, self.loc, &mut self.out)
    }

    fn constant(&mut self, word: u32, ty: Type) -> Value {
        self.push(Op::Const(Const(word.into())), ty)
    }

    fn term(&mut self, term: Term) -> Value {
        if let Some(value) = self.terms.get(&term) {
            return *value;
        }
        let value = self.computed(term);
        self.terms.insert(term, value);
        value
    }

    fn computed(&mut self, Term { sign, atom }: Term) -> Value {
        match self.atoms[atom] {
            Made::Product(a, b) => {
                let [a, b] = self.factors(sign, [a, b]);
                self.push(Op::Binary(BinOp::Mul, a, b), Type::F32)
            }
            Made::Constant(word) if sign.bits == 0 => {
                let sign = if sign.negative { SIGN } else { 0 };
                self.constant(word | sign, Type::F32)
            }
            _ if sign.bits != 0 => {
                let positive = Sign { bits: 0, ..sign };
                let value = self.term(Term {
                    sign: positive,
                    atom,
                });
                let flips = self.flips(sign.bits);
                self.push(Op::Binary(BinOp::FlipSign, value, flips), Type::F32)
            }
            _ if sign.negative => {
                let value = self.term(Term::positive(atom));
                self.push(Op::Unary(UnOp::Neg, value), Type::F32)
            }
            Made::Before(value) => value,
            Made::Constant(word) => self.constant(word, Type::F32),
            Made::Sum(a, b) => {
                let is_negative = |term: Term| term.sign.bits == 0 && term.sign.negative;
                let (op, a, b) = match (is_negative(a), is_negative(b)) {
                    (_, true) => (BinOp::Sub, a, b.negated()),
                    (true, false) => (BinOp::Sub, b, a.negated()),
                    (false, false) => (BinOp::Add, a, b),
                };
                let [a, b] = [self.term(a), self.term(b)];
                self.push(Op::Binary(op, a, b), Type::F32)
            }
            Made::Fused(sign, factors, added) => {
                let [a, b] = self.factors(sign, factors);
                let added = self.term(added);
                self.push(Op::MulAdd(a, b, added), Type::F32)
            }
            Made::Choice(bit, clear, set) => {
                let [clear, set] = [self.term(clear), self.term(set)];
                let ty = self.function.ty(self.word);
                let mask = self.constant(1 << bit, ty);
                let zero = self.constant(0, ty);
                let masked = self.push(Op::Binary(BinOp::And, self.word, mask), ty);
                let cond = self.push(Op::Compare(CmpOp::Ne, masked, zero), Type::Bool);
                self.push(Op::Select(cond, set, clear), Type::F32)
            }
        }
    }

    /// The factors of a product with a sign.
    fn factors(&mut self, sign: Sign, [a, b]: [Atom; 2]) -> [Value; 2] {
        [Term { sign, atom: a }, Term::positive(b)].map(|term| self.term(term))
    }

    /// A float that is negative where an odd number of these bits is set.
    fn flips(&mut self, bits: u32) -> Value {
        let ty = self.function.ty(self.word);
        let word = match ty {
            Type::U32 => self.word,
            _ => self.push(Op::Cast(self.word), Type::U32),
        };
        let mut sum = None;
        for bit in (0..u32::BITS).filter(|bit| bits >> bit & 1 != 0) {
            let amount = self.constant(31 - bit, Type::U32);
            let moved = self.push(Op::Binary(BinOp::Shl, word, amount), Type::U32);
            sum = Some(match sum {
                Some(sum) => self.push(Op::Binary(BinOp::Xor, sum, moved), Type::U32),
                None => moved,
            });
        }
        let sum = sum.unwrap_or(word);
        self.push(Op::Bitcast(sum), Type::F32)
    }
}
