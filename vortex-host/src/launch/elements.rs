//! What the memory of a launch is called in the source.

use vortex_kernel::abi::LaunchHeader;
use vortex_kernel::codegen::Image;
use vortex_kernel::ir::MAX_ALIGN;
use vortex_kernel::meta::ArgKind;
use vortex_sim::layout::LOCAL;

use super::call::Call;
use super::shape::pitch;
use crate::driver::Caps;
use crate::fault::AccessedElement;
use crate::hazards::AccessRange;

/// A launch, by what says where its memory lies.
pub(super) struct Elements<'a> {
    pub(super) call: &'a Call,
    pub(super) image: &'a Image,
    pub(super) header: &'a LaunchHeader,
    pub(super) caps: &'a Caps,
}

impl Elements<'_> {
    /// What lies at an address of the device, if it has a name.
    pub(super) fn at(&self, address: u32) -> Option<AccessedElement> {
        let (name, ty) = match address {
            LOCAL.. => self.local(address - LOCAL)?,
            _ => self.of_argument(address)?,
        };
        Some(AccessedElement::new(address, name, ty))
    }

    /// Its name and its type.
    fn of_argument(&self, address: u32) -> Option<(String, String)> {
        let at = u64::from(address);
        let holds = |access: AccessRange| access.start <= at && at < access.end;
        let mut slices = self.call.binder.bound();
        let (name, access, _) =
            slices.find(|(_, access, memory)| memory.is_some() && holds(*access))?;
        let info = self.call.info().ok()?;
        let arg = info.args.iter().find(|arg| *name == *arg.name)?;
        let offset = u32::try_from(at - access.start).ok()?;
        let index = offset.checked_div(arg.element_size)?;
        Some((format!("{name}[{index}]"), element_type(&arg.rust_type)))
    }

    /// What lies so many bytes from the start of a core's local memory, where each group has its part, or a block of
    /// groups one part after the other.
    fn local(&self, offset: u32) -> Option<(String, String)> {
        let fixed = self.image.groups?.local_bytes;
        let given = u32::try_from(self.call.binder.local_bytes()).ok()?;
        let of_slot = offset.checked_rem(pitch(self.header.group.local_bytes, self.caps))?;
        let of_group = of_slot.checked_rem(fixed.checked_add(given)?)?;
        match of_group.checked_sub(fixed) {
            None => {
                let mut objects = self.image.local_objects.iter();
                objects.find_map(|object| object.part_at(of_group))
            }
            Some(offset) => self.given_by_launch(offset),
        }
    }

    /// What lies so many bytes into the local memory whose size the launch says, object after object.
    fn given_by_launch(&self, offset: u32) -> Option<(String, String)> {
        let info = self.call.info().ok()?;
        let mut start = 0;
        for arg in &info.args {
            match arg.kind {
                ArgKind::LocalSize => {}
                // Its shards may lie there, too.
                ArgKind::Tensor => return None,
                _ => continue,
            }
            let count = self.call.args.get(arg.offset as usize..)?.first_chunk()?;
            let within = offset.checked_sub(start)?;
            let bytes = u32::from_le_bytes(*count).checked_mul(arg.element_size)?;
            if within < bytes {
                let name = format!("{}[{}]", arg.name, within / arg.element_size);
                return Some((name, element_type(&arg.rust_type)));
            }
            start = start.checked_add(bytes.checked_next_multiple_of(MAX_ALIGN)?)?;
        }
        None
    }
}

/// What is between the brackets of a slice's type; empty of other types.
fn element_type(ty: &str) -> String {
    let inner = ty
        .split_once('[')
        .and_then(|(_, inner)| inner.rsplit_once(']'));
    inner.map_or_else(String::new, |(element, _)| element.to_owned())
}
