//! Images: compiled kernels, and where they are on a device.

pub(crate) mod choice;
pub(crate) mod describe;
pub(crate) mod record;
pub(crate) mod room;
pub(crate) mod sidecar;

use std::sync::Arc;

use vortex_kernel::codegen::Image;
use vortex_kernel::ir::{Message, MessageId, SourceLoc};

use crate::cached::Cached;
use crate::fault::Explained;
use crate::item_counter::ItemCounters;
use crate::recent::LastUse;
use crate::source::Sources;

/// An image on a device.
pub(crate) struct Loaded {
    pub(crate) image: Arc<Image>,
    /// Where it is, and where it starts.
    pub(crate) addr: u32,
    /// Addresses of the variables that it uses.
    pub(crate) globals: Vec<u32>,
    /// Who says where its source is.
    pub(crate) sources: Sources,
    /// Its place in the cache, if it is of a kernel of this program.
    pub(crate) cached: Option<Arc<Cached>>,
    /// When it was launched last.
    pub(crate) used: LastUse,
}

impl Explained for Loaded {
    fn source_of(&self, pc: u32) -> Option<&SourceLoc> {
        self.image.source_at(pc.checked_sub(self.addr)?)
    }

    fn message(&self, id: MessageId) -> Option<&Message> {
        self.image.messages.get(id)
    }

    fn sources(&self) -> Sources {
        self.sources
    }
}

impl Loaded {
    /// Where warps hold the number of their first item.
    pub(crate) fn item_counters(&self) -> ItemCounters<'_> {
        ItemCounters::of(&self.image)
    }

    /// Which of the items that a lane does at once the instruction at an address is for, where it does several.
    pub(crate) fn block_item(&self, pc: u32) -> Option<[u8; 2]> {
        let (offset, items) = (pc.checked_sub(self.addr)?, &self.image.block_items);
        let after = items.partition_point(|entry| entry.offset <= offset);
        items[..after].last()?.item
    }
}

/// An image that is to be copied to a device.
pub(crate) struct ToLoad {
    pub(crate) image: Arc<Image>,
    /// Who says where its source is.
    pub(crate) sources: Sources,
    /// Its place in the cache, if it is of a kernel of this program.
    pub(crate) cached: Option<Arc<Cached>>,
}
