//! What becomes of a loop over constants, found by executing what counts and decides in it.

use super::defs::Defs;
use super::tuning::Tuning;
use crate::ir::{Alias, Arm, Block, Const, Function, Inst, Op, Type, UnOp, Value, While, eval};
use rustc_hash::FxHashMap;

/// How often a loop continues that will be straight code.
pub(super) fn straight_iterations(
    function: &Function,
    defs: &Defs,
    w: &While,
    tuning: &Tuning,
) -> Option<u32> {
    let course = Course::of(function, defs, w, [tuning.straight_iterations, 0])?;
    let is_straight = course.left <= tuning.straight_size;
    is_straight.then_some(u32::try_from(course.iterations()).ok()?)
}

/// What becomes of a loop.
pub(super) struct Course {
    /// What is known of its parameters in each iteration, and before the test that ends it.
    pub(super) params: Vec<Vec<Option<u32>>>,
    /// Whether it always continues as often.
    pub(super) is_certain: bool,
    /// Instructions that are left of it and of the loops in it when it is straight: those that do not follow from
    /// constants, nor are in private memory at places that do.
    pub(super) left: usize,
    /// Instructions that it executes, with these.
    pub(super) steps: usize,
}

impl Course {
    /// Follows a loop that continues no more than `most` times; no more than `exits` times if it may end before.
    pub(super) fn of(
        function: &Function,
        defs: &Defs,
        w: &While,
        [most, exits]: [usize; 2],
    ) -> Option<Self> {
        let mut words = Words {
            function,
            defs,
            words: FxHashMap::default(),
            most,
            left: 0,
            steps: 0,
        };
        let (params, is_certain) = words.while_loop(w, exits)?;
        Some(Self {
            params,
            is_certain,
            left: words.left,
            steps: words.steps,
        })
    }

    /// How often it continues at most.
    pub(super) fn iterations(&self) -> usize {
        self.params.len() - 1
    }
}

/// Instructions of a block, those of failures aside.
pub(super) fn size(block: &Block) -> usize {
    let nested = |inst: &Inst| -> usize {
        let blocks = inst.op.blocks().into_iter().flatten();
        blocks.filter(|b| !b.is_failure()).map(size).sum()
    };
    block.insts.iter().map(|inst| 1 + nested(inst)).sum()
}

/// Instructions that are followed in one loop and all in it, at most.
const STEPS: usize = 10_000;

/// Words of values, as far as they follow from constants, in one iteration; of pointers to private memory, the place.
struct Words<'a> {
    function: &'a Function,
    defs: &'a Defs,
    words: FxHashMap<Value, u32>,
    /// Iterations of a loop that are followed.
    most: usize,
    /// Instructions that do not follow from constants.
    left: usize,
    /// Those that have been followed.
    steps: usize,
}

impl Words<'_> {
    fn get(&self, value: Value) -> Option<u32> {
        let word = self.words.get(&value).copied();
        let word = word.or_else(|| self.defs.constant(value));
        word.or_else(|| matches!(self.defs.get(value), Some(Op::PrivateAddr(_))).then_some(0))
    }

    fn set(&mut self, value: Value, word: Option<u32>) {
        match word {
            Some(word) => self.words.insert(value, word),
            // What it was in an iteration before.
            None => self.words.remove(&value),
        };
    }

    /// Follows a loop to its end. Gives what is known of its parameters each time, and whether it always continues as
    /// often.
    fn while_loop(&mut self, w: &While, exits: usize) -> Option<(Vec<Vec<Option<u32>>>, bool)> {
        let mut now: Vec<_> = w.init.iter().map(|init| self.get(*init)).collect();
        let (mut params, mut is_certain) = (Vec::new(), true);
        for _ in 0..=self.most {
            let ends_late = !is_certain && params.len() > exits;
            if now.iter().all(Option::is_none) || self.steps > STEPS || ends_late {
                return None;
            }
            for (param, word) in w.params.iter().zip(&now) {
                self.set(*param, *word);
            }
            params.push(now);
            self.block(&w.before);
            match self.get(w.cond) {
                Some(0) => return Some((params, is_certain)),
                Some(_) => {}
                None => {
                    self.left += 1;
                    is_certain = false;
                    self.assume(&w.before, w.cond, 1);
                }
            }
            self.block(&w.after);
            now = w.next.iter().map(|next| self.get(*next)).collect();
        }
        None
    }

    /// What follows where a value of the block is this word.
    fn assume(&mut self, block: &Block, value: Value, word: u32) {
        let defines = |inst: &&Inst| inst.results.contains(&value);
        let Some(inst) = block.insts.iter().find(defines) else {
            return;
        };
        match &inst.op {
            Op::Unary(UnOp::Not, a) if self.function.ty(*a) == Type::Bool => {
                self.assume(block, *a, word ^ 1);
            }
            Op::If { cond, then, els } if self.get(*cond).is_none() => {
                let at = inst.results.iter().position(|result| *result == value);
                let gives = |arm: &Arm| at.and_then(|at| self.get(arm.yields[at]));
                let is_other = |given: Option<u32>| given.is_some_and(|given| given != word);
                let arm = match (is_other(gives(then)), is_other(gives(els))) {
                    (true, false) => els,
                    (false, true) => then,
                    _ => return,
                };
                for (result, given) in inst.results.iter().zip(&arm.yields) {
                    self.set(*result, self.get(*given));
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            self.steps += 1;
            match &inst.op {
                Op::If { cond, then, els } => self.either(*cond, [then, els], &inst.results),
                Op::While(w) => {
                    let followed = self.while_loop(w, usize::MAX);
                    if followed.is_none() {
                        self.left += size(&w.before) + size(&w.after);
                    }
                    let is_certain = followed.is_some_and(|(_, is_certain)| is_certain);
                    for (result, exit) in inst.results.iter().zip(&w.exits) {
                        let word = if is_certain { self.get(*exit) } else { None };
                        self.set(*result, word);
                    }
                }
                op => match inst.results[..] {
                    [result] => {
                        let word = self.word(op, self.function.ty(result));
                        self.left += usize::from(word.is_none() && !self.is_free(op));
                        self.set(result, word);
                    }
                    _ => self.left += usize::from(!self.is_free(op)),
                },
            }
        }
    }

    fn either(&mut self, cond: Value, arms: [&Arm; 2], results: &[Value]) {
        match self.get(cond) {
            Some(word) => {
                let arm = arms[usize::from(word == 0)];
                self.block(&arm.block);
                for (result, value) in results.iter().zip(&arm.yields) {
                    self.set(*result, self.get(*value));
                }
            }
            None => {
                let is_check = arms.iter().any(|arm| arm.block.is_failure());
                self.left += usize::from(!is_check);
                for arm in arms.into_iter().filter(|arm| !arm.block.is_failure()) {
                    self.block(&arm.block);
                }
                for (result, (a, b)) in results
                    .iter()
                    .zip(arms[0].yields.iter().zip(&arms[1].yields))
                {
                    let (a, b) = (self.get(*a), self.get(*b));
                    self.set(*result, a.filter(|_| a == b));
                }
            }
        }
    }

    /// Whether nothing is left of an instruction although its word is not known: of what reads or writes private memory
    /// at a known place, and of a comparison, which is counted where it decides.
    fn is_free(&self, op: &Op) -> bool {
        match op {
            Op::Load {
                ptr,
                alias: Alias::Private(_),
                ..
            }
            | Op::Store {
                ptr,
                alias: Alias::Private(_),
                ..
            } => self.get(*ptr).is_some(),
            Op::Compare(..) => true,
            _ => false,
        }
    }

    /// What counts and decides: words and truths; and places in private memory.
    fn word(&self, op: &Op, ty: Type) -> Option<u32> {
        match *op {
            Op::PrivateAddr(_) => Some(0),
            Op::PtrAdd { base, index, scale } => {
                let bytes = self.get(index)?.wrapping_mul(scale);
                Some(self.get(base)?.wrapping_add(bytes))
            }
            _ => word_of(self.function, op, ty, |value| self.get(value)),
        }
    }
}

/// The word that an operation of type `ty` gives, if it follows from those that are known.
pub(super) fn word_of(
    function: &Function,
    op: &Op,
    ty: Type,
    known: impl Fn(Value) -> Option<u32>,
) -> Option<u32> {
    if ty.is_wide() || !(ty.is_int() || ty == Type::Bool) {
        return None;
    }
    match *op {
        Op::Const(Const(word)) => u32::try_from(word).ok(),
        Op::Unary(op, a) => Some(eval::unary(op, ty, known(a)?)),
        Op::Binary(op, a, b) => Some(eval::binary(op, ty, known(a)?, known(b)?)),
        Op::Compare(op, a, b) => {
            let of = function.ty(a);
            let narrow = (of.is_int() || of == Type::Bool) && !of.is_wide();
            let (a, b) = (known(a)?, known(b)?);
            narrow.then(|| eval::compare(op, of, a, b).into())
        }
        Op::Select(cond, a, b) => known(if known(cond)? != 0 { a } else { b }),
        Op::Cast(a) => {
            let from = function.ty(a);
            let narrow = (from.is_int() || from == Type::Bool) && !from.is_wide();
            let a = known(a)?;
            narrow.then(|| eval::cast(from, ty, a))
        }
        _ => None,
    }
}
