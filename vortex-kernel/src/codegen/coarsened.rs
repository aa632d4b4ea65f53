//! The loop in which each lane does several work items at once: thread coarsening.
//!
//! A launch may cover some of its items with blocks ([`CoarseHeader`]), and the rest with the loop over single items:
//!
//! ```text
//! start := if header.covered > 0 {
//!     while first < covered {                 optional: without it, the loop over single items does it all
//!         the body for x, x + lanes, ..       of neighbouring rows, too: `unroll_and_jam`
//!     }
//!     covered
//! } else { 0 }
//! if start < total { the loop over single items, from `start` on }
//! ```
//!
//! A block is `columns` times as wide as a warp, so each lane's items are a warp's width apart and loads of
//! neighbouring lanes still share lines; and `rows` high. All lanes of a warp have a complete block, in one row of
//! blocks, so its mask is never narrowed here. Blocks are counted by the items of their first row: `y` counts rows of
//! blocks.
//!
//! [`CoarseHeader`]: crate::abi::CoarseHeader

use super::carried::{Carried, Coordinate};
use super::expand::expand;
use super::items::ItemLoop;
use super::launch::{IdSource, Launch, Surroundings, UsedIds};
use super::records::Sites;
use crate::abi::header;
use crate::ir::expand::Expanded;
use crate::ir::{BinOp, Block, Builder, CmpOp, Csr, Id, LocalId, Op, Type, Value};
use crate::opt::Coarsening;
use crate::opt::deferred_checks::deferred_checks;
use crate::opt::strides::Stride;
use crate::opt::unroll_and_jam::{self, OfItem};

/// Appends the loop over blocks, for warps of this many lanes, and the loop over what it leaves: everything, where
/// lines so far apart have few places in the cache.
pub(super) fn blocks_then_rest(
    b: &mut Builder<'_>,
    body: Block,
    launch: &Launch,
    used: &UsedIds,
    (coarsening, lanes, strides): (Coarsening, u32, &[Stride]),
    sites: &mut Sites,
) {
    let have_places = strides
        .iter()
        .filter_map(|stride| stride.has_more_places(b));
    let have_places = have_places.collect();
    let start = launch.after_blocks(b, have_places, |then, covered| {
        let again = then.function.clone_block(&body);
        let blocks = BlockLoop::start(then, launch, used, (coarsening, lanes), covered);
        blocks.append(then, again, launch, sites);
        let rows = then.u32(coarsening.rows);
        then.binary(BinOp::Mul, covered, rows)
    });
    let total = launch.load(b, header::TOTAL, Type::U32);
    let are_left = b.compare(CmpOp::Lt, start, total);
    let mut rest = b.inner();
    ItemLoop::all_items(&mut rest, body, launch, used, Some(start), sites);
    let rest = rest.finish();
    b.when(are_left, rest);
}

struct BlockLoop {
    coarsening: Coarsening,
    lanes: u32,
    /// Items in the first rows of all blocks.
    covered: Value,
    stride: Value,
    /// The parameter that counts the warp's first item, and where it starts.
    first: Value,
    first_initial: Value,
    /// The same for the lane's first item, where that has a number.
    item: Option<(Value, Value)>,
    /// Those of the lane's first item, except for y, which counts rows of blocks.
    coordinates: Vec<Coordinate>,
    is_linear_used: bool,
}

/// What is another value for each of a lane's items, and the same in all rows.
struct Column {
    x: Option<Value>,
    /// Its number, unless that is made of its coordinates.
    item: Option<Value>,
}

impl BlockLoop {
    fn start(
        b: &mut Builder<'_>,
        launch: &Launch,
        used: &UsedIds,
        (coarsening, lanes): (Coarsening, u32),
        covered: Value,
    ) -> Self {
        let stride = launch.load(b, header::COARSE_STRIDE, Type::U32);
        let [number_of_warp, _] = launch.placement.number_of_warp(b);
        let width = b.u32(coarsening.columns * lanes);
        let first_initial = b.binary(BinOp::Mul, number_of_warp, width);
        let lane = b.csr(Csr::LaneId);
        let initial = b.binary(BinOp::Add, first_initial, lane);
        let is_plain = coarsening.rows == 1;
        let item = (used.linear && is_plain).then(|| (b.function.new_value(Type::U32), initial));
        // Of several rows, items have numbers by their coordinates.
        let dimensions = match used.linear && !is_plain {
            true => 3,
            false => used.dimensions,
        };
        let log2 = coarsening.rows.ilog2();
        let coordinates = Coordinate::all(b, initial, dimensions, false, |b, axis| {
            let fields = [header::SIZE, header::COARSE_STEP];
            let (size, step) = launch.size_and_step(b, fields, axis);
            let amount = b.u32(if axis == 1 { log2 } else { 0 });
            (b.binary(BinOp::Shr, size, amount), step)
        });
        Self {
            coarsening,
            lanes,
            covered,
            stride,
            first: b.function.new_value(Type::U32),
            first_initial,
            item,
            coordinates,
            is_linear_used: used.linear,
        }
    }

    fn append(&self, b: &mut Builder<'_>, body: Block, launch: &Launch, sites: &mut Sites) {
        let mut before = b.inner();
        let cond = before.compare(CmpOp::Lt, self.first, self.covered);
        let before = before.finish();
        let mut after = b.inner();
        self.block(&mut after, body, launch, sites);
        let mut carried = Carried::default();
        carried.number(&mut after, self.first, self.first_initial, self.stride);
        if let Some((item, initial)) = self.item {
            carried.number(&mut after, item, initial, self.stride);
        }
        carried.coordinates(&mut after, &self.coordinates);
        let mut all = carried.while_loop(before, cond, after.finish());
        all.optional = true;
        b.while_loop(all);
    }

    /// The items of a block.
    fn block(&self, b: &mut Builder<'_>, body: Block, launch: &Launch, sites: &mut Sites) {
        let [width, height] = [0, 1].map(|axis| launch.load(b, header::SIZE + 4 * axis, Type::U32));
        let total = launch.load(b, header::TOTAL, Type::U32);
        let columns = self.columns(b);
        let of_rows = self.rows(b);
        // What passes can rely on.
        for column in &columns {
            if let Some(x) = column.x {
                launch.assume_inside(b, x, width);
            }
            if let Some(item) = column.item {
                launch.assume_inside(b, item, total);
            }
        }
        for y in of_rows.iter().flatten() {
            launch.assume_inside(b, *y, height);
        }
        if let Some(z) = self.coordinates.get(2) {
            launch.assume_inside(b, z.param, z.size);
        }
        let (column, row) = (&columns[0], of_rows[0]);
        let deferred = match self.coarsening.rows {
            1 => deferred_checks(b.function, body),
            _ => Err(body),
        };
        let (body, deferred) = match deferred {
            Ok(deferred) => (deferred.body, Some((deferred.all_hold, deferred.original))),
            Err(body) => (body, None),
        };
        let mut first = b.inner();
        let item = match column.item {
            None if self.is_linear_used => self.number(&mut first, column, row, [width, height]),
            item => item,
        };
        let around = Item {
            blocks: self,
            row,
            column,
            item,
            // No failure is left among these: with one, blocks are not used.
            failed: self.first,
        };
        expand(&mut first, body, &around, launch, sites);
        let of_columns: Vec<OfItem> = columns.iter().map(Column::values).collect();
        let of_row = |y: &Option<Value>| OfItem {
            values: y.iter().copied().collect(),
            objects: Vec::new(),
        };
        let of_rows: Vec<OfItem> = of_rows.iter().map(of_row).collect();
        let mut first = first.finish();
        unroll_and_jam::of_first_item(b.function, &mut first);
        let all_hold = deferred.as_ref().map(|(all_hold, _)| *all_hold);
        let row_of_items = unroll_and_jam::all_or_none(b.function, first, &of_columns, 0, all_hold);
        let mut block = unroll_and_jam::all(b.function, row_of_items, &of_rows, 1);
        if let Some((_, original)) = deferred
            && let Some(Op::If { els, .. }) = block.insts.last_mut().map(|inst| &mut inst.op)
        {
            let mut otherwise = b.inner();
            self.one_by_one(&mut otherwise, original, (column, row), launch, sites);
            els.block = otherwise.finish();
            els.is_fallback = true;
        }
        b.block.insts.append(&mut block.insts);
    }

    /// The items of a block of one row, one after the other.
    fn one_by_one(
        &self,
        b: &mut Builder<'_>,
        body: Block,
        (first, row): (&Column, Option<Value>),
        launch: &Launch,
        sites: &mut Sites,
    ) {
        let zero = b.u32(0);
        let width = b.u32(self.coarsening.columns * self.lanes);
        let lanes = b.u32(self.lanes);
        let lane = b.csr(Csr::LaneId);
        let before = b.binary(BinOp::Add, self.first, lane);
        // How far an item is from the first.
        let after = b.function.new_value(Type::U32);
        let mut test = b.inner();
        let cond = test.compare(CmpOp::Lt, after, width);
        let test = test.finish();
        let mut one = b.inner();
        let plus = |one: &mut Builder<'_>, first: Value| one.binary(BinOp::Add, first, after);
        let column = Column {
            x: first.x.map(|x| plus(&mut one, x)),
            item: first.item.map(|item| plus(&mut one, item)),
        };
        let failed = plus(&mut one, before);
        let around = Item {
            blocks: self,
            row,
            column: &column,
            item: column.item,
            failed,
        };
        expand(&mut one, body, &around, launch, sites);
        let mut carried = Carried::default();
        carried.number(&mut one, after, zero, lanes);
        let items = carried.while_loop(test, cond, one.finish());
        b.while_loop(items);
    }

    fn columns(&self, b: &mut Builder<'_>) -> Vec<Column> {
        let x = self.coordinates.first().map(|x| x.param);
        let item = self.item.map(|(item, _)| item);
        let columns = (0..self.coarsening.columns).map(|n| {
            let after = b.u32(n * self.lanes);
            let mut plus = |first: Option<Value>| match n {
                0 => first,
                _ => first.map(|first| b.binary(BinOp::Add, first, after)),
            };
            Column {
                x: plus(x),
                item: plus(item),
            }
        });
        columns.collect()
    }

    /// Their y, one for each.
    fn rows(&self, b: &mut Builder<'_>) -> Vec<Option<Value>> {
        let factor = b.u32(self.coarsening.rows);
        let y = self.coordinates.get(1);
        let y = y.map(|y| b.binary(BinOp::Mul, y.param, factor));
        let rows = (0..self.coarsening.rows).map(|n| {
            let after = b.u32(n);
            y.map(|y| b.binary(BinOp::Add, y, after))
        });
        rows.collect()
    }

    /// The number of an item, by its coordinates.
    fn number(
        &self,
        b: &mut Builder<'_>,
        column: &Column,
        row: Option<Value>,
        [width, height]: [Value; 2],
    ) -> Option<Value> {
        let z = self.coordinates.get(2)?.param;
        let above = b.binary(BinOp::Mul, z, height);
        let rows = b.binary(BinOp::Add, above, row?);
        let before = b.binary(BinOp::Mul, rows, width);
        Some(b.binary(BinOp::Add, before, column.x?))
    }
}

impl Column {
    fn values(&self) -> OfItem {
        OfItem {
            values: self.x.into_iter().chain(self.item).collect(),
            objects: Vec::new(),
        }
    }
}

/// What is known about an item of a block.
struct Item<'a> {
    blocks: &'a BlockLoop,
    row: Option<Value>,
    column: &'a Column,
    item: Option<Value>,
    /// Its number in records of failures.
    failed: Value,
}

impl Surroundings for Item<'_> {
    fn id(&self, id: Id) -> Option<IdSource> {
        Some(match id {
            Id::GlobalCount => IdSource::Field(header::TOTAL),
            Id::GlobalSize(n) => IdSource::Field(header::SIZE + 4 * u32::from(n)),
            Id::Global(0) => IdSource::Value(self.column.x?),
            Id::Global(1) => IdSource::Value(self.row?),
            Id::Global(n) => IdSource::Value(self.blocks.coordinates.get(usize::from(n))?.param),
            Id::GlobalLinear => IdSource::Value(self.item?),
            _ => return None,
        })
    }

    fn fault_item(&self, _: &mut Builder<'_>) -> Value {
        self.failed
    }

    fn barrier(&self, _: &mut Builder<'_>, _: &mut Op) -> Expanded {
        Expanded::Kept
    }

    fn local(&self, _: &mut Builder<'_>, _: LocalId) -> Option<Value> {
        None
    }
}
