//! What several arms compute in the same way is computed once, before them.
//!
//! ```text
//! if a { p = base + i * 4; .. }             p = base + i * 4
//! if b { q = base + i * 4; .. }     ==>     if a { .. p .. }
//!                                           if b { .. p .. }
//! ```
//!
//! The arms are those of one branch, or of several in one block, as with items that a lane runs at once. Pure
//! operations cannot fail, so they may run although no arm runs. What only one arm computes stays there, and so does
//! what a failure needs.

use super::equal::{Key, key};
use crate::ir::visit::Renaming;
use crate::ir::{Block, Function, Inst, Op, SecondaryMap, Type, Value};
use crate::meta::count;
use rustc_hash::FxHashMap;

/// Hoists what arms of a structured function have in common.
pub fn gvn_hoist(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Hoist {
        function,
        renaming: Renaming::default(),
    };
    pass.block(&mut body);
    pass.renaming.block(&mut body);
    function.body = body;
}

struct Hoist<'a> {
    function: &'a mut Function,
    renaming: Renaming,
}

/// Where an expression stands.
struct Found {
    /// The branch that it is in first, by its place in the block.
    first: usize,
    /// In how many arms it is.
    arms: u32,
    /// The last of these, counted through the block.
    last_arm: u32,
}

impl Hoist<'_> {
    fn block(&mut self, block: &mut Block) {
        for inst in &mut block.insts {
            for nested in inst.op.blocks_mut().into_iter().flatten() {
                self.block(nested);
            }
        }
        while self.hoist(block) {}
    }

    /// Hoists what can be before what depends on it is; returns whether there was something.
    fn hoist(&mut self, block: &mut Block) -> bool {
        let common = self.common(block);
        if common.is_empty() {
            return false;
        }
        count!("gvn_hoist", "expressions hoisted", common.len());
        let mut hoisted: FxHashMap<Key, Value> = FxHashMap::default();
        let mut out = Vec::with_capacity(block.insts.len() + common.len());
        for (at, mut inst) in std::mem::take(&mut block.insts).into_iter().enumerate() {
            for arm in arms_mut(&mut inst) {
                let mut kept = Vec::with_capacity(arm.insts.len());
                for mut inner in std::mem::take(&mut arm.insts) {
                    self.renaming.operands(&mut inner.op);
                    let key = self.key(&inner);
                    let first = key.and_then(|key| Some((key, common.get(&key)?)));
                    let Some((key, first)) = first else {
                        kept.push(inner);
                        continue;
                    };
                    match hoisted.get(&key) {
                        Some(value) => self.renaming.set(inner.results[0], *value),
                        None if *first == at => {
                            hoisted.insert(key, inner.results[0]);
                            out.push(inner);
                        }
                        None => kept.push(inner),
                    }
                }
                arm.insts = kept;
            }
            out.push(inst);
        }
        block.insts = out;
        true
    }

    fn key(&self, inst: &Inst) -> Option<Key> {
        let is_worth_it = match inst.op {
            // The others are made where they are used.
            Op::Const(_) => self.function.ty(inst.results[0]) == Type::F32,
            Op::Load { .. } => false,
            ref op => op.is_pure(),
        };
        is_worth_it
            .then(|| key(self.function, inst, |_| None))
            .flatten()
    }

    /// What is in several arms and needs nothing from them, and the branch that it is to stand before.
    fn common(&self, block: &Block) -> FxHashMap<Key, usize> {
        if block.insts.iter().all(|inst| arms(inst).next().is_none()) {
            return FxHashMap::default();
        }
        let mut found: FxHashMap<Key, Found> = FxHashMap::default();
        let mut arm_number = 0;
        let mut inside: SecondaryMap<Value, bool> = self.function.map_values(false);
        for (at, inst) in block.insts.iter().enumerate() {
            for arm in arms(inst) {
                arm_number += 1;
                arm.visit(&mut |inner| inner.results.iter().for_each(|v| inside[*v] = true));
                for inner in &arm.insts {
                    let mut inner = inner.clone();
                    self.renaming.operands(&mut inner.op);
                    let mut is_free = true;
                    inner.op.operands(&mut |v| is_free &= !inside[v]);
                    let Some(key) = self.key(&inner).filter(|_| is_free) else {
                        continue;
                    };
                    let found = found.entry(key).or_insert(Found {
                        first: at,
                        arms: 0,
                        last_arm: 0,
                    });
                    if found.last_arm != arm_number {
                        found.arms += 1;
                        found.last_arm = arm_number;
                    }
                }
                arm.visit(&mut |inner| inner.results.iter().for_each(|v| inside[*v] = false));
            }
        }
        let common = found.into_iter().filter(|(_, found)| found.arms > 1);
        common.map(|(key, found)| (key, found.first)).collect()
    }
}

/// The arms of a branch that are not failures.
fn arms(inst: &Inst) -> impl Iterator<Item = &Block> {
    let arms = match &inst.op {
        Op::If { then, els, .. } => [Some(&then.block), Some(&els.block)],
        _ => [None, None],
    };
    arms.into_iter().flatten().filter(|arm| !arm.is_failure())
}

fn arms_mut(inst: &mut Inst) -> impl Iterator<Item = &mut Block> {
    let arms = match &mut inst.op {
        Op::If { then, els, .. } => [Some(&mut then.block), Some(&mut els.block)],
        _ => [None, None],
    };
    arms.into_iter().flatten().filter(|arm| !arm.is_failure())
}
