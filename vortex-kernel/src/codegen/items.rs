//! The loop over the work items of a warp.
//!
//! ```text
//! first := number of the warp * lanes                     the warp's first item, uniform
//! while
//!     if first < total - lanes + 1 { true }               all lanes have an item
//!     else if first < total { narrow the mask to the first `total - first` lanes; true }
//!     else { false }
//! {
//!     body                                                item = first + lane
//!     first += stride; x, y, z and item advance likewise
//! }
//! ```
//!
//! Lowering moves the first of these tests to the end of an iteration.

use super::carried::{Carried, Coordinate};
use super::expand::expand;
use super::launch::{IdSource, Launch, Surroundings, UsedIds};
use super::records::Sites;
use crate::abi::header;
use crate::ir::expand::Expanded;
use crate::ir::{Arm, BinOp, Block, Builder, CmpOp, Csr, Id, LocalId, Op, Type, Value};

pub(super) struct ItemLoop {
    total: Value,
    /// An iteration that starts below this has an item for every lane.
    whole: Value,
    stride: Value,
    /// The parameter that counts the warp's first item, and where it starts.
    first: Value,
    first_initial: Value,
    /// The same for the lane's own item, if the body asks for it.
    item: Option<(Value, Value)>,
    coordinates: Vec<Coordinate>,
}

impl ItemLoop {
    /// Appends the loop around the body, from an item on or else from the first.
    pub(super) fn all_items(
        b: &mut Builder<'_>,
        body: Block,
        launch: &Launch,
        used: &UsedIds,
        from: Option<Value>,
        sites: &mut Sites,
    ) {
        let items = Self::start(b, launch, used, from);
        items.while_loop(b, |after| {
            // What the lanes that are left can rely on.
            let linear = items.item.map(|(item, _)| (item, items.total));
            let coordinates = items.coordinates.iter().map(|c| (c.param, c.size));
            for (id, extent) in linear.into_iter().chain(coordinates) {
                launch.assume_inside(after, id, extent);
            }
            expand(after, body, &items, launch, sites);
        });
    }

    fn start(b: &mut Builder<'_>, launch: &Launch, used: &UsedIds, from: Option<Value>) -> Self {
        let total = launch.load(b, header::TOTAL, Type::U32);
        let stride = launch.load(b, header::STRIDE, Type::U32);
        let [number_of_warp, lanes] = launch.placement.number_of_warp(b);
        let mut first_initial = b.binary(BinOp::Mul, number_of_warp, lanes);
        if let Some(from) = from {
            first_initial = b.binary(BinOp::Add, from, first_initial);
        }
        let too_few = b.compare(CmpOp::Lt, total, lanes);
        let below_last = b.binary(BinOp::Sub, total, lanes);
        let one = b.u32(1);
        let last = b.binary(BinOp::Add, below_last, one);
        let zero = b.u32(0);
        let whole = b.select(too_few, zero, last);
        let new_param = |b: &mut Builder<'_>| b.function.new_value(Type::U32);
        let first = new_param(b);

        let mut item = None;
        let mut coordinates = Vec::new();
        if used.linear || used.dimensions > 0 {
            let lane = b.csr(Csr::LaneId);
            let initial = b.binary(BinOp::Add, first_initial, lane);
            item = used.linear.then(|| (new_param(b), initial));
            coordinates = Coordinate::all(b, initial, used.dimensions, true, |b, axis| {
                launch.size_and_step(b, [header::SIZE, header::STEP], axis)
            });
        }
        Self {
            total,
            whole,
            stride,
            first,
            first_initial,
            item,
            coordinates,
        }
    }

    /// Appends the loop around what `body` appends.
    fn while_loop(&self, b: &mut Builder<'_>, body: impl FnOnce(&mut Builder<'_>)) {
        let mut before = b.inner();
        let cond = self.go_on(&mut before);
        let before = before.finish();

        let mut after = b.inner();
        body(&mut after);
        let mut carried = Carried::default();
        carried.number(&mut after, self.first, self.first_initial, self.stride);
        if let Some((item, initial)) = self.item {
            carried.number(&mut after, item, initial, self.stride);
        }
        carried.coordinates(&mut after, &self.coordinates);
        let all_items = carried.while_loop(before, cond, after.finish());
        b.while_loop(all_items);
    }

    /// Whether the warp has another iteration; narrows its mask if that is not for all lanes.
    fn go_on(&self, b: &mut Builder<'_>) -> Value {
        let all_lanes = b.compare(CmpOp::Lt, self.first, self.whole);
        let mut then = b.inner();
        let yes = then.bool(true);
        let then = Arm::new(then.finish(), vec![yes]);
        let mut els = b.inner();
        let some_lanes = els.compare(CmpOp::Lt, self.first, self.total);
        let mut narrow = els.inner();
        let rest = narrow.binary(BinOp::Sub, self.total, self.first);
        let one = narrow.u32(1);
        let above = narrow.binary(BinOp::Shl, one, rest);
        let mask = narrow.binary(BinOp::Sub, above, one);
        narrow.effect(Op::NarrowMask(mask));
        let narrow = narrow.finish();
        els.when(some_lanes, narrow);
        let els = Arm::new(els.finish(), vec![some_lanes]);
        b.if_else(all_lanes, then, els)[0]
    }
}

impl Surroundings for ItemLoop {
    fn id(&self, id: Id) -> Option<IdSource> {
        Some(match id {
            Id::GlobalCount => IdSource::Value(self.total),
            Id::GlobalSize(n) => IdSource::Field(header::SIZE + 4 * u32::from(n)),
            Id::Global(n) => IdSource::Value(self.coordinates.get(usize::from(n))?.param),
            Id::GlobalLinear => IdSource::Value(self.item?.0),
            _ => return None,
        })
    }

    fn fault_item(&self, b: &mut Builder<'_>) -> Value {
        let lane = b.csr(Csr::LaneId);
        b.binary(BinOp::Add, self.first, lane)
    }

    fn barrier(&self, _: &mut Builder<'_>, _: &mut Op) -> Expanded {
        Expanded::Kept
    }

    fn local(&self, _: &mut Builder<'_>, _: LocalId) -> Option<Value> {
        None
    }
}
