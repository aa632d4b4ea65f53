//! The entry of kernels that know of their work group.
//!
//! ```text
//! slot := warp / group.warps                              which of the core's groups this warp is in
//! local := (warp % group.warps) * lanes + lane            the item in its group; both on Vortex 2, see `handed`
//! narrow the mask if the group's last warp is not full    once: all groups are alike
//! group := slot * cores + core
//! while group < group.count {
//!     body
//!     wait for the group's other warps                    only if there is local memory: the next group overwrites it;
//!                                                         or if it may have arrived where others have not
//!     group += group.stride; x, y and z advance likewise
//! }
//! ```
//!
//! The host starts no more warps than make whole slots. A slot has a barrier and a part of the local memory of its own;
//! a core of Vortex 2 has half as many barriers as warps, and so enough for groups of two warps or more. On Vortex 3 it
//! has several barriers; with `Tuning::split_barriers`, warps arrive at the second one without waiting.

use super::entry::{self, Carried, Coordinate, IdSource, Launch, Surroundings, UsedIds};
use super::handed::InGroup;
use super::records::Sites;
use super::{GroupUse, PrimaryMap};
use crate::abi::header;
use crate::ir::expand::Expanded;
use crate::ir::{
    Arm, BinOp, Block, Builder, CmpOp, Csr, Function, Id, LocalId, MAX_ALIGN, Op, Type, Value,
    While,
};

impl GroupUse {
    /// What a body asks of work groups, if anything.
    #[must_use]
    pub fn of(function: &Function) -> Option<Self> {
        let uses = function.body.any(&|op| match op {
            Op::Id(id) => id.needs_groups(),
            op => op.is_barrier(),
        });
        (uses || !function.locals.is_empty()).then(|| Self {
            local_bytes: function.local_layout(|_| 0).1,
        })
    }
}

pub(super) struct GroupLoop {
    /// Number of the slot's barrier.
    barrier: Value,
    /// That of the one at which warps arrive without waiting, where there is such a thing.
    split_barrier: Option<Value>,
    /// Warps of a group.
    warps: Value,
    items: Value,
    /// The item's number in its group.
    local: Value,
    local_coordinates: Vec<Value>,
    count: Value,
    stride: Value,
    /// The parameter that counts groups, and where it starts.
    group: Value,
    group_initial: Value,
    coordinates: Vec<Coordinate>,
    /// The item's global coordinates and number in the current iteration.
    global: Vec<Value>,
    linear: Option<Value>,
    /// Addresses of the objects in local memory.
    objects: PrimaryMap<LocalId, Value>,
}

impl GroupLoop {
    /// `split`: as [`Tuning::split_barriers`](crate::opt::Tuning::split_barriers) says.
    pub(super) fn start(b: &mut Builder<'_>, launch: &Launch, used: &UsedIds, split: bool) -> Self {
        let items = launch.load(b, header::GROUP_ITEMS, Type::U32);
        let warps = launch.placement.warps_of_a_group(b, launch);
        let [count, stride] = [header::GROUP_COUNT, header::GROUP_STRIDE]
            .map(|field| launch.load(b, field, Type::U32));
        let place = launch.placement.in_group(b, warps);
        let lanes = place.lanes;
        let first = b.binary(BinOp::Mul, place.rank, lanes);
        narrow_last(b, items, first, lanes);

        let lane = b.csr(Csr::LaneId);
        let local = b.binary(BinOp::Add, first, lane);
        let dimensions = match used.linear {
            true => 3,
            false => used.dimensions,
        };
        let local_dimensions = used.local_dimensions.max(dimensions);
        let mut local_coordinates = Vec::new();
        let mut rest = local;
        for dimension in 0..local_dimensions {
            let field = header::GROUP_SIZE + 4 * u32::from(dimension);
            let size = launch.load(b, field, Type::U32);
            local_coordinates.push(b.binary(BinOp::Rem, rest, size));
            rest = b.binary(BinOp::Div, rest, size);
        }

        let group_initial = place.first_group(b, launch, count);
        let dimensions = used.group_dimensions.max(dimensions);
        let coordinates = Coordinate::all(b, group_initial, dimensions, true, |b, axis| {
            launch.size_and_step(b, [header::GROUPS, header::GROUP_STEP], axis)
        });
        let objects = objects(b, launch, &place);
        Self {
            barrier: place.barrier(b),
            split_barrier: if split { place.split_barrier(b) } else { None },
            warps,
            items,
            local,
            local_coordinates,
            count,
            stride,
            group: b.function.new_value(Type::U32),
            group_initial,
            coordinates,
            global: Vec::new(),
            linear: None,
            objects,
        }
    }

    pub(super) fn while_loop(
        mut self,
        b: &mut Builder<'_>,
        body: Block,
        launch: &Launch,
        sites: &mut Sites,
    ) -> While {
        let used = UsedIds::of(&body);
        let mut before = b.inner();
        let cond = before.compare(CmpOp::Lt, self.group, self.count);
        let before = before.finish();

        let mut after = b.inner();
        self.global_ids(&mut after, launch, &used);
        let arrives_only = self.split_barrier.is_some() && may_only_arrive(&body);
        entry::expand(&mut after, body, &self, launch, sites);
        if !self.objects.is_empty() || arrives_only {
            after.effect(self.meet());
        }

        let mut carried = Carried::default();
        carried.number(&mut after, self.group, self.group_initial, self.stride);
        carried.coordinates(&mut after, &self.coordinates);
        carried.while_loop(before, cond, after.finish())
    }

    /// Computes the item's place in the launch, as far as the body asks for it, and states what is known of it.
    fn global_ids(&mut self, b: &mut Builder<'_>, launch: &Launch, used: &UsedIds) {
        let dimensions = match used.linear {
            true => 3,
            false => used.dimensions,
        };
        for dimension in 0..dimensions {
            let n = usize::from(dimension);
            let field = header::GROUP_SIZE + 4 * u32::from(dimension);
            let extent = launch.load(b, field, Type::U32);
            let before = b.binary(BinOp::Mul, self.coordinates[n].param, extent);
            let place = b.binary(BinOp::Add, before, self.local_coordinates[n]);
            self.global.push(place);
        }
        if used.linear {
            let [width, height] = [0, 4].map(|axis| launch.load(b, header::SIZE + axis, Type::U32));
            let planes = b.binary(BinOp::Mul, self.global[2], height);
            let rows = b.binary(BinOp::Add, planes, self.global[1]);
            let before = b.binary(BinOp::Mul, rows, width);
            self.linear = Some(b.binary(BinOp::Add, before, self.global[0]));
        }
        let mut facts = vec![(self.local, self.items)];
        for (n, coordinate) in self.local_coordinates.iter().enumerate() {
            let field = header::GROUP_SIZE + 4 * n as u32;
            facts.push((*coordinate, launch.load(b, field, Type::U32)));
        }
        for (n, coordinate) in self.global.iter().enumerate() {
            let field = header::SIZE + 4 * n as u32;
            facts.push((*coordinate, launch.load(b, field, Type::U32)));
        }
        facts.extend(self.coordinates.iter().map(|c| (c.param, c.size)));
        if let Some(linear) = self.linear {
            facts.push((linear, launch.load(b, header::TOTAL, Type::U32)));
        }
        for (id, extent) in facts {
            launch.assume_inside(b, id, extent);
        }
    }

    fn meet(&self) -> Op {
        Op::Meet {
            barrier: self.barrier,
            warps: self.warps,
        }
    }
}

/// Whether a group may arrive somewhere and not wait, because all of its items return in between.
fn may_only_arrive(block: &Block) -> bool {
    let mut arrived: Vec<Value> = Vec::new();
    for inst in &block.insts {
        match &inst.op {
            Op::BarrierArrive => arrived.extend(&inst.results),
            Op::BarrierWait(token) => match arrived.pop() {
                Some(own) if own == *token => {}
                _ => return true,
            },
            op => {
                if op.blocks().into_iter().flatten().any(may_only_arrive) {
                    return true;
                }
            }
        }
    }
    !arrived.is_empty()
}

/// Addresses of the objects in the local memory of the warp's group. What the launch gives a size lies after the
/// others.
fn objects(b: &mut Builder<'_>, launch: &Launch, place: &InGroup) -> PrimaryMap<LocalId, Value> {
    if b.function.locals.is_empty() {
        return PrimaryMap::new();
    }
    let (offsets, fixed) = b.function.local_layout(|_| 0);
    let sized: Vec<_> = b
        .function
        .locals
        .values()
        .map(|object| (object.size, object.count))
        .collect();
    let base = launch.placement.local_memory(b, launch, place);
    let mut end = b.u32(fixed);
    let objects = offsets.values().zip(sized).map(|(&offset, (size, count))| {
        let Some(count) = count else {
            let offset = b.u32(offset);
            return b.ptr_add(base, offset, 1);
        };
        let object = b.ptr_add(base, end, 1);
        let [size, rest, whole] = [size, MAX_ALIGN - 1, !(MAX_ALIGN - 1)].map(|n| b.u32(n));
        let taken = b.binary(BinOp::Mul, count, size);
        let rounded = b.binary(BinOp::Add, taken, rest);
        let rounded = b.binary(BinOp::And, rounded, whole);
        end = b.binary(BinOp::Add, end, rounded);
        object
    });
    objects.collect()
}

/// Switches off the lanes of a group's last warp that have no item.
fn narrow_last(b: &mut Builder<'_>, items: Value, first: Value, lanes: Value) {
    let rest = b.binary(BinOp::Sub, items, first);
    let partial = b.compare(CmpOp::Lt, rest, lanes);
    let mut narrow = b.inner();
    let one = narrow.u32(1);
    let above = narrow.binary(BinOp::Shl, one, rest);
    let mask = narrow.binary(BinOp::Sub, above, one);
    narrow.effect(Op::NarrowMask(mask));
    let then = Arm {
        block: narrow.finish(),
        yields: Vec::new(),
    };
    b.if_else(partial, then, Arm::default());
}

impl Surroundings for GroupLoop {
    fn id(&self, id: Id) -> Option<IdSource> {
        let field = |start: u32, n: u8| IdSource::Field(start + 4 * u32::from(n));
        Some(match id {
            Id::GlobalLinear => IdSource::Value(self.linear?),
            Id::Global(n) => IdSource::Value(*self.global.get(usize::from(n))?),
            Id::GlobalCount => IdSource::Field(header::TOTAL),
            Id::GlobalSize(n) => field(header::SIZE, n),
            Id::LocalLinear => IdSource::Value(self.local),
            Id::Local(n) => IdSource::Value(*self.local_coordinates.get(usize::from(n))?),
            Id::LocalCount => IdSource::Value(self.items),
            Id::LocalSize(n) => field(header::GROUP_SIZE, n),
            Id::GroupLinear => IdSource::Value(self.group),
            Id::Group(n) => IdSource::Value(self.coordinates.get(usize::from(n))?.param),
            Id::GroupCount => IdSource::Value(self.count),
            Id::Groups(n) => field(header::GROUPS, n),
            Id::Lane | Id::Warp | Id::Core | Id::Lanes | Id::Warps | Id::Cores => return None,
        })
    }

    fn fault_item(&self, b: &mut Builder<'_>) -> Value {
        let before = b.binary(BinOp::Mul, self.group, self.items);
        b.binary(BinOp::Add, before, self.local)
    }

    fn barrier(&self, b: &mut Builder<'_>, op: &mut Op) -> Expanded {
        *op = match (&*op, self.split_barrier) {
            (Op::BarrierArrive, Some(barrier)) => Op::Arrive {
                barrier,
                warps: self.warps,
            },
            (&Op::BarrierWait(phase), Some(barrier)) => Op::Await { barrier, phase },
            // Its other half is a whole barrier.
            (Op::BarrierArrive, None) => return Expanded::Is(b.u32(0)),
            _ => self.meet(),
        };
        Expanded::Kept
    }

    fn local(&self, _: &mut Builder<'_>, id: LocalId) -> Option<Value> {
        self.objects.get(id).copied()
    }
}
