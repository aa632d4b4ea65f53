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

use rustc_hash::FxHashSet;

use super::checks::check_of;
use crate::ir::visit::Renaming;
use crate::ir::{Arm, BinOp, Block, Function, Inst, Op, SecondaryMap, Type, Value};
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
    let mut body = std::mem::take(&mut function.body);
    Merge { function, uses }.block(&mut body);
    function.body = body;
}

/// Instructions between the first and the last of the checks that are merged, with these: they are twice in the code.
const MOST_INSTRUCTIONS: usize = 48;

struct Merge<'a> {
    function: &'a mut Function,
    /// How often each value is used.
    uses: SecondaryMap<Value, u32>,
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
    stores: bool,
}

impl Region {
    fn push(&mut self, inst: Inst) {
        self.defined.extend(&inst.results);
        self.stores |= stores(&inst);
        self.insts.push(inst);
    }

    /// Whether a check can be one of these. Loads that wait for what is stored from them would keep all that is
    /// computed in between in registers, for both arms.
    fn takes(&self, check: &Inst) -> bool {
        self.is_known_before(check)
            && self.insts.len() < MOST_INSTRUCTIONS
            && (self.stores == stores(check) || self.insts.is_empty())
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
            let is_check = is_plain_check(&inst);
            if !is_check {
                self.nested(&mut inst);
            }
            if is_check && region.takes(&inst) {
                region
                    .conditions
                    .extend(check_of(&inst).map(|(condition, _)| condition));
                region.push(inst);
                region.checked = region.insts.len();
            } else if is_check {
                self.end(&mut region, &mut out);
                region
                    .conditions
                    .extend(check_of(&inst).map(|(condition, _)| condition));
                region.push(inst);
                region.checked = 1;
            } else if region.insts.is_empty() || region.lets_pass(&inst) {
                out.push(inst);
            } else if is_straight(&inst) {
                region.push(inst);
            } else {
                self.end(&mut region, &mut out);
                out.push(inst);
            }
        }
        self.end(&mut region, &mut out);
        block.insts = out;
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
        let Region {
            mut insts,
            checked,
            mut conditions,
            ..
        } = std::mem::take(region);
        let rest = insts.split_off(checked);
        let mut seen = FxHashSet::default();
        conditions.retain(|condition| seen.insert(*condition));
        if let ([first, others @ ..], Some(loc)) =
            (&conditions[..], insts.first().map(|inst| inst.loc))
            && !others.is_empty()
        {
            let all = others.iter().fold(*first, |all, condition| {
                let both = Op::Binary(BinOp::And, all, *condition);
                self.function.push(both, Type::Bool, loc, out)
            });
            out.push(self.merged(all, Block { insts }));
        } else {
            out.extend(insts);
        }
        out.extend(rest);
    }

    fn merged(&mut self, all: Value, checked: Block) -> Inst {
        count!("merged_checks", "groups", 1);
        let loc = checked.insts[0].loc;
        let mut inside = self.function.map_values(0);
        checked.uses(&mut |value| inside[value] += 1);
        let defined = checked
            .insts
            .iter()
            .flat_map(|inst| inst.results.iter().copied());
        let results: Vec<Value> = defined
            .clone()
            .filter(|value| inside[*value] < self.uses[*value])
            .collect();
        // The results keep their names outside; in the arms they have others.
        let arm = |function: &mut Function, block: &Block| {
            let copy = function.clone_block(block);
            let copied = copy
                .insts
                .iter()
                .flat_map(|inst| inst.results.iter().copied());
            let mut renaming = Renaming::default();
            defined
                .clone()
                .zip(copied)
                .for_each(|(from, to)| renaming.set(from, to));
            let mut yields = results.clone();
            renaming.list(&mut yields);
            Arm::new(copy, yields)
        };
        let original = arm(self.function, &checked);
        let fallback = Arm {
            is_fallback: true,
            ..original
        };
        let Arm {
            block, mut yields, ..
        } = arm(self.function, &checked);
        let mut renaming = Renaming::default();
        let mut insts = Vec::new();
        for inst in block.insts {
            let mut one = Block { insts: vec![inst] };
            renaming.block(&mut one);
            for inst in one.insts {
                match inst.op {
                    Op::If { then, .. } => {
                        insts.extend(then.block.insts);
                        for (result, value) in inst.results.iter().zip(then.yields) {
                            renaming.set(*result, value);
                        }
                    }
                    _ => insts.push(inst),
                }
            }
        }
        renaming.list(&mut yields);
        let op = Op::branch(all, Arm::new(Block { insts }, yields), fallback);
        Inst {
            results: results.into(),
            op,
            loc,
        }
    }
}

/// A check of accesses without further control flow.
fn is_plain_check(inst: &Inst) -> bool {
    match &inst.op {
        Op::If { then, els, .. } if els.block.is_failure() => {
            then.block.insts.iter().all(is_straight)
        }
        _ => false,
    }
}

fn stores(inst: &Inst) -> bool {
    let stores = |op: &Op| matches!(op, Op::Store { .. });
    let mut blocks = inst.op.blocks().into_iter().flatten();
    stores(&inst.op) || blocks.any(|block| block.any(&stores))
}

/// Whether it may stand in an arm, and twice in the code.
fn is_straight(inst: &Inst) -> bool {
    is_movable(inst) || matches!(inst.op, Op::Store { .. }) && !inst.op.is_convergent()
}

/// Whether it may stand in front of what it does not depend on, stores aside.
fn is_movable(inst: &Inst) -> bool {
    inst.op.is_pure() || matches!(inst.op, Op::Load { .. }) && !inst.op.is_convergent()
}
