//! Checks of several accesses, made together.
//!
//! ```text
//! v0 = if c0 { load p0 } else { fail; 0 }            v0, v1 = if c0 & c1 { load p0; load p1 }
//! v1 = if c1 { load p1 } else { fail; 0 }     ==>               else { both as they were }
//! ```
//!
//! What is left of checks at this point differs between lanes, mostly: each would split the warp, and keep the loads
//! behind it waiting. It is done where no condition depends on what a check before it guards; what goes on between the
//! checks is in both arms then. The fallback is the original code, so failures are recorded as before.
//!
//! What is the same for all lanes may decide about a barrier. It would not stay so if lanes disagreed about a check
//! that is made together with its own.

use rustc_hash::FxHashSet;

use super::checks::check_of;
use super::uniformity::Uniformity;
use crate::ir::visit::Renaming;
use crate::ir::{Arm, BinOp, Block, Const, Function, Inst, Loc, Op, SecondaryMap, Type, Value};
use crate::meta::count;

/// Merges the checks of a function.
pub fn merged_checks(function: &mut Function) {
    let mut checks = 0;
    function
        .body
        .visit(&mut |inst| checks += usize::from(check_of(inst).is_some()));
    if checks < 2 {
        return;
    }
    let mut uses = function.map_values(0);
    function.body.uses(&mut |value| uses[value] += 1);
    let has_barriers = function.body.any(&Op::is_barrier);
    let uniformity = has_barriers.then(|| Uniformity::of(function));
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Merge {
        function,
        uses,
        uniformity,
    };
    pass.block(&mut body);
    function.body = body;
}

/// Instructions between the first and the last of the checks that are merged, with these: they are twice in the code.
const MOST_INSTRUCTIONS: usize = 48;

struct Merge<'a> {
    function: &'a mut Function,
    /// How often each value is used.
    uses: SecondaryMap<Value, u32>,
    /// What is the same for all lanes, if that matters.
    uniformity: Option<Uniformity>,
}

/// Checks that will be one, and what is between them.
#[derive(Default)]
struct Region {
    insts: Vec<Inst>,
    /// How many of these end with the last check.
    checked: usize,
    conditions: Vec<Value>,
    /// What these define.
    defined: FxHashSet<Value>,
    /// Whether the checks are of stores, and not of loads.
    stores: bool,
}

impl Region {
    /// Whether a check can be one of these. Loads that wait for what is stored from them would keep all that is
    /// computed in between in registers, for both arms.
    fn takes(&self, check: &Inst) -> bool {
        self.is_known_before(check)
            && self.insts.len() < MOST_INSTRUCTIONS
            && self.stores == stores(check)
    }

    fn check(&mut self, check: Inst, condition: Value) {
        if self.insts.is_empty() {
            self.stores = stores(&check);
        }
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
        self.push(check);
        self.checked = self.insts.len();
    }

    fn push(&mut self, inst: Inst) {
        self.defined.extend(&inst.results);
        self.insts.push(inst);
    }

    /// Whether an instruction can stand before all of these.
    fn lets_pass(&self, inst: &Inst) -> bool {
        let is_load = matches!(inst.op, Op::Load { .. });
        is_movable(inst) && self.is_known_before(inst) && !(self.stores && is_load)
    }

    fn is_known_before(&self, inst: &Inst) -> bool {
        let mut known = true;
        inst.op
            .operands(&mut |value| known &= !self.defined.contains(&value));
        known
    }
}

impl Merge<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        let mut region = Region::default();
        for mut inst in std::mem::take(&mut block.insts) {
            if let Some(condition) = condition_of_accesses(&inst) {
                if !region.takes(&inst) || !self.keeps_uniform(&region, &inst, condition) {
                    self.end(&mut region, &mut out);
                }
                region.check(inst, condition);
                continue;
            }
            self.nested(&mut inst);
            if region.insts.is_empty() || region.lets_pass(&inst) {
                out.push(inst);
            } else if is_movable(&inst) || region.stores && is_store(&inst.op) {
                region.push(inst);
            } else {
                self.end(&mut region, &mut out);
                out.push(inst);
            }
        }
        self.end(&mut region, &mut out);
        block.insts = out;
    }

    /// Whether what is the same for all lanes stays that if a check is made together with these.
    fn keeps_uniform(&self, region: &Region, check: &Inst, condition: Value) -> bool {
        let Some(uniformity) = &self.uniformity else {
            return true;
        };
        let mut conditions = region.conditions.iter().chain([&condition]);
        let mut results = (region.insts.iter().chain([check])).flat_map(|inst| &inst.results);
        conditions.all(|value| uniformity.is_uniform(*value))
            || results.all(|value| uniformity.is_divergent(*value))
    }

    fn nested(&mut self, inst: &mut Inst) {
        if let Op::If { then, els, .. } = &mut inst.op {
            // What is seldom executed need not be fast.
            for arm in [then, els].into_iter().filter(|arm| !arm.is_fallback) {
                self.block(&mut arm.block);
            }
            return;
        }
        for block in inst.op.blocks_mut().into_iter().flatten() {
            self.block(block);
        }
    }

    /// Puts what a region is now behind `out`.
    fn end(&mut self, region: &mut Region, out: &mut Vec<Inst>) {
        let mut region = std::mem::take(region);
        let rest = region.insts.split_off(region.checked);
        match &region.conditions[..] {
            [first, others @ ..] if !others.is_empty() => {
                let loc = region.insts[0].loc;
                let all = others.iter().fold(*first, |all, condition| {
                    let both = Op::Binary(BinOp::And, all, *condition);
                    self.function.push(both, Type::Bool, loc, out)
                });
                let checked = Block {
                    insts: region.insts,
                };
                let truth = Op::Const(Const(1));
                let truth = self.function.push(truth, Type::Bool, loc, out);
                out.push(self.merged((all, truth), &checked, loc));
            }
            _ => out.extend(region.insts),
        }
        out.extend(rest);
    }

    /// One branch in place of these checks. In the arm where all hold they are taken: their conditions are the constant
    /// `true`, and the clean-up does the rest.
    fn merged(&mut self, (all, truth): (Value, Value), checked: &Block, loc: Loc) -> Inst {
        count!("merged_checks", "groups", 1);
        let mut inside = self.function.map_values(0);
        checked.uses(&mut |value| inside[value] += 1);
        // These keep their names outside; in the arms they have others.
        let mut results = defined(checked);
        let is_used_outside = |value: &Value| inside[*value] < self.uses[*value];
        results.retain(is_used_outside);
        let mut fine = self.arm(checked, &results);
        for inst in &mut fine.block.insts {
            if let Op::If { cond, .. } = &mut inst.op {
                *cond = truth;
            }
        }
        let fallback = Arm {
            is_fallback: true,
            ..self.arm(checked, &results)
        };
        Inst {
            results: results.into(),
            op: Op::branch(all, fine, fallback),
            loc,
        }
    }

    /// A copy that gives these of its values.
    fn arm(&mut self, checked: &Block, results: &[Value]) -> Arm {
        let copy = self.function.clone_block(checked);
        let mut renaming = Renaming::default();
        let pairs = defined(checked).into_iter().zip(defined(&copy));
        pairs.for_each(|(from, to)| renaming.set(from, to));
        let mut yields = results.to_vec();
        renaming.list(&mut yields);
        Arm::new(copy, yields)
    }
}

/// What the instructions of a block define, without those inside of them.
fn defined(block: &Block) -> Vec<Value> {
    let results = block.insts.iter().map(|inst| &inst.results);
    results.flatten().copied().collect()
}

/// The condition of a check of accesses without further control flow.
fn condition_of_accesses(inst: &Inst) -> Option<Value> {
    let (condition, _) = check_of(inst)?;
    let accesses = |inst: &Inst| is_movable(inst) || is_store(&inst.op);
    let [then, _] = inst.op.blocks();
    then?.insts.iter().all(accesses).then_some(condition)
}

fn stores(check: &Inst) -> bool {
    let mut blocks = check.op.blocks().into_iter().flatten();
    blocks.any(|block| block.any(&is_store))
}

fn is_store(op: &Op) -> bool {
    matches!(op, Op::Store { .. }) && !op.is_convergent()
}

/// Whether it may stand in front of what it does not depend on, stores aside, and twice in the code.
fn is_movable(inst: &Inst) -> bool {
    inst.op.is_pure() || matches!(inst.op, Op::Load { .. }) && !inst.op.is_convergent()
}
