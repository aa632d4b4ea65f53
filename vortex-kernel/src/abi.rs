//! The launch block, which the argument register points to when the device entry starts.
//!
//! ```text
//! offset 0          the kernel's argument struct, exactly as its metadata says
//! args_size         the launch header (this module)
//! after that        addresses of the program's variables that the kernel uses, a word each
//! after that        by-reference arguments, 32-byte aligned
//! ```
//!
//! The host fills the header, so that the device need not divide.

use bytemuck::{Pod, Zeroable};

/// Most work items of a launch, so that numbers and coordinates of items, of neighbours, and of the items of the
/// iteration after the last, are below 2^32. Entries rely on it.
pub const MOST_ITEMS: u32 = 0xffff_0000;

/// What a launch passes to the device entry. All sizes and counts are in work items unless named otherwise.
///
/// Item numbers are linear with x fastest. On Vortex 2, warp `w` of core `c` starts at item
/// `(w * cores + c) * lanes + lane`, on Vortex 3 that of group `g`, which has one warp, at `g * lanes + lane`; both
/// advance by `stride` until `total` is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct LaunchHeader {
    /// Items in the launch; the product of `size`. Never 0 on a device, nor more than [`MOST_ITEMS`].
    pub total: u32,
    /// Extent in x, y and z; at least 1 each.
    pub size: [u32; 3],
    /// Items that all running warps of the device cover in one iteration.
    pub stride: u32,
    /// `stride` decomposed by `size`: how far x, y and z advance in one iteration, before carries. `step[0] < size[0]`,
    /// `step[1] < size[1]`; `step[2]` is what remains.
    pub step: [u32; 3],
    /// Warps to run on each core; 1 up to the core's number of warps.
    pub warps: u32,
    /// Device address of the fault area ([`FaultRecord`]).
    pub faults: u32,
    /// Device address of the print area ([`PrintHeader`]); 0 for a kernel that prints nothing.
    pub prints: u32,
    /// Device address of the records in it.
    pub print_records: u32,
    /// Room of each hart for records, in bytes.
    pub print_room: u32,
    /// The work that warps do in blocks of items, before the rest.
    pub coarse: CoarseHeader,
    /// Work groups; for kernels that use them.
    pub group: GroupHeader,
    /// Results of the image's [`LaunchConditions`](crate::ir::LaunchConditions), a bit each; for images that need them.
    pub answers: u32,
}

/// What a launch passes to a kernel whose lanes each do several items at once
/// ([`Facts::coarsening`](crate::ir::Facts::coarsening)).
///
/// In a kernel without work groups they are `columns` of a row, a warp's width apart, of `rows` neighbouring rows. All
/// is counted in items of a block's first row, so an extent in y is `rows` times smaller than the launch's. A warp
/// starts at `columns` times the item that [`LaunchHeader`] has, and advances by `stride` until `covered` is reached.
/// No block reaches from one row into another, and there are no more dimensions than the kernel asks for, unless it
/// asks for none.
///
/// In a kernel with groups they are one of each group of a block: of `columns` neighbouring groups of a row, of `rows`
/// neighbouring rows. All is counted in blocks, so extents are those of [`GroupHeader::groups`] divided by these two.
/// Slot `s` of core `c` starts with block `s * cores + c` and advances by `stride` until `covered` is reached. Groups
/// from `covered * columns * rows` on are done singly, and [`GroupHeader::local_bytes`] is that of a whole block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CoarseHeader {
    /// How much is done in blocks, or 0: for items, a multiple of `columns * lanes`. The rest is done one by one.
    pub covered: u32,
    /// What all running warps of the device cover in one iteration.
    pub stride: u32,
    /// `stride` decomposed, as in [`LaunchHeader::step`].
    pub step: [u32; 3],
}

/// What a launch passes to a kernel with work groups.
///
/// `warps_per_group` warps of one core run a group together. With as many as there are on a core, `slots` groups run
/// on it at a time: slot `s` of core `c` starts with group `s * cores + c` and advances by `stride`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GroupHeader {
    /// Items in a group; the product of `size`.
    pub items: u32,
    /// Extent of a group in x, y and z, in items; at least 1 each.
    pub size: [u32; 3],
    /// Groups in the launch; the product of `groups`.
    pub count: u32,
    /// Groups in x, y and z.
    pub groups: [u32; 3],
    /// Groups that run at a time, over all cores.
    pub stride: u32,
    /// `stride` decomposed by `groups`, as in [`LaunchHeader::step`].
    pub step: [u32; 3],
    /// Warps that run a group, all of one core.
    pub warps: u32,
    /// Bytes of local memory for each slot, a multiple of 16: a group's, or that of a block of them if any are done so
    /// ([`CoarseHeader`]).
    pub local_bytes: u32,
}

/// The offset in the launch block of the address of the kernel's `n`th variable, from 0, in bytes, for an argument
/// struct of `args_size` bytes.
#[must_use]
pub const fn global_offset(args_size: u32, n: u32) -> u32 {
    args_size + size_of::<LaunchHeader>() as u32 + 4 * n
}

/// Offsets of the header's fields, in bytes from its start.
pub mod header {
    use super::{CoarseHeader, GroupHeader, LaunchHeader};
    use std::mem::offset_of;

    /// [`LaunchHeader::total`].
    pub const TOTAL: u32 = offset_of!(LaunchHeader, total) as u32;
    /// [`LaunchHeader::size`].
    pub const SIZE: u32 = offset_of!(LaunchHeader, size) as u32;
    /// [`LaunchHeader::stride`].
    pub const STRIDE: u32 = offset_of!(LaunchHeader, stride) as u32;
    /// [`LaunchHeader::step`].
    pub const STEP: u32 = offset_of!(LaunchHeader, step) as u32;
    /// [`LaunchHeader::warps`].
    pub const WARPS: u32 = offset_of!(LaunchHeader, warps) as u32;
    /// [`LaunchHeader::faults`].
    pub const FAULTS: u32 = offset_of!(LaunchHeader, faults) as u32;
    /// [`LaunchHeader::prints`].
    pub const PRINTS: u32 = offset_of!(LaunchHeader, prints) as u32;
    /// [`LaunchHeader::print_records`].
    pub const PRINT_RECORDS: u32 = offset_of!(LaunchHeader, print_records) as u32;
    /// [`LaunchHeader::print_room`].
    pub const PRINT_ROOM: u32 = offset_of!(LaunchHeader, print_room) as u32;

    const COARSE: u32 = offset_of!(LaunchHeader, coarse) as u32;
    /// [`CoarseHeader::covered`].
    pub const COVERED: u32 = COARSE + offset_of!(CoarseHeader, covered) as u32;
    /// [`CoarseHeader::stride`].
    pub const COARSE_STRIDE: u32 = COARSE + offset_of!(CoarseHeader, stride) as u32;
    /// [`CoarseHeader::step`].
    pub const COARSE_STEP: u32 = COARSE + offset_of!(CoarseHeader, step) as u32;

    const GROUP: u32 = offset_of!(LaunchHeader, group) as u32;
    /// [`GroupHeader::items`].
    pub const GROUP_ITEMS: u32 = GROUP + offset_of!(GroupHeader, items) as u32;
    /// [`GroupHeader::size`].
    pub const GROUP_SIZE: u32 = GROUP + offset_of!(GroupHeader, size) as u32;
    /// [`GroupHeader::count`].
    pub const GROUP_COUNT: u32 = GROUP + offset_of!(GroupHeader, count) as u32;
    /// [`GroupHeader::groups`].
    pub const GROUPS: u32 = GROUP + offset_of!(GroupHeader, groups) as u32;
    /// [`GroupHeader::stride`].
    pub const GROUP_STRIDE: u32 = GROUP + offset_of!(GroupHeader, stride) as u32;
    /// [`GroupHeader::step`].
    pub const GROUP_STEP: u32 = GROUP + offset_of!(GroupHeader, step) as u32;
    /// [`GroupHeader::warps`].
    pub const GROUP_WARPS: u32 = GROUP + offset_of!(GroupHeader, warps) as u32;
    /// [`GroupHeader::local_bytes`].
    pub const LOCAL_BYTES: u32 = GROUP + offset_of!(GroupHeader, local_bytes) as u32;
    /// [`LaunchHeader::answers`].
    pub const ANSWERS: u32 = offset_of!(LaunchHeader, answers) as u32;
}

/// How many words of values the message of a failure may have.
pub const MAX_PANIC_WORDS: usize = 6;

/// One hart's fault record. The fault area is one flag word (non-zero once any hart has failed), padded to a record
/// without meaning, then one record per hart in the order of mhartid. After them is the exchange, one word per hart,
/// through which lanes read each other's values where there are no shuffles, and then the locks of atomic operations,
/// [`LOCKS`] words that are 0 between launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FaultRecord {
    /// 0 when the hart has not failed, otherwise 1 + the index into the image's fault sites.
    pub site: u32,
    /// Linear number of the failing item, x fastest.
    pub item: u32,
    /// Operands of the fault, see `ir::FaultKind`, or values in its message.
    pub operands: [u32; MAX_PANIC_WORDS],
}

/// Bytes of the fault area before its first record.
pub const FAULT_AREA_HEADER: u32 = size_of::<FaultRecord>() as u32;

/// Size of the fault area with exchange and locks for a device with `harts` harts, in bytes.
#[must_use]
pub const fn fault_area_size(harts: u32) -> u32 {
    FAULT_AREA_HEADER + harts * (size_of::<FaultRecord>() as u32 + EXCHANGE_WORD) + LOCKS * 4
}

/// How many locks there are for the words of memory; a power of two. Enough that each lane of a core can take a
/// different one.
pub const LOCKS: u32 = 1024;

/// Bytes of the exchange for each hart.
pub const EXCHANGE_WORD: u32 = 4;

/// A hart's printed messages. The print area is one of these for each hart, in the order of mhartid, and then the room
/// of each for its records: the message's number, the item's, and the values' words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PrintHeader {
    /// Bytes of records that the hart has written, at most [`LaunchHeader::print_room`].
    pub used: u32,
    /// Messages that were dropped for lack of room.
    pub lost: u32,
}
