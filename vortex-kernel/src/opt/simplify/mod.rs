//! Simplification in one forward walk: instructions are folded, branches on constants are taken, branches whose arms
//! agree or are tiny and pure become values, two branches on one condition become one, loops that do not run are
//! removed.

mod earlier;

use super::common_base::{Added, common_base};
use super::defs::{Defs, cost_of_arms};
use super::fold::{fold, inverse};
use super::folded::Folded;
use super::joined_choices::{Joined, joined};
use super::outcomes::{Outcomes, is_choice};
use crate::ir::visit::Renaming;
use crate::ir::{
    Alias, Arm, BinOp, Block, Const, Function, Inst, Loc, Op, Results, Type, UnOp, Value, While,
    eval,
};
use crate::isa::IMMEDIATES;
use earlier::earlier_on;
use smallvec::smallvec;

/// Simplifies a structured function.
pub fn simplify(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Simplify {
        defs: Defs::new(function),
        function,
        renaming: Renaming::default(),
        launch_words: Vec::new(),
        renamed_late: false,
    };
    pass.block(&mut body);
    if pass.renamed_late {
        pass.renaming.block(&mut body);
    }
    function.body = body;
}

/// Cost up to which an arm is computed whether or not it is taken.
const TINY: u32 = 3;

struct Simplify<'a> {
    function: &'a mut Function,
    defs: Defs,
    renaming: Renaming,
    /// What is loaded from the launch block.
    launch_words: Vec<Value>,
    /// Whether a parameter was found invariant after its loop's body was walked.
    renamed_late: bool,
}

impl Simplify<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for inst in std::mem::take(&mut block.insts) {
            self.inst(inst, &mut out);
        }
        block.insts = out;
    }

    fn constant(&mut self, word: u32, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let constant = Op::Const(Const::from(word));
        let (value, inst) = self.function.inst(constant, ty, loc);
        self.defs.set(value, &inst.op);
        out.push(inst);
        value
    }

    fn inst(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        self.renaming.operands(&mut inst.op);
        match inst {
            Inst {
                results,
                op: Op::If { cond, then, els },
                loc,
            } => self.branch(results, (cond, then, els), loc, out),
            Inst {
                results,
                op: Op::While(w),
                loc,
            } => self.while_loop(results, w, loc, out),
            mut inst @ Inst {
                op: Op::Load { .. } | Op::Store { .. },
                ..
            } => {
                if let Op::Load {
                    alias: Alias::Launch,
                    ..
                } = inst.op
                {
                    self.launch_words.extend_from_slice(&inst.results);
                }
                self.offset(&mut inst.op);
                match self.constant_data(&inst) {
                    Some(op) => self.pure(Inst { op, ..inst }, out),
                    None => out.push(inst),
                }
            }
            inst => self.pure(inst, out),
        }
    }

    /// Moves constant parts of an address into the access, and names private memory as such.
    fn offset(&mut self, op: &mut Op) {
        let (Op::Load { ptr, offset, alias }
        | Op::Store {
            ptr, offset, alias, ..
        }) = op
        else {
            return;
        };
        loop {
            match self.defs.get(*ptr) {
                Some(Op::PtrAdd { base, index, scale }) => {
                    let Some(index) = self.defs.constant(*index) else {
                        return;
                    };
                    let more = index.wrapping_mul(*scale).cast_signed();
                    let sum = offset.wrapping_add(more);
                    // Addresses wrap, so any sum is right; only short ones fit the instruction.
                    if !IMMEDIATES.contains(&sum) {
                        return;
                    }
                    (*ptr, *offset) = (*base, sum);
                }
                Some(Op::Bitcast(inner)) if matches!(alias, Alias::Private(_)) => *ptr = *inner,
                _ => return,
            }
        }
    }

    /// What an element of a constant array is, if that is cheaper than to load it.
    fn constant_data(&self, inst: &Inst) -> Option<Op> {
        let Op::Load { ptr, offset, .. } = inst.op else {
            return None;
        };
        let &Op::DataAddr(id) = self.defs.get(ptr)? else {
            return None;
        };
        let ty = self.function.ty(*inst.results.first()?);
        let (from, size) = (usize::try_from(offset).ok()?, ty.bytes() as usize);
        let bytes = self.function.data[id].bytes.get(from..from + size)?;
        let value = eval::wide::from_bytes(bytes, ty);
        let word = u32::try_from(value).ok()?;
        // One instruction makes it.
        let is_cheap = IMMEDIATES.contains(&word.cast_signed()) || word & 0xfff == 0;
        is_cheap.then(|| Op::Const(Const::from(word)))
    }

    fn pure(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let [result] = inst.results[..] else {
            out.push(inst);
            return;
        };
        let ty = self.function.ty(result);
        if let Some(op) = self.inside_choice(&inst, ty, out) {
            inst.op = op;
        }
        // Each round makes the operation strictly simpler, so a few are enough.
        for _ in 0..4 {
            match fold(self.function, &self.defs, &inst.op, ty) {
                None => {
                    let op = self.choice_of_conditions(&inst, ty, out);
                    let op = op.or_else(|| self.choice_with_truth(&inst, ty, out));
                    match op.or_else(|| self.joined_choices(&inst, ty, out)) {
                        Some(op) => inst.op = op,
                        None => break,
                    }
                }
                Some(Folded::Value(value)) => {
                    self.renaming.set(result, value);
                    return;
                }
                Some(Folded::Word(word)) => inst.op = Op::Const(Const::from(word)),
                Some(Folded::Op(op)) => inst.op = op,
                Some(Folded::WithConst(op, a, word, ty)) => {
                    let b = self.constant(word, ty, inst.loc, out);
                    inst.op = op(a, b);
                }
            }
        }
        self.defs.set(result, &inst.op);
        out.push(inst);
    }

    /// A new value, as simple as it gets.
    fn value(&mut self, op: Op, ty: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let (value, inst) = self.function.inst(op, ty, loc);
        self.pure(inst, out);
        self.renaming.get(value)
    }

    /// What is asked of a choice between numbers that conditions decide, asked of both numbers: both answers are
    /// conditions.
    fn inside_choice(&mut self, inst: &Inst, ty: Type, out: &mut Vec<Inst>) -> Option<Op> {
        let (Op::Compare(_, choice, _) | Op::Unary(UnOp::Neg, choice)) = inst.op else {
            return None;
        };
        let Some(&Op::Select(cond, a, b)) = self.defs.get(choice) else {
            return None;
        };
        let constant = |v| self.defs.constant(v).is_some();
        let is_asked = match inst.op {
            // Between two constants the condition decides.
            Op::Compare(_, _, word) => constant(word) && !(constant(a) && constant(b)),
            _ => true,
        };
        if !is_asked || !is_choice(self.function, &self.defs, choice) {
            return None;
        }
        let [a, b] = [a, b].map(|part| {
            let op = match inst.op {
                Op::Compare(op, _, constant) => Op::Compare(op, part, constant),
                _ => Op::Unary(UnOp::Neg, part),
            };
            self.value(op, ty, inst.loc, out)
        });
        Some(Op::Select(cond, a, b))
    }

    /// `if c { a } else { b }` of conditions where `c` decides one of them, as the first parts of an order decide
    /// whether they are equal: `b || c && a` if `b` says that `c` does not hold.
    fn choice_of_conditions(&mut self, inst: &Inst, ty: Type, out: &mut Vec<Inst>) -> Option<Op> {
        let (&Op::Select(mut cond, a, b), Type::Bool) = (&inst.op, ty) else {
            return None;
        };
        let of = |value| Outcomes::of(self.function, &self.defs, value);
        let of_cond = of(cond)?;
        let without = |value, other| of(value)?.without(other, self.function, &self.defs);
        let (mut decided, mut other) = (b, a);
        let not = of_cond.inverted(self.function);
        let (rest, inverse) = match without(b, of_cond) {
            Some(rest) => (rest, None),
            None => {
                (decided, other) = (a, b);
                (without(a, not)?, Some(not.folded(self.function)?))
            }
        };
        let same = of(decided) == Some(rest);
        // Then `c` need not be asked again.
        let is_all_else = match inverse {
            None => not.is_within(rest, self.function, &self.defs),
            Some(_) => of_cond.is_within(rest, self.function, &self.defs),
        };
        let rest = rest.folded(self.function)?;
        match inverse {
            None => {}
            Some(Folded::Op(not)) => cond = self.value(not, ty, inst.loc, out),
            Some(_) => return None,
        }
        let rest = match rest {
            _ if same => decided,
            Folded::Op(op) => self.value(op, ty, inst.loc, out),
            Folded::Word(0) => return Some(Op::Binary(BinOp::And, cond, other)),
            _ => return None,
        };
        if is_all_else {
            return Some(Op::Binary(BinOp::Or, rest, other));
        }
        let both = self.value(Op::Binary(BinOp::And, cond, other), ty, inst.loc, out);
        Some(Op::Binary(BinOp::Or, rest, both))
    }

    /// `if c { a } else { true }` is `!c || a`.
    fn choice_with_truth(&mut self, inst: &Inst, ty: Type, out: &mut Vec<Inst>) -> Option<Op> {
        let (&Op::Select(cond, a, b), Type::Bool) = (&inst.op, ty) else {
            return None;
        };
        if self.defs.constant(b) != Some(1) {
            return None;
        }
        let not = self.value(Op::Unary(UnOp::Not, cond), ty, inst.loc, out);
        Some(Op::Binary(BinOp::Or, not, a))
    }

    /// A choice that has another one in it as one.
    fn joined_choices(&mut self, inst: &Inst, ty: Type, out: &mut Vec<Inst>) -> Option<Op> {
        let (&Op::Select(cond, a, b), true) = (&inst.op, ty != Type::Bool) else {
            return None;
        };
        let Joined { op, conds, values } = joined(&self.defs, cond, a, b)?;
        let [c, d] = conds.map(|(cond, inverted)| match inverted {
            true => self.value(Op::Unary(UnOp::Not, cond), Type::Bool, inst.loc, out),
            false => cond,
        });
        let cond = self.value(Op::Binary(op, c, d), Type::Bool, inst.loc, out);
        Some(Op::Select(cond, values[0], values[1]))
    }

    fn branch(
        &mut self,
        results: Results,
        (mut cond, mut then, mut els): (Value, Box<Arm>, Box<Arm>),
        loc: Loc,
        out: &mut Vec<Inst>,
    ) {
        if let Some(word) = self.defs.constant(cond) {
            let arm = if word != 0 { then } else { els };
            for inst in arm.block.insts {
                self.inst(inst, out);
            }
            for (result, value) in results.iter().zip(arm.yields) {
                let value = self.renaming.get(value);
                self.renaming.set(*result, value);
            }
            return;
        }
        if let Some(Op::Unary(UnOp::Not, inverse)) = self.defs.get(cond) {
            cond = *inverse;
            std::mem::swap(&mut then, &mut els);
        }
        // Checks are looked for by their else-arms.
        if then.block.is_failure()
            && !els.block.is_failure()
            && let Some(&Op::Compare(op, a, b)) = self.defs.get(cond)
            && let Some(op) = inverse(op, self.function.ty(a))
        {
            let (holds, inst) = (self.function).inst(Op::Compare(op, a, b), Type::Bool, loc);
            self.defs.set(holds, &inst.op);
            out.push(inst);
            cond = holds;
            std::mem::swap(&mut then, &mut els);
        }
        let earlier = earlier_on(cond, out);
        let earlier = earlier.filter(|at| !self.hides(&out[*at].op, [&then, &els]));
        let earlier = earlier.map(|at| out.remove(at));
        if let Some(Inst { results, op, .. }) = &earlier
            && let Op::If {
                then: a, els: b, ..
            } = op
        {
            for (arm, before) in [(&mut then, a), (&mut els, b)] {
                // In this arm they are what that arm made them.
                for (result, value) in results.iter().zip(&before.yields) {
                    self.renaming.set(*result, *value);
                }
                self.block(&mut arm.block);
                self.renaming.list(&mut arm.yields);
            }
            results.iter().for_each(|v| self.renaming.unset(*v));
        } else {
            for arm in [&mut then, &mut els] {
                self.block(&mut arm.block);
                self.renaming.list(&mut arm.yields);
            }
        }
        let mut kept = Results::new();
        let mut sums = Vec::new();
        let is_bool = |v: &Value| self.function.ty(*v) == Type::Bool;
        let is_alone = results.len() == 1
            || results.iter().any(is_bool)
            || cost_of_arms(self.function, [&then, &els]).is_none();
        let yields = std::mem::take(&mut then.yields)
            .into_iter()
            .zip(std::mem::take(&mut els.yields));
        for (result, (a, b)) in results.into_iter().zip(yields) {
            let (ca, cb) = (self.defs.constant(a), self.defs.constant(b));
            let ty = self.function.ty(result);
            if a == b {
                self.renaming.set(result, a);
            } else if ca.is_some() && ca == cb {
                let op = Op::Const(Const::from(ca.unwrap_or(0)));
                let results = smallvec![result];
                self.pure(Inst { results, op, loc }, out);
            } else if ty == Type::Bool && (ca, cb) == (Some(1), Some(0)) {
                self.renaming.set(result, cond);
            } else if ty == Type::Bool && (ca, cb) == (Some(0), Some(1)) {
                let (results, op) = (smallvec![result], Op::Unary(UnOp::Not, cond));
                self.pure(Inst { results, op, loc }, out);
            } else if let Some((base, added)) =
                common_base(self.function, &self.defs, [a, b], is_alone)
            {
                let [a, b] = added.map(|added| match added {
                    Added::Choice(value) => value,
                    Added::Constant(word) => self.constant(word, ty, loc, out),
                });
                let by = match added {
                    [Added::Constant(x), Added::Constant(y)] if x == y => a,
                    [Added::Constant(_), Added::Constant(_)] => {
                        self.value(Op::Select(cond, a, b), ty, loc, out)
                    }
                    _ => {
                        let by = self.function.new_value(ty);
                        kept.push(by);
                        then.yields.push(a);
                        els.yields.push(b);
                        by
                    }
                };
                sums.push((result, Op::Binary(BinOp::Add, base, by)));
            } else {
                kept.push(result);
                then.yields.push(a);
                els.yields.push(b);
            }
        }
        if let Some(Inst { results, op, .. }) = earlier
            && let Op::If {
                then: a, els: b, ..
            } = op
        {
            kept.extend(results);
            for (arm, mut before) in [(&mut then, a), (&mut els, b)] {
                before.block.insts.append(&mut arm.block.insts);
                arm.block = before.block;
                arm.yields.append(&mut before.yields);
                arm.is_fallback &= before.is_fallback;
            }
        }
        if self.converts(&kept, &then, &els) {
            out.append(&mut then.block.insts);
            out.append(&mut els.block.insts);
            for (result, (a, b)) in kept.into_iter().zip(then.yields.iter().zip(&els.yields)) {
                let (results, op) = (smallvec![result], Op::Select(cond, *a, *b));
                self.pure(Inst { results, op, loc }, out);
            }
        } else {
            let op = Op::If { cond, then, els };
            out.push(Inst {
                results: kept,
                op,
                loc,
            });
        }
        for (result, op) in sums {
            let results = smallvec![result];
            self.pure(Inst { results, op, loc }, out);
        }
    }

    /// Whether both arms are cheap enough to compute them both and select.
    fn converts(&self, results: &[Value], then: &Arm, els: &Arm) -> bool {
        let Some(sum) = cost_of_arms(self.function, [then, els]) else {
            return false;
        };
        if results.is_empty() {
            return true;
        }
        // A select between floats goes through integer registers.
        let selects = |v: &Value| match self.function.ty(*v) {
            Type::Bool => 0,
            Type::F32 => TINY,
            _ => 1,
        };
        // `a && b` is an `and` then: what is compared is often computed once more, in the body of a loop whose test it
        // is. So is what such conditions decide, as `a.cmp(&b).then_with(..)` does.
        let choice = |v: &Value| is_choice(self.function, &self.defs, *v);
        let mut yields = results.iter().zip(then.yields.iter().zip(&els.yields));
        let are_conditions = yields.all(|(result, (a, b))| {
            self.function.ty(*result) == Type::Bool || choice(a) && choice(b)
        });
        let is_lazy = then.block.insts.is_empty() || els.block.insts.is_empty();
        let most = if is_lazy && are_conditions {
            LAZY
        } else {
            TINY
        };
        sum + results.iter().map(selects).sum::<u32>() <= most
    }

    fn while_loop(
        &mut self,
        mut results: Results,
        mut w: Box<While>,
        loc: Loc,
        out: &mut Vec<Inst>,
    ) {
        drop_invariant_params(&mut w, &self.defs, &mut self.renaming);
        self.block(&mut w.before);
        w.cond = self.renaming.get(w.cond);
        self.renaming.list(&mut w.exits);
        if self.defs.constant(w.cond) == Some(0) {
            // One half iteration: what was walked with parameters is right with their initial values too.
            for (param, init) in w.params.iter().zip(&w.init) {
                self.renaming.set(*param, *init);
            }
            self.renaming.block(&mut w.before);
            for inst in w.before.insts {
                self.inst(inst, out);
            }
            for (result, exit) in results.iter().zip(w.exits) {
                let exit = self.renaming.get(exit);
                self.renaming.set(*result, exit);
            }
            return;
        }
        self.block(&mut w.after);
        self.renaming.list(&mut w.next);
        let params = w.params.len();
        drop_invariant_params(&mut w, &self.defs, &mut self.renaming);
        self.renamed_late |= w.params.len() < params;
        // An exit that is a constant inside is that constant outside; one from outside is there already.
        let mut after_loop = Vec::new();
        let mut i = 0;
        while i < results.len() {
            let exit = w.exits[i];
            let mut inside = w.before.insts.iter().flat_map(|i| &i.results);
            if let Some(word) = self.defs.constant(exit) {
                after_loop.push((results.remove(i), word));
                w.exits.remove(i);
            } else if !w.params.contains(&exit) && !inside.any(|v| *v == exit) {
                self.renaming.set(results.remove(i), exit);
                w.exits.remove(i);
            } else {
                i += 1;
            }
        }
        let op = Op::While(w);
        out.push(Inst { results, op, loc });
        for (result, word) in after_loop {
            let (results, op) = (smallvec![result], Op::Const(Const::from(word)));
            self.pure(Inst { results, op, loc }, out);
        }
    }
}

/// What the second operand of `&&` or `||` may cost to be computed always.
const LAZY: u32 = 6;

/// Parameters that keep their initial value are that value.
fn drop_invariant_params(w: &mut While, defs: &Defs, renaming: &mut Renaming) {
    let mut i = 0;
    while i < w.params.len() {
        let next = renaming.get(w.next[i]);
        if next == w.params[i] || defs.same(next, w.init[i]) {
            renaming.set(w.params[i], w.init[i]);
            w.params.remove(i);
            w.init.remove(i);
            w.next.remove(i);
        } else {
            i += 1;
        }
    }
}
