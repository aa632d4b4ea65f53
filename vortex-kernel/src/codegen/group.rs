//! The entry of kernels with work groups.
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
//! The host only starts as many warps as fill whole slots. A slot has its own barrier and part of the local memory; a
//! core of Vortex 2 has half as many barriers as warps, which is enough for groups of two warps or more. On Vortex 3 it
//! has several barriers; with `Tuning::split_barriers`, warps arrive at the second one without waiting.

use super::carried::{Carried, Coordinate};
use super::expand::expand;
use super::handed::InGroup;
use super::launch::{IdSource, Launch, Surroundings, UsedIds};
use super::records::Sites;
use super::{GroupUse, PrimaryMap};
use crate::abi::header;
use crate::ir::expand::Expanded;
use crate::ir::{
    Arm, BinOp, Block, Builder, CmpOp, Csr, Function, Id, LocalId, MAX_ALIGN, Op, Type, Value,
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

/// What a warp knows about its group before it knows which that is: all groups of a launch are alike.
pub(super) struct Members {
    place: InGroup,
    /// Number of the slot's barrier.
    barrier: Value,
    /// That of the one at which warps arrive without waiting, where there is such a thing.
    split_barrier: Option<Value>,
    pub(super) items: Value,
    /// The item's number in its group.
    local: Value,
    local_coordinates: Vec<Value>,
    pub(super) count: Value,
    /// A group is known to be a row of items. Then their numbers in the launch are those group by group.
    pub(super) is_row: bool,
}

impl Members {
    /// `split`: as [`Tuning::split_barriers`](crate::opt::Tuning::split_barriers) says.
    pub(super) fn start(
        b: &mut Builder<'_>,
        launch: &Launch,
        used: &UsedIds,
        (is_row, split): (bool, bool),
    ) -> Self {
        let items = launch.load(b, header::GROUP_ITEMS, Type::U32);
        let warps = launch.placement.warps_of_a_group(b, launch);
        let count = launch.load(b, header::GROUP_COUNT, Type::U32);
        let place = launch.placement.in_group(b, warps);
        let lanes = place.lanes;
        let first = b.binary(BinOp::Mul, place.rank, lanes);
        narrow_last(b, items, first, lanes);

        let lane = b.csr(Csr::LaneId);
        let local = b.binary(BinOp::Add, first, lane);
        let local_dimensions = used.local_dimensions.max(used.dimensions_of_items(is_row));
        let mut local_coordinates = Vec::new();
        let mut rest = local;
        for dimension in 0..local_dimensions {
            let field = header::GROUP_SIZE + 4 * u32::from(dimension);
            let size = launch.load(b, field, Type::U32);
            local_coordinates.push(b.binary(BinOp::Rem, rest, size));
            rest = b.binary(BinOp::Div, rest, size);
        }
        Self {
            barrier: place.barrier(b),
            split_barrier: if split { place.split_barrier(b) } else { None },
            place,
            items,
            local,
            local_coordinates,
            count,
            is_row,
        }
    }

    /// The number of the first group that the warp runs, or else of the first block of groups, of so many.
    pub(super) fn first(&self, b: &mut Builder<'_>, launch: &Launch, count: Value) -> Value {
        self.place.first_group(b, launch, count)
    }

    /// Appends the wait for the group's other warps after a body, if it takes one.
    pub(super) fn meet_after(&self, b: &mut Builder<'_>, has_objects: bool, only_arrives: bool) {
        if has_objects || self.split_barrier.is_some() && only_arrives {
            b.effect(self.meet());
        }
    }

    fn meet(&self) -> Op {
        Op::Meet {
            barrier: self.barrier,
            warps: self.place.warps,
        }
    }

    /// The objects in the local memory of the warp's group. What the launch gives a size lies after the others.
    pub(super) fn objects(&self, b: &mut Builder<'_>, launch: &Launch) -> Objects {
        let (offsets, fixed) = b.function.local_layout(|_| 0);
        let mut end = b.u32(fixed);
        if b.function.locals.is_empty() {
            return Objects {
                addresses: PrimaryMap::new(),
                size: end,
            };
        }
        let sized: Vec<_> = b
            .function
            .locals
            .values()
            .map(|object| (object.size, object.count))
            .collect();
        let base = launch.placement.local_memory(b, launch, &self.place);
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
        Objects {
            addresses: objects.collect(),
            size: end,
        }
    }
}

/// The objects in local memory of a group.
pub(super) struct Objects {
    pub(super) addresses: PrimaryMap<LocalId, Value>,
    /// Bytes of all of them.
    pub(super) size: Value,
}

/// The loop over single groups.
pub(super) struct GroupLoop<'a> {
    members: &'a Members,
    stride: Value,
    /// The parameter that counts groups, and where it starts.
    group: Value,
    group_initial: Value,
    coordinates: Vec<Coordinate>,
}

impl<'a> GroupLoop<'a> {
    /// From a group on or else from the first.
    pub(super) fn start(
        b: &mut Builder<'_>,
        launch: &Launch,
        used: &UsedIds,
        members: &'a Members,
        from: Option<Value>,
    ) -> Self {
        let stride = launch.load(b, header::GROUP_STRIDE, Type::U32);
        let mut group_initial = members.first(b, launch, members.count);
        if let Some(from) = from {
            group_initial = b.binary(BinOp::Add, from, group_initial);
        }
        let dimensions = (used.group_dimensions).max(used.dimensions_of_items(members.is_row));
        let coordinates = Coordinate::all(b, group_initial, dimensions, true, |b, axis| {
            launch.size_and_step(b, [header::GROUPS, header::GROUP_STEP], axis)
        });
        Self {
            members,
            stride,
            group: b.function.new_value(Type::U32),
            group_initial,
            coordinates,
        }
    }

    pub(super) fn append(
        self,
        b: &mut Builder<'_>,
        body: Block,
        launch: &Launch,
        objects: PrimaryMap<LocalId, Value>,
        sites: &mut Sites,
    ) {
        let used = UsedIds::of(&body);
        let mut before = b.inner();
        let cond = before.compare(CmpOp::Lt, self.group, self.members.count);
        let before = before.finish();

        let mut after = b.inner();
        let at: Vec<Value> = self.coordinates.iter().map(|c| c.param).collect();
        let group = Group::of(
            &mut after,
            launch,
            self.members,
            &used,
            (self.group, at),
            objects,
        );
        group.append(&mut after, body, launch, sites);

        let mut carried = Carried::default();
        carried.number(&mut after, self.group, self.group_initial, self.stride);
        carried.coordinates(&mut after, &self.coordinates);
        let all_groups = carried.while_loop(before, cond, after.finish());
        b.while_loop(all_groups);
    }
}

/// A group, as its items see it.
pub(super) struct Group<'a> {
    members: &'a Members,
    number: Value,
    coordinates: Vec<Value>,
    /// The item's global coordinates and number.
    global: Vec<Value>,
    linear: Option<Value>,
    /// Addresses of the objects in local memory.
    objects: PrimaryMap<LocalId, Value>,
}

impl<'a> Group<'a> {
    /// Computes the item's place in the launch, as far as the body asks for it, and states what is known about it.
    pub(super) fn of(
        b: &mut Builder<'_>,
        launch: &Launch,
        members: &'a Members,
        used: &UsedIds,
        (number, coordinates): (Value, Vec<Value>),
        objects: PrimaryMap<LocalId, Value>,
    ) -> Self {
        let mut group = Self {
            members,
            number,
            coordinates,
            global: Vec::new(),
            linear: None,
            objects,
        };
        group.global_ids(b, launch, used);
        group
    }

    /// Appends what the items of the group do, and the wait for the others that it may take.
    pub(super) fn append(
        &self,
        b: &mut Builder<'_>,
        body: Block,
        launch: &Launch,
        sites: &mut Sites,
    ) {
        let arrives_only = may_only_arrive(&body);
        expand(b, body, self, launch, sites);
        self.members
            .meet_after(b, !self.objects.is_empty(), arrives_only);
    }

    /// Computes the item's place in the launch, as far as the body asks for it, and states what is known about it.
    fn global_ids(&mut self, b: &mut Builder<'_>, launch: &Launch, used: &UsedIds) {
        for dimension in 0..used.dimensions_of_items(self.members.is_row) {
            let n = usize::from(dimension);
            let field = header::GROUP_SIZE + 4 * u32::from(dimension);
            let extent = launch.load(b, field, Type::U32);
            let before = b.binary(BinOp::Mul, self.coordinates[n], extent);
            let place = b.binary(BinOp::Add, before, self.members.local_coordinates[n]);
            self.global.push(place);
        }
        if used.linear && self.members.is_row {
            let before = b.binary(BinOp::Mul, self.number, self.members.items);
            self.linear = Some(b.binary(BinOp::Add, before, self.members.local));
        } else if used.linear {
            let [width, height] = [0, 4].map(|axis| launch.load(b, header::SIZE + axis, Type::U32));
            let planes = b.binary(BinOp::Mul, self.global[2], height);
            let rows = b.binary(BinOp::Add, planes, self.global[1]);
            let before = b.binary(BinOp::Mul, rows, width);
            self.linear = Some(b.binary(BinOp::Add, before, self.global[0]));
        }
        let members = self.members;
        let mut facts = vec![(members.local, members.items)];
        for (n, coordinate) in members.local_coordinates.iter().enumerate() {
            let field = header::GROUP_SIZE + 4 * n as u32;
            facts.push((*coordinate, launch.load(b, field, Type::U32)));
        }
        for (n, coordinate) in self.global.iter().enumerate() {
            let field = header::SIZE + 4 * n as u32;
            facts.push((*coordinate, launch.load(b, field, Type::U32)));
        }
        for (n, coordinate) in self.coordinates.iter().enumerate() {
            let field = header::GROUPS + 4 * n as u32;
            facts.push((*coordinate, launch.load(b, field, Type::U32)));
        }
        if let Some(linear) = self.linear {
            facts.push((linear, launch.load(b, header::TOTAL, Type::U32)));
        }
        for (id, extent) in facts {
            launch.assume_inside(b, id, extent);
        }
    }
}

/// Whether a group may arrive somewhere and not wait, because all of its items return in between.
pub(super) fn may_only_arrive(block: &Block) -> bool {
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

/// Switches off the lanes of a group's last warp that have no item.
fn narrow_last(b: &mut Builder<'_>, items: Value, first: Value, lanes: Value) {
    let rest = b.binary(BinOp::Sub, items, first);
    let partial = b.compare(CmpOp::Lt, rest, lanes);
    let mut narrow = b.inner();
    let one = narrow.u32(1);
    let above = narrow.binary(BinOp::Shl, one, rest);
    let mask = narrow.binary(BinOp::Sub, above, one);
    narrow.effect(Op::NarrowMask(mask));
    let then = Arm::new(narrow.finish(), Vec::new());
    b.if_else(partial, then, Arm::default());
}

impl Surroundings for Group<'_> {
    fn id(&self, id: Id) -> Option<IdSource> {
        let field = |start: u32, n: u8| IdSource::Field(start + 4 * u32::from(n));
        Some(match id {
            Id::GlobalLinear => IdSource::Value(self.linear?),
            Id::Global(n) => IdSource::Value(*self.global.get(usize::from(n))?),
            Id::GlobalCount => IdSource::Field(header::TOTAL),
            Id::GlobalSize(n) => field(header::SIZE, n),
            Id::LocalLinear => IdSource::Value(self.members.local),
            Id::Local(n) => IdSource::Value(*self.members.local_coordinates.get(usize::from(n))?),
            Id::LocalCount => IdSource::Value(self.members.items),
            Id::LocalSize(n) => field(header::GROUP_SIZE, n),
            Id::GroupLinear => IdSource::Value(self.number),
            Id::Group(n) => IdSource::Value(*self.coordinates.get(usize::from(n))?),
            Id::GroupCount => IdSource::Value(self.members.count),
            Id::Groups(n) => field(header::GROUPS, n),
            Id::Lane | Id::Warp | Id::Core | Id::Lanes | Id::Warps | Id::Cores => return None,
        })
    }

    fn fault_item(&self, b: &mut Builder<'_>) -> Value {
        let before = b.binary(BinOp::Mul, self.number, self.members.items);
        b.binary(BinOp::Add, before, self.members.local)
    }

    fn barrier(&self, b: &mut Builder<'_>, op: &mut Op) -> Expanded {
        *op = match (&*op, self.members.split_barrier) {
            (Op::BarrierArrive, Some(barrier)) => Op::Arrive {
                barrier,
                warps: self.members.place.warps,
            },
            (&Op::BarrierWait(phase), Some(barrier)) => Op::Await { barrier, phase },
            // Its other half is a whole barrier.
            (Op::BarrierArrive, None) => return Expanded::Is(b.u32(0)),
            _ => self.members.meet(),
        };
        Expanded::Kept
    }

    fn local(&self, _: &mut Builder<'_>, id: LocalId) -> Option<Value> {
        self.objects.get(id).copied()
    }
}
