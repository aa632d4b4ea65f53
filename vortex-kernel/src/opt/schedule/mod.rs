//! Instructions in the order in which an in-order core waits least for them.
//!
//! A warp waits for results of unfinished instructions, and with few warps no other one fills the gap. So straight code
//! is put into the order of a simulated core: of the ready instructions, the one with the longest chain of dependents
//! goes first. That way loads are issued ahead of their uses, and chains overlap. What is computed early stays in a
//! register until it is used: where registers become scarce ([`live`]), what frees one goes first.
//!
//! Control flow and other fixed instructions stay where they are; only what is between them moves. Accesses to memory
//! that may overlap keep their order.

mod live;
mod region;

use super::tuning::Tuning;
use crate::ir::{Alias, Block, Function, Inst, Op, Value};
use live::Live;

/// Instructions that are put in order together, at most: it takes the square of that.
const REGION: usize = 160;

/// Orders the straight code of a structured function.
pub fn schedule(function: &mut Function, tuning: &Tuning) {
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Schedule {
        live: Live::of(function, &body),
        function,
        task: Task::Order(tuning),
        loops: 0,
    };
    pass.block(&mut body, Carried::NOTHING);
    function.body = body;
}

/// How many integers are alive at once, at most, in a part of a structured function's body, in the order that it has,
/// besides those that are only alive around it.
pub(crate) fn integers_alive(function: &Function, body: &Block, part: &[Inst]) -> usize {
    let mut part = Block {
        insts: part.to_vec(),
    };
    let mut pass = Schedule {
        live: Live::of(function, body),
        function,
        task: Task::Count(0),
        loops: 0,
    };
    pass.block(&mut part, Carried::NOTHING);
    match pass.task {
        Task::Count(most) => most,
        Task::Order(_) => 0,
    }
}

/// What is done with straight code.
enum Task<'a> {
    /// It is ordered by these choices.
    Order(&'a Tuning),
    /// It stays as it is: the most integers that were alive in it.
    Count(usize),
}

struct Schedule<'a> {
    function: &'a Function,
    task: Task<'a>,
    /// What is alive after the instruction that the walk is at, which goes backwards.
    live: Live,
    /// How many loops are around it.
    loops: u32,
}

/// What the iteration that a block ends hands to the next one.
#[derive(Clone, Copy)]
struct Carried<'a> {
    /// The parameters of the loop, and what they become.
    params: &'a [(Value, Value)],
    /// An iteration is of work items or groups. Which they are is told by counters, to name the item that fails:
    /// these advance only after all that may fail.
    of_items: bool,
}

impl Carried<'_> {
    const NOTHING: Self = Self {
        params: &[],
        of_items: false,
    };
}

impl Schedule<'_> {
    fn block(&mut self, block: &mut Block, carried: Carried<'_>) {
        let mut end = block.insts.len();
        while end > 0 {
            let straight = block.insts[..end].iter().rev();
            let straight = straight.take_while(|inst| moves(&inst.op)).take(REGION);
            let start = end - straight.count();
            if start < end {
                let insts = &mut block.insts[start..end];
                if let Task::Order(tuning) = self.task
                    && insts.len() > 2
                {
                    region::order(self.function, &self.live, insts, carried, tuning);
                }
                for inst in insts.iter().rev() {
                    self.live.before(inst);
                    if let Task::Count(most) = &mut self.task {
                        *most = self.live.registers()[0].max(*most);
                    }
                }
                end = start;
            } else {
                end -= 1;
                self.control(&mut block.insts[end]);
            }
        }
    }

    fn control(&mut self, inst: &mut Inst) {
        match &mut inst.op {
            Op::If { cond, then, els } => {
                self.live.defined(&inst.results);
                let after = self.live.clone_now();
                self.live.used(&then.yields);
                self.block(&mut then.block, Carried::NOTHING);
                let before_then = self.live.replace(after);
                self.live.used(&els.yields);
                self.block(&mut els.block, Carried::NOTHING);
                self.live.join(&before_then);
                self.live.used(&[*cond]);
            }
            Op::While(w) => {
                self.live.defined(&inst.results);
                self.live.used_by_loop(w);
                let around = self.live.clone_now();
                self.live.used(&w.next);
                let params: Vec<_> = w
                    .params
                    .iter()
                    .copied()
                    .zip(w.next.iter().copied())
                    .collect();
                let carried = Carried {
                    params: &params,
                    of_items: self.loops == 0,
                };
                self.loops += 1;
                self.block(&mut w.after, carried);
                self.live.used(&w.exits);
                self.live.used(&[w.cond]);
                // It ends here for parameters that neither the rest of it uses nor what comes after the loop; but not
                // for those that tell which item the rest is of.
                let mut params = params;
                params.retain(|(param, _)| self.loops > 1 && !w.exits.contains(param));
                w.after
                    .uses(&mut |used| params.retain(|(param, _)| *param != used));
                let carried = Carried {
                    params: &params,
                    of_items: false,
                };
                self.block(&mut w.before, carried);
                self.loops -= 1;
                self.live.replace(around);
                self.live.used(&w.init);
            }
            _ => self.live.before(inst),
        }
    }
}

/// Whether an instruction may change places with others that it has nothing to do with.
fn moves(op: &Op) -> bool {
    match op {
        Op::Load { alias, .. } | Op::Store { alias, .. } => *alias != Alias::Exchange,
        op => op.is_pure(),
    }
}
