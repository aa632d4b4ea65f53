//! The position of a warp among those that share a launch. On Vortex 2 it follows from its core and its number there;
//! on Vortex 3 the hardware hands groups of warps to cores, in any order and one after the other, and tells a warp
//! which group it is in.
//!
//! So images for Vortex 3 are launched as a row of such groups: of one warp each for kernels without work groups,
//! otherwise of as many warps as run a work group. There may be fewer of them than there is work; each continues a
//! stride further, as warps do on Vortex 2.

use super::launch::{Launch, Placement};
use crate::abi::header;
use crate::ir::{BinOp, Builder, CmpOp, Csr, Type, Value};
use crate::isa::{Generation, SECOND_BARRIER};

/// Where a warp is in its work group, and what it shares with the others of that.
pub(super) struct InGroup {
    /// Warps of the group.
    pub(super) warps: Value,
    /// Number of the warp among them.
    pub(super) rank: Value,
    /// Lanes of each.
    pub(super) lanes: Value,
    /// What distinguishes the group from others on the core.
    slot: Value,
    /// The first group that they run; on Vortex 2 to be computed from core and cores.
    first: First,
}

enum First {
    Known(Value),
    Of { core: Value, cores: Value },
}

impl Placement {
    /// The number of the warp among all that take part in the launch, and the lanes of each.
    pub(super) fn number_of_warp(self, b: &mut Builder<'_>) -> [Value; 2] {
        match self.0 {
            Generation::V2 => {
                let [warp, core, cores, lanes] =
                    [Csr::WarpId, Csr::CoreId, Csr::NumCores, Csr::NumLanes].map(|csr| b.csr(csr));
                let warps_before = b.binary(BinOp::Mul, warp, cores);
                [b.binary(BinOp::Add, warps_before, core), lanes]
            }
            Generation::V3 => [Csr::HandedGroup, Csr::NumLanes].map(|csr| b.csr(csr)),
        }
    }

    /// Warps of a work group.
    pub(super) fn warps_of_a_group(self, b: &mut Builder<'_>, launch: &Launch) -> Value {
        match self.0 {
            Generation::V2 => launch.load(b, header::GROUP_WARPS, Type::U32),
            Generation::V3 => b.csr(Csr::HandedWarps),
        }
    }

    /// Where the warp is in its work group of this many warps.
    pub(super) fn in_group(self, b: &mut Builder<'_>, warps: Value) -> InGroup {
        match self.0 {
            Generation::V2 => {
                let [warp, core, cores, lanes] =
                    [Csr::WarpId, Csr::CoreId, Csr::NumCores, Csr::NumLanes].map(|csr| b.csr(csr));
                InGroup {
                    warps,
                    slot: b.binary(BinOp::Div, warp, warps),
                    rank: b.binary(BinOp::Rem, warp, warps),
                    lanes,
                    first: First::Of { core, cores },
                }
            }
            Generation::V3 => {
                let [slot, rank, first, lanes] = [
                    Csr::HandedSlot,
                    Csr::HandedRank,
                    Csr::HandedGroup,
                    Csr::NumLanes,
                ]
                .map(|csr| b.csr(csr));
                InGroup {
                    warps,
                    rank,
                    lanes,
                    slot,
                    first: First::Known(first),
                }
            }
        }
    }

    /// Where the local memory of the warp's work group starts, which has so many bytes.
    pub(super) fn local_memory(
        self,
        b: &mut Builder<'_>,
        launch: &Launch,
        place: &InGroup,
    ) -> Value {
        match self.0 {
            Generation::V2 => {
                let bytes = launch.load(b, header::LOCAL_BYTES, Type::U32);
                let start = b.csr(Csr::LocalBase);
                let before = b.binary(BinOp::Mul, place.slot, bytes);
                b.ptr_add(start, before, 1)
            }
            Generation::V3 => b.csr(Csr::HandedLocal),
        }
    }
}

impl InGroup {
    /// The number of the first group that the warp runs, of so many.
    pub(super) fn first_group(&self, b: &mut Builder<'_>, launch: &Launch, count: Value) -> Value {
        match self.first {
            First::Known(group) => group,
            First::Of { core, cores } => {
                let slots_before = b.binary(BinOp::Mul, self.slot, cores);
                let group = b.binary(BinOp::Add, slots_before, core);
                launch.first_group(b, self.slot, group, count)
            }
        }
    }

    /// The number of the barrier for the group's warps.
    pub(super) fn barrier(&self, b: &mut Builder<'_>) -> Value {
        if matches!(self.first, First::Known(_)) {
            return self.slot;
        }
        // One warp waits for nobody, and may be in a slot that no barrier is left for.
        let one = b.u32(1);
        let alone = b.compare(CmpOp::Eq, self.warps, one);
        let none = b.u32(0);
        b.select(alone, none, self.slot)
    }

    /// The number of the barrier at which the group's warps arrive without waiting: the slot's second. There is none on
    /// Vortex 2.
    pub(super) fn split_barrier(&self, b: &mut Builder<'_>) -> Option<Value> {
        matches!(self.first, First::Known(_)).then(|| {
            let second = b.u32(SECOND_BARRIER);
            b.binary(BinOp::Or, self.slot, second)
        })
    }
}
