//! How many work items a lane does at once: thread coarsening, by a rule.
//!
//! What items have in common is then computed and loaded once: loops, their counters and pointers, elements that do not
//! depend on the row or on the column. Addresses of a lane's items are a constant apart, so they share a pointer. It
//! costs registers and code, and there must be enough items for all lanes, which each launch decides
//! ([`CoarseHeader`](crate::abi::CoarseHeader)).

use super::course::straight_iterations;
use super::defs::Defs;
use super::loops::ITERATIONS;
use super::strides::{Stride, Strides};
use super::tuning::Tuning;
use super::unroll_and_jam::Varies;
use crate::ir::{
    BinOp, Block, Effect, Function, Id, Inst, Loc, Op, SecondaryMap, Type, Value, While,
};
use rustc_hash::FxHashSet;

/// What a lane does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coarsening {
    /// Items of a row, a warp's width apart: a power of two.
    pub(crate) columns: u32,
    /// Neighbouring rows: a power of two.
    pub(crate) rows: u32,
}

/// Why each lane does one work item after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obstacle<'a> {
    /// The image is started without a header that could say how much is done in blocks.
    Bare,
    /// So little is done to make it fast.
    Level,
    /// It is not known how many lanes warps will have.
    Lanes,
    /// What it is chosen by allows no more.
    Tuning,
    /// Something in the body that must stay in its place.
    Inside(&'a Inst),
    /// Something in the body that a lane's items cannot do side by side.
    Parted(Parted),
    /// The gain of two items at once, in hundredths, and the required gain.
    Gain { percent: u32, least: u32 },
    /// The number of instructions that belong to only one of two items at once, and the limit.
    Code { size: u32, most: u32 },
    /// There is local memory for so many groups, where as many run as a core has warps for.
    Room(u32),
}

/// What a lane's items cannot do side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parted {
    /// A loop that they leave in different iterations.
    Loop(Loc),
    /// A loop with loads in lines of each lane's own, more than they share.
    Load(Loc),
}

/// Straight code with as many loads that depend on the row is expected to load the same for the next one.
const STENCIL_LOADS: u32 = 7;

/// Instructions of the loop over items: its counter, its test and a pointer; and what coordinates take to advance.
const LOOP: u32 = 4;
const COORDINATES: u32 = 8;

/// Floats of a lane's items that may be alive all through a loop, together: half of the registers; and with those that
/// all items share: what leaves some for the iteration.
const ALIVE: u32 = 16;
const ALIVE_WITH_SHARED: u32 = 24;

impl Coarsening {
    /// What can be expected to pay for a body of a kernel, its ids still in it, in warps of this many lanes, if
    /// anything does; and how far apart lines are that items of a lane have for themselves, as it does not pay where
    /// these have few places in the cache.
    pub(crate) fn of<'a>(
        function: &Function,
        body: &'a Block,
        lanes: u32,
        tuning: &Tuning,
    ) -> Result<(Self, Vec<Stride>), Obstacle<'a>> {
        if let Some(inst) = first_that(body, &|op| !is_allowed(op)) {
            return Err(Obstacle::Inside(inst));
        }
        let [of_column, of_row] = [Axis::Column, Axis::Row].map(|axis| ids_along(body, axis));
        let has_rows = body.any(&|op| *op == Op::Id(Id::Global(1)));
        if tuning.coarse_gain == 0 {
            let coarsening = Self {
                columns: tuning.columns,
                rows: if has_rows { tuning.rows } else { 1 },
            };
            return Ok((coarsening.several()?, Vec::new()));
        }
        let mut displaced = function.map_values(false);
        for column in &of_column {
            displaced[*column] = true;
        }
        let mut cost = BodyCost {
            function,
            defs: Defs::of(body, function),
            by_column: Varies::of(function, body, &of_column),
            by_row: Varies::of(function, body, &of_row),
            of_column: &of_column,
            displaced,
            tuning,
            own: 0,
            shared: LOOP + if has_rows { COORDINATES } else { 0 },
            code: 0,
            parted: None,
            lines: None,
            strides: Vec::new(),
            loads_of_lines: 0,
            loads_shared: 0,
            has_loops: false,
            alive: Alive::default(),
            loads_of_rows: 0,
            words_of_rows: false,
        };
        cost.block(body, Around::ITEM);
        let is_stencil = has_rows && !cost.has_loops && cost.loads_of_rows >= STENCIL_LOADS;
        let coarsening = match is_stencil {
            true => Self {
                columns: 1,
                rows: match cost.words_of_rows {
                    true => tuning.rows.min(2),
                    false => tuning.rows,
                },
            },
            false => Self {
                columns: cost.columns(lanes, tuning)?,
                rows: 1,
            },
        };
        Ok((coarsening.several()?, cost.strides))
    }

    /// Itself, if that is more than one item.
    pub(super) fn several(self) -> Result<Self, Obstacle<'static>> {
        match self.columns * self.rows > 1 {
            true => Ok(self),
            false => Err(Obstacle::Tuning),
        }
    }

    /// Items in x, y and z.
    pub(crate) fn items(self) -> [u32; 3] {
        [self.columns, self.rows, 1]
    }
}

/// The first instruction of a block, and of what is nested in it, that is so.
pub(super) fn first_that<'a>(block: &'a Block, is: &impl Fn(&Op) -> bool) -> Option<&'a Inst> {
    block.insts.iter().find_map(|inst| match is(&inst.op) {
        true => Some(inst),
        false => {
            let nested = inst.op.blocks().into_iter().flatten();
            nested.into_iter().find_map(|block| first_that(block, is))
        }
    })
}

/// Whether items may do it in other places of the order in which they run, several in one lane.
fn is_allowed(op: &Op) -> bool {
    match op {
        Op::PrivateAddr(_) | Op::LocalAddr(_) | Op::Clock | Op::Print { .. } => false,
        Op::Id(Id::Warp | Id::Core) => false,
        Op::Id(id) => !id.needs_groups(),
        op => op.effect() != Effect::Convergent,
    }
}

/// Along what a block of items or groups has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Column,
    Row,
}

/// The ids in a body that are others for the next item, or for those of the next group, along an axis.
pub(crate) fn ids_along(body: &Block, axis: Axis) -> Vec<Value> {
    let n = match axis {
        Axis::Column => 0,
        Axis::Row => 1,
    };
    let mut values = Vec::new();
    body.visit(&mut |inst| match inst.op {
        Op::Id(Id::GlobalLinear | Id::GroupLinear) => values.extend(&inst.results),
        Op::Id(Id::Global(of) | Id::Group(of)) if of == n => values.extend(&inst.results),
        _ => {}
    });
    values
}

/// Looks at what a body costs, in instructions, that of loops as often as they run.
struct BodyCost<'a> {
    function: &'a Function,
    defs: Defs,
    by_column: Varies,
    by_row: Varies,
    /// The ids that are others in the next column.
    of_column: &'a [Value],
    /// Values of which those of a lane's items are constants apart.
    displaced: SecondaryMap<Value, bool>,
    /// It says how long a loop may be that will be straight code.
    tuning: &'a Tuning,
    /// What each item of a row costs, and what all of a lane's cost together.
    own: u32,
    shared: u32,
    /// Instructions of an item's own as they will stand in the code.
    code: u32,
    /// What a lane's items cannot do side by side, if there is something.
    parted: Option<Parted>,
    /// A loop that loads from lines of each lane's own.
    lines: Option<Loc>,
    /// How far apart these lines are, each once.
    strides: Vec<Stride>,
    /// How many loads from these there are, and how many in loops are the same for all items.
    loads_of_lines: u32,
    loads_shared: u32,
    has_loops: bool,
    /// Floats that are alive all through a loop, at most.
    alive: Alive,
    /// Loads in straight code at addresses that depend on the row.
    loads_of_rows: u32,
    /// Whether any of these loads what is no float: pointers and counters need the same registers.
    words_of_rows: bool,
}

/// Floats that are alive all through a loop: of each item's own, and of all of a lane's together.
#[derive(Clone, Copy, Default)]
struct Alive {
    own: u32,
    shared: u32,
}

impl Alive {
    fn most(self, other: Self) -> Self {
        Self {
            own: self.own.max(other.own),
            shared: self.shared.max(other.shared),
        }
    }

    /// Whether there are registers for those of that many items.
    fn has_room(self, items: u32) -> bool {
        let own = items * self.own;
        own <= ALIVE && own + self.shared <= ALIVE_WITH_SHARED
    }
}

/// Where an instruction stands.
#[derive(Clone, Copy)]
struct Around {
    /// How often it runs, and how often it will stand there.
    times: u32,
    copies: u32,
    /// The innermost loop.
    in_loop: Option<Loc>,
}

impl Around {
    const ITEM: Self = Self {
        times: 1,
        copies: 1,
        in_loop: None,
    };
}

impl BodyCost<'_> {
    /// How many items of a row are worth doing at once: two, or more.
    fn columns(&self, lanes: u32, tuning: &Tuning) -> Result<u32, Obstacle<'static>> {
        // More lines of each lane's own would not stay in the cache, and enough must be gained by what is shared.
        let of_lines = tuning.items_of_lines / lanes.max(1);
        let (parted, most) = match self.lines {
            Some(loc)
                if 2 * self.loads_shared < self.loads_of_lines
                    || of_lines < 2
                    || self.strides.iter().any(|stride| stride.has_few_places()) =>
            {
                (self.parted.or(Some(Parted::Load(loc))), 1)
            }
            Some(_) => (self.parted, of_lines),
            None => (self.parted, u32::MAX),
        };
        if let Some(parted) = parted {
            return Err(Obstacle::Parted(parted));
        }
        let most = most.min(tuning.columns);
        if tuning.columns < 2 {
            return Err(Obstacle::Tuning);
        }
        let cost = |columns: u32| f64::from(self.own) + f64::from(self.shared) / f64::from(columns);
        let pays = |columns: u32| {
            let most = match columns {
                ..=4 => tuning.coarse_code,
                _ => tuning.wide_code,
            };
            let size = self.code.saturating_mul(columns);
            if size > most {
                return Err(Obstacle::Code { size, most });
            }
            let (gain, least) = (
                100.0 * cost(columns / 2) / cost(columns),
                tuning.coarse_gain,
            );
            match gain >= f64::from(least) {
                true => Ok(()),
                false => Err(Obstacle::Gain {
                    percent: (gain - 100.0) as u32,
                    least: least.saturating_sub(100),
                }),
            }
        };
        pays(2)?;
        let mut columns = 2;
        while columns < most && self.alive.has_room(2 * columns) && pays(2 * columns).is_ok() {
            columns *= 2;
        }
        Ok(columns)
    }

    /// Floats that are alive all through a loop: what iterations hand on, and what comes from before.
    fn alive_in(&self, w: &While) -> Alive {
        let mut defined: FxHashSet<Value> = w.params.iter().copied().collect();
        let mut used = defined.clone();
        for block in [&w.before, &w.after] {
            block.visit(&mut |inst| {
                defined.extend(&inst.results);
                if let Op::While(inner) = &inst.op {
                    defined.extend(&inner.params);
                }
            });
            block.uses(&mut |value| {
                used.insert(value);
            });
        }
        let is_alive = |value: &&Value| {
            (w.params.contains(value) || !defined.contains(value))
                && self.function.ty(**value) == Type::F32
        };
        let mut alive = Alive::default();
        for value in used.iter().filter(is_alive) {
            match self.by_column.is(*value) {
                true => alive.own += 1,
                false => alive.shared += 1,
            }
        }
        alive
    }

    fn block(&mut self, block: &Block, around: Around) {
        for inst in &block.insts {
            let mut inner = around;
            match &inst.op {
                Op::While(w) => {
                    match straight_iterations(self.function, &self.defs, w, self.tuning) {
                        Some(iterations) => {
                            inner.times = inner.times.saturating_mul(iterations);
                            inner.copies = inner.copies.saturating_mul(iterations);
                        }
                        None => {
                            inner.times = inner.times.saturating_mul(ITERATIONS);
                            inner.in_loop = Some(inst.loc);
                            self.has_loops = true;
                            self.alive = self.alive.most(self.alive_in(w));
                            if self.by_column.is(w.cond) {
                                self.parted.get_or_insert(Parted::Loop(inst.loc));
                            }
                            self.count(2, false, inner);
                        }
                    }
                }
                Op::If { cond, els, .. } if !els.block.is_failure() && !self.is_answered(*cond) => {
                    self.count(3, self.by_column.is(*cond), around);
                }
                Op::If { .. } | Op::Const(_) | Op::Assume(_) | Op::Id(_) => {}
                _ => self.operation(inst, around),
            }
            for nested in inst.op.blocks().into_iter().flatten() {
                if !nested.is_failure() {
                    self.block(nested, inner);
                }
            }
        }
    }

    /// Whether a condition is expected to be answered before the loop over items.
    fn is_answered(&self, cond: Value) -> bool {
        matches!(self.defs.get(cond), Some(Op::Compare(_, a, b))
            if self.displaced[*a] && !self.by_column.is(*b))
    }

    fn operation(&mut self, inst: &Inst, around: Around) {
        let (op, results) = (&inst.op, &inst.results);
        let varies = self.by_column.any(op);
        let is = |value: Value| self.displaced[value];
        let same = |value: Value| !self.by_column.is(value);
        let (size, displaced) = match *op {
            Op::Binary(BinOp::Add | BinOp::Sub, a, b) => {
                (1, is(a) && (same(b) || is(b)) || is(b) && same(a))
            }
            Op::Binary(BinOp::Mul, a, b) => {
                let constant = |value| self.defs.constant(value).is_some();
                (1, is(a) && constant(b) || is(b) && constant(a))
            }
            Op::Binary(BinOp::Shl, a, b) => (1, is(a) && self.defs.constant(b).is_some()),
            Op::PtrAdd { base, index, scale } => {
                let displaced = is(index) && same(base) || is(base) && same(index);
                (if scale == 1 { 1 } else { 2 }, displaced)
            }
            // What bounds are checked with.
            Op::Compare(..) if results.iter().all(|v| self.is_answered(*v)) => return,
            Op::Load { ptr, .. } => {
                if around.in_loop.is_none() && self.by_row.is(ptr) {
                    self.loads_of_rows = self.loads_of_rows.saturating_add(around.copies);
                    self.words_of_rows |= results.iter().any(|v| self.function.ty(*v) != Type::F32);
                }
                match around.in_loop {
                    Some(_) if same(ptr) => self.loads_shared += 1,
                    Some(around) if !is(ptr) => {
                        self.loads_of_lines += 1;
                        self.lines.get_or_insert(around);
                        self.note_stride(ptr);
                    }
                    _ => {}
                }
                (1, false)
            }
            _ => (1, false),
        };
        if displaced {
            for result in results {
                self.displaced[*result] = true;
            }
        }
        // What depends on nothing but the launch is computed before the loop.
        let is_of_item = varies
            || self.by_row.any(op)
            || around.in_loop.is_some()
            || matches!(op, Op::Load { .. });
        if is_of_item {
            self.count(size, varies && !displaced, around);
        }
    }

    fn note_stride(&mut self, ptr: Value) {
        let strides = Strides {
            function: self.function,
            defs: &self.defs,
            ids: self.of_column,
            varies: &self.by_column,
        };
        if let Some(stride) = strides.of(ptr)
            && !self.strides.contains(&stride)
        {
            self.strides.push(stride);
        }
    }

    fn count(&mut self, size: u32, is_own: bool, around: Around) {
        if is_own {
            self.own = self.own.saturating_add(size.saturating_mul(around.times));
            self.code = self.code.saturating_add(size.saturating_mul(around.copies));
        } else {
            self.shared = self
                .shared
                .saturating_add(size.saturating_mul(around.times));
        }
    }
}
