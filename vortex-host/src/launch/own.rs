//! Memory that no two work items of a launch have in common: nobody needs to watch it for races.

use vortex_kernel::codegen::Image;
use vortex_kernel::opt::OwnMemory;

use super::binder::Binder;
use super::call::Call;

/// What the compiler says of a kernel's memory, held against a launch of it.
pub(super) struct Own<'a> {
    memory: &'a OwnMemory,
    binder: &'a Binder,
    args: &'a [u8],
    size: [u32; 3],
}

impl<'a> Own<'a> {
    pub(super) fn of(call: &'a Call, image: &'a Image, size: [u32; 3]) -> Self {
        Self {
            memory: &image.own,
            binder: &call.binder,
            args: &call.args,
            size,
        }
    }

    /// Arguments of which each item accesses elements of its own: address and size of what is not empty.
    pub(super) fn elements(&self) -> impl Iterator<Item = (u32, u32)> {
        let arguments = self.memory.arguments.iter();
        arguments.filter_map(|own| {
            let address = own.disjoint(self.args, self.size)?;
            self.binder.written_at(address)
        })
    }

    /// Whether there is nothing else that items could race for.
    pub(super) fn is_all(&self) -> bool {
        let mut arguments = self.memory.arguments.iter();
        self.memory.all && arguments.all(|own| own.disjoint(self.args, self.size).is_some())
    }
}
