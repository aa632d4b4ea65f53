//! The launch block: what the device entry finds behind the argument register.
//!
//! ```text
//! offset 0          the kernel's argument struct, exactly as its metadata says
//! args_size         the launch header (this module)
//! after that        by-reference arguments, 32-byte aligned
//! ```
//!
//! The host fills the header, so that the device divides nothing it could be told.

use bytemuck::{Pod, Zeroable};

/// What a launch tells the device entry. All sizes and counts are in work items unless named otherwise.
///
/// Item numbers are linear with x fastest. Warp `w` of core `c` starts at item
/// `(w * cores + c) * lanes + lane` and advances by `stride` until `total` is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct LaunchHeader {
    /// Items in the launch; the product of `size`. 0 never reaches a device.
    pub total: u32,
    /// Extent in x, y and z; at least 1 each.
    pub size: [u32; 3],
    /// Items that all running warps of the device cover in one turn.
    pub stride: u32,
    /// `stride` taken apart by `size`: how far x, y and z advance in one turn, before carries.
    /// `step[0] < size[0]`, `step[1] < size[1]`; `step[2]` is what remains.
    pub step: [u32; 3],
    /// Warps to run on each core; 1 up to the core's number of warps.
    pub warps: u32,
    /// Address of the fault area.
    pub faults: u32,
}

/// Offsets of the header's fields, in bytes from its start.
pub mod header {
    use super::LaunchHeader;
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
}

/// One hart's fault record. The fault area is one flag word (non-zero once any hart has failed),
/// padded to 16 bytes whose values mean nothing, then one record per hart in the order of mhartid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FaultRecord {
    /// 0 when the hart has not failed, otherwise 1 + the index into the image's fault sites.
    pub site: u32,
    /// Linear number of the failing item.
    pub item: u32,
    /// Operands of the fault; see `ir::FaultKind`.
    pub operands: [u32; 2],
}

/// Bytes before the first record of the fault area.
pub const FAULT_AREA_HEADER: u32 = 16;

/// Size of the fault area for a device with `harts` harts, in bytes.
#[must_use]
pub const fn fault_area_size(harts: u32) -> u32 {
    FAULT_AREA_HEADER + harts * size_of::<FaultRecord>() as u32
}
