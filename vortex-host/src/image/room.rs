//! Which launches an image serves, by what lanes do at once: it is compiled for launches with room for so many items,
//! and if it has smaller blocks than that, for all with more.

use vortex_kernel::codegen::{Image, Room};

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
