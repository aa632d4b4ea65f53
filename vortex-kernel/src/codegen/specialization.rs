//! What is known about a launch before there is one.

use super::bare::Bare;
use super::header_offset;
use crate::abi::header;
use crate::ir::{Alias, Block, Const, Csr, Function, Op};
use crate::meta::Attributes;
use crate::opt::LocalRoom;

/// What every launch of an image has in common; the host ensures that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Specialization {
    /// Work items of a group in x, y and z.
    pub block: Option<[u32; 3]>,
    /// Lanes of a warp.
    pub lanes: Option<u32>,
    /// What a core has.
    pub core: Option<CoreSize>,
    /// The image is for hosts that pass only its arguments, without a launch header.
    pub bare: Option<Bare>,
}

/// What a core has for the groups that run on it at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreSize {
    /// Its warps.
    pub warps: u32,
    /// Bytes of its local memory.
    pub local_memory: u32,
}

impl From<&Attributes> for Specialization {
    fn from(attributes: &Attributes) -> Self {
        Self {
            block: attributes.block,
            lanes: attributes.subgroup,
            core: None,
            bare: None,
        }
    }
}

impl Specialization {
    /// What a group has of local memory where as many of them run as there are warps for, if that is known.
    pub(super) fn local_room(&self) -> Option<LocalRoom> {
        let (block, lanes, core) = (self.block?, self.lanes?, self.core?);
        let warps = block.iter().product::<u32>().div_ceil(lanes);
        let bytes = core.local_memory / core.warps.checked_div(warps)?.max(1);
        Some(LocalRoom {
            // On Vortex 3 each group's part begins with a line.
            bytes: bytes / 64 * 64,
            lanes,
            block,
        })
    }

    /// Why no launch can be so.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let stated = Attributes {
            block: self.block,
            subgroup: self.lanes,
            ..Attributes::NONE
        };
        let bare = || self.bare.and_then(|bare| bare.problem(self.block));
        stated.problem().or_else(bare)
    }

    /// Writes what is known into the code of a warp, instead of its being read from the launch block, and into its
    /// facts.
    pub(super) fn assume(&self, function: &mut Function) {
        function.facts.known_block = self.block;
        function.facts.known_lanes = self.lanes;
        Bare::note(self.bare.as_ref(), function);
        let args_size = function.args_size;
        self.assume_in(&mut function.body, args_size);
    }

    fn assume_in(&self, block: &mut Block, args_size: u32) {
        for inst in &mut block.insts {
            let word = match inst.op {
                Op::Load {
                    offset,
                    alias: Alias::Launch,
                    ..
                } => self.field(offset, args_size),
                Op::Csr(Csr::NumLanes) => self.lanes,
                _ => None,
            };
            if let Some(word) = word {
                inst.op = Op::Const(Const(word.into()));
            }
            for inner in inst.op.blocks_mut().into_iter().flatten() {
                self.assume_in(inner, args_size);
            }
        }
    }

    /// The word at an offset in the launch block.
    fn field(&self, offset: i32, args_size: u32) -> Option<u32> {
        let offset = u32::try_from(offset).ok()?;
        let size = self.block?;
        let items = size.iter().product::<u32>();
        for (axis, &extent) in (0..).zip(&size) {
            if offset == header_offset(args_size, header::GROUP_SIZE + 4 * axis) {
                return Some(extent);
            }
        }
        if offset == header_offset(args_size, header::GROUP_ITEMS) {
            return Some(items);
        }
        if offset == header_offset(args_size, header::GROUP_WARPS) {
            return Some(items.div_ceil(self.lanes?));
        }
        None
    }
}
