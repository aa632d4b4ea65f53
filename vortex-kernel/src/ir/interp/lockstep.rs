//! Items that wait for each other, or exchange values.
//!
//! All items go together through an `if` or a loop that contains a collective operation, each along its own path; an
//! item runs everything else alone, to its end. So items run one after the other from one collective instruction to the
//! next. An item continues past the first half of a barrier before others have reached it.

use super::super::{Block, Inst, Op, Value, WarpOp};
use super::warp::{self, Asking};
use super::{Flow, Function, Item, Memory, Run, Runner, Trap};
use std::collections::HashMap;

/// Runs items to their end, and gives them back.
pub(super) fn run(
    function: &Function,
    memory: &mut Memory,
    runner: Runner,
    items: Vec<Item>,
) -> Result<Vec<Item>, Trap> {
    let mut lockstep = Lockstep {
        flow: vec![Flow::On; items.len()],
        barriers: HashMap::new(),
        run: Run::new(function, memory, runner, Item::default()),
        items,
    };
    let all: Vec<usize> = (0..lockstep.items.len()).collect();
    lockstep.block(&function.body, &all)?;
    Ok(lockstep.items)
}

struct Lockstep<'a> {
    run: Run<'a>,
    items: Vec<Item>,
    /// Where control of every item goes next.
    flow: Vec<Flow>,
    /// The core's barriers at which warps arrive without waiting.
    barriers: HashMap<u32, Phase>,
}

/// Of a barrier of a core.
#[derive(Clone, Copy, Default)]
struct Phase {
    number: u32,
    /// Warps that have arrived in it.
    arrived: u32,
}

fn is_walked_together(inst: &Inst) -> bool {
    let mut nested = inst.op.blocks().into_iter().flatten();
    match inst.op {
        Op::BarrierArrive => false,
        Op::Warp { .. } => true,
        ref op => op.is_barrier() || nested.any(|block| block.any(&Op::is_collective)),
    }
}

/// Whether an item runs this before others have reached it.
fn is_run_alone(inst: &Inst) -> bool {
    inst.op == Op::BarrierArrive || !(inst.op.is_convergent() || is_walked_together(inst))
}

impl<'a> Lockstep<'a> {
    /// Does `f` as item `i`.
    fn as_item<R>(&mut self, i: usize, f: impl FnOnce(&mut Run<'a>) -> R) -> R {
        std::mem::swap(&mut self.run.item, &mut self.items[i]);
        let result = f(&mut self.run);
        std::mem::swap(&mut self.run.item, &mut self.items[i]);
        result
    }

    fn keep_on(&self, items: &mut Vec<usize>) {
        items.retain(|i| self.flow[*i] == Flow::On);
    }

    fn block(&mut self, block: &Block, items: &[usize]) -> Result<(), Trap> {
        let mut on = items.to_vec();
        let mut rest = &block.insts[..];
        while !rest.is_empty() {
            self.keep_on(&mut on);
            if on.is_empty() {
                break;
            }
            if is_walked_together(&rest[0]) {
                self.together(&rest[0], &on)?;
                rest = &rest[1..];
                continue;
            }
            let others_come = rest.iter().position(|inst| !is_run_alone(inst));
            let (alone, then) = rest.split_at(others_come.unwrap_or(rest.len()).max(1));
            for &i in &on {
                self.flow[i] = self.as_item(i, |run| run.insts(alone))?;
            }
            rest = then;
        }
        Ok(())
    }

    /// An instruction in which items meet.
    fn together(&mut self, inst: &Inst, on: &[usize]) -> Result<(), Trap> {
        for &i in on {
            self.as_item(i, Run::spend)?;
        }
        match &inst.op {
            Op::If { cond, then, els } => {
                let (yes, no): (Vec<_>, Vec<_>) = on
                    .iter()
                    .partition(|i| self.as_item(**i, |run| run.holds(*cond)));
                for (arm, mut items) in [(then, yes), (els, no)] {
                    self.block(&arm.block, &items)?;
                    self.keep_on(&mut items);
                    for i in items {
                        self.as_item(i, |run| run.assign(&inst.results, &arm.yields));
                    }
                }
                Ok(())
            }
            Op::While(w) => {
                let mut turning = on.to_vec();
                for &i in on {
                    self.as_item(i, |run| run.assign(&w.params, &w.init));
                }
                while !turning.is_empty() {
                    self.block(&w.before, &turning)?;
                    self.keep_on(&mut turning);
                    turning.retain(|i| {
                        self.as_item(*i, |run| {
                            let stays = run.holds(w.cond);
                            if !stays {
                                run.assign(&inst.results, &w.exits);
                            }
                            stays
                        })
                    });
                    self.block(&w.after, &turning)?;
                    self.keep_on(&mut turning);
                    for &i in &turning {
                        self.as_item(i, |run| run.assign(&w.params, &w.next));
                        self.as_item(i, Run::spend)?;
                    }
                }
                Ok(())
            }
            Op::Loop { label, body, step } => {
                let mut turning = on.to_vec();
                while !turning.is_empty() {
                    for block in [body, step] {
                        self.block(block, &turning)?;
                        turning.retain(|i| match self.flow[*i] {
                            Flow::Break(to) if to == *label => {
                                self.flow[*i] = Flow::On;
                                false
                            }
                            Flow::Continue(to) if to == *label => {
                                self.flow[*i] = Flow::On;
                                true
                            }
                            flow => flow == Flow::On,
                        });
                    }
                    for &i in &turning {
                        self.as_item(i, Run::spend)?;
                    }
                }
                Ok(())
            }
            Op::Scope { label, body } => {
                self.block(body, on)?;
                for &i in on {
                    if self.flow[i] == Flow::Break(*label) {
                        self.flow[i] = Flow::On;
                    }
                }
                Ok(())
            }
            Op::Warp { op, operands } => self.ask(inst, *op, operands, on),
            Op::Meet { barrier, warps } => {
                // Warps that stand at other barriers do not count.
                let mut arrived: Vec<(u32, usize, u32)> = Vec::new();
                for &i in on {
                    let words = self.as_item(i, |run| (run.get(*barrier), run.get(*warps)));
                    arrived.push((words.0, self.warp_of(i), words.1));
                }
                arrived.dedup();
                for &(barrier, _, warps) in arrived.iter().filter(|arrival| arrival.2 > 1) {
                    let here = arrived.iter().filter(|other| other.0 == barrier);
                    if here.count() != warps as usize {
                        let item = self.items[on[0]].number;
                        return Err(Trap::Barrier { item });
                    }
                }
                Ok(())
            }
            Op::Arrive { barrier, warps } => {
                let lanes = self.lanes();
                for warp in on.chunk_by(|a, b| a / lanes == b / lanes) {
                    let (barrier, warps) =
                        self.as_item(warp[0], |run| (run.get(*barrier), run.get(*warps)));
                    let phase = self.barriers.entry(barrier).or_default();
                    let number = phase.number;
                    phase.arrived += 1;
                    if phase.arrived == warps {
                        *phase = Phase {
                            number: number ^ 1,
                            arrived: 0,
                        };
                    }
                    for &i in warp {
                        for result in &inst.results {
                            self.items[i].words[*result] = number.into();
                        }
                    }
                }
                Ok(())
            }
            Op::Await { barrier, phase } => {
                for &i in on {
                    let (barrier, phase) =
                        self.as_item(i, |run| (run.get(*barrier), run.get(*phase)));
                    // All warps have come here: nobody is left to end the phase.
                    if self.barriers.entry(barrier).or_default().number == phase {
                        let item = self.items[i].number;
                        return Err(Trap::Barrier { item });
                    }
                }
                Ok(())
            }
            _ => {
                let alive = self.flow.iter().filter(|flow| **flow != Flow::End);
                if alive.count() == on.len() {
                    return Ok(());
                }
                let item = self.items[on[0]].number;
                Err(Trap::Barrier { item })
            }
        }
    }

    /// Lanes per warp.
    fn lanes(&self) -> usize {
        self.run.lanes().max(1) as usize
    }

    /// Which of the warps that run together item `i` is in.
    fn warp_of(&self, i: usize) -> usize {
        i / self.lanes()
    }

    fn ask(
        &mut self,
        inst: &Inst,
        op: WarpOp,
        operands: &[Value],
        on: &[usize],
    ) -> Result<(), Trap> {
        // What is combined, is combined operand by operand.
        if op.combines().is_some() {
            for (operand, result) in operands.iter().zip(&inst.results) {
                self.answer(op, &[*operand], *result, on)?;
            }
            return Ok(());
        }
        let result = inst.results.first();
        result.map_or(Ok(()), |result| self.answer(op, operands, *result, on))
    }

    /// What each item gets for one result.
    fn answer(
        &mut self,
        op: WarpOp,
        operands: &[Value],
        result: Value,
        on: &[usize],
    ) -> Result<(), Trap> {
        let ty = self.run.function.ty(result);
        let lanes = self.lanes();
        for warp in on.chunk_by(|a, b| a / lanes == b / lanes) {
            let mut asking = Vec::new();
            for &i in warp {
                let operands = self.as_item(i, |run| {
                    operands.iter().map(|v| run.whole(*v)).collect::<Vec<_>>()
                });
                asking.push(Asking {
                    lane: (i % lanes) as u32,
                    operands,
                });
            }
            let item = self.items[warp[0]].number;
            let words = warp::answers(op, ty, &asking).ok_or(Trap::Assumption { item })?;
            for (&i, word) in warp.iter().zip(words) {
                self.items[i].words[result] = word;
            }
        }
        Ok(())
    }
}
