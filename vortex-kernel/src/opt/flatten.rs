//! Loops with a small constant number of iterations are unrolled completely.
//!
//! ```text
//! while k < 3 { B(k); k += 1 }      ==>      B(0) B(1) B(2)
//! ```
//!
//! The counter becomes constants, so tests, addresses and checks fold, and bounds checks of all iterations can be
//! tested together before an outer loop. The number of iterations is determined by executing the counter: any counter
//! works that starts from a constant, whichever way it goes.
//!
//! A short loop that may also be left before its end becomes tests inside of tests:
//!
//! ```text
//! while k < 3 && !found { B(k); k += 1 }      ==>      B(0) if !found { B(1) if !found { B(2) } }
//! ```
//!
//! One over a part of a slice, as long as a check says, becomes straight where the check holds, and stays where it does
//! not:
//!
//! ```text
//! n = check(i + 3 <= x.len()) ? 3 : 0; while k < n { .. }      ==>      if i + 3 <= x.len() { B(0) B(1) B(2) }
//! ```
//!
//! Loops with barriers or warp operations stay, for these are not duplicated.

use super::course::{Course, size};
use super::defs::Defs;
use super::fold::fold;
use super::folded::Folded;
use super::once_checked::{CheckedValues, OnceChecked};
use super::tuning::Tuning;
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, Arm, BinOp, Block, Const, Function, Inst, Loc, Op, Results, Type, Value, While,
};
use crate::meta::count;
use smallvec::SmallVec;

/// Flattens the loops of a structured function, inner ones first.
pub fn flatten(function: &mut Function, tuning: &Tuning) {
    if !function.body.any(&|op| matches!(op, Op::While(_))) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Flatten {
        defs: Defs::of(&body, function),
        renaming: Renaming::default(),
        function,
        tuning,
        room: tuning.straight_size,
        copies: 0,
        checked: CheckedValues::default(),
    };
    pass.block(&mut body);
    function.body = body;
}

/// A loop that may be left early is made straight with this many iterations at most: each is inside of the one before.
const EXITS: usize = 8;

/// How much longer a loop over private memory may be before that becomes values.
const LONGEST: usize = 4;

/// What loops may become that are in a loop which is made straight.
struct Room {
    /// Instructions.
    inside: usize,
    /// These are what is left of the loop with all that are in it, and of what comes later nothing is taken away.
    is_all: bool,
}

struct Flatten<'a> {
    function: &'a mut Function,
    defs: Defs,
    /// What the results of loops that are gone are now.
    renaming: Renaming,
    tuning: &'a Tuning,
    /// Instructions that loops may still become.
    room: usize,
    /// How many loops there are of whose copies this is in one.
    copies: usize,
    /// What values are where checks hold.
    checked: CheckedValues,
}

impl Flatten<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            self.renaming.operands(&mut inst.op);
            match &mut inst.op {
                // What hardly ever runs stays as short as it is.
                Op::If { then, els, .. } if els.is_fallback => {
                    self.block(&mut then.block);
                    self.renaming.block(&mut els.block);
                }
                op => {
                    for nested in op.blocks_mut().into_iter().flatten() {
                        self.block(nested);
                    }
                }
            }
            let renaming = &self.renaming;
            inst.op.inner_operands_mut(&mut |v| *v = renaming.get(*v));
            if let Op::While(w) = &inst.op
                && let Some(course) = self.course(w)
            {
                let exits = self.unrolled(w, course, inst.loc, &mut out);
                for (result, exit) in inst.results.iter().zip(exits) {
                    self.renaming.set(*result, exit);
                }
                continue;
            }
            if let Op::While(w) = &inst.op
                && let Some(op) = self.over_parts(w, &inst, &mut out)
            {
                inst.op = op;
            }
            self.checked.note(self.function, &self.defs, &inst);
            self.define(&mut inst);
            out.push(inst);
        }
        block.insts = out;
    }

    /// Notes what an instruction gives. In a copy of an iteration, what follows from its counter is a constant: inner
    /// loops may be as long as that says.
    fn define(&mut self, inst: &mut Inst) {
        let [result] = inst.results[..] else { return };
        if self.copies > 0
            && let Some(Folded::Word(word)) = fold(
                self.function,
                &self.defs,
                &inst.op,
                self.function.ty(result),
            )
        {
            inst.op = Op::Const(Const::from(word));
        }
        self.defs.set(result, &inst.op);
    }

    /// Appends what the loop becomes, and gives what it results in.
    fn unrolled(
        &mut self,
        w: &While,
        (course, room): (Course, Room),
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        count!("flatten", "loops made straight", 1);
        let before = self.room;
        self.room = room.inside;
        self.copies += 1;
        let exits = match course.is_certain {
            true => self.straight(w, &course.params, out),
            false => self.nested(w, &course.params, (w.init.clone(), loc), out),
        };
        self.copies -= 1;
        if room.is_all || self.copies == 0 {
            self.room = before;
        }
        exits
    }

    /// What a loop over parts of slices whose bounds are checked becomes: its number of iterations is a constant where
    /// the checks hold. Where they do not, there are none, or the loop stays.
    fn over_parts(&mut self, w: &While, inst: &Inst, out: &mut Vec<Inst>) -> Option<Op> {
        let mut lengths: SmallVec<[(Value, OnceChecked); 2]> = SmallVec::new();
        w.before.uses(&mut |value| {
            if let Some(checked) = self.checked.get(value)
                && !lengths.iter().any(|(length, _)| *length == value)
            {
                lengths.push((value, checked.clone()));
            }
        });
        // Those of an iteration are checked in each.
        w.before
            .visit(&mut |inst| lengths.retain(|(length, _)| !inst.results.contains(length)));
        let conds = self
            .checked
            .conditions(lengths.iter().map(|(length, _)| *length));
        let (&(mut cond), more) = conds.split_first()?;
        let mut insts = Vec::new();
        let words = lengths
            .iter()
            .map(|(length, checked)| (*length, checked.word));
        let some = self.with_words(w, words, inst.loc, &mut insts);
        let course = self.course(&some)?;
        let none = match &lengths[..] {
            [(length, checked)] if checked.is_else_zero => {
                Some(self.with_words(w, [(*length, 0)].into_iter(), inst.loc, &mut insts))
            }
            _ => None,
        };
        for other in more {
            let op = Op::Binary(BinOp::And, cond, *other);
            cond = self.function.push(op, Type::Bool, inst.loc, &mut insts);
        }
        out.append(&mut insts);
        let then = self.arm(&some, course, inst.loc);
        let els = match none.and_then(|none| Some((self.course(&none)?, none))) {
            Some((course, none)) if course.0.is_certain && course.0.iterations() == 0 => {
                self.arm(&none, course, inst.loc)
            }
            _ => self.stays(inst),
        };
        Some(Op::If { cond, then, els })
    }

    /// A loop with constants instead of some values.
    fn with_words(
        &mut self,
        w: &While,
        words: impl Iterator<Item = (Value, u32)>,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> While {
        let mut renaming = Renaming::default();
        for (value, word) in words {
            let op = Op::Const(Const::from(word));
            let ty = self.function.ty(value);
            let constant = self.function.push(op.clone(), ty, loc, out);
            self.defs.set(constant, &op);
            renaming.set(value, constant);
        }
        let mut known = w.clone();
        renaming.block(&mut known.before);
        renaming.block(&mut known.after);
        known
    }

    fn arm(&mut self, w: &While, course: (Course, Room), loc: Loc) -> Box<Arm> {
        let mut arm = Box::new(Arm::default());
        arm.yields = self.unrolled(w, course, loc, &mut arm.block.insts);
        arm
    }

    /// The loop as it is, with results of its own.
    fn stays(&mut self, inst: &Inst) -> Box<Arm> {
        let mut inst = inst.clone();
        for result in &mut inst.results {
            *result = self.function.new_value(self.function.ty(*result));
        }
        Box::new(Arm {
            yields: inst.results.to_vec(),
            block: Block { insts: vec![inst] },
            is_fallback: true,
        })
    }

    /// What becomes of the loop, if it is one to make straight, and what the loops in it may become.
    fn course(&self, w: &While) -> Option<(Course, Room)> {
        let convergent = |block: &Block| block.any(&Op::is_convergent);
        if convergent(&w.before) || convergent(&w.after) {
            return None;
        }
        let tuning = self.tuning;
        let most = [tuning.straight_iterations, EXITS];
        let course = Course::of(self.function, &self.defs, w, most)?;
        // Should memory not become values, as something else reads it at places that are no constants, it is not very
        // long either.
        let becomes_values = course.left <= self.room
            && course.steps <= LONGEST * tuning.straight_size
            && in_private_memory(w);
        let room = match becomes_values {
            true => Room {
                inside: course.left,
                is_all: true,
            },
            false => Room {
                inside: self
                    .room
                    .checked_sub(straight_size(w, course.iterations()))?,
                is_all: false,
            },
        };
        Some((course, room))
    }

    /// Appends an iteration for each time of which something is `known` of the parameters, the last one as far as the
    /// test. Gives what the loop results in.
    fn straight(
        &mut self,
        w: &While,
        known: &[Vec<Option<u32>>],
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        let mut now = w.init.clone();
        for (nth, words) in known.iter().enumerate() {
            self.begin(w, (now, words), out);
            now = match nth + 1 < known.len() {
                true => self.go_on(w, out),
                false => Vec::new(),
            };
        }
        w.exits
            .iter()
            .map(|exit| self.renaming.get(*exit))
            .collect()
    }

    /// The same of a loop that may be left in each of them: what comes after a test is in its first arm, and so is more
    /// that is known of the parameters.
    fn nested(
        &mut self,
        w: &While,
        known: &[Vec<Option<u32>>],
        (now, loc): (Vec<Value>, Loc),
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        let Some((words, later)) = known.split_first() else {
            return Vec::new();
        };
        self.begin(w, (now, words), out);
        let exits: Vec<_> = w
            .exits
            .iter()
            .map(|exit| self.renaming.get(*exit))
            .collect();
        if later.is_empty() {
            return exits;
        }
        let cond = self.renaming.get(w.cond);
        let mut then = Arm::default();
        let now = self.go_on(w, &mut then.block.insts);
        then.yields = self.nested(w, later, (now, loc), &mut then.block.insts);
        let results = exits
            .iter()
            .map(|exit| self.function.new_value(self.function.ty(*exit)));
        let results: Results = results.collect();
        let given = results.to_vec();
        let els = Arm {
            yields: exits,
            ..Arm::default()
        };
        out.push(Inst {
            results,
            op: Op::If {
                cond,
                then: Box::new(then),
                els: Box::new(els),
            },
            loc,
        });
        given
    }

    /// Appends what comes before the test, for these parameters: constants where their words are known.
    fn begin(
        &mut self,
        w: &While,
        (now, words): (Vec<Value>, &[Option<u32>]),
        out: &mut Vec<Inst>,
    ) {
        // Nothing that stands for something is stood for itself: all of `now` is new, or from outside of the loop.
        for (param, (value, word)) in w.params.iter().zip(now.into_iter().zip(words)) {
            let ty = self.function.ty(value);
            let is_word = ty == Type::Bool || ty.is_int() && !ty.is_wide();
            let known = word.filter(|_| is_word && self.defs.constant(value).is_none());
            let value = match known {
                Some(word) => {
                    let op = Op::Const(Const(word.into()));
                    let constant = self.function.push(op.clone(), ty, Loc::NONE, out);
                    self.defs.set(constant, &op);
                    constant
                }
                None => value,
            };
            self.renaming.set(*param, value);
        }
        self.copy(&w.before, out);
    }

    /// Appends what comes after the test, and gives the next parameters.
    fn go_on(&mut self, w: &While, out: &mut Vec<Inst>) -> Vec<Value> {
        self.copy(&w.after, out);
        w.next.iter().map(|v| self.renaming.get(*v)).collect()
    }

    fn copy(&mut self, block: &Block, out: &mut Vec<Inst>) {
        let mut copy = block.clone();
        let mut copies = Vec::new();
        copy.definitions_mut(&mut |v| {
            let new = self.function.new_value(self.function.ty(*v));
            copies.push((*v, new));
            self.renaming.set(*v, new);
            *v = new;
        });
        self.renaming.block(&mut copy);
        if copy.any(&|op| matches!(op, Op::While(_))) {
            // How often these continue may be known now.
            self.block(&mut copy);
            for (value, new) in copies {
                self.renaming.set(value, self.renaming.get(new));
            }
        } else {
            copy.insts.iter_mut().for_each(|inst| self.define(inst));
        }
        out.append(&mut copy.insts);
    }
}

/// Instructions that a loop becomes with so many iterations.
fn straight_size(w: &While, iterations: usize) -> usize {
    (iterations + 1) * size(&w.before) + iterations * size(&w.after)
}

/// Whether a loop reads or writes private memory, which is taken apart once all of its places are constants.
fn in_private_memory(w: &While) -> bool {
    let private = |op: &Op| {
        matches!(
            op,
            Op::Load {
                alias: Alias::Private(_),
                ..
            } | Op::Store {
                alias: Alias::Private(_),
                ..
            }
        )
    };
    w.before.any(&private) || w.after.any(&private)
}
