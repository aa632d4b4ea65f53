//! Images: compiled kernels, and where they are on a device.

pub(crate) mod choice;
pub(crate) mod describe;
pub(crate) mod record;
pub(crate) mod sidecar;

use std::sync::Arc;

use vortex_kernel::codegen::{Image, Room};
use vortex_kernel::ir::{Message, MessageId, SourceLoc};

use crate::cached::Cached;
use crate::fault::Explained;
use crate::item_counter::ItemCounters;
use crate::recent::LastUse;
use crate::source::Sources;

/// The columns and rows of items that a lane does at once. No items: of groups, so it makes no difference for how many
/// there is room.
fn block_of(image: &Image) -> [u32; 2] {
    match (image.groups, image.facts.coarsening) {
        (Some(_), _) => [0, 0],
        (None, Some([columns, rows, _])) => [columns, rows],
        (None, None) => [1, 1],
    }
}

/// Whether there is room for what a lane does at once.
pub(crate) fn has_room(image: &Image, room: Room) -> bool {
    let fits = |n: u32, room: Option<u32>| room.is_none_or(|room| n <= room);
    let [columns, rows] = block_of(image);
    fits(columns, room.columns) && fits(rows, room.rows)
}

/// All room that makes no difference to an image which was compiled for this much: it has smaller blocks.
pub(crate) fn room_for(image: &Image, room: Room) -> Room {
    let used = |n: u32, room: Option<u32>| room.filter(|room| n >= *room);
    let [columns, rows] = block_of(image);
    Room {
        columns: used(columns, room.columns),
        rows: used(rows, room.rows),
    }
}

/// Where an image may be that was compiled for this much room or more.
pub(crate) fn more_room(room: Room) -> [Room; 4] {
    let (columns, rows) = (None, None);
    [
        room,
        Room { columns, ..room },
        Room { rows, ..room },
        Room::ANY,
    ]
}

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
