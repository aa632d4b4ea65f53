//! Structured IR to CLIF: loops.
//!
//! # Rotation
//!
//! A uniform loop whose `before` is small is lowered as `if c { do { after; before } while c }`: one branch per
//! iteration. A divergent loop likewise, the `if` being a divergent one; its pred is not duplicated by that.
//!
//! If `before` ends in an `if a { true } else { b }` that is the loop's test, then `a` is what is tested first, and
//! `b` only when it does not hold.

use super::CompileError;
use super::carrier;
use super::lower::Lower;
use super::tags::{Branch, Role};
use crate::ir::{Block, Inst, Op, Value, While};
use crate::opt::loops::ROTATION_LIMIT;
use cranelift_codegen::cursor::Cursor;
use cranelift_codegen::ir::{self as clif, BlockArg};

/// What leads to a loop's test, and the test.
struct Test<'a> {
    before: &'a [Inst],
    cond: Value,
    /// Where `cond` does not hold, this decides.
    otherwise: Option<(&'a Block, Value)>,
}

type Target<'a> = (clif::Block, &'a [BlockArg]);

impl Lower<'_> {
    pub(super) fn while_loop(&mut self, inst: &Inst, w: &While) -> Result<(), CompileError> {
        let init = w.init.iter().map(|v| self.value(*v));
        let init = init.collect::<Result<Vec<_>, _>>()?;
        let test = self.test_of(w);
        let rotated = !w.after.insts.is_empty()
            && is_small(test.before)
            && test
                .otherwise
                .is_none_or(|(block, _)| is_small(&block.insts));
        if rotated {
            self.rotated(inst, w, &test, init)
        } else {
            self.plain_loop(inst, w, init)
        }
    }

    fn test_of<'t>(&self, w: &'t While) -> Test<'t> {
        let insts = &w.before.insts;
        let uniform = |v: Value| self.inputs.uniformity.is_uniform(v);
        if let Some((last, before)) = insts.split_last()
            && let Op::If { cond, then, els } = &last.op
            && last.results[..] == [w.cond]
            && self.analysis.uses[w.cond] == 1
            && then
                .block
                .insts
                .iter()
                .all(|inst| matches!(inst.op, Op::Const(_)))
            && self.constant(then.yields[0]) == Some(1)
            && uniform(*cond)
            && uniform(w.cond)
        {
            return Test {
                before,
                cond: *cond,
                otherwise: Some((&els.block, els.yields[0])),
            };
        }
        Test {
            before: insts,
            cond: w.cond,
            otherwise: None,
        }
    }

    /// Branches on a uniform test.
    fn branch_on(
        &mut self,
        test: &Test<'_>,
        stay: Target<'_>,
        leave: Target<'_>,
    ) -> Result<(), CompileError> {
        let Some((block, cond)) = test.otherwise else {
            return self.brif(test.cond, Branch::Uniform, stay, leave);
        };
        let otherwise = self.make_block();
        self.brif(test.cond, Branch::Uniform, stay, (otherwise, &[]))?;
        self.cursor.insert_block(otherwise);
        self.nested(block)?;
        self.brif(cond, Branch::Uniform, stay, leave)
    }

    /// The loop as it stands: tested where it is tested.
    fn plain_loop(
        &mut self,
        inst: &Inst,
        w: &While,
        init: Vec<clif::Value>,
    ) -> Result<(), CompileError> {
        let uniform = self.inputs.uniformity.is_uniform(w.cond);
        let mask = (!uniform).then(|| self.read_now(carrier::READ_MASK, &init));
        let top = self.make_block();
        let out = self.make_block();
        self.params(top, &w.params);
        self.jump(top, &args(&init));
        self.cursor.insert_block(top);
        let mark = self.shared_mark();
        self.block(&w.before)?;
        let role = self.stay(w, mask)?;
        if w.after.insts.is_empty() {
            let next = self.all(&w.next)?;
            self.brif(w.cond, role, (top, &next), (out, &[]))?;
        } else {
            let body = self.make_block();
            self.brif(w.cond, role, (body, &[]), (out, &[]))?;
            self.cursor.insert_block(body);
            self.nested(&w.after)?;
            let next = self.all(&w.next)?;
            self.jump(top, &next);
        }
        self.cursor.insert_block(out);
        self.forget_shared(mark);
        for (result, exit) in inst.results.iter().zip(&w.exits) {
            let value = self.value(*exit)?;
            self.define(*result, value);
        }
        Ok(())
    }

    /// `if c { do { after; before } while c }`.
    fn rotated(
        &mut self,
        inst: &Inst,
        w: &While,
        test: &Test<'_>,
        init: Vec<clif::Value>,
    ) -> Result<(), CompileError> {
        let uniform = self.inputs.uniformity.is_uniform(w.cond);
        let live = self.live_into_after(w);
        let body = self.make_block();
        let out = self.make_block();

        for (param, value) in w.params.iter().zip(init) {
            self.define(*param, value);
        }
        self.insts(test.before)?;
        let exits = self.all(&w.exits)?;
        let entering = self.all(&live)?;
        let (token, leaving) = if uniform {
            self.branch_on(test, (body, &entering), (out, &exits))?;
            (None, out)
        } else {
            let token = self.split(w.cond)?;
            let preheader = self.make_block();
            self.brif(w.cond, Branch::Guarded, (preheader, &[]), (out, &exits))?;
            self.cursor.insert_block(preheader);
            (Some(token), self.make_block())
        };
        let mask = token.map(|token| self.read_now(carrier::READ_MASK, &[token]));
        if mask.is_some() {
            self.jump(body, &entering);
        }

        self.cursor.insert_block(body);
        self.params(body, &live);
        let mark = self.shared_mark();
        self.block(&w.after)?;
        let next = (w.next.iter()).map(|v| Ok((self.value(*v)?, self.difference_of(*v))));
        let next = next.collect::<Result<Vec<_>, CompileError>>()?;
        for (param, (value, difference)) in w.params.iter().zip(next) {
            self.define(*param, value);
            self.different[*param] = difference;
        }
        self.insts(test.before)?;
        let exits = self.all(&w.exits)?;
        let again = self.all(&live)?;
        if mask.is_none() {
            self.branch_on(test, (body, &again), (out, &exits))?;
        } else {
            let role = self.stay(w, mask)?;
            self.brif(w.cond, role, (body, &again), (leaving, &[]))?;
            self.cursor.insert_block(leaving);
            self.jump(out, &exits);
        }
        self.forget_shared(mark);
        self.cursor.insert_block(out);
        self.params(out, &inst.results);
        self.loc = inst.loc;
        self.tag(Role::Plain);
        if let Some(token) = token {
            self.carry(carrier::JOIN, token, token);
        }
        Ok(())
    }

    /// Parks the lanes that leave a divergent loop, just before the branch out of it.
    fn stay(&mut self, w: &While, mask: Option<clif::Value>) -> Result<Branch, CompileError> {
        let Some(mask) = mask else {
            return Ok(Branch::Uniform);
        };
        let (cond, inverted) = self.analysis.condition(w.cond);
        let word = self.value(cond)?;
        let pred = if inverted {
            carrier::PRED_NOT
        } else {
            carrier::PRED
        };
        self.carry(pred, word, mask);
        Ok(Branch::Guarded)
    }

    /// What `after` and `next` use of the values that change from iteration to iteration.
    fn live_into_after(&self, w: &While) -> Vec<Value> {
        let mut used = self.ir.map_values(false);
        w.after.uses(&mut |v| used[v] = true);
        for value in &w.next {
            used[*value] = true;
        }
        // A comparison that its branch makes needs its operands there, and what looks through a not what is in it.
        for value in w.before.insts.iter().rev().flat_map(|inst| &inst.results) {
            let (inner, _) = self.analysis.condition(*value);
            used[inner] |= used[*value];
            if let (true, Some((_, a, b))) = (used[*value], self.analysis.fused[inner]) {
                used[a] = true;
                used[b] = true;
            }
        }
        let defined = w.before.insts.iter().flat_map(|inst| &inst.results);
        w.params
            .iter()
            .chain(defined)
            .copied()
            .filter(|v| used[*v] && self.constant(*v).is_none() && !self.is_fused(*v))
            .collect()
    }
}

fn args(values: &[clif::Value]) -> Vec<BlockArg> {
    values.iter().map(|v| BlockArg::from(*v)).collect()
}

/// Whether instructions may be duplicated: few, none whose place matters, and no control flow but the narrowing of the
/// mask, which is for good wherever it stands.
fn is_small(insts: &[Inst]) -> bool {
    insts.len() <= ROTATION_LIMIT
        && insts.iter().all(|inst| match &inst.op {
            Op::If { then, els, .. } => {
                let narrows = |inst: &Inst| matches!(inst.op, Op::NarrowMask(_));
                then.block.insts.iter().any(narrows) && els.block.insts.is_empty()
            }
            Op::While(_)
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Record { .. }
            | Op::Fence(_) => false,
            op => !op.is_convergent(),
        })
}
