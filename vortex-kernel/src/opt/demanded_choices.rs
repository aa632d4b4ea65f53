//! A choice whose result is needed only where its condition is decided is no choice.
//!
//! ```text
//! loop {                                          loop {
//!     found = key == k                                found = key == k
//!     result = if found { value } else { 0 }          result = value
//!     at = if found { at } else { at + 1 }    ==>     at = at + 1
//!     if found | key == EMPTY { break }               if found | key == EMPTY { break }
//! }                                               }
//! if found { .. result .. }                       if found { .. result .. }
//! ```
//!
//! What a loop leaves with, and what it carries, is chosen once per exit as it is staged. Of each value it is
//! determined under which conditions it is needed at all: the arm that uses it, the next iteration that it is carried
//! to, the other part of an `&` or `|`. Where these conditions do not hold, a value may be anything, for nobody looks.
//!
//! Values that other lanes may read are needed whatever holds in this one.

use super::equal::agree;
use crate::ir::visit::Renaming;
use crate::ir::{
    Arm, BinOp, Block, Const, Function, Inst, Op, SecondaryMap, Type, UnOp, Value, While,
};
use crate::meta::count;
use smallvec::SmallVec;

/// Removes such choices from a structured function, and tells whether there were any.
pub fn demanded_choices(function: &mut Function) -> bool {
    if !function.body.any(&|op| matches!(op, Op::While(_))) {
        return false;
    }
    let mut body = std::mem::take(&mut function.body);
    let decided = Demand::of(&body, function).decided(&body);
    let mut renaming = Renaming::default();
    for (choice, value) in &decided {
        renaming.set(*choice, *value);
    }
    renaming.block(&mut body);
    count!("demanded_choices", "choices", decided.len());
    function.body = body;
    !decided.is_empty()
}

/// That a condition holds, or does not.
type Fact = (Value, bool);

/// Facts that hold together. They are about values of one iteration of each loop around.
type Facts = SmallVec<[Fact; 8]>;

/// How many facts are kept in mind: nested deeply, all of them would be too many to go through for each value.
const MOST: usize = 24;

/// How many operations a condition is looked through.
const DEPTH: u32 = 4;

struct Demand<'a> {
    function: &'a Function,
    /// The `if`s and pure operations that make values, and which of their results these are.
    defs: SecondaryMap<Value, Option<(&'a Op, usize)>>,
    /// The innermost loop that a value is defined in; 0 is none.
    loop_of: SecondaryMap<Value, u32>,
    /// The loop around each loop.
    parents: Vec<u32>,
    /// What holds wherever a value is needed; nothing if it is not needed anywhere.
    needed: SecondaryMap<Value, Option<Facts>>,
}

impl<'a> Demand<'a> {
    fn of(body: &'a Block, function: &'a Function) -> Self {
        let mut demand = Self {
            function,
            defs: function.map_values(None),
            loop_of: function.map_values(0),
            parents: vec![0],
            needed: function.map_values(None),
        };
        demand.define(body, 0);
        demand.block(body, &Facts::new());
        demand
    }

    /// Takes note of what makes each value, and where.
    fn define(&mut self, block: &'a Block, inside: u32) {
        for inst in &block.insts {
            for (nth, result) in inst.results.iter().enumerate() {
                self.loop_of[*result] = inside;
                let tells = inst.op.is_pure() || matches!(inst.op, Op::If { .. });
                self.defs[*result] = tells.then_some((&inst.op, nth));
            }
            let mut nested = inside;
            if let Op::While(w) = &inst.op {
                nested = u32::try_from(self.parents.len()).unwrap_or(u32::MAX);
                self.parents.push(inside);
                w.params
                    .iter()
                    .for_each(|param| self.loop_of[*param] = nested);
            }
            for block in inst.op.blocks().into_iter().flatten() {
                self.define(block, nested);
            }
        }
    }

    /// Whether an iteration that has the second value has only one of the first.
    fn is_one_for(&self, value: Value, other: Value) -> bool {
        let (wanted, mut at) = (self.loop_of[value], self.loop_of[other]);
        while at > wanted {
            at = self.parents[at as usize];
        }
        at == wanted
    }

    /// Where `value` is needed, `facts` hold.
    fn need(&mut self, value: Value, facts: &[Fact]) {
        match &mut self.needed[value] {
            Some(known) => known.retain(|fact| facts.contains(fact)),
            None => {
                let facts = facts.iter().filter(|fact| self.is_one_for(fact.0, value));
                self.needed[value] = Some(facts.copied().collect());
            }
        }
    }

    /// Adds a fact and what follows from it; gives false if that cannot be.
    fn learn(&self, facts: &mut Facts, (value, truth): Fact) -> bool {
        if let Some((_, known)) = facts.iter().find(|fact| fact.0 == value) {
            return *known == truth;
        }
        if facts.len() >= MOST {
            return true;
        }
        let both = |facts: &mut Facts, a, b| {
            self.learn(facts, (a, truth)) && self.learn(facts, (b, truth))
        };
        let follows = match self.defs[value] {
            Some((Op::Const(Const(word)), _)) => return (*word != 0) == truth,
            Some((Op::Unary(UnOp::Not, inverse), _)) => self.learn(facts, (*inverse, !truth)),
            Some((Op::Binary(BinOp::And, a, b), _)) if truth => both(facts, *a, *b),
            Some((Op::Binary(BinOp::Or, a, b), _)) if !truth => both(facts, *a, *b),
            Some((Op::Binary(BinOp::And | BinOp::Or, a, b), _)) => {
                self.learn_other(facts, [*a, *b], truth)
            }
            Some((Op::Select(cond, a, b), _)) => self.learn_choice(facts, *cond, [*a, *b], truth),
            Some((Op::If { cond, then, els }, nth)) => {
                self.learn_choice(facts, *cond, [then.yields[nth], els.yields[nth]], truth)
            }
            _ => true,
        };
        facts.push((value, truth));
        follows
    }

    /// What follows from what two conditions are together, if either does not decide that: the other one does.
    fn learn_other(&self, facts: &mut Facts, [a, b]: [Value; 2], truth: bool) -> bool {
        for (one, other) in [(a, b), (b, a)] {
            if self.known(facts, one, 1) == Some(!truth) {
                return self.learn(facts, (other, truth));
            }
        }
        true
    }

    /// What follows from what a choice between conditions comes to.
    fn learn_choice(&self, facts: &mut Facts, cond: Value, of: [Value; 2], truth: bool) -> bool {
        let [is_not_a, is_not_b] = of.map(|value| {
            let word = self.constant(value);
            word.is_some_and(|word| word != truth)
        });
        match (is_not_a, is_not_b) {
            (true, true) => false,
            (true, false) => self.learn(facts, (cond, false)) && self.learn(facts, (of[1], truth)),
            (false, true) => self.learn(facts, (cond, true)) && self.learn(facts, (of[0], truth)),
            (false, false) => true,
        }
    }

    fn constant(&self, value: Value) -> Option<bool> {
        match self.defs[value] {
            Some((Op::Const(Const(word)), _)) => Some(*word != 0),
            _ => None,
        }
    }

    /// `path` with more that holds; nothing if that cannot be.
    fn with(&self, path: &Facts, more: impl IntoIterator<Item = Fact>) -> Option<Facts> {
        let mut facts = path.clone();
        let holds = more.into_iter().all(|fact| self.learn(&mut facts, fact));
        holds.then_some(facts)
    }

    /// Follows a block backwards that runs where `path` holds.
    fn block(&mut self, block: &'a Block, path: &Facts) {
        for inst in block.insts.iter().rev() {
            match &inst.op {
                Op::If { cond, then, els } => {
                    for (arm, truth) in [(then, true), (els, false)] {
                        self.arm(&inst.results, *cond, arm, truth, path);
                    }
                    self.need(*cond, path);
                }
                Op::While(w) => self.while_loop(&inst.results, w, path),
                op if op.is_convergent() => op.operands(&mut |value| self.need(value, &[])),
                op if op.is_pure() => self.pure(op, &inst.results, path),
                op => op.operands(&mut |value| self.need(value, path)),
            }
        }
    }

    fn arm(&mut self, results: &[Value], cond: Value, arm: &'a Arm, truth: bool, path: &Facts) {
        let Some(inside) = self.with(path, [(cond, truth)]) else {
            return;
        };
        for (result, yielded) in results.iter().zip(&arm.yields) {
            if let Some(needed) = self.needed[*result].clone() {
                let facts = translated(&needed, results, &arm.yields);
                if let Some(facts) = self.with(&inside, facts) {
                    self.need(*yielded, &facts);
                }
            }
        }
        self.block(&arm.block, &inside);
    }

    fn while_loop(&mut self, results: &[Value], w: &'a While, path: &Facts) {
        let after = self.with(path, [(w.cond, true)]);
        loop {
            let carried = self.carried(w);
            for (result, exit) in results.iter().zip(&w.exits) {
                if let Some(needed) = &self.needed[*result] {
                    // Last, as what it leaves for follows from what holds besides.
                    let leaves = [(w.cond, false)];
                    let facts = translated(needed, results, &w.exits).chain(leaves);
                    if let Some(facts) = self.with(path, facts) {
                        self.need(*exit, &facts);
                    }
                }
            }
            if let Some(after) = &after {
                self.handed(w, &carried, &w.next, after);
                self.block(&w.after, after);
            }
            self.need(w.cond, path);
            self.block(&w.before, path);
            // Until an iteration is not found to need more of the one before.
            if carried == self.carried(w) {
                self.handed(w, &carried, &w.init, path);
                return;
            }
        }
    }

    /// Where what an iteration is given is needed.
    fn carried(&self, w: &While) -> Vec<Option<Facts>> {
        let needed = w.params.iter().map(|param| self.needed[*param].clone());
        needed.collect()
    }

    /// Where that is needed what becomes the parameters of an iteration.
    fn handed(&mut self, w: &While, carried: &[Option<Facts>], values: &[Value], path: &Facts) {
        for ((param, needed), value) in w.params.iter().zip(carried).zip(values) {
            let Some(needed) = needed else {
                continue;
            };
            // Of what holds in the iteration, only its parameters are known before it.
            let inside = self.loop_of[*param];
            let mut known = needed.clone();
            known.retain(|fact| self.loop_of[fact.0] != inside || w.params.contains(&fact.0));
            let facts = translated(&known, &w.params, values);
            if let Some(facts) = self.with(path, facts) {
                self.need(*value, &facts);
            }
        }
    }

    fn pure(&mut self, op: &Op, results: &[Value], path: &Facts) {
        let [result] = results[..] else {
            return;
        };
        let Some(needed) = &self.needed[result] else {
            return;
        };
        let Some(facts) = self.with(path, needed.iter().copied()) else {
            return;
        };
        let is_condition = self.function.ty(result) == Type::Bool;
        match op {
            Op::Select(cond, a, b) => {
                self.need(*cond, &facts);
                for (value, truth) in [(a, true), (b, false)] {
                    if let Some(facts) = self.with(&facts, [(*cond, truth)]) {
                        self.need(*value, &facts);
                    }
                }
            }
            Op::Binary(op @ (BinOp::And | BinOp::Or), a, b) if is_condition => {
                // One of both has to be there for the other one to be needed only where it does not decide.
                self.need(*a, &facts);
                if let Some(facts) = self.with(&facts, [(*a, *op == BinOp::And)]) {
                    self.need(*b, &facts);
                }
            }
            op => op.operands(&mut |value| self.need(value, &facts)),
        }
    }

    /// The choices that are none, and what they are instead.
    fn decided(&self, body: &Block) -> Vec<(Value, Value)> {
        let mut decided = Vec::new();
        body.visit(&mut |inst| {
            for (nth, result) in inst.results.iter().enumerate() {
                if let Some(facts) = &self.needed[*result]
                    && let Some(value) = self.decided_by(facts, inst, nth)
                {
                    decided.push((*result, value));
                }
            }
        });
        decided
    }

    /// Whether a condition holds where these facts do, if they tell; it is looked through `depth` operations.
    fn known(&self, facts: &Facts, cond: Value, depth: u32) -> Option<bool> {
        let told = facts.iter().find_map(|(value, truth)| {
            let same = agree(self.function, |value| self.op(value), cond, *value)?;
            Some(*truth == same)
        });
        if told.is_some() {
            return told;
        }
        let depth = depth.checked_sub(1)?;
        let known = |value: &Value| self.known(facts, *value, depth);
        match self.op(cond)? {
            Op::Const(Const(word)) => Some(*word != 0),
            Op::Unary(UnOp::Not, inverse) => Some(!known(inverse)?),
            Op::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let decides = *op == BinOp::Or;
                match [known(a), known(b)] {
                    [Some(truth), _] | [_, Some(truth)] if truth == decides => Some(decides),
                    [Some(_), Some(_)] => Some(!decides),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn op(&self, value: Value) -> Option<&'a Op> {
        self.defs[value].map(|(op, _)| op)
    }

    /// What a result is where that holds, if it is no choice then.
    fn decided_by(&self, facts: &Facts, inst: &Inst, nth: usize) -> Option<Value> {
        let known = |value: Value| self.known(facts, value, DEPTH);
        match &inst.op {
            Op::Select(cond, a, b) => Some(if known(*cond)? { *a } else { *b }),
            Op::Binary(op @ (BinOp::And | BinOp::Or), a, b)
                if self.function.ty(inst.results[nth]) == Type::Bool =>
            {
                let leaves_open = |value: &Value| known(*value) == Some(*op == BinOp::And);
                match (leaves_open(a), leaves_open(b)) {
                    (true, _) => Some(*b),
                    (false, true) => Some(*a),
                    _ => None,
                }
            }
            Op::If { cond, then, els } => {
                let arm = if known(*cond)? { then } else { els };
                let value = arm.yields[nth];
                let mut inside = arm.block.insts.iter();
                (!inside.any(|inst| inst.results.contains(&value))).then_some(value)
            }
            _ => None,
        }
    }
}

/// Facts about some values as facts about what those are made of.
fn translated<'f>(
    facts: &'f Facts,
    of: &'f [Value],
    values: &'f [Value],
) -> impl Iterator<Item = Fact> + 'f {
    facts.iter().map(|(value, truth)| {
        let at = of.iter().position(|other| other == value);
        (at.map_or(*value, |at| values[at]), *truth)
    })
}
