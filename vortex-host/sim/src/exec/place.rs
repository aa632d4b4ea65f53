//! What is at an address, and whether it may be accessed.

use super::super::layout::{CONSOLE, CONSOLE_BYTES, USER};
use super::super::protection::Access;
use super::super::trap::{AccessKind, TrapKind};
use super::{Context, Fault};

/// What is at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    Memory,
    Console,
    /// Memory that a store does not change.
    Ignored,
}

/// What a lane wants of memory.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    pub(super) access: AccessKind,
    pub(super) address: u32,
    pub(super) size: u32,
    pub(super) lane: u32,
}

impl Wish {
    fn fault(self, kind: TrapKind) -> Box<Fault> {
        Fault::in_lane(kind, self.lane)
    }

    /// Ensures that the address is a multiple of the size.
    pub(super) fn aligned(self) -> Result<(), Box<Fault>> {
        let Wish {
            access,
            address,
            size,
            ..
        } = self;
        if address.is_multiple_of(size) {
            return Ok(());
        }
        let kind = TrapKind::Misaligned {
            access,
            address,
            size,
        };
        Err(self.fault(kind))
    }

    /// Determines whether that is possible.
    pub(super) fn locate(self, cx: &Context<'_>) -> Result<Region, Box<Fault>> {
        let Wish {
            access,
            address,
            size,
            ..
        } = self;
        if cx.config.checks.alignment {
            self.aligned()?;
        }
        let last = address.wrapping_add(size - 1);
        let in_console = |at: u32| at.wrapping_sub(CONSOLE) < CONSOLE_BYTES;
        let by_bytes = cx.config.hardware().has_dump;
        if by_bytes && (in_console(address) || in_console(last)) {
            return match (access, size) {
                (AccessKind::Store, 1) => Ok(Region::Console),
                _ => Err(self.fault(TrapKind::ConsoleAccess {
                    access,
                    address,
                    size,
                })),
            };
        }
        if access == AccessKind::Store
            && address < USER
            && let Some(range) = cx.protection.range_at(address)
            && range.ignores_stores()
        {
            return Ok(Region::Ignored);
        }
        if address.is_multiple_of(size) {
            self.reach(cx, address, last)?;
        } else {
            // Byte by byte: it may even reach from the end of memory to its start.
            for n in 0..size {
                let byte = address.wrapping_add(n);
                self.reach(cx, byte, byte)?;
            }
        }
        Ok(Region::Memory)
    }

    /// Ensures that all of `[first, last]` may be accessed, which may be parts of several allocations.
    fn reach(self, cx: &Context<'_>, first: u32, last: u32) -> Result<(), Box<Fault>> {
        let mut at = first;
        loop {
            let end = match cx.protection.range_at(at) {
                Some(range) if cx.config.checks.rights && !allows(range.access, self.access) => {
                    let kind = TrapKind::AccessDenied {
                        access: self.access,
                        address: self.address,
                        size: self.size,
                        allowed: range.access,
                    };
                    return Err(self.fault(kind));
                }
                Some(range) => range.last,
                None => self.reach_nothing(cx, at)?,
            };
            if end >= last {
                return Ok(());
            }
            at = end + 1;
        }
    }

    /// Determines whether unallocated memory may be accessed; returns up to where.
    fn reach_nothing(self, cx: &Context<'_>, at: u32) -> Result<u32, Box<Fault>> {
        let Wish {
            access,
            address,
            size,
            ..
        } = self;
        if let Some(allocation) = cx.protection.freed_at(at) {
            let kind = TrapKind::UseAfterFree {
                access,
                address,
                size,
                allocation,
            };
            return Err(self.fault(kind));
        }
        let checks = &cx.config.checks;
        if checks.unmapped || checks.bounds && cx.protection.shares_page(at) {
            let kind = TrapKind::OutOfBounds {
                access,
                address,
                size,
                nearest: cx.protection.nearest_allocation(address),
            };
            return Err(self.fault(kind));
        }
        Ok(cx.protection.end_of_gap(at))
    }
}

fn allows(rights: Access, access: AccessKind) -> bool {
    match access {
        AccessKind::Load => rights.reads(),
        AccessKind::Store => rights.writes(),
        AccessKind::Atomic => rights.reads() && rights.writes(),
    }
}
