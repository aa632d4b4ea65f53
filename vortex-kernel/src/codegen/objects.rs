//! What the user calls the objects in a group's local memory, for messages.

use crate::ir::{Function, NamedObject};

/// An object in the local memory of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalObject {
    /// Bytes from the start of the group's local memory.
    pub offset: u32,
    /// What the user calls it, and what it is.
    pub object: NamedObject,
}

impl LocalObject {
    /// What lies so many bytes from the start of the group's local memory, if that is in this object: `tile[3]`, and
    /// its type.
    #[must_use]
    pub fn part_at(&self, offset: u32) -> Option<(String, String)> {
        let NamedObject { name, shape, .. } = &self.object;
        let within = self.object.without_gaps(offset.checked_sub(self.offset)?)?;
        (within < shape.size()).then(|| {
            let (part, shape) = shape.part_at(within);
            (format!("{name}{part}"), shape.name())
        })
    }
}

/// The objects that have names. Those whose size the launch sets have the names of its arguments.
pub(super) fn named(function: &Function) -> Vec<LocalObject> {
    let (offsets, _) = function.local_layout(|_| 0);
    let named = |(id, &offset)| {
        let object = function.local_names[id].clone()?;
        Some(LocalObject { offset, object })
    };
    offsets.iter().filter_map(named).collect()
}
