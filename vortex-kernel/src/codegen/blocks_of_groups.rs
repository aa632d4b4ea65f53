//! The loop in which each lane does the same item of several neighbouring groups at once.
//!
//! A launch may cover some of its groups with blocks ([`CoarseHeader`]), and the rest with the loop over single groups:
//!
//! ```text
//! start := if header.covered > 0 {
//!     while block < covered {                 optional: without it, the loop over single groups does it all
//!         the body for groups x, x + 1, ..    of neighbouring rows, too: `unroll_and_jam`
//!     }
//!     covered * columns * rows
//! } else { 0 }
//! if start < count { the loop over single groups, from `start` on }
//! ```
//!
//! The groups of a block reach each barrier together, so it is one barrier for all of them. Each has its own objects in
//! local memory, one after the other, except for those that groups fill alike ([`alike`]), which they share. Whether
//! blocks are used is the same for all warps of a group, as it decides which groups these run.
//!
//! [`CoarseHeader`]: crate::abi::CoarseHeader

use super::carried::{Carried, Coordinate};
use super::group::{Group, GroupLoop, Members, Objects};
use super::launch::{Launch, UsedIds};
use super::records::Sites;
use crate::abi::header;
use crate::ir::{BinOp, Block, Builder, CmpOp, LocalId, PrimaryMap, Type, Value};
use crate::opt::coarsening::{Axis, ids_along};
use crate::opt::unroll_and_jam::OfItem;
use crate::opt::{Coarsening, alike, unroll_and_jam};

/// Appends the loop over blocks, if there is one, and the loop over the groups that it leaves.
pub(super) fn blocks_then_rest(
    b: &mut Builder<'_>,
    body: Block,
    launch: &Launch,
    used: &UsedIds,
    members: &Members,
    coarsening: Option<Coarsening>,
    sites: &mut Sites,
) {
    let objects = members.objects(b, launch);
    let Some(coarsening) = coarsening else {
        let groups = GroupLoop::start(b, launch, used, members, None);
        groups.append(b, body, launch, objects.addresses, sites);
        return;
    };
    let start = launch.after_blocks(b, Vec::new(), |then, covered| {
        let again = then.function.clone_block(&body);
        let own = Own::of(then, &again, coarsening, &objects);
        let blocks = BlockLoop::start(then, launch, used, (members, coarsening), covered);
        let addresses = objects.addresses.clone();
        blocks.append(then, again, launch, (own, addresses), sites);
        let groups = then.u32(coarsening.columns * coarsening.rows);
        then.binary(BinOp::Mul, covered, groups)
    });
    let are_left = b.compare(CmpOp::Lt, start, members.count);
    let mut rest = b.inner();
    let groups = GroupLoop::start(&mut rest, launch, used, members, Some(start));
    groups.append(&mut rest, body, launch, objects.addresses, sites);
    let rest = rest.finish();
    b.when(are_left, rest);
}

/// The objects that groups of a block have for themselves: by the column of the group, or by its row.
struct Own {
    of_columns: Vec<OfItem>,
    of_rows: Vec<OfItem>,
}

impl Own {
    fn of(b: &mut Builder<'_>, body: &Block, coarsening: Coarsening, objects: &Objects) -> Self {
        let own = [Axis::Column, Axis::Row].map(|axis| {
            let ids = ids_along(body, axis);
            alike::own_objects(b.function, body, &ids).0
        });
        let Coarsening { columns, rows } = coarsening;
        let none_of = |count: u32| (0..count).map(|_| OfItem::default()).collect();
        let mut all = Self {
            of_columns: none_of(columns),
            of_rows: none_of(rows),
        };
        for (id, first) in &objects.addresses {
            let [by_column, by_row] = own.each_ref().map(|own| own[id]);
            for row in 0..if by_row { rows } else { 1 } {
                for column in 0..if by_column { columns } else { 1 } {
                    let (copy, address) = match row * columns + column {
                        0 => (id, *first),
                        n => {
                            let object = b.function.locals[id].clone();
                            let copy = b.function.locals.push(object);
                            let n = b.u32(n);
                            let before = b.binary(BinOp::Mul, objects.size, n);
                            (copy, b.ptr_add(*first, before, 1))
                        }
                    };
                    // What rows are made of are all columns of the first.
                    let put = |item: &mut OfItem| {
                        item.objects.push(copy);
                        item.values.push(address);
                    };
                    if by_column && row == 0 {
                        put(&mut all.of_columns[column as usize]);
                    }
                    if by_row {
                        put(&mut all.of_rows[row as usize]);
                    }
                }
            }
        }
        all
    }
}

struct BlockLoop<'a> {
    members: &'a Members,
    coarsening: Coarsening,
    covered: Value,
    stride: Value,
    /// The parameter that counts blocks, and where it starts.
    block: Value,
    block_initial: Value,
    /// Of the block.
    coordinates: Vec<Coordinate>,
}

impl<'a> BlockLoop<'a> {
    fn start(
        b: &mut Builder<'_>,
        launch: &Launch,
        used: &UsedIds,
        (members, coarsening): (&'a Members, Coarsening),
        covered: Value,
    ) -> Self {
        let stride = launch.load(b, header::COARSE_STRIDE, Type::U32);
        let block_initial = members.first(b, launch, covered);
        // Of several rows, groups have numbers by their coordinates.
        let is_row = members.is_row;
        let dimensions = match used.number_of_group(is_row) && coarsening.rows > 1 {
            true => 3,
            false => used.group_dimensions.max(used.dimensions_of_items(is_row)),
        };
        let log2 = [coarsening.columns.ilog2(), coarsening.rows.ilog2(), 0];
        let coordinates = Coordinate::all(b, block_initial, dimensions, true, |b, axis| {
            let fields = [header::GROUPS, header::COARSE_STEP];
            let (size, step) = launch.size_and_step(b, fields, axis);
            let amount = b.u32(log2[axis as usize]);
            (b.binary(BinOp::Shr, size, amount), step)
        });
        Self {
            members,
            coarsening,
            covered,
            stride,
            block: b.function.new_value(Type::U32),
            block_initial,
            coordinates,
        }
    }

    fn append(
        &self,
        b: &mut Builder<'_>,
        body: Block,
        launch: &Launch,
        (own, objects): (Own, PrimaryMap<LocalId, Value>),
        sites: &mut Sites,
    ) {
        let mut before = b.inner();
        let cond = before.compare(CmpOp::Lt, self.block, self.covered);
        let before = before.finish();
        let mut after = b.inner();
        self.block(&mut after, body, launch, (own, objects), sites);
        let mut carried = Carried::default();
        carried.number(&mut after, self.block, self.block_initial, self.stride);
        carried.coordinates(&mut after, &self.coordinates);
        let mut all = carried.while_loop(before, cond, after.finish());
        all.optional = true;
        b.while_loop(all);
    }

    /// The groups of a block.
    fn block(
        &self,
        b: &mut Builder<'_>,
        body: Block,
        launch: &Launch,
        (mut own, objects): (Own, PrimaryMap<LocalId, Value>),
        sites: &mut Sites,
    ) {
        let used = UsedIds::of(&body);
        let Coarsening { columns, rows } = self.coarsening;
        let mut at: Vec<Value> = self.coordinates.iter().map(|c| c.param).collect();
        // One of them for each group, of which the first is that in the body.
        let several = |b: &mut Builder<'_>, block: Value, items: &mut [OfItem]| {
            let count = b.u32(items.len() as u32);
            let first = b.binary(BinOp::Mul, block, count);
            for (n, item) in (0..).zip(items) {
                let n = b.u32(n);
                item.values.push(b.binary(BinOp::Add, first, n));
            }
        };
        let mut number = self.block;
        if rows == 1 {
            several(b, self.block, &mut own.of_columns);
            number = last_of_first(&own.of_columns, number);
        }
        for (place, items, count) in [
            (0, &mut own.of_columns, columns),
            (1, &mut own.of_rows, rows),
        ] {
            if let Some(place) = at.get_mut(place)
                && count > 1
            {
                several(b, *place, items);
                *place = last_of_first(items, *place);
            }
        }
        let mut first = b.inner();
        if let [x, y, z] = at[..]
            && rows > 1
            && used.number_of_group(self.members.is_row)
        {
            let [width, height] =
                [0, 4].map(|n| launch.load(&mut first, header::GROUPS + n, Type::U32));
            let above = first.binary(BinOp::Mul, z, height);
            let before = first.binary(BinOp::Add, above, y);
            let before = first.binary(BinOp::Mul, before, width);
            number = first.binary(BinOp::Add, before, x);
        }
        if used.number_of_group(self.members.is_row) {
            launch.assume_inside(&mut first, number, self.members.count);
        }
        let group = Group::of(
            &mut first,
            launch,
            self.members,
            &used,
            (number, at),
            objects,
        );
        group.append(&mut first, body, launch, sites);
        let mut first = first.finish();
        unroll_and_jam::of_first_item(b.function, &mut first);
        let row = unroll_and_jam::all(b.function, first, &own.of_columns, 0);
        let mut block = unroll_and_jam::all(b.function, row, &own.of_rows, 1);
        b.block.insts.append(&mut block.insts);
    }
}

/// What has been added last to the first of some items.
fn last_of_first(items: &[OfItem], otherwise: Value) -> Value {
    let last = items.first().and_then(|item| item.values.last());
    last.copied().unwrap_or(otherwise)
}
