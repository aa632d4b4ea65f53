//! The device entry: from what one work item does to what a warp does.
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
//! Lowering makes the first of these tests the one that an iteration ends with.
//!
//! All of it is IR, so the passes work on it as on the body: arguments are loaded once per warp, and what a kernel
//! does not ask for is never computed. Coordinates are divided out of the item number once, before the loop; then
//! they advance by addition with carries (`LaunchHeader::step`). A kernel that knows of its work group gets the loop
//! over groups ([`super::group`]) instead.

use super::bare;
use super::blocks_of_groups;
use super::coarsened;
use super::group::Members;
use super::handed::Placement;
use super::records::{self, Sites};
use super::{FaultSite, GroupUse};
use crate::abi::{MOST_ITEMS, header};
use crate::ir::expand::{self, Expand, Expanded};
use crate::ir::{
    Alias, Arm, BinOp, Block, Builder, CmpOp, Csr, FaultKind, Function, Id, Inst, Loc, LocalId, Op,
    Type, Value, While,
};
use crate::isa::Generation;
use crate::opt::coarsening::Obstacle;
use crate::opt::{self, Coarsening, Level, Tuning, Uniformity};

/// The function a warp runs, and what its fault records mean.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) function: Function,
    pub(super) fault_sites: Vec<FaultSite>,
    pub(super) groups: Option<GroupUse>,
}

/// Wraps the body of a structured function into the item loop.
pub(super) fn wrap(
    mut function: Function,
    options: &super::Options,
    tuning: &Tuning,
    generation: Generation,
) -> Entry {
    let groups = GroupUse::of(&function);
    if groups.is_some() && lanes_of_blocks(options).is_ok() {
        // What `&&` makes of guards is looked at, and may be jammed.
        opt::observed("simplify", &mut function, opt::simplify);
    }
    let body = std::mem::take(&mut function.body);
    let params = std::mem::take(&mut function.params);
    let args_size = function.args_size;
    let used = UsedIds::of(&body);
    let prints = body.any(&|op| matches!(op, Op::Print { .. }));
    let coarsened = lanes_of_blocks(options).and_then(|lanes| {
        let coarsening = match groups {
            Some(_) => Coarsening::of_groups(&function, &body, tuning)?,
            None => Coarsening::of(&function, &body, tuning)?,
        };
        Ok((coarsening, lanes))
    });
    let items = coarsened.as_ref().map(|(coarsening, _)| *coarsening);
    opt::explain::note_coarsening(&function, items);
    let coarsened = coarsened.ok();

    let mut b = Builder::new(&mut function, Loc::NONE);
    let block = b.csr(Csr::LaunchBlock);
    for param in params {
        b.block.insts.push(Inst {
            results: vec![param.value],
            op: Op::Load {
                ptr: block,
                offset: param.offset as i32,
                alias: Alias::Launch,
            },
            loc: Loc::NONE,
        });
    }
    let launch = Launch {
        placement: Placement(generation),
        block,
        args_size,
        bare: options
            .known
            .bare
            .map(|bare| bare::Kernel::new(bare, options.known.block, groups)),
    };
    let mut sites = Sites::default();
    if groups.is_some() {
        let is_row = matches!(options.known.block, Some([_, 1, 1]));
        let members = Members::start(&mut b, &launch, &used, (is_row, tuning.split_barriers));
        let blocks = coarsened.map(|(coarsening, _)| coarsening);
        blocks_of_groups::blocks_then_rest(
            &mut b, body, &launch, &used, &members, blocks, &mut sites,
        );
    } else if let Some(coarsened) = coarsened {
        coarsened::blocks_then_rest(&mut b, body, &launch, &used, coarsened, &mut sites);
    } else {
        ItemLoop::all_items(&mut b, body, &launch, &used, None, &mut sites);
    }
    function.body = b.finish();
    let fault_sites = sites.into_vec();
    let facts = &mut function.facts;
    facts.uses_groups = Some(groups.is_some());
    facts.local_memory = Some(groups.map_or(0, |groups| groups.local_bytes));
    facts.fault_sites = u32::try_from(fault_sites.len()).ok();
    facts.prints = Some(prints);
    facts.coordinates = Some(used.dimensions.into());
    facts.coarsening = coarsened.map(|(coarsening, _)| coarsening.items());
    facts.generation = (generation != Generation::V2).then(|| generation.number());
    // The entry knows where everything is.
    for object in function.locals.values_mut() {
        object.count = None;
    }
    Entry {
        function,
        fault_sites,
        groups,
    }
}

/// The lanes of warps whose lanes may do several items at once.
fn lanes_of_blocks(options: &super::Options) -> Result<u32, Obstacle<'static>> {
    match options.known.lanes {
        _ if options.known.bare.is_some() => Err(Obstacle::Bare),
        _ if options.level() != Level::Full => Err(Obstacle::Level),
        None => Err(Obstacle::Lanes),
        Some(lanes) => Ok(lanes),
    }
}

/// What counts the iterations of a wrapped function, after all passes: the number of the warp's first item, or of its
/// group. Passes may have made several versions of the loop; of the numbers that one carries and adds to, it is the
/// first that a warp has in common.
pub(super) fn item_counters(function: &Function, uniformity: &Uniformity) -> Vec<Value> {
    let mut found = Vec::new();
    outermost_loops(&function.body, &mut |w| {
        let advances = |param: Value, next: Value| {
            let mut insts = w.after.insts.iter();
            insts.any(|inst| {
                inst.results == [next]
                    && matches!(inst.op, Op::Binary(BinOp::Add, a, b) if a == param || b == param)
            })
        };
        let mut carried = w.params.iter().zip(&w.next);
        let counter =
            carried.find(|&(&param, &next)| uniformity.is_uniform(param) && advances(param, next));
        found.extend(counter.map(|(&param, _)| param));
    });
    found
}

fn outermost_loops(block: &Block, found: &mut impl FnMut(&While)) {
    for inst in &block.insts {
        match &inst.op {
            Op::While(w) => found(w),
            Op::If { then, els, .. } => {
                outermost_loops(&then.block, found);
                outermost_loops(&els.block, found);
            }
            _ => {}
        }
    }
}

/// Access to the launch header.
pub(super) struct Launch {
    pub(super) placement: Placement,
    block: Value,
    args_size: u32,
    /// There is none.
    bare: Option<bare::Kernel>,
}

impl Launch {
    pub(super) fn load(&self, b: &mut Builder<'_>, field: u32, ty: Type) -> Value {
        if let Some(bare) = &self.bare {
            return bare.field(b, field);
        }
        let offset = (self.args_size + field) as i32;
        b.load(ty, self.block, offset, Alias::Launch)
    }

    /// How many there are along an axis, and by how much a warp's next is further: two fields that have a word for each
    /// axis.
    pub(super) fn size_and_step(
        &self,
        b: &mut Builder<'_>,
        fields: [u32; 2],
        axis: u32,
    ) -> (Value, Value) {
        let [size, step] = fields.map(|field| self.load(b, field + 4 * axis, Type::U32));
        (size, step)
    }

    /// The group that a warp in this slot begins with, if it is this one when there is work for all warps.
    pub(super) fn first_group(
        &self,
        b: &mut Builder<'_>,
        slot: Value,
        group: Value,
        count: Value,
    ) -> Value {
        match &self.bare {
            Some(bare) => bare.first_group(b, slot, group, count),
            // The host starts no more warps than make whole slots.
            None => group,
        }
    }

    /// Tells passes that an id of items is less than the most that there can be of them, and than what there are; that
    /// comes last, as what bounds are looked for in first.
    pub(super) fn assume_inside(&self, b: &mut Builder<'_>, id: Value, extent: Value) {
        if self.bare.is_none() {
            let most = b.u32(MOST_ITEMS);
            let numbered = b.compare(CmpOp::Lt, id, most);
            b.effect(Op::Assume(numbered));
        }
        let inside = b.compare(CmpOp::Lt, id, extent);
        b.effect(Op::Assume(inside));
    }

    /// Whether there is memory for the records of failures.
    fn has_records(&self) -> bool {
        self.bare.is_none()
    }
}

/// Which ids a body asks for.
#[derive(Default)]
pub(super) struct UsedIds {
    pub(super) linear: bool,
    /// The number of the group.
    pub(super) group_linear: bool,
    /// Highest coordinate asked for, plus one.
    pub(super) dimensions: u8,
    /// The same within the group, and of the group.
    pub(super) local_dimensions: u8,
    pub(super) group_dimensions: u8,
}

impl UsedIds {
    /// How many global coordinates it takes to know them, in a group of that kind.
    pub(super) const fn dimensions_of_items(&self, is_row: bool) -> u8 {
        match self.linear && !is_row {
            true => 3,
            false => self.dimensions,
        }
    }

    /// Whether the number of the group is asked for, or what is made of it.
    pub(super) const fn number_of_group(&self, is_row: bool) -> bool {
        self.group_linear || self.linear && is_row
    }

    pub(super) fn of(body: &Block) -> Self {
        let mut used = Self::default();
        body.visit(&mut |inst| match inst.op {
            Op::Id(Id::GlobalLinear) => used.linear = true,
            Op::Id(Id::GroupLinear) => used.group_linear = true,
            Op::Id(Id::Global(n)) => used.dimensions = used.dimensions.max(n + 1),
            Op::Id(Id::Local(n)) => used.local_dimensions = used.local_dimensions.max(n + 1),
            Op::Id(Id::Group(n)) => used.group_dimensions = used.group_dimensions.max(n + 1),
            _ => {}
        });
        used
    }
}

/// One coordinate and how it advances.
pub(super) struct Coordinate {
    initial: Value,
    pub(super) param: Value,
    pub(super) size: Value,
    /// How far it advances in one iteration; for all but x, one more.
    step: Value,
    /// It begins anew where it has come to its size.
    wraps: bool,
}

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
}

impl ItemLoop {
    /// Whether the warp has another iteration; narrows its mask if that is not for all lanes.
    fn go_on(&self, b: &mut Builder<'_>) -> Value {
        let all_lanes = b.compare(CmpOp::Lt, self.first, self.whole);
        let mut then = b.inner();
        let yes = then.bool(true);
        let then = Arm {
            block: then.finish(),
            yields: vec![yes],
        };
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
        let els = Arm {
            block: els.finish(),
            yields: vec![some_lanes],
        };
        b.if_else(all_lanes, then, els)[0]
    }
}

impl Coordinate {
    /// `number` taken apart into its first `dimensions` coordinates, with these extents and steps. Where there are no
    /// more, the last need not begin anew.
    pub(super) fn all(
        b: &mut Builder<'_>,
        number: Value,
        dimensions: u8,
        are_more: bool,
        mut extent_and_step: impl FnMut(&mut Builder<'_>, u32) -> (Value, Value),
    ) -> Vec<Self> {
        let mut coordinates = Vec::new();
        let mut rest = number;
        for dimension in 0..dimensions {
            let (size, mut step) = extent_and_step(b, dimension.into());
            if dimension > 0 {
                let one = b.u32(1);
                step = b.binary(BinOp::Add, step, one);
            }
            let wraps = are_more || dimension + 1 < dimensions;
            coordinates.push(Self {
                initial: match wraps {
                    true => b.binary(BinOp::Rem, rest, size),
                    false => rest,
                },
                wraps,
                param: b.function.new_value(Type::U32),
                size,
                step,
            });
            if dimension + 1 < dimensions {
                rest = b.binary(BinOp::Div, rest, size);
            }
        }
        coordinates
    }

    /// `param + step`, less `size` if that is too much, with a carry in and out. Carries are words that are 1 when
    /// there is none: what a comparison gives. So a dimension with a carry coming in steps by one more, less the
    /// word.
    fn advance(&self, b: &mut Builder<'_>, no_carry: &mut Option<Value>) -> Value {
        let mut sum = b.binary(BinOp::Add, self.param, self.step);
        if let Some(no_carry) = *no_carry {
            sum = b.binary(BinOp::Sub, sum, no_carry);
        }
        if !self.wraps {
            return sum;
        }
        let inside = b.compare(CmpOp::Lt, sum, self.size);
        let zero = b.u32(0);
        let excess = b.select(inside, zero, self.size);
        *no_carry = Some(b.cast(inside, Type::U32));
        b.binary(BinOp::Sub, sum, excess)
    }
}

/// What a loop over items or groups carries from iteration to iteration.
#[derive(Default)]
pub(super) struct Carried {
    params: Vec<Value>,
    init: Vec<Value>,
    next: Vec<Value>,
}

impl Carried {
    /// A number that grows by `stride`.
    pub(super) fn number(
        &mut self,
        b: &mut Builder<'_>,
        param: Value,
        initial: Value,
        stride: Value,
    ) {
        self.params.push(param);
        self.init.push(initial);
        self.next.push(b.binary(BinOp::Add, param, stride));
    }

    /// Coordinates, x first.
    pub(super) fn coordinates(&mut self, b: &mut Builder<'_>, coordinates: &[Coordinate]) {
        let mut no_carry = None;
        for coordinate in coordinates {
            self.params.push(coordinate.param);
            self.init.push(coordinate.initial);
            self.next.push(coordinate.advance(b, &mut no_carry));
        }
    }

    /// The loop that carries them.
    pub(super) fn while_loop(self, before: Block, cond: Value, after: Block) -> While {
        While {
            params: self.params,
            init: self.init,
            before,
            cond,
            exits: Vec::new(),
            after,
            next: self.next,
            optional: false,
        }
    }
}

/// What only the loop around a body knows.
pub(super) trait Surroundings {
    /// Where an id is to be had, if this loop is what knows it.
    fn id(&self, id: Id) -> Option<IdSource>;

    /// The number that stands for the current item in a fault record.
    fn fault_item(&self, b: &mut Builder<'_>) -> Value;

    /// Makes of a barrier, or of half of one, what it is here.
    fn barrier(&self, b: &mut Builder<'_>, op: &mut Op) -> Expanded;

    /// Address of an object in local memory.
    fn local(&self, b: &mut Builder<'_>, id: LocalId) -> Option<Value>;
}

/// Where an id is to be had.
pub(super) enum IdSource {
    /// In a value that the loop carries or has loaded.
    Value(Value),
    /// In a field of the launch header.
    Field(u32),
    /// In the hart.
    Csr(Csr),
}

/// The ids that every entry reads from the hart.
fn of_the_hart(id: Id) -> Option<IdSource> {
    let csr = match id {
        Id::Lane => Csr::LaneId,
        Id::Warp => Csr::WarpId,
        Id::Core => Csr::CoreId,
        Id::Lanes => Csr::NumLanes,
        Id::Warps => Csr::NumWarps,
        Id::Cores => Csr::NumCores,
        _ => return None,
    };
    Some(IdSource::Csr(csr))
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

/// Appends `body` with what only the entry knows replaced: ids, barriers, local memory and faults. What it does not
/// know either is left for lowering to refuse. What can fail there is added to the sites.
pub(super) fn expand(
    b: &mut Builder<'_>,
    body: Block,
    around: &dyn Surroundings,
    launch: &Launch,
    sites: &mut Sites,
) {
    let mut known = Known {
        around,
        launch,
        sites,
    };
    expand::expand(b, body, &mut known);
}

struct Known<'a> {
    around: &'a dyn Surroundings,
    launch: &'a Launch,
    sites: &'a mut Sites,
}

impl Known<'_> {
    /// What an id is, or what it becomes.
    fn id(&self, b: &mut Builder<'_>, id: Id, op: &mut Op) -> Expanded {
        match self.around.id(id).or_else(|| of_the_hart(id)) {
            None => {}
            Some(IdSource::Value(value)) => return Expanded::Is(value),
            Some(IdSource::Csr(csr)) => *op = Op::Csr(csr),
            Some(IdSource::Field(field)) if self.launch.bare.is_some() => {
                return Expanded::Is(self.launch.load(b, field, Type::U32));
            }
            Some(IdSource::Field(field)) => {
                *op = Op::Load {
                    ptr: self.launch.block,
                    offset: (self.launch.args_size + field) as i32,
                    alias: Alias::Launch,
                };
            }
        }
        Expanded::Kept
    }
}

impl Expand for Known<'_> {
    fn expand(&mut self, b: &mut Builder<'_>, op: &mut Op, _: &[Value]) -> Expanded {
        match op {
            &mut Op::Id(id) => return self.id(b, id, op),
            Op::LocalAddr(id) => {
                if let Some(address) = self.around.local(b, *id) {
                    return Expanded::Is(address);
                }
            }
            Op::Barrier | Op::BarrierArrive | Op::BarrierWait(_) => {
                return self.around.barrier(b, op);
            }
            Op::Fault { .. } | Op::Panic { .. } if !self.launch.has_records() => {
                return Expanded::Gone;
            }
            Op::Fault { kind, operands } => {
                let site = self.sites.number(b, *kind, None);
                records::fault(b, self.around, site, operands);
                return Expanded::Gone;
            }
            Op::Panic { message, operands } => {
                let site = self.sites.number(b, FaultKind::Panic, Some(*message));
                records::fault(b, self.around, site, operands);
                return Expanded::Gone;
            }
            Op::Print { message, operands } => {
                records::print(b, self.launch, self.around, *message, operands);
                return Expanded::Gone;
            }
            _ => {}
        }
        Expanded::Kept
    }
}
