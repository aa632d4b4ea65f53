//! `if left > 0.0 { sum += left * left }` adds 0 where the condition does not hold.
//!
//! ```text
//! sum = if c { sum + x } else { sum }     ==>     sum = sum + (if c { x } else { 0.0 })
//! ```
//!
//! A float plus 0 is itself unless it is -0, or a NaN whose bits arithmetic would not give. No sum is either that began
//! as another number: the sum of two floats is -0 only if both are, and a NaN among sums has the bits that they all
//! have. So it is determined of which values that is known.
//!
//! Where the condition is that a float is more than 0, and what is added is 0 for 0, the float need only be replaced by
//! the maximum of itself and 0.

use crate::ir::{Arm, BinOp, Block, CmpOp, Const, Function, Op, SecondaryMap, Type, Value, While};
use crate::opt::defs::Defs;

/// Which floats may be -0, or a NaN with any bits.
pub(super) struct Sums {
    unlike: SecondaryMap<Value, bool>,
}

impl Sums {
    pub(super) fn of(function: &Function) -> Self {
        let mut sums = Self {
            unlike: function.map_values(true),
        };
        // All are taken to be sums that can be, until nothing speaks against more of them.
        function.body.visit(&mut |inst| {
            let params = match &inst.op {
                Op::While(w) => &w.params[..],
                _ => &[],
            };
            for value in inst.results.iter().chain(params) {
                sums.unlike[*value] = function.ty(*value) != Type::F32;
            }
        });
        while sums.sweep(&function.body) {}
        sums
    }

    /// Whether adding 0 leaves a float as it is.
    pub(super) fn stays(&self, value: Value) -> bool {
        self.unlike.get(value) == Some(&false)
    }

    /// Goes through a block; gives whether something was found.
    fn sweep(&mut self, block: &Block) -> bool {
        let mut found = false;
        for inst in &block.insts {
            for nested in inst.op.blocks().into_iter().flatten() {
                found |= self.sweep(nested);
            }
            match &inst.op {
                Op::If { then, els, .. } => {
                    let yields = then.yields.iter().zip(&els.yields);
                    for (result, (a, b)) in inst.results.iter().zip(yields) {
                        found |= self.note(*result, self.unlike[*a] || self.unlike[*b]);
                    }
                }
                Op::While(w) => found |= self.while_loop(&inst.results, w),
                op => {
                    for result in &inst.results {
                        found |= self.note(*result, self.is_unlike(op));
                    }
                }
            }
        }
        found
    }

    fn while_loop(&mut self, results: &[Value], w: &While) -> bool {
        let mut found = false;
        for (param, (init, next)) in w.params.iter().zip(w.init.iter().zip(&w.next)) {
            found |= self.note(*param, self.unlike[*init] || self.unlike[*next]);
        }
        for (result, exit) in results.iter().zip(&w.exits) {
            found |= self.note(*result, self.unlike[*exit]);
        }
        found
    }

    fn note(&mut self, value: Value, is_unlike: bool) -> bool {
        let is_new = is_unlike && !self.unlike[value];
        self.unlike[value] |= is_unlike;
        is_new
    }

    fn is_unlike(&self, op: &Op) -> bool {
        match op {
            Op::Const(Const(bits)) => {
                let float = u32::try_from(*bits).map(f32::from_bits);
                float.map_or(true, |float| float.is_nan() || float.to_bits() == 1 << 31)
            }
            Op::Select(_, a, b) => self.unlike[*a] || self.unlike[*b],
            Op::Binary(BinOp::Add, a, b) => self.unlike[*a] && self.unlike[*b],
            Op::Binary(BinOp::Sub, a, _) => self.unlike[*a],
            _ => true,
        }
    }
}

/// A choice between a sum and the same with something added.
pub(super) struct Added {
    pub(super) sum: Value,
    pub(super) added: Value,
    /// For which truth of the condition it is added.
    pub(super) when: bool,
}

impl Added {
    /// What `if .. { a } else { b }` adds, if it is that.
    pub(super) fn of([a, b]: [Value; 2], defs: &Defs, sums: &Sums) -> Option<Self> {
        let [of_a, of_b] = [(a, b), (b, a)].map(|(more, sum)| match defs.get(more) {
            Some(Op::Binary(BinOp::Add, x, y)) if *x == sum => Some(*y),
            Some(Op::Binary(BinOp::Add, x, y)) if *y == sum => Some(*x),
            _ => None,
        });
        let (sum, added, when) = match (of_a, of_b) {
            (Some(added), _) => (b, added, true),
            (_, Some(added)) => (a, added, false),
            _ => return None,
        };
        sums.stays(sum).then_some(Self { sum, added, when })
    }
}

/// The float that a condition says to be more than 0, if what an arm computes of it to add it to sums is 0 where that
/// is. It may be -0 that is not less than 0: only sums are the same for that.
pub(super) fn more_than_zero(
    cond: Value,
    arm: &Arm,
    added: &[Value],
    only_sums: bool,
    defs: &Defs,
) -> Option<Value> {
    let (float, zero) = match *defs.get(cond)? {
        Op::Compare(CmpOp::Gt, float, zero) => (float, zero),
        Op::Compare(CmpOp::Ge, float, zero) if only_sums => (float, zero),
        _ => return None,
    };
    let vanishing = Vanishing { float, arm, defs };
    let is_zero = defs.constant(zero).map(f32::from_bits) == Some(0.0);
    let vanish = || added.iter().all(|added| vanishing.is(*added, DEPTH));
    (is_zero && vanish()).then_some(float)
}

/// How many operations are looked through.
const DEPTH: u32 = 6;

/// What an arm computes that is 0 where a float is.
struct Vanishing<'a> {
    float: Value,
    arm: &'a Arm,
    defs: &'a Defs,
}

impl Vanishing<'_> {
    fn is(&self, value: Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let is_finite = |value: &Value| {
            let bits = self.defs.constant(*value);
            bits.is_some_and(|bits| f32::from_bits(bits).is_finite())
        };
        let vanishes = |value: &Value| self.is(*value, depth);
        let is_of_arm = || {
            let mut insts = self.arm.block.insts.iter();
            insts.any(|inst| inst.results[..] == [value])
        };
        value == self.float
            || is_of_arm()
                && matches!(self.defs.get(value), Some(Op::Binary(BinOp::Mul, a, b))
                    if vanishes(a) && (vanishes(b) || is_finite(b)) || vanishes(b) && is_finite(a))
    }
}
