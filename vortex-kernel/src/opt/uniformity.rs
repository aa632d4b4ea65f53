//! Which values are the same in all active lanes of a warp.
//!
//! A value is *uniform* when, each time its definition runs, all lanes active there compute the same word; otherwise it
//! is *divergent*. An `If` or a `While` is divergent exactly when its condition is. The rules:
//!
//! * lane and hart numbers, the item's ids and addresses in private memory are divergent; arguments and the launch's
//!   shape are uniform;
//! * a load is uniform when its address is and nothing can write there during the launch, or only the lanes together,
//!   or the object is `agreed`, of which results of reductions over a group are made;
//! * results of warp operations that are the same for all lanes are uniform, and so is the value of one lane;
//! * anything else computed from uniform values only is uniform;
//! * results of an `If` are uniform when both arms' yields are, and the condition is or the yields are one value;
//! * parameters of a `While` are uniform when their initial and next values are: lanes of one iteration entered it
//!   together;
//! * results of a divergent `While` are divergent unless they are defined outside it: lanes left in different
//!   iterations.
//!
//! Nearly the same rules determine what is the same in all items of a group: results of warp operations are not, nor is
//! the number of the warp.
//!
//! Divergence only ever grows, and only what an iteration hands to the next one is known after it is needed. So one
//! sweep is enough that repeats a loop until its parameters no longer change.

use crate::ir::{Alias, Block, Csr, Function, Inst, Op, SecondaryMap, Value, WarpOp};

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct Uniformity {
    divergent: SecondaryMap<Value, bool>,
}

impl Uniformity {
    /// What is the same in all active lanes of a warp, in a structured function.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        Self::among(function, false)
    }

    /// What is the same in all items of a group, in a structured function. After `codegen::entry`, the numbers of
    /// groups are taken to differ, as they are made of those of warps.
    #[must_use]
    pub fn in_group(function: &Function) -> Self {
        Self::among(function, true)
    }

    fn among(function: &Function, group: bool) -> Self {
        let mut sweep = Sweep {
            function,
            divergent: function.map_values(false),
            defined: function.map_values(0),
            clock: 0,
            group,
        };
        sweep.block(&function.body);
        Self {
            divergent: sweep.divergent,
        }
    }

    /// Whether all active lanes hold the same word.
    #[must_use]
    pub fn is_uniform(&self, value: Value) -> bool {
        !self.is_divergent(value)
    }

    /// Whether active lanes may hold different words.
    #[must_use]
    pub fn is_divergent(&self, value: Value) -> bool {
        self.divergent.get(value).copied().unwrap_or(true)
    }
}

/// Whether results of an operation differ between lanes (or items of a group) even where its operands do not.
pub(super) fn is_source(op: &Op) -> bool {
    match op {
        Op::Csr(csr) => matches!(csr, Csr::LaneId | Csr::HartId),
        Op::Id(id) => !id.is_uniform_in_group(),
        Op::Load { alias, .. } => !matches!(
            alias,
            Alias::Launch | Alias::Shared(_) | Alias::Data(_) | Alias::Exchange
        ),
        Op::PrivateAddr(_) | Op::Atomic { .. } | Op::Warp { .. } | Op::Clock => true,
        _ => false,
    }
}

/// The same of what is alike in all lanes of a warp, but not in those of the warps of a group.
fn is_source_in_group(op: &Op) -> bool {
    matches!(op, Op::Csr(Csr::WarpId | Csr::HandedRank))
}

struct Sweep<'f> {
    function: &'f Function,
    divergent: SecondaryMap<Value, bool>,
    /// When a value was last defined in the sweep; parameters of the function: 0.
    defined: SecondaryMap<Value, u32>,
    clock: u32,
    /// Among the items of a group rather than the lanes of a warp.
    group: bool,
}

impl Sweep<'_> {
    fn is(&self, value: Value) -> bool {
        self.divergent[value]
    }

    fn define(&mut self, value: Value, divergent: bool) {
        self.clock += 1;
        self.defined[value] = self.clock;
        self.divergent[value] |= divergent;
    }

    /// A load of what all items of a group read alike.
    fn is_agreed(&self, op: &Op) -> bool {
        match op {
            Op::Load {
                alias: Alias::Local(id),
                ..
            } => self.function.locals[*id].agreed,
            _ => false,
        }
    }

    fn block(&mut self, block: &Block) {
        for inst in &block.insts {
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match &inst.op {
            Op::If { cond, then, els } => {
                self.block(&then.block);
                self.block(&els.block);
                let split = self.is(*cond);
                for (result, (a, b)) in inst.results.iter().zip(then.yields.iter().zip(&els.yields))
                {
                    self.define(*result, self.is(*a) || self.is(*b) || (split && a != b));
                }
            }
            Op::While(w) => {
                let entered = self.clock;
                for (param, init) in w.params.iter().zip(&w.init) {
                    self.define(*param, self.is(*init));
                }
                loop {
                    self.block(&w.before);
                    self.block(&w.after);
                    let mut changed = false;
                    for (param, next) in w.params.iter().zip(&w.next) {
                        changed |= self.is(*next) && !self.is(*param);
                        self.divergent[*param] |= self.is(*next);
                    }
                    if !changed {
                        break;
                    }
                }
                let split = self.is(w.cond);
                for (result, exit) in inst.results.iter().zip(&w.exits) {
                    let inside = self.defined[*exit] > entered;
                    self.define(*result, self.is(*exit) || (split && inside));
                }
            }
            Op::Warp { op, operands } if !self.group => {
                let divergent = match (op, &operands[..]) {
                    // A value that is the same everywhere is that of any lane.
                    (WarpOp::Read, [value, lane]) => self.is(*value) && self.is(*lane),
                    _ => !op.is_uniform(),
                };
                for result in &inst.results {
                    self.define(*result, divergent);
                }
            }
            op => {
                let is_source = is_source(op) && !self.is_agreed(op);
                let mut divergent = is_source || self.group && is_source_in_group(op);
                op.operands(&mut |v| divergent |= self.is(v));
                for result in &inst.results {
                    self.define(*result, divergent);
                }
            }
        }
    }
}
