//! Two versions of a loop: one without bounds checks, for when all of them will hold, and the loop as it was.
//!
//! A check is an `If` on `index < len` with an arm that records a fault. If `len` does not change in the loop and
//! `index` has an upper bound made of values that do not change either ([`super::bounds`]), then comparing the bound
//! with `len` once, before the loop, answers for all iterations. The test is an ordinary branch: where lanes disagree
//! about it, each runs its own version. Loops with barriers or warp operations are not split like that, nor is the loop
//! over a warp's items, whose last iteration narrows the mask of the whole warp, nor are loops with a result that all
//! lanes share: there the test is about values that all lanes share. Warps of a group may disagree: their versions
//! reach the same barriers. The loop over blocks of groups is taken by all warps of a group or by none: there the test
//! is about values that they all share.
//!
//! A *guard* is an `If` on `index < n` around most of an iteration (`if i < y.len() { .. }`). It is not a failure if it
//! does not hold, so it is not made a condition of the version without checks; but where it will hold in all
//! iterations, a third version does without it too. The loop over a warp's items has a version without guards also
//! where no checks are left to answer.
//!
//! Outer loops come first, the loop over a warp's items above all: there the test costs next to nothing. A loop whose
//! inner loops have checks that it cannot test leaves these to them; except the loop over a warp's items, whose version
//! without the other checks has inner loops that are processed again. What an inner loop cannot test before it, it may
//! test after it ([`super::speculate`]).

mod collect;

use super::bounds::Bounds;
use super::checks::{check_of, look_up, open_check_of};
use super::conditions::{Emit, Obligation, merged};
use super::course::size;
use super::defs::Defs;
use super::loops::{clone_inst, mark_inside, narrows};
use super::speculate;
use super::symbolic::Sym;
use super::uniformity::Uniformity;
use crate::ir::check_note::{CheckNote, Fate, Why};
use crate::ir::{Arm, Block, Const, Function, Inst, Loc, Op, SecondaryMap, Type, Value, While};
use crate::meta::count;
use collect::{Answer, Check, Collect, is_guard};
use rustc_hash::FxHashSet;

/// Loops with more instructions, those of failures aside, are not duplicated. That over blocks of groups never is,
/// since it need not run; how large it may become has been decided by `group_coarsening`.
const SIZE_LIMIT: usize = 600;

/// Versions the loops of a structured function.
pub fn loop_versioning(function: &mut Function) {
    let mut notes = Vec::new();
    let mut within = None;
    loop {
        let uniformity = Uniformity::of(function);
        let in_group = function
            .body
            .any(&|op| matches!(op, Op::While(w) if w.optional && w.after.any(&Op::is_barrier)))
            .then(|| Uniformity::in_group(function));
        let mut body = std::mem::take(&mut function.body);
        // Values of the versions that were made are not known yet.
        let mut pass = Version {
            defs: Defs::of(&body, function),
            inside: function.map_values(false),
            uniformity,
            in_group,
            function,
            notes,
            loops: 0,
            known: Vec::new(),
            within,
            partial: FxHashSet::default(),
        };
        pass.block(&mut body);
        notes = pass.notes;
        let partial = pass.partial;
        function.body = body;
        if partial.is_empty() {
            break;
        }
        within = Some(partial);
    }
    look_up(&mut notes, &function.body);
    function.check_notes.append(&mut notes);
}

/// Of each check in the body of an item, in the order of the code, whether it can be answered before the loop over
/// items.
pub(super) fn answers(bounds: Bounds<'_>, body: &Block) -> Vec<bool> {
    let checks = Collect::of_body(bounds, body);
    checks.iter().map(|check| check.answer.is_ok()).collect()
}

struct Version<'a> {
    function: &'a mut Function,
    defs: Defs,
    inside: SecondaryMap<Value, bool>,
    uniformity: Uniformity,
    /// The same among the items of a group, if warps of a group are to run the same groups.
    in_group: Option<Uniformity>,
    /// What becomes of checks.
    notes: Vec<CheckNote>,
    /// How many loops there are around what is looked at.
    loops: u32,
    /// The conditions that hold there, or do not.
    known: Vec<(Value, bool)>,
    /// If only loops inside of certain ones are looked at: the first parameters of these.
    within: Option<FxHashSet<Value>>,
    /// The first parameters of loops that are to be looked into again.
    partial: FxHashSet<Value>,
}

/// What is known about a loop before it.
struct Answers {
    checks: Vec<Check>,
    /// One for each guard: the answers to all of its comparisons, if there are any.
    guards: Vec<Option<Vec<Answer>>>,
    /// The other checks are answered after the loop.
    trial: Option<speculate::Plan>,
    /// Inner loops are still to be looked at.
    partial: bool,
}

impl Version<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        let known = self.known.len();
        for mut inst in std::mem::take(&mut block.insts) {
            if let Op::Assume(cond) = inst.op {
                self.known.push((cond, true));
            }
            let is_wanted = match &inst.op {
                Op::While(w) if self.loops == 0 => self.is_wanted(w),
                _ => true,
            };
            if !is_wanted {
                out.push(inst);
                continue;
            }
            if self.within.is_none() && self.optional(&mut inst) {
                out.push(inst);
                continue;
            }
            if let Op::While(w) = &inst.op
                && (self.loops > 0 || self.within.is_none())
                && let Some(answers) = self.answers(w, &inst.results)
            {
                self.versions(inst, &answers, &mut out);
                continue;
            }
            match &mut inst.op {
                Op::If { cond, then, els } => {
                    self.block_where((*cond, true), &mut then.block);
                    self.block_where((*cond, false), &mut els.block);
                }
                Op::While(w) => {
                    self.loops += 1;
                    self.block(&mut w.before);
                    self.block_where((w.cond, true), &mut w.after);
                    self.loops -= 1;
                }
                op => {
                    for nested in op.blocks_mut().into_iter().flatten() {
                        self.block(nested);
                    }
                }
            }
            out.push(inst);
        }
        self.known.truncate(known);
        block.insts = out;
    }

    fn block_where(&mut self, condition: (Value, bool), block: &mut Block) {
        self.known.push(condition);
        self.block(block);
        self.known.pop();
    }

    /// If an instruction is an `If` around a loop that need not run, puts that into another one, for what answers the
    /// checks and guards of the loop: it is asked where the loop would run at all. If there is no answer to a check,
    /// the loop is dropped. Returns whether it is one.
    fn optional(&mut self, inst: &mut Inst) -> bool {
        let loc = inst.loc;
        let Op::If { then, els, .. } = &mut inst.op else {
            return false;
        };
        let insts = &mut then.block.insts;
        let Some(at) = insts
            .iter_mut()
            .position(|inst| optional_loop(inst).is_some())
        else {
            return false;
        };
        let mut inner = insts.split_off(at);
        let answered = optional_loop(&mut inner[0])
            .and_then(|(results, w)| self.answered(w, results, loc, insts));
        let holds = match answered {
            Some(Some(holds)) => holds,
            Some(None) => {
                insts.append(&mut inner);
                return true;
            }
            None => {
                self.function.facts.coarsening = None;
                self.function
                    .push(Op::Const(Const(0)), Type::Bool, loc, insts)
            }
        };
        let fallback = Arm {
            is_fallback: true,
            ..Arm::clone(els)
        };
        let without = Inst {
            results: inst.results.clone(),
            op: Op::branch(holds, Arm::default(), fallback),
            loc,
        };
        let mut around = clone_inst(self.function, &without);
        if let Op::If { then: arm, .. } = &mut around.op {
            arm.block.insts = inner;
            arm.yields = std::mem::replace(&mut then.yields, around.results.to_vec());
        }
        then.block.insts.push(around);
        true
    }

    /// What answers all checks of a loop before it, and its guards as far as that can be, if anything has to;
    /// appended to `out`. The loop is then without them. Nothing if there is no answer to a check.
    fn answered(
        &mut self,
        w: &mut While,
        results: &[Value],
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Option<Option<Value>> {
        let Some(answers) = self.answers(w, results) else {
            return (!can_fail(&w.before, None) && !can_fail(&w.after, None)).then_some(None);
        };
        let mut obligations: Vec<Obligation> = Vec::new();
        for check in &answers.checks {
            obligations.extend(check.answer.as_ref().ok()?.0.iter().cloned());
        }
        let guards = answers.guards.iter().flatten().flatten();
        obligations.extend(guards.flat_map(|answer| answer.0.iter().cloned()));
        let truth = self.truth(loc, out);
        let holds = self.condition(obligations.into_iter(), loc, out);
        let mut verdicts = answers.checks.iter().map(|_| true);
        drop_guards(w, &answers, truth);
        take_answers(&mut w.before, &mut verdicts, truth, &self.defs);
        take_answers(&mut w.after, &mut verdicts, truth, &self.defs);
        let fails = can_fail(&w.before, Some(truth)) || can_fail(&w.after, Some(truth));
        (!fails).then_some(holds)
    }

    fn truth(&mut self, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let truth = Op::Const(Const(1));
        self.function.push(truth, Type::Bool, loc, out)
    }

    /// Whether an outermost loop is one of those that are looked at.
    fn is_wanted(&self, w: &While) -> bool {
        self.within
            .as_ref()
            .is_none_or(|within| w.params.first().is_some_and(|param| within.contains(param)))
    }

    /// The checks of a loop, if it is worth while to answer them before it.
    fn answers(&mut self, w: &While, results: &[Value]) -> Option<Answers> {
        let size = size(&w.before) + size(&w.after);
        let in_group = self.in_group.as_ref().filter(|_| w.optional);
        if size > SIZE_LIMIT && in_group.is_none() {
            self.note_all(&w.before, Why::Large(size));
            self.note_all(&w.after, Why::Large(size));
            return None;
        }
        // Two versions must not part the items that do something together, now or later: what comes of a loop that
        // all lanes do alike may decide about a barrier.
        let together = |block: &Block| block.any(&Op::is_collective);
        let alike = results.iter().any(|v| self.uniformity.is_uniform(*v));
        let items = narrows(w) || w.optional;
        let whole = alike || items || together(&w.before) || together(&w.after);
        mark_inside(w, &mut self.inside, true);
        let mut unknown = self.inside.clone();
        if whole {
            let uniformity = in_group.unwrap_or(&self.uniformity);
            for (value, unknown) in unknown.iter_mut() {
                *unknown |= uniformity.is_divergent(value);
            }
        }
        let mut bounds = Bounds::new(self.function, &self.defs, &unknown);
        for (cond, truth) in &self.known {
            bounds.learn(*cond, *truth);
        }
        let (checks, guards) = Collect::all(bounds, w);
        let verdicts: Vec<bool> = checks.iter().map(|c| c.answer.is_ok()).collect();
        let trial = match whole {
            true => None,
            false => speculate::plan(w, &verdicts, &self.defs, &self.inside),
        };
        mark_inside(w, &mut self.inside, false);
        let answered = checks.iter().any(|c| c.answer.is_ok());
        // The loop over a warp's items is worth two versions for its guards alone: without, they part no lanes.
        let guarded = self.loops == 0 && guards.iter().any(Option::is_some);
        let left = checks.iter().any(Check::is_left_to_inner);
        // One that need not run has nothing to lose.
        let answered = answered || guarded && w.optional;
        let own = |c: &Check| !c.in_inner_loop && c.answer.is_ok();
        let partial = left && items && size <= SIZE_LIMIT && (guarded || checks.iter().any(own));
        let versions = trial.is_some() || (answered || guarded) && (!left || partial);
        self.note(&checks, versions, partial);
        versions.then_some(Answers {
            checks,
            guards,
            trial,
            partial,
        })
    }

    /// Notes what becomes of the checks of a loop. Those of loops inside are noted there if it has no two versions.
    fn note(&mut self, checks: &[Check], versions: bool, partial: bool) {
        let later = |c: &&Check| !versions && c.in_inner_loop || partial && c.is_left_to_inner();
        for check in checks.iter().filter(|c| !later(c)) {
            let fate = match &check.answer {
                Ok(_) if !versions => Fate::Kept(Why::InnerLoop),
                Ok(_) if self.loops == 0 => Fate::BeforeItems,
                Ok(_) => Fate::BeforeLoop,
                Err(why) => Fate::Kept(*why),
            };
            let note = |site| CheckNote { site, fate };
            self.notes.extend(check.site.map(note));
        }
    }

    /// Notes that the checks of a loop, those of loops inside aside, are kept.
    fn note_all(&mut self, block: &Block, why: Why) {
        for inst in &block.insts {
            let site = check_of(inst).and_then(|(_, site)| site);
            let fate = Fate::Kept(why);
            self.notes.extend(site.map(|site| CheckNote { site, fate }));
            if let Op::If { then, els, .. } = &inst.op {
                self.note_all(&then.block, why);
                self.note_all(&els.block, why);
            }
        }
    }

    fn versions(&mut self, inst: Inst, answers: &Answers, out: &mut Vec<Inst>) {
        let truth = self.truth(inst.loc, out);
        let checks = answers.checks.iter().filter_map(|c| c.answer.as_ref().ok());
        let lengths = answers.trial.iter().flat_map(|plan| &plan.lengths);
        let elements = lengths.map(|len| Obligation::Less(Sym::Const(0), Sym::Value(*len)));
        let obligations = checks
            .flat_map(|answer| answer.0.iter().cloned())
            .chain(elements);
        let Some(cond) = self.condition(obligations, inst.loc, out) else {
            if answers.partial {
                self.look_into(&inst);
            }
            let without_guards = self.without_guards(inst, answers, truth, out);
            out.push(without_guards);
            return;
        };
        count!("loop_versioning", "loops with checks before them", 1);
        let checks = answers.checks.iter();
        count!(
            "loop_versioning",
            "checks before loops",
            checks.filter(|check| check.answer.is_ok()).count()
        );
        let mut fast = clone_inst(self.function, &inst);
        let mut verdicts = answers.checks.iter().map(|c| c.answer.is_ok());
        if let Op::While(w) = &mut fast.op {
            take_answers(&mut w.before, &mut verdicts, truth, &self.defs);
            take_answers(&mut w.after, &mut verdicts, truth, &self.defs);
        }
        if let Some(plan) = &answers.trial {
            let versions = self.attempt(plan, fast, (cond, truth), inst, out);
            out.push(versions);
            return;
        }
        if answers.partial {
            self.look_into(&fast);
        }
        let mut without_checks = Vec::new();
        let fast = self.without_guards(fast, answers, truth, &mut without_checks);
        without_checks.push(fast);
        let versions = self.either(cond, without_checks, inst);
        out.push(versions);
    }

    /// A loop without checks, tried, and what is done where it fails; the former is appended to `out`.
    fn attempt(
        &mut self,
        plan: &speculate::Plan,
        fast: Inst,
        answered: (Value, Value),
        slow: Inst,
        out: &mut Vec<Inst>,
    ) -> Inst {
        count!("loop_versioning", "loops with checks after them", 1);
        let (yields, fine) = speculate::attempt(self.function, plan, fast, answered, out);
        self.otherwise(fine, Vec::new(), yields, slow)
    }

    /// The loops inside of one are to be looked at once more.
    fn look_into(&mut self, inst: &Inst) {
        if let Op::While(w) = &inst.op {
            self.partial.extend(w.params.first());
        }
    }

    /// A loop, or the choice between it and the same without its guards, for when they hold in all iterations. What
    /// that is decided by is appended to `out`.
    fn without_guards(
        &mut self,
        inst: Inst,
        answers: &Answers,
        truth: Value,
        out: &mut Vec<Inst>,
    ) -> Inst {
        let guards = answers.guards.iter().flatten().flatten();
        let Some(cond) = self.condition(
            guards.flat_map(|answer| answer.0.iter().cloned()),
            inst.loc,
            out,
        ) else {
            return inst;
        };
        let mut fastest = clone_inst(self.function, &inst);
        if let Op::While(w) = &mut fastest.op {
            drop_guards(w, answers, truth);
        }
        if answers.partial {
            self.look_into(&fastest);
        }
        self.either(cond, vec![fastest], inst)
    }

    /// `if cond { then } else { slow }`, with the results of `slow`; `then` ends in another version of it.
    fn either(&mut self, cond: Value, then: Vec<Inst>, slow: Inst) -> Inst {
        let yields = then.last().map_or_else(Vec::new, |i| i.results.to_vec());
        self.otherwise(cond, then, yields, slow)
    }

    /// `if cond { then; yield .. } else { slow }`, with the results of `slow`.
    fn otherwise(
        &mut self,
        cond: Value,
        then: Vec<Inst>,
        yields: Vec<Value>,
        mut slow: Inst,
    ) -> Inst {
        let results = slow.results.clone();
        for result in &mut slow.results {
            *result = self.function.new_value(self.function.ty(*result));
        }
        let loc = slow.loc;
        let then = Arm::new(Block { insts: then }, yields);
        let els = Arm {
            yields: slow.results.to_vec(),
            block: Block { insts: vec![slow] },
            is_fallback: true,
        };
        Inst {
            results,
            op: Op::branch(cond, then, els),
            loc,
        }
    }

    /// The conjunction of all obligations; `None` without any.
    fn condition(
        &mut self,
        obligations: impl Iterator<Item = Obligation>,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Option<Value> {
        let mut emit = Emit::new(self.function, loc);
        let mut all = None;
        for obligation in merged(obligations) {
            let holds = emit.obligation(&obligation);
            all = Some(emit.and(all, holds));
        }
        out.append(&mut emit.block.insts);
        all
    }
}

/// The results of a loop that need not run, and the loop.
fn optional_loop(inst: &mut Inst) -> Option<(&[Value], &mut While)> {
    match &mut inst.op {
        Op::While(w) if w.optional => Some((&inst.results, w)),
        _ => None,
    }
}

/// Whether anything in a block records a failure, except for what does so only where `truth` does not hold.
fn can_fail(block: &Block, truth: Option<Value>) -> bool {
    block.insts.iter().any(|inst| match &inst.op {
        Op::Record { .. } => true,
        Op::If { cond, then, .. } if Some(*cond) == truth => can_fail(&then.block, truth),
        Op::If { then, els, .. } if els.is_fallback => can_fail(&then.block, truth),
        op => (op.blocks().into_iter().flatten()).any(|block| can_fail(block, truth)),
    })
}

/// Replaces the conditions of answered checks, in the order [`Collect`] found them.
fn take_answers(
    block: &mut Block,
    verdicts: &mut dyn Iterator<Item = bool>,
    truth: Value,
    defs: &Defs,
) {
    for inst in &mut block.insts {
        if open_check_of(inst, defs).is_some()
            && verdicts.next() == Some(true)
            && let Op::If { cond, .. } = &mut inst.op
        {
            *cond = truth;
        }
        match &mut inst.op {
            Op::If { then, els, .. } if els.is_fallback => {
                take_answers(&mut then.block, verdicts, truth, defs);
            }
            op => {
                for nested in op.blocks_mut().into_iter().flatten() {
                    take_answers(nested, verdicts, truth, defs);
                }
            }
        }
    }
}

/// Replaces the conditions of answered guards.
fn drop_guards(w: &mut While, answers: &Answers, truth: Value) {
    let optional = w.optional;
    let insts = w.before.insts.iter_mut().chain(&mut w.after.insts);
    let guards = insts.filter(|inst| is_guard(inst, optional));
    for (guard, answer) in guards.zip(&answers.guards) {
        if let (Op::If { cond, els, .. }, Some(_)) = (&mut guard.op, answer) {
            *cond = truth;
            els.block.insts.clear();
        }
    }
}
