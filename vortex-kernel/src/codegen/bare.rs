//! Images without a launch header, for hosts that only know a kernel's arguments.
//!
//! Each warp computes the header's values from the device's own registers and from what is known when the image is
//! made. There are no records of failures, as the device does not know where to write them: a failing work item ends
//! there, as always. Kernels that need the host are refused.

use super::{CompileError, GroupUse};
use crate::abi::header;
use crate::ir::{Alias, BinOp, Builder, CmpOp, Csr, Function, Loc, Op, Value};

/// What an image without a launch header runs each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bare {
    /// The amount of work.
    pub over: BareSize,
    /// How many work groups the local memory of a core has room for.
    pub groups_of_a_core: u32,
}

/// The work of an image without a launch header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BareSize {
    /// One work group for each hardware thread of the device: one work item, if the kernel does not use groups.
    Threads,
    /// Work items in x, y and z.
    Items([u32; 3]),
}

const TOO_MANY: u32 = Bare::MOST_ITEMS + 1;

impl Bare {
    /// Work items of a launch at most. A stride is added to the number of an item, which must stay below 2^32.
    pub const MOST_ITEMS: u32 = 1 << 31;

    /// Why no launch can be so, of these groups.
    pub(super) fn problem(&self, block: Option<[u32; 3]>) -> Option<&'static str> {
        let BareSize::Items(items) = self.over else {
            return None;
        };
        let total = items
            .iter()
            .try_fold(1_u32, |total, &n| total.checked_mul(n));
        match (total, block) {
            (Some(0), _) => Some("it has no work items"),
            (None | Some(TOO_MANY..), _) => Some("it has more than 2^31 work items"),
            (_, Some(block)) if (0..3).any(|axis| !items[axis].is_multiple_of(block[axis])) => {
                Some("its work items are not whole groups")
            }
            _ => None,
        }
    }

    /// Writes what is known about launches into the facts of a wrapped function.
    pub(super) fn note(this: Option<&Self>, function: &mut Function) {
        function.facts.launch_header = Some(this.is_none());
        function.facts.known_size = this.and_then(|bare| match bare.over {
            BareSize::Threads => None,
            BareSize::Items(items) => Some(items),
        });
    }
}

/// A kernel whose image has no launch header, as the entry asks for what the header would say.
pub(super) struct Kernel {
    bare: Bare,
    block: [u32; 3],
    groups: Option<GroupUse>,
}

impl Kernel {
    /// A kernel whose groups have this size.
    pub(super) fn new(bare: Bare, block: Option<[u32; 3]>, groups: Option<GroupUse>) -> Self {
        let block = block.unwrap_or([1; 3]);
        Self {
            bare,
            block,
            groups,
        }
    }

    /// Work items of a group, or 1 if the kernel knows nothing of groups.
    fn items(&self) -> u32 {
        self.extent_of_group().iter().product()
    }

    fn extent_of_group(&self) -> [u32; 3] {
        match self.groups {
            Some(_) => self.block,
            None => [1; 3],
        }
    }

    /// What a field of the launch header would say.
    pub(super) fn field(&self, b: &mut Builder<'_>, field: u32) -> Value {
        let axis = |start: u32| {
            let distance = field.checked_sub(start)?;
            (distance < 12).then_some(distance as usize / 4)
        };
        if let Some(axis) = axis(header::SIZE) {
            return self.size(b, axis);
        }
        if let Some(axis) = axis(header::GROUPS) {
            return self.grid(b, axis);
        }
        if let Some(axis) = axis(header::GROUP_SIZE) {
            return b.u32(self.block[axis]);
        }
        if let Some(axis) = axis(header::STEP) {
            let stride = hardware_threads(b);
            return step(b, stride, axis, |b, axis| self.size(b, axis));
        }
        if let Some(axis) = axis(header::GROUP_STEP) {
            let stride = self.groups_at_a_time(b);
            return step(b, stride, axis, |b, axis| self.grid(b, axis));
        }
        match field {
            header::TOTAL => self.total(b),
            header::STRIDE => hardware_threads(b),
            header::GROUP_ITEMS => b.u32(self.items()),
            header::GROUP_COUNT => self.count(b),
            header::GROUP_STRIDE => self.groups_at_a_time(b),
            header::GROUP_WARPS => self.warps_of_a_group(b),
            header::LOCAL_BYTES => b.u32(self.groups.map_or(0, |groups| groups.local_bytes)),
            // Refused: see `refuse`.
            _ => b.u32(0),
        }
    }

    fn total(&self, b: &mut Builder<'_>) -> Value {
        match self.bare.over {
            BareSize::Items(items) => b.u32(items.iter().product()),
            BareSize::Threads => {
                let (groups, items) = (hardware_threads(b), b.u32(self.items()));
                b.binary(BinOp::Mul, groups, items)
            }
        }
    }

    /// Extent of the launch, in items.
    fn size(&self, b: &mut Builder<'_>, axis: usize) -> Value {
        let of_group = self.extent_of_group()[axis];
        match self.bare.over {
            BareSize::Items(items) => b.u32(items[axis]),
            BareSize::Threads if axis == 0 => {
                let (groups, items) = (hardware_threads(b), b.u32(of_group));
                b.binary(BinOp::Mul, groups, items)
            }
            BareSize::Threads => b.u32(of_group),
        }
    }

    /// The same in groups.
    fn grid(&self, b: &mut Builder<'_>, axis: usize) -> Value {
        match self.bare.over {
            BareSize::Items(items) => b.u32(items[axis] / self.block[axis]),
            BareSize::Threads if axis == 0 => hardware_threads(b),
            BareSize::Threads => b.u32(1),
        }
    }

    /// Groups of the launch.
    fn count(&self, b: &mut Builder<'_>) -> Value {
        match self.bare.over {
            BareSize::Items(items) => b.u32(items.iter().product::<u32>() / self.items()),
            BareSize::Threads => hardware_threads(b),
        }
    }

    fn warps_of_a_group(&self, b: &mut Builder<'_>) -> Value {
        let (lanes, one) = (b.csr(Csr::NumLanes), b.u32(1));
        let last = b.u32(self.items() - 1);
        let others = b.binary(BinOp::Div, last, lanes);
        b.binary(BinOp::Add, others, one)
    }

    /// Groups that a core runs at a time.
    fn slots(&self, b: &mut Builder<'_>) -> Value {
        let (warps, of_a_group) = (b.csr(Csr::NumWarps), self.warps_of_a_group(b));
        let by_warps = b.binary(BinOp::Div, warps, of_a_group);
        let by_memory = b.u32(self.bare.groups_of_a_core);
        let fewer = b.compare(CmpOp::Lt, by_warps, by_memory);
        b.select(fewer, by_warps, by_memory)
    }

    fn groups_at_a_time(&self, b: &mut Builder<'_>) -> Value {
        let (slots, cores) = (self.slots(b), b.csr(Csr::NumCores));
        b.binary(BinOp::Mul, slots, cores)
    }

    /// The group that a warp begins with, past the last one if its slot is beyond those that a core has: all warps of
    /// the core are started, and there need not be work for all.
    pub(super) fn first_group(
        &self,
        b: &mut Builder<'_>,
        slot: Value,
        group: Value,
        count: Value,
    ) -> Value {
        let slots = self.slots(b);
        let is_there = b.compare(CmpOp::Lt, slot, slots);
        b.select(is_there, group, count)
    }
}

/// Hardware threads of the device.
fn hardware_threads(b: &mut Builder<'_>) -> Value {
    let [cores, warps, lanes] = [Csr::NumCores, Csr::NumWarps, Csr::NumLanes].map(|csr| b.csr(csr));
    let of_a_core = b.binary(BinOp::Mul, warps, lanes);
    b.binary(BinOp::Mul, of_a_core, cores)
}

/// How far a coordinate advances when the number does by `stride`: see `LaunchHeader::step`.
fn step(
    b: &mut Builder<'_>,
    stride: Value,
    axis: usize,
    extent: impl Fn(&mut Builder<'_>, usize) -> Value,
) -> Value {
    let mut rest = stride;
    for before in 0..axis {
        let extent = extent(b, before);
        rest = b.binary(BinOp::Div, rest, extent);
    }
    if axis == 2 {
        return rest;
    }
    let extent = extent(b, axis);
    b.binary(BinOp::Rem, rest, extent)
}

/// Refuses what a kernel needs the host for, of a kernel as the entry gets it.
pub(super) fn refuse(function: &Function) -> Result<(), CompileError> {
    let mut found = None;
    function.body.visit(&mut |inst| {
        if let Op::Print { .. } = inst.op {
            found.get_or_insert((
                inst.loc,
                "it prints, and there is nobody to tell it where to",
            ));
        }
    });
    let sized = function
        .locals
        .values()
        .find(|object| object.count.is_some());
    if let Some(object) = sized {
        found = Some((object.loc, "the launch says how long its local memory is"));
    }
    if let Some((loc, why)) = found {
        return Err(complaint(function, loc, why));
    }
    match function.globals.is_empty() {
        true => Ok(()),
        false => Err(complaint(
            function,
            Loc::NONE,
            "it uses a variable of the program, whose address the launch says",
        )),
    }
}

/// Refuses operations that go through memory of the launch, once they have been made of what the target has.
pub(super) fn refuse_memory(function: &Function) -> Result<(), CompileError> {
    let header = function.args_size as i32;
    let mut found = None;
    function.body.visit(&mut |inst| {
        if let Op::Load {
            offset,
            alias: Alias::Launch,
            ..
        } = inst.op
            && offset >= header
        {
            found.get_or_insert(inst.loc);
        }
    });
    let why = "it has an operation that lanes make with the help of memory that a launch gives them: an atomic one without \
               an instruction (compare-exchange, addition of floats), or a shuffle on a device without shuffles";
    found.map_or(Ok(()), |loc| Err(complaint(function, loc, why)))
}

fn complaint(function: &Function, loc: Loc, why: &'static str) -> CompileError {
    CompileError::Bare {
        why,
        at: super::source(&function.locs, loc).cloned(),
    }
}
