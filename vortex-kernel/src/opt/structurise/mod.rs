//! Turns jumps into structure: staged loops become [`Op::While`]s, `break`, `continue` and `return` become conditions.
//!
//! * `loop { a; if c { break } b }` becomes `while { a; test !c; b }`, without flags.
//! * `if c { ..; return } rest` becomes `if c { .. } else { rest }`; a jump to where control falls anyway vanishes.
//! * Any other jump sets `bool` flags, and what it skips is guarded by them. Every loop has two: *leave* ends its
//!   iterations, *skip* only the current one; `return` has one for the whole function. A jump out of several loops sets
//!   the flags of all of them, so that each guard tests one flag. Flags that are never tested are dead, and `dce`
//!   removes them.
//!
//! * A scope dissolves: a `break` at its end vanishes, and any other sets the scope's *skip*.
//!
//! Flags are variables: `opt::ssa` comes next. Nothing is duplicated, so instructions stay convergent as written.

mod exit;
mod jumps;

use crate::ir::verify::{MAX_NESTING, Rule};
use crate::ir::visit::Renaming;
use crate::ir::{
    Arm, Block, Const, Function, Inst, Label, Loc, Op, Results, Type, UnOp, Value, Var,
    VerifyError, While,
};
use exit::Exit;
pub(super) use jumps::only_returns;
use jumps::{Target, always_jumps, escapes, leaves};
use smallvec::smallvec;

/// Brings a verified staged function into the structured form, except for its variables.
///
/// # Errors
/// When the result would be nested more deeply than the verifier allows.
pub fn structurise(function: &mut Function) -> Result<(), VerifyError> {
    let body = std::mem::take(&mut function.body);
    let mut pass = Structuriser {
        function,
        loops: Vec::new(),
        returned: None,
        renaming: Renaming::default(),
        depth: 0,
        too_deep: None,
    };
    let (mut insts, _) = pass.lower(body.insts, Vec::new(), &[Target::Return]);
    if let Some(flag) = pass.returned {
        let clear = pass.assign(flag, false, Loc::NONE);
        insts.splice(0..0, clear);
    }
    let (renaming, too_deep) = (pass.renaming, pass.too_deep);
    function.body = Block { insts };
    renaming.block(&mut function.body);
    match too_deep {
        None => Ok(()),
        Some(loc) => Err(VerifyError {
            inst: format!("kernel {:?}", function.name),
            loc: function.locs.get(loc).cloned(),
            rule: Rule::TooDeep,
        }),
    }
}

/// A loop or scope around what is being lowered.
struct Enclosing {
    label: Label,
    repeats: bool,
    leave: Option<Var>,
    skip: Option<Var>,
}

struct Structuriser<'a> {
    function: &'a mut Function,
    loops: Vec<Enclosing>,
    returned: Option<Var>,
    renaming: Renaming,
    depth: u32,
    too_deep: Option<Loc>,
}

fn new_flag(function: &mut Function, flag: &mut Option<Var>) -> Var {
    *flag.get_or_insert_with(|| function.vars.push(Type::Bool))
}

impl Structuriser<'_> {
    fn assign(&mut self, flag: Var, value: bool, loc: Loc) -> [Inst; 2] {
        let word = Op::Const(Const::from(u32::from(value)));
        let (constant, word) = self.function.inst(word, Type::Bool, loc);
        [word, Inst::effect(Op::VarSet(flag, constant), loc)]
    }

    /// The flag that says that the rest of the innermost scope or loop's iteration is to be skipped.
    fn guard_flag(&mut self) -> Var {
        match self.loops.last_mut() {
            Some(inner) => new_flag(self.function, &mut inner.skip),
            None => new_flag(self.function, &mut self.returned),
        }
    }

    /// Sets the flags that make control arrive at `target`.
    fn jump(&mut self, target: Target, loc: Loc, out: &mut Vec<Inst>) {
        let mut flags = Vec::new();
        let end = match target {
            Target::Return => {
                flags.push(new_flag(self.function, &mut self.returned));
                0
            }
            Target::Break(label) | Target::Continue(label) => {
                let at = self.loops.iter().rposition(|l| l.label == label);
                at.unwrap_or(0)
            }
        };
        for (depth, enclosing) in self.loops.iter_mut().enumerate().skip(end) {
            flags.push(new_flag(self.function, &mut enclosing.skip));
            let stays = depth == end && matches!(target, Target::Continue(_));
            if enclosing.repeats && !stays {
                flags.push(new_flag(self.function, &mut enclosing.leave));
            }
        }
        for flag in flags {
            out.extend(self.assign(flag, true, loc));
        }
    }

    /// Stand-ins for values that are not there on the way that is taken.
    fn placeholders(&mut self, like: &[Value], out: &mut Vec<Inst>) -> Vec<Value> {
        like.iter()
            .map(|v| {
                let ty = self.function.ty(*v);
                self.function.push(Op::Const(Const(0)), ty, Loc::NONE, out)
            })
            .collect()
    }

    /// Lowers the instructions of a block that yields `yields`; falling off its end leads to all of `tail`.
    fn lower(
        &mut self,
        insts: Vec<Inst>,
        yields: Vec<Value>,
        tail: &[Target],
    ) -> (Vec<Inst>, Vec<Value>) {
        if self.depth > MAX_NESTING {
            self.too_deep = self.too_deep.or(insts.first().map(|i| i.loc));
            return (Vec::new(), yields);
        }
        self.depth += 1;
        let lowered = self.lower_insts(insts, yields, tail);
        self.depth -= 1;
        lowered
    }

    fn lower_insts(
        &mut self,
        insts: Vec<Inst>,
        yields: Vec<Value>,
        tail: &[Target],
    ) -> (Vec<Inst>, Vec<Value>) {
        let mut out = Vec::new();
        let mut rest = insts.into_iter();
        while let Some(Inst { results, op, loc }) = rest.next() {
            if let Some(target) = Target::of(&op) {
                if !tail.contains(&target) {
                    self.jump(target, loc, &mut out);
                }
                let yields = self.placeholders(&yields, &mut out);
                return (out, yields);
            }
            let this = [Inst { results, op, loc }];
            let leaves = !escapes(&this).is_empty();
            let ends = leaves && always_jumps(&this);
            let [Inst { results, op, loc }] = this;
            match op {
                Op::If { cond, then, els } if leaves => {
                    let jumps = [&then, &els].map(|arm| always_jumps(&arm.block.insts));
                    let rest: Vec<Inst> = rest.collect();
                    let branch = Branch {
                        cond,
                        then: *then,
                        els: *els,
                        results,
                        loc,
                    };
                    let yields = match jumps {
                        // Nothing after it is ever reached.
                        [true, true] => {
                            out.extend(self.branch(branch, tail));
                            self.placeholders(&yields, &mut out)
                        }
                        [false, false] if !rest.is_empty() => {
                            out.extend(self.branch(branch, &[]));
                            self.guarded(rest, yields, tail, loc, &mut out)
                        }
                        [false, false] => {
                            out.extend(self.branch(branch, tail));
                            yields
                        }
                        [_, els_jumps] => {
                            self.rest_into_arm(branch, els_jumps, rest, yields, tail, &mut out)
                        }
                    };
                    return (out, yields);
                }
                Op::If { cond, then, els } => out.extend(self.branch(
                    Branch {
                        cond,
                        then: *then,
                        els: *els,
                        results,
                        loc,
                    },
                    &[],
                )),
                Op::Loop { label, body, step } => {
                    out.extend(self.staged_loop(label, body, step, loc));
                    if ends {
                        let yields = self.placeholders(&yields, &mut out);
                        return (out, yields);
                    }
                    if leaves && rest.len() > 0 {
                        let yields = self.guarded(rest.collect(), yields, tail, loc, &mut out);
                        return (out, yields);
                    }
                }
                Op::Scope { label, body } => {
                    let is_last = rest.len() == 0;
                    let tail_of_scope = if is_last { tail } else { &[] };
                    out.extend(self.scope(label, body, tail_of_scope, loc));
                    if ends {
                        let yields = self.placeholders(&yields, &mut out);
                        return (out, yields);
                    }
                    if leaves && !is_last {
                        let yields = self.guarded(rest.collect(), yields, tail, loc, &mut out);
                        return (out, yields);
                    }
                }
                op => out.push(Inst { results, op, loc }),
            }
        }
        (out, yields)
    }

    /// An `If` whose arms both lead to `tail`.
    fn branch(&mut self, branch: Branch, tail: &[Target]) -> [Inst; 1] {
        let Branch {
            cond,
            then,
            els,
            results,
            loc,
        } = branch;
        let [then, els] = [then, els].map(|arm| {
            let Arm {
                block,
                yields,
                is_fallback,
            } = arm;
            // An arm that jumps need not name what it yields.
            let unnamed = yields.len() < results.len();
            let (mut insts, mut yields) = self.lower(block.insts, yields, tail);
            if unnamed {
                yields = self.placeholders(&results, &mut insts);
            }
            Arm {
                block: Block { insts },
                yields,
                is_fallback,
            }
        });
        let op = Op::branch(cond, then, els);
        [Inst { results, op, loc }]
    }

    /// `if c { ..; jump } else { B } rest` as `if c { .. } else { B; rest }`, and the mirror image.
    fn rest_into_arm(
        &mut self,
        mut branch: Branch,
        into_then: bool,
        rest: Vec<Inst>,
        yields: Vec<Value>,
        tail: &[Target],
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        let (stays, jumps) = if into_then {
            (&mut branch.then, &mut branch.els)
        } else {
            (&mut branch.els, &mut branch.then)
        };
        for (result, value) in branch.results.drain(..).zip(stays.yields.drain(..)) {
            self.renaming.set(result, value);
        }
        stays.block.insts.extend(rest);
        // What the enclosing block yields from in there must come out as a result.
        let inner = |v: &Value| {
            let v = self.renaming.get(*v);
            let mut defined = stays.block.insts.iter().flat_map(|i| &i.results);
            defined.any(|d| *d == v)
        };
        let leaving: Vec<Value> = yields.iter().copied().filter(inner).collect();
        let mut new_yields = yields;
        for v in &mut new_yields {
            if leaving.contains(v) {
                let ty = self.function.ty(*v);
                *v = self.function.new_value(ty);
                branch.results.push(*v);
            }
        }
        stays.yields = leaving;
        jumps.yields = Vec::new();
        out.extend(self.branch(branch, tail));
        new_yields
    }

    /// What follows something that may have jumped: runs unless the flag is set.
    fn guarded(
        &mut self,
        rest: Vec<Inst>,
        yields: Vec<Value>,
        tail: &[Target],
        loc: Loc,
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        let flag = self.guard_flag();
        let cond = self.function.push(Op::VarGet(flag), Type::Bool, loc, out);
        let skipped = Branch {
            cond,
            then: Arm::default(),
            els: Arm::default(),
            results: Results::new(),
            loc,
        };
        self.rest_into_arm(skipped, false, rest, yields, tail, out)
    }

    /// The instructions of a scope, with the flag they may need.
    fn scope(&mut self, label: Label, body: Block, tail: &[Target], loc: Loc) -> Vec<Inst> {
        self.loops.push(Enclosing {
            label,
            repeats: false,
            leave: None,
            skip: None,
        });
        let mut ends = tail.to_vec();
        ends.push(Target::Break(label));
        let (mut insts, _) = self.lower(body.insts, Vec::new(), &ends);
        self.clear_skip(&mut insts, loc);
        self.loops.pop();
        insts
    }

    /// A staged loop as a `While`, with the flags it needs.
    fn staged_loop(
        &mut self,
        label: Label,
        mut body: Block,
        mut step: Block,
        loc: Loc,
    ) -> Vec<Inst> {
        self.loops.push(Enclosing {
            label,
            repeats: true,
            leave: None,
            skip: None,
        });
        let iteration = Target::Continue(label);
        let leaves = |insts: &[Inst]| leaves(insts, label);
        let (mut before, mut after, cond);
        if !leaves(&step.insts)
            && let Some(exit) = Exit::split_off(&mut body.insts, label)
        {
            (before, _) = self.lower(body.insts, Vec::new(), &[]);
            cond = self.exit(&exit, &mut before);
            for (result, value) in exit.renames {
                self.renaming.set(result, value);
            }
            (after, _) = self.lower(exit.rest, Vec::new(), &[iteration]);
            self.clear_skip(&mut after, loc);
            after.extend(self.lower(step.insts, Vec::new(), &[]).0);
        } else if !leaves(&body.insts)
            && let Some(exit) = Exit::split_off(&mut step.insts, label)
        {
            (before, _) = self.lower(body.insts, Vec::new(), &[iteration]);
            self.clear_skip(&mut before, loc);
            before.extend(self.lower(step.insts, Vec::new(), &[]).0);
            cond = self.exit(&exit, &mut before);
            for (result, value) in exit.renames {
                self.renaming.set(result, value);
            }
            (after, _) = self.lower(exit.rest, Vec::new(), &[]);
        } else {
            (before, after, cond) = self.flagged_loop(body, step, iteration, loc);
        }
        let mut out = Vec::new();
        if let Some(leave) = self.loops.pop().and_then(|l| l.leave) {
            out.extend(self.assign(leave, false, loc));
        }
        let structured = While {
            params: Vec::new(),
            init: Vec::new(),
            before: Block { insts: before },
            cond,
            exits: Vec::new(),
            after: Block { insts: after },
            next: Vec::new(),
            optional: false,
        };
        out.push(Inst::effect(Op::While(Box::new(structured)), loc));
        out
    }

    /// The general shape: every iteration runs in `before`, and `leave` is tested.
    fn flagged_loop(
        &mut self,
        body: Block,
        step: Block,
        iteration: Target,
        loc: Loc,
    ) -> (Vec<Inst>, Vec<Inst>, Value) {
        let step_leaves = !escapes(&step.insts).is_empty();
        let (mut before, _) = self.lower(body.insts, Vec::new(), &[iteration]);
        self.clear_skip(&mut before, loc);
        let (step, _) = self.lower(step.insts, Vec::new(), &[]);
        let flag = self.loops.last().and_then(|l| l.leave);
        let cond = self.function.new_value(Type::Bool);
        let results = smallvec![cond];
        let Some(leave) = flag else {
            // Nothing ever leaves.
            let op = Op::Const(Const(1));
            before.push(Inst { results, op, loc });
            return (before, step, cond);
        };
        let mut after = step;
        if step_leaves {
            // A `continue` in the body has set the flag that guards within the step.
            self.clear_skip(&mut after, loc);
            let left = Op::VarGet(leave);
            let cond = self.function.push(left, Type::Bool, loc, &mut before);
            let els = Arm::new(Block { insts: after }, Vec::new());
            let then = Arm::default();
            before.push(Inst::effect(Op::branch(cond, then, els), loc));
            after = Vec::new();
        }
        let left = Op::VarGet(leave);
        let left = self.function.push(left, Type::Bool, loc, &mut before);
        let op = Op::Unary(UnOp::Not, left);
        before.push(Inst { results, op, loc });
        (before, after, cond)
    }

    /// Clears the `skip` of the innermost loop or scope at the start of `insts`, if it is used at all.
    fn clear_skip(&mut self, insts: &mut Vec<Inst>, loc: Loc) {
        if let Some(skip) = self.loops.last().and_then(|l| l.skip) {
            let clear = self.assign(skip, false, loc);
            insts.splice(0..0, clear);
        }
    }

    /// Emits what runs on the way out and the condition for staying.
    fn exit(&mut self, exit: &Exit, before: &mut Vec<Inst>) -> Value {
        let (last, _) = self.lower(exit.last.clone(), Vec::new(), &[]);
        if !last.is_empty() {
            let mut arms = [Arm::default(), Arm::default()];
            arms[usize::from(!exit.when)].block.insts = last;
            let [then, els] = arms;
            let cond = exit.cond;
            before.push(Inst::effect(Op::branch(cond, then, els), exit.loc));
        }
        if !exit.when {
            return exit.cond;
        }
        let stay = Op::Unary(UnOp::Not, exit.cond);
        self.function.push(stay, Type::Bool, exit.loc, before)
    }
}

struct Branch {
    cond: Value,
    then: Arm,
    els: Arm,
    results: Results,
    loc: Loc,
}
