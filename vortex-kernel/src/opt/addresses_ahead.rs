//! Where the next iteration loads from, computed while the load of this one is still in flight.
//!
//! ```text
//!                                            ok = at < len; from = &x[if ok { at } else { 0 }]
//! loop {                                     loop {
//!     ok = at < len                              v = *from
//!     v = x[if ok { at } else { 0 }]   ==>       at' = at + 1
//!     if !ok | v == 0 { break }                  ok' = at' < len; from' = &x[if ok' { at' } else { 0 }]
//!     at = at + 1                                if !ok | v == 0 { break }
//! }                                              at, ok, from = at', ok', from'
//!                                            }
//! ```
//!
//! Where a loop goes on by what it has loaded, each iteration waits for its address, then for the load, then for the
//! test: a chain of instructions of which each waits for the one before. What the address is made of, if that is not
//! loaded as well, need not be part of it. The last iteration computes it needlessly, in cycles in which it would have
//! waited.

use super::defs::cost_if_pure;
use crate::ir::visit::Renaming;
use crate::ir::{Block, Function, Inst, Op, Value, While};
use crate::meta::count;
use rustc_hash::FxHashMap;

/// What an address may cost, in instructions.
const COST: u32 = 8;

/// Values that are carried to the next iteration instead of computed there, at most.
const CARRIED: usize = 3;

/// How many operations are looked through for what something depends on: far more than what pays, so that it makes no
/// difference where exactly it ends.
const STEPS: usize = 32;

/// Computes addresses of loads ahead that a loop's test waits for.
pub fn addresses_ahead(function: &mut Function) {
    if !function.body.any(&|op| matches!(op, Op::While(_))) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    block(function, &mut body);
    function.body = body;
}

fn block(function: &mut Function, of: &mut Block) {
    let mut out = Vec::with_capacity(of.insts.len());
    for mut inst in std::mem::take(&mut of.insts) {
        for nested in inst.op.blocks_mut().into_iter().flatten() {
            block(function, nested);
        }
        if let Op::While(w) = &mut inst.op
            && let Some(ahead) = Ahead::of(function, w)
        {
            count!("addresses_ahead", "loops", 1);
            out.extend(ahead.apply(function, w));
        }
        out.push(inst);
    }
    of.insts = out;
}

/// Takes out the instructions at these places, in their order.
fn take(insts: &mut Vec<Inst>, places: &[usize]) -> Vec<Inst> {
    let mut taken: Vec<Inst> = (places.iter().rev().map(|at| insts.remove(*at))).collect();
    taken.reverse();
    taken
}

/// What is computed ahead in a loop: places among the instructions before its test.
struct Ahead {
    /// What is computed of parameters only, for the address.
    address: Vec<usize>,
    /// What of these is used besides.
    carried: Vec<Value>,
    /// Instructions behind the test that make the parameters' next values.
    next: Vec<usize>,
}

impl Ahead {
    fn of(function: &Function, w: &While) -> Option<Self> {
        let insts = &w.before.insts;
        if insts.iter().any(|inst| inst.op.blocks() != [None, None]) {
            return None;
        }
        let made = Made::of(w);
        let load = made.load_behind(w.cond)?;
        let Op::Load { ptr, .. } = &insts[load].op else {
            return None;
        };
        let mut address = Vec::new();
        let mut params = Vec::new();
        made.slice(*ptr, &mut address, &mut params)?;
        let costs = address.iter().map(|at| {
            let inst = &insts[*at];
            cost_if_pure(&inst.op, function.ty(inst.results[0]))
        });
        let cost: Option<u32> = costs.sum();
        if address.is_empty() || cost? > COST {
            return None;
        }
        let (mut next, mut seen) = (Vec::new(), Vec::new());
        for param in params {
            made.next(w.next[param], &mut next, &mut seen)?;
        }
        address.sort_unstable();
        next.sort_unstable();
        let is_part = |at: usize| address.binary_search(&at).is_ok();
        let mut used: Vec<Value> = Vec::new();
        let elsewhere = insts.iter().enumerate().filter(|(at, _)| !is_part(*at));
        elsewhere.for_each(|(_, inst)| inst.op.operands(&mut |value| used.push(value)));
        w.after.uses(&mut |value| used.push(value));
        used.extend(w.exits.iter().chain(&w.next).chain([&w.cond]));
        let made = address.iter().map(|at| insts[*at].results[0]);
        let carried: Vec<Value> = made.filter(|value| used.contains(value)).collect();
        (carried.len() <= CARRIED).then_some(Self {
            address,
            carried,
            next,
        })
    }

    /// Changes the loop, and gives what comes before it.
    fn apply(self, function: &mut Function, w: &mut While) -> Vec<Inst> {
        let address = take(&mut w.before.insts, &self.address);
        let next = take(&mut w.after.insts, &self.next);
        w.before.insts.extend(next);
        let (first, init) = self.copy(function, &address, &w.params, &w.init);
        let (ahead, next) = self.copy(function, &address, &w.params, &w.next);
        w.before.insts.extend(ahead);
        w.params.extend(&self.carried);
        w.init.extend(init);
        w.next.extend(next);
        first
    }

    /// The address for other values of the parameters, and what is carried of it.
    fn copy(
        &self,
        function: &mut Function,
        address: &[Inst],
        params: &[Value],
        values: &[Value],
    ) -> (Vec<Inst>, Vec<Value>) {
        let mut renaming = Renaming::default();
        for (param, value) in params.iter().zip(values) {
            renaming.set(*param, *value);
        }
        let mut block = Block {
            insts: address.to_vec(),
        };
        renaming.block(&mut block);
        let copy = function.define_anew(block).insts;
        let results = address.iter().zip(&copy);
        let copies: FxHashMap<Value, Value> = results
            .map(|(inst, copy)| (inst.results[0], copy.results[0]))
            .collect();
        let carried = self.carried.iter().map(|value| copies[value]).collect();
        (copy, carried)
    }
}

/// What makes a value in an iteration.
#[derive(Clone, Copy)]
enum Maker {
    Param(usize),
    Before(usize),
    After(usize),
    /// Something that is made of other blocks.
    Nested,
}

/// Where the values of an iteration come from.
struct Made<'a> {
    w: &'a While,
    makers: FxHashMap<Value, Maker>,
}

impl<'a> Made<'a> {
    fn of(w: &'a While) -> Self {
        let mut makers = FxHashMap::default();
        let params = w.params.iter().enumerate();
        makers.extend(params.map(|(at, param)| (*param, Maker::Param(at))));
        for (at, inst) in w.before.insts.iter().enumerate() {
            makers.extend(inst.results.iter().map(|value| (*value, Maker::Before(at))));
        }
        for (at, inst) in w.after.insts.iter().enumerate() {
            let maker = match inst.op.blocks() {
                [None, None] => Maker::After(at),
                _ => Maker::Nested,
            };
            makers.extend(inst.results.iter().map(|value| (*value, maker)));
        }
        Self { w, makers }
    }

    /// The first load that is found among what a value depends on, from the value on.
    fn load_behind(&self, value: Value) -> Option<usize> {
        let mut waiting = vec![value];
        for _ in 0..STEPS {
            let Some(Maker::Before(at)) = self.makers.get(&waiting.pop()?) else {
                continue;
            };
            let op = &self.w.before.insts[*at].op;
            if matches!(op, Op::Load { .. }) {
                return Some(*at);
            }
            op.operands(&mut |operand| waiting.push(operand));
        }
        None
    }

    /// Adds what an address is made of in the iteration, and the parameters among that; nothing if that is not all from
    /// before the test.
    fn slice(&self, value: Value, insts: &mut Vec<usize>, params: &mut Vec<usize>) -> Option<()> {
        match self.makers.get(&value) {
            None => Some(()),
            Some(Maker::Param(at)) => {
                params.push(*at);
                Some(())
            }
            Some(Maker::Before(at)) => {
                let inst = &self.w.before.insts[*at];
                let [_] = inst.results[..] else {
                    return None;
                };
                if insts.contains(at) {
                    return Some(());
                }
                if insts.len() > STEPS {
                    return None;
                }
                insts.push(*at);
                self.all(&inst.op, &mut |operand| self.slice(operand, insts, params))
            }
            Some(Maker::After(_) | Maker::Nested) => None,
        }
    }

    /// Adds what is behind the test of what a parameter's next value is made of; nothing if there is more to that than
    /// computing.
    fn next(&self, value: Value, moved: &mut Vec<usize>, seen: &mut Vec<Value>) -> Option<()> {
        if seen.contains(&value) {
            return Some(());
        }
        seen.push(value);
        let op = match self.makers.get(&value) {
            None | Some(Maker::Param(_)) => return Some(()),
            Some(Maker::Nested) => return None,
            Some(Maker::Before(at)) => &self.w.before.insts[*at].op,
            Some(Maker::After(at)) => {
                moved.push(*at);
                &self.w.after.insts[*at].op
            }
        };
        let computes = op.is_pure() && seen.len() <= STEPS;
        computes.then(|| self.all(op, &mut |operand| self.next(operand, moved, seen)))?
    }

    fn all(&self, op: &Op, of: &mut dyn FnMut(Value) -> Option<()>) -> Option<()> {
        let mut all = Some(());
        op.operands(&mut |operand| {
            if all.is_some() {
                all = of(operand);
            }
        });
        all
    }
}
