//! Of how many neighbouring groups a lane does an item at once, by a rule.
//!
//! An instruction belongs to each group, or is shared by all groups of a row, of a column, or of the block; shared ones
//! are executed once. So with `c` columns of groups and `r` rows, a group costs
//!
//! ```text
//! own + (same in a column) / r + (same in a row) / c + (same for all) / (c * r)
//! ```
//!
//! Index checks do not count: blocks of groups are only used where all of them hold before the loop, so kernels with
//! and without them get the same blocks.
//!
//! A barrier is shared by all, and the most expensive part: all warps of a group wait there, mostly for memory.
//! Starting with one group, columns or rows are doubled, whichever is cheaper, while that pays, and while code and the
//! values carried by loops stay within limits.

use super::alike::own_objects;
use super::coarsening::{Axis, Coarsening, Obstacle, Parted, first_that, ids_along};
use super::course::straight_iterations;
use super::defs::Defs;
use super::loops::ITERATIONS;
use super::tuning::Tuning;
use super::unroll_and_jam::Varies;
use crate::ir::{Block, Function, Id, Inst, Op, SecondaryMap, Value};

/// What a barrier costs, in instructions.
const BARRIER: u32 = 24;

/// What a branch costs.
const BRANCH: u32 = 6;

/// Values that a loop may carry from one iteration to the next.
const CARRIED: u32 = 20;

impl Coarsening {
    /// What can be expected to pay for a body of a kernel of groups, its ids still in it, if anything does. There is
    /// `room` for the local memory of so many groups.
    pub(crate) fn of_groups<'a>(
        function: &Function,
        body: &'a Block,
        tuning: &Tuning,
        room: u32,
    ) -> Result<Self, Obstacle<'a>> {
        if let Some(inst) = first_that(body, &|op| !is_allowed(op)) {
            return Err(Obstacle::Inside(inst));
        }
        let [columns, rows] = [Axis::Column, Axis::Row].map(|axis| ids_along(body, axis));
        let has_rows = body.any(&|op| matches!(op, Op::Id(Id::Global(1) | Id::Group(1))));
        let most = Self {
            columns: tuning.groups[0],
            rows: if has_rows { tuning.groups[1] } else { 1 },
        };
        if tuning.coarse_gain == 0 {
            return most.several();
        }
        let mut cost = BodyCost {
            function,
            defs: Defs::of(body, function),
            by_column: own_objects(function, body, &columns).1,
            by_row: own_objects(function, body, &rows).1,
            tuning,
            cost: Parts::default(),
            code: Parts::default(),
            carried: Parts::default(),
            parted: None,
            used: function.map_values(false),
        };
        cost.look_for_uses(body);
        cost.block(body, (1, 1));
        match cost.parted {
            Some(parted) => Err(Obstacle::Parted(parted)),
            None => cost.choose(most, room, tuning)?.several(),
        }
    }
}

/// Whether items of several groups may do it side by side. Barriers are those of all of them, and what the lanes of a
/// warp do together they do for each.
fn is_allowed(op: &Op) -> bool {
    !matches!(
        op,
        Op::PrivateAddr(_) | Op::Clock | Op::Print { .. } | Op::Id(Id::Warp | Id::Core)
    )
}

/// Numbers of what is each group's own, of a column, of a row, and of all.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    own: u32,
    of_columns: u32,
    of_rows: u32,
    of_all: u32,
}

impl Parts {
    fn add(&mut self, [by_column, by_row]: [bool; 2], amount: u32) {
        let part = match (by_column, by_row) {
            (true, true) => &mut self.own,
            (true, false) => &mut self.of_columns,
            (false, true) => &mut self.of_rows,
            (false, false) => &mut self.of_all,
        };
        *part = part.saturating_add(amount);
    }

    /// Of a block of groups.
    fn of(&self, Coarsening { columns, rows }: Coarsening) -> u32 {
        let several = |part: u32, times: u32| part.saturating_mul(times);
        several(self.own, columns * rows)
            .saturating_add(several(self.of_columns, columns))
            .saturating_add(several(self.of_rows, rows))
            .saturating_add(self.of_all)
    }
}

struct BodyCost<'a> {
    function: &'a Function,
    defs: Defs,
    by_column: Varies,
    by_row: Varies,
    /// It says how long a loop may be that will be straight code.
    tuning: &'a Tuning,
    /// Instructions as often as they run, and as they will stand in the code.
    cost: Parts,
    code: Parts,
    /// What the loop carries that carries most.
    carried: Parts,
    parted: Option<Parted>,
    /// What is used by anything but a check.
    used: SecondaryMap<Value, bool>,
}

impl BodyCost<'_> {
    fn varies(&self, is: impl Fn(&Varies) -> bool) -> [bool; 2] {
        [&self.by_column, &self.by_row].map(is)
    }

    /// Whether it is a check of an index, or was one: without checks its condition is a constant.
    fn is_check(&self, op: &Op) -> bool {
        matches!(op, Op::If { cond, then, els }
            if then.block.is_failure() || els.block.is_failure() || self.defs.constant(*cond).is_some())
    }

    fn look_for_uses(&mut self, body: &Block) {
        body.visit(&mut |inst| {
            if !self.is_check(&inst.op) {
                inst.op.operands(&mut |value| self.used[value] = true);
            }
            (inst.op).inner_operands(&mut |value| self.used[value] = true);
        });
    }

    /// Adds an instruction that runs so often, and will stand there so often.
    fn count(&mut self, varies: [bool; 2], size: u32, (times, copies): (u32, u32)) {
        self.cost.add(varies, size.saturating_mul(times));
        self.code.add(varies, size.saturating_mul(copies));
    }

    fn block(&mut self, block: &Block, around: (u32, u32)) {
        for inst in &block.insts {
            self.inst(inst, around);
        }
    }

    fn inst(&mut self, inst: &Inst, around: (u32, u32)) {
        let mut inner = around;
        match &inst.op {
            Op::While(w) => {
                match straight_iterations(self.function, &self.defs, w, self.tuning) {
                    Some(iterations) => {
                        inner.0 = inner.0.saturating_mul(iterations);
                        inner.1 = inner.1.saturating_mul(iterations);
                    }
                    None => {
                        inner.0 = inner.0.saturating_mul(ITERATIONS);
                        self.count([false; 2], 2, inner);
                    }
                }
                let varies = self.varies(|varies| varies.is(w.cond));
                if varies[0] {
                    self.parted.get_or_insert(Parted::Loop(inst.loc));
                }
                self.carries(&w.params);
            }
            op if self.is_check(op) => {}
            Op::Compare(..) if inst.results.iter().all(|result| !self.used[*result]) => {}
            Op::If { cond, .. } => {
                let varies = self.varies(|varies| varies.is(*cond));
                self.count(varies, BRANCH, around);
            }
            Op::Const(_) | Op::Assume(_) | Op::Id(_) | Op::LocalAddr(_) => {}
            op if op.is_barrier() => self.count([false; 2], BARRIER, around),
            op => {
                let varies = self.varies(|varies| varies.any(op));
                self.count(varies, 1, around);
            }
        }
        for nested in inst.op.blocks().into_iter().flatten() {
            if !nested.is_failure() {
                self.block(nested, inner);
            }
        }
    }

    fn carries(&mut self, params: &[Value]) {
        let mut carried = Parts::default();
        for param in params {
            carried.add(self.varies(|varies| varies.is(*param)), 1);
        }
        let one = Coarsening {
            columns: 2,
            rows: 2,
        };
        if carried.of(one) > self.carried.of(one) {
            self.carried = carried;
        }
    }

    /// Doubles columns or rows as long as it pays.
    fn choose(
        &self,
        most: Coarsening,
        room: u32,
        tuning: &Tuning,
    ) -> Result<Coarsening, Obstacle<'static>> {
        let cost = |block: Coarsening| {
            f64::from(self.cost.of(block)) / f64::from(block.columns * block.rows)
        };
        let mut block = Coarsening {
            columns: 1,
            rows: 1,
        };
        let mut obstacle = Obstacle::Tuning;
        loop {
            let wider = Coarsening {
                columns: 2 * block.columns,
                ..block
            };
            let higher = Coarsening {
                rows: 2 * block.rows,
                ..block
            };
            let candidates = [wider, higher].into_iter();
            let allowed =
                candidates.filter(|next| next.columns <= most.columns && next.rows <= most.rows);
            let Some(next) = allowed.min_by(|a, b| cost(*a).total_cmp(&cost(*b))) else {
                break;
            };
            let (gain, least) = (100.0 * cost(block) / cost(next), tuning.coarse_gain);
            let (size, most) = (self.code.of(next), tuning.group_code);
            if gain < f64::from(least) {
                obstacle = Obstacle::Gain {
                    percent: (gain - 100.0) as u32,
                    least: least.saturating_sub(100),
                };
                break;
            }
            if size > most || self.carried.of(next) > CARRIED {
                obstacle = Obstacle::Code { size, most };
                break;
            }
            if next.columns * next.rows > room {
                obstacle = Obstacle::Room(room);
                break;
            }
            block = next;
        }
        match block.columns * block.rows {
            1 => Err(obstacle),
            _ => Ok(block),
        }
    }
}
