//! What the code around a kernel's body knows about the launch, and what the body needs of it.

use super::bare;
use crate::abi::{MOST_ITEMS, header};
use crate::ir::expand::Expanded;
use crate::ir::{Alias, Arm, BinOp, Block, Builder, CmpOp, Csr, Id, LocalId, Op, Type, Value};
use crate::isa::Generation;

/// Who says where a warp is.
#[derive(Clone, Copy)]
pub(super) struct Placement(pub(super) Generation);

/// Access to the launch header.
pub(super) struct Launch {
    pub(super) placement: Placement,
    pub(super) block: Value,
    pub(super) args_size: u32,
    /// There is none.
    pub(super) bare: Option<bare::Kernel>,
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

    /// Appends what `blocks` does if the launch covers anything by blocks and all of `pay_where` holds, and answers
    /// where the rest starts: what `blocks` answers, which is given how much is covered, or else 0.
    pub(super) fn after_blocks(
        &self,
        b: &mut Builder<'_>,
        pay_where: Vec<Value>,
        blocks: impl FnOnce(&mut Builder<'_>, Value) -> Value,
    ) -> Value {
        let covered = self.load(b, header::COVERED, Type::U32);
        let zero = b.u32(0);
        let are_there = b.compare(CmpOp::Gt, covered, zero);
        let and = |all, cond| b.binary(BinOp::And, all, cond);
        let is_used = pay_where.into_iter().fold(are_there, and);
        let mut then = b.inner();
        let done = blocks(&mut then, covered);
        let then = Arm::new(then.finish(), vec![done]);
        let mut els = b.inner();
        let none = els.u32(0);
        let els = Arm::new(els.finish(), vec![none]);
        b.if_else(is_used, then, els)[0]
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
    pub(super) fn has_records(&self) -> bool {
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
