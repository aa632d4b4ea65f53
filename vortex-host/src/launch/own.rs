//! Memory that no two work items of a launch have in common: nobody needs to watch it for races.

use vortex_kernel::codegen::Image;
use vortex_kernel::opt::{Launch, OwnMemory};

use super::binder::Binder;
use super::call::Call;
use super::shape::Extent;
use crate::report::RaceProof;

/// What the compiler says of a kernel's memory, held against a launch of it.
pub(super) struct Own<'a> {
    memory: &'a OwnMemory,
    binder: &'a Binder,
    launch: Launch<'a>,
}

impl<'a> Own<'a> {
    pub(super) fn of(call: &'a Call, image: &'a Image, extent: &Extent) -> Self {
        Self {
            memory: &image.own,
            binder: &call.binder,
            launch: Launch {
                args: &call.args,
                size: extent.size,
                block: extent.groups.as_ref().map_or([1; 3], |groups| groups.block),
            },
        }
    }

    /// Arguments of which each item accesses elements of its own: address and size of what is not empty.
    pub(super) fn elements(&self) -> impl Iterator<Item = (u32, u32)> {
        let arguments = self.memory.arguments.iter();
        arguments.filter_map(|own| {
            let address = own.disjoint(&self.launch)?;
            self.binder.written_at(address)
        })
    }

    /// Of how many accesses it is known that there is nothing to race for.
    pub(super) fn proof(&self) -> Option<RaceProof> {
        let is_known = *self.memory != OwnMemory::default();
        is_known.then(|| RaceProof {
            accesses: self.memory.accesses,
            proved: self.memory.proved(&self.launch),
        })
    }

    /// Whether there is nothing else that items could race for.
    pub(super) fn is_all(&self) -> bool {
        self.memory.is_all(&self.launch)
    }
}
