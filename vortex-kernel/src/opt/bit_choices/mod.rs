//! Choices between sums by the bits of a word become one sum, the parts of which are chosen.
//!
//! ```text
//! match hash & 3 {
//!     0 => x + y,
//!     1 => -x + y,         ==>     flipsign(x, hash << 31) + flipsign(y, hash << 30)
//!     2 => x - y,
//!     _ => -x - y,
//! }
//! ```
//!
//! Lanes that disagree would execute nearly all of the arms, between as many splits and joins. Such choices are common
//! in noise functions. Every value that the word can have is tried: which arm it is that runs then, and what that arm
//! computes.

mod terms;

use super::defs::Defs;
use super::fold::largest;
use super::uniformity::Uniformity;
use crate::ir::{Arm, Block, Function, Inst, Op, Type, UnOp, Value, eval};
use crate::meta::count;
use rustc_hash::FxHashSet;
use terms::Terms;

/// How many bits a word has at most.
const MOST_BITS: u32 = 4;

/// What a branch costs that lanes disagree about: a comparison, a split, a jump, and a join.
const BRANCH: u32 = 5;

/// Rewrites such choices in a structured function.
pub fn bit_choices(function: &mut Function) {
    // Of functions without any, nothing need be found out.
    let is_choice = |op: &Op| {
        matches!(op, Op::If { then, .. }
            if matches!(then.yields[..], [value] if function.ty(value) == Type::F32))
    };
    let chooses = |op: &Op| {
        is_choice(op)
            && matches!(op, Op::If { then, els, .. }
                if then.block.any(&is_choice) || els.block.any(&is_choice))
    };
    if !function.body.any(&chooses) {
        return;
    }
    let uniformity = Uniformity::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = BitChoices {
        defs: Defs::of(&body, function),
        uniformity,
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct BitChoices<'a> {
    function: &'a mut Function,
    defs: Defs,
    uniformity: Uniformity,
}

/// A choice, and the choices in its arms.
struct Choice<'a> {
    cond: Value,
    arms: [&'a Arm; 2],
}

impl<'a> Choice<'a> {
    fn of(inst: &'a Inst) -> Option<Self> {
        match &inst.op {
            Op::If { cond, then, els } => Some(Self {
                cond: *cond,
                arms: [then, els],
            }),
            _ => None,
        }
    }

    /// How many choices there are, if their arms do nothing but compute.
    fn count(&self, inside: &mut FxHashSet<Value>) -> Option<u32> {
        let insts = self.arms.iter().flat_map(|arm| &arm.block.insts);
        insts.into_iter().try_fold(1, |count, inst| {
            inside.extend(&inst.results);
            match Choice::of(inst) {
                Some(nested) => Some(count + nested.count(inside)?),
                None => inst.op.is_pure().then_some(count),
            }
        })
    }

    /// What the arm gives that is chosen where a word has a value.
    fn taken(&self, truth: &impl Fn(Value) -> Option<bool>) -> Option<Value> {
        let arm = self.arms[usize::from(!truth(self.cond)?)];
        let [value] = arm.yields[..] else {
            return None;
        };
        let made = arm
            .block
            .insts
            .iter()
            .find(|inst| inst.results[..] == [value]);
        match made.and_then(Choice::of) {
            Some(nested) => nested.taken(truth),
            None => Some(value),
        }
    }
}

impl BitChoices<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            if let Some(insts) = self.sum(&inst) {
                count!("bit_choices", "choices", 1);
                out.extend(insts);
                continue;
            }
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
            out.push(inst);
        }
        block.insts = out;
    }

    /// What computes the same as a choice without a branch, if that is shorter.
    fn sum(&mut self, inst: &Inst) -> Option<Vec<Inst>> {
        let choice = Choice::of(inst)?;
        let [result] = inst.results[..] else {
            return None;
        };
        if self.function.ty(result) != Type::F32 || !self.uniformity.is_divergent(choice.cond) {
            return None;
        }
        let mut inside = FxHashSet::default();
        let branches = choice.count(&mut inside).filter(|branches| *branches > 1)?;
        let (word, bits) = self.word(choice.cond)?;
        if inside.contains(&word) {
            return None;
        }
        let mut terms = Terms::new(&self.defs, &inside);
        let arms: Option<Vec<_>> = (0..1 << bits)
            .map(|value| {
                let truth = |cond| self.truth(cond, word, value);
                terms.of_arm(choice.taken(&truth)?)
            })
            .collect();
        let sum = terms.merged(arms?)?;
        let atoms = terms.into_atoms();
        let insts = atoms.emit(sum, word, result, inst.loc, self.function);
        let cost = insts
            .iter()
            .map(|inst| terms::cost(self.function, inst))
            .sum::<u32>();
        if cost >= branches * BRANCH {
            return None;
        }
        for inst in &insts {
            self.defs.set(inst.results[0], &inst.op);
        }
        Some(insts)
    }

    /// The word that a condition is about, and how many bits it has.
    fn word(&self, cond: Value) -> Option<(Value, u32)> {
        if let Some(both) = self.defs.both(cond) {
            return self.word(both.first);
        }
        if let Some(&Op::Unary(UnOp::Not, inverse)) = self.defs.get(cond) {
            return self.word(inverse);
        }
        let &Op::Compare(_, word, limit) = self.defs.get(cond)? else {
            return None;
        };
        self.defs.constant(limit)?;
        let ty = self.function.ty(word);
        let most = largest(self.function, &self.defs, word);
        let bits = most.count_ones();
        let is_all = most.trailing_ones() == bits && ty.is_int() && !ty.is_wide();
        (is_all && (2..=MOST_BITS).contains(&bits)).then_some((word, bits))
    }

    /// What a condition is where a word has a value.
    fn truth(&self, cond: Value, word: Value, value: u32) -> Option<bool> {
        if let Some(both) = self.defs.both(cond) {
            let [a, b] = [both.first, both.second].map(|cond| self.truth(cond, word, value));
            return Some(if both.is_and { a? && b? } else { a? || b? });
        }
        match *self.defs.get(cond)? {
            Op::Compare(op, a, b) if a == word => {
                let ty = self.function.ty(word);
                Some(eval::compare(op, ty, value, self.defs.constant(b)?))
            }
            Op::Unary(UnOp::Not, inverse) => Some(!self.truth(inverse, word, value)?),
            _ => None,
        }
    }
}
