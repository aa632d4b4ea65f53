//! What may be accessed: allocations, their parts with different rights, and the device's own areas.

use super::config::Config;
use super::layout::{
    CONSOLE, DUMP, DUMP_BYTES, LOCAL, PAGE, SHARED_END, STACK_TOP, USER, stack_bottom,
};
use super::usage::Usage;
use crate::count::Count;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use thiserror::Error;

/// What a kernel may do with memory. The host may do everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Neither read nor write.
    None,
    /// Read, and execute instructions there.
    Read,
    /// Write, and not read.
    Write,
    /// Read and write.
    ReadWrite,
}

impl Access {
    /// Whether kernels may read.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Access::Read | Access::ReadWrite)
    }

    /// Whether kernels may write.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Access::Write | Access::ReadWrite)
    }
}

impl fmt::Display for Access {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Access::None => "inaccessible",
            Access::Read => "read-only",
            Access::Write => "write-only",
            Access::ReadWrite => "read-write",
        })
    }
}

/// Why the host could not allocate, free, read or write device memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// Allocations have at least one byte.
    #[error("an allocation of 0 bytes is not possible")]
    Empty,
    /// No gap between allocations is large enough.
    #[error(
        "device memory has no room for {}; free are {}",
        Count(*.size, "byte"),
        Count(*.free, "byte")
    )]
    OutOfMemory {
        /// Bytes that were asked for.
        size: u64,
        /// Bytes that are left, in pieces.
        free: u64,
    },
    /// The range cannot be reserved.
    #[error(
        "[{address:#x}, {address:#x} + {size:#x}) cannot be reserved: it is not all free user memory"
    )]
    Taken {
        /// Address of the first byte of the range.
        address: u32,
        /// Bytes of the range.
        size: u64,
    },
    /// No allocation starts there.
    #[error("no allocation starts at {0:#x}")]
    NoAllocation(u32),
    /// The range is not within one allocation.
    #[error("[{address:#x}, {address:#x} + {size:#x}) is not within one allocation")]
    OutOfBounds {
        /// Address of the first byte of the range.
        address: u32,
        /// Bytes of the range.
        size: u64,
    },
}

/// Bytes from the key up to and including `last`, with one kind of access.
#[derive(Clone, Copy, Debug)]
struct Part {
    last: u32,
    access: Access,
    host: bool,
    defined: bool,
}

impl Part {
    /// What kernels may read and write, and what holds no value yet.
    const fn open(last: u32, host: bool) -> Part {
        Part {
            last,
            access: Access::ReadWrite,
            host,
            defined: false,
        }
    }
}

/// A run of bytes that are treated alike. May end with the address space, so it has a last byte rather than an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) access: Access,
    /// The host reads here what kernels leave: buffers, unlike programs, stacks and local memory.
    pub(crate) host: bool,
    /// The host has written all of it; what it was is known without a look.
    pub(crate) defined: bool,
    /// It is part of the performance dump, which programs write when they end.
    dump: bool,
}

impl Range {
    /// Whether stores do nothing here. The host has reserved these bytes of the performance dump for what programs
    /// are to read, and every program with Vortex's own start-up stores its counters there at its end.
    pub(crate) fn ignores_stores(&self) -> bool {
        self.dump && !self.access.writes()
    }

    /// Whether `size` bytes from `address` are inside.
    pub(crate) fn holds(&self, address: u32, size: u32) -> bool {
        address >= self.first && address <= self.last && size - 1 <= self.last - address
    }
}

/// How many freed allocations are remembered.
const REMEMBERED: usize = 1024;

/// Allocations and access rights of a device.
#[derive(Debug)]
pub(crate) struct Protection {
    /// Last byte of the allocation that starts at the key.
    allocations: BTreeMap<u32, u32>,
    /// Disjoint.
    parts: BTreeMap<u32, Part>,
    /// The first byte after the performance dump, if there is one, or that of it. No part lies on both sides of it.
    dump_end: u32,
    /// Where memory begins that programs may ask for below user memory.
    io_start: u32,
    /// The first byte that is not user memory.
    user_end: u32,
    /// Exact bounds, and a free page between allocations.
    exact: bool,
    /// First and last byte of freed allocations, oldest first, of which nothing is in use again. Empty if nobody
    /// wants to know.
    freed: VecDeque<(u32, u32)>,
    /// Whether somebody does.
    remember: bool,
    /// Bytes of all allocations of user memory, in whole pages.
    usage: Usage,
}

/// Bytes of the pages of user memory that a range is on; the device's own memory does not count.
fn on_pages(first: u32, last: u32) -> u64 {
    if first < USER {
        return 0;
    }
    u64::from(last | (PAGE - 1)) + 1 - u64::from(first & !(PAGE - 1))
}

impl Protection {
    pub(crate) fn new(config: &Config) -> Protection {
        let user_end = stack_bottom(config.harts());
        let mut parts = BTreeMap::new();
        let (dump_end, io_start) = match config.hardware().has_dump {
            true => {
                let end = DUMP + DUMP_BYTES * config.cores;
                parts.insert(DUMP, Part::open(end - 1, true));
                (end, DUMP)
            }
            false => {
                // The host has zeroed the words of the console.
                let console = Part {
                    defined: true,
                    ..Part::open(SHARED_END - 1, true)
                };
                parts.insert(CONSOLE, console);
                (DUMP, SHARED_END)
            }
        };
        parts.insert(user_end, Part::open(STACK_TOP - 1, false));
        if config.local_mem > 0 {
            parts.insert(LOCAL, Part::open(LOCAL + (config.local_mem - 1), false));
        }
        Protection {
            allocations: BTreeMap::new(),
            parts,
            dump_end,
            io_start,
            user_end,
            exact: config.checks.bounds,
            freed: VecDeque::new(),
            remember: config.checks.freed,
            usage: Usage::default(),
        }
    }

    /// Bytes of user memory: free and used.
    pub(crate) fn usage(&self) -> (u64, u64) {
        let used = self.usage.bytes();
        (u64::from(self.user_end - USER).saturating_sub(used), used)
    }

    /// The bytes that are used, for another thread to look at.
    pub(crate) fn shared_usage(&self) -> Usage {
        self.usage.clone()
    }

    /// Finds room for `size` bytes, page-aligned and lowest first. What was freed is used again only if nothing else
    /// is left.
    pub(crate) fn alloc(&mut self, size: u64, access: Access) -> Result<u32, MemoryError> {
        if size == 0 {
            return Err(MemoryError::Empty);
        }
        let first = loop {
            if let Some(first) = self.find(size) {
                break first;
            }
            // The oldest half at a time, so that many small frees do not cost a search each.
            if self.freed.is_empty() {
                let free = self.usage().0;
                return Err(MemoryError::OutOfMemory { size, free });
            }
            self.freed.drain(..self.freed.len().div_ceil(2));
        };
        // Below `user_end`, hence 32 bits.
        self.insert(first, (u64::from(first) + size - 1) as u32, access, true);
        Ok(first)
    }

    /// The lowest page from which on `size` bytes are neither in use nor remembered.
    fn find(&self, size: u64) -> Option<u32> {
        let gap = if self.exact { u64::from(PAGE) } else { 0 };
        let mut taken: Vec<(u32, u32)> = self.freed.iter().copied().collect();
        taken.extend(self.allocations.iter().map(|(&first, &last)| (first, last)));
        taken.sort_unstable();
        let mut candidate = u64::from(USER);
        for (first, last) in taken {
            if candidate.saturating_add(size).saturating_add(gap) <= u64::from(first) {
                break;
            }
            let after = (u64::from(last) + 1 + gap).next_multiple_of(u64::from(PAGE));
            candidate = candidate.max(after);
        }
        let fits = candidate.saturating_add(size) <= u64::from(self.user_end);
        fits.then_some(candidate as u32)
    }

    /// Takes `size` bytes at `address`, as for a program: what its code leaves there is its own affair.
    pub(crate) fn reserve(
        &mut self,
        address: u32,
        size: u64,
        access: Access,
    ) -> Result<(), MemoryError> {
        let last = self.free_range(address, size, USER..self.user_end)?;
        self.insert(address, last, access, false);
        Ok(())
    }

    /// Takes `size` bytes at `address` of the device's own memory below user memory, from the performance dump on.
    pub(crate) fn reserve_io(
        &mut self,
        address: u32,
        size: u64,
        access: Access,
    ) -> Result<(), MemoryError> {
        let last = self.free_range(address, size, self.io_start..USER)?;
        self.insert(address, last, access, true);
        self.split_before(self.dump_end);
        Ok(())
    }

    /// The last of `size` bytes from `address` on, if they are all free and within `area`.
    fn free_range(
        &self,
        address: u32,
        size: u64,
        area: std::ops::Range<u32>,
    ) -> Result<u32, MemoryError> {
        if size == 0 {
            return Err(MemoryError::Empty);
        }
        let end = u64::from(address).saturating_add(size);
        let taken = self
            .allocations
            .range(..)
            .any(|(&first, &last)| u64::from(first) < end && last >= address);
        if address < area.start || end > u64::from(area.end) || taken {
            return Err(MemoryError::Taken { address, size });
        }
        Ok((end - 1) as u32)
    }

    fn insert(&mut self, first: u32, last: u32, access: Access, host: bool) {
        // Without exact bounds everything up to the end of the page is accessible, as on hardware, unless somebody
        // else is there.
        let neighbour = self
            .allocations
            .range(last..)
            .next()
            .map_or(self.user_end, |(&next, _)| next);
        let last = if self.exact {
            last
        } else {
            (last | (PAGE - 1)).min(neighbour - 1)
        };
        self.allocations.insert(first, last);
        self.usage.add(on_pages(first, last));
        self.remove_parts(first, last);
        let part = Part {
            access,
            ..Part::open(last, host)
        };
        self.parts.insert(first, part);
        self.freed
            .retain(|&freed| freed.0 > last || freed.1 < first);
    }

    /// Lets kernels access all user memory, whatever is allocated.
    pub(crate) fn open_all(&mut self) {
        let last = self.user_end - 1;
        self.remove_parts(USER, last);
        self.parts.insert(USER, Part::open(last, false));
    }

    /// The last of `size` bytes from `address` on, if that is all memory which cores share; `None` for no bytes.
    pub(crate) fn within_shared(
        &self,
        address: u32,
        size: u64,
    ) -> Result<Option<u32>, MemoryError> {
        let Some(more) = size.checked_sub(1) else {
            return Ok(None);
        };
        let last = u64::from(address) + more;
        match address >= CONSOLE && last < u64::from(LOCAL) {
            true => Ok(Some(last as u32)),
            false => Err(MemoryError::OutOfBounds { address, size }),
        }
    }

    /// Gives an allocation back; returns its last byte.
    pub(crate) fn free(&mut self, address: u32) -> Result<u32, MemoryError> {
        let last = self
            .allocations
            .remove(&address)
            .ok_or(MemoryError::NoAllocation(address))?;
        self.usage.remove(on_pages(address, last));
        self.remove_parts(address, last);
        if address < self.dump_end {
            let last = last.min(self.dump_end - 1);
            self.parts.insert(address, Part::open(last, true));
        }
        if self.remember {
            if self.freed.len() == REMEMBERED {
                self.freed.pop_front();
            }
            self.freed.push_back((address, last));
        }
        Ok(last)
    }

    /// Leaves nothing in `[first, last]`.
    fn remove_parts(&mut self, first: u32, last: u32) {
        self.split_before(first);
        if let Some(next) = last.checked_add(1) {
            self.split_before(next);
        }
        while let Some((&start, _)) = self.parts.range(first..=last).next() {
            self.parts.remove(&start);
        }
    }

    /// Changes what kernels may do with part of an allocation.
    pub(crate) fn set_access(
        &mut self,
        address: u32,
        size: u64,
        access: Access,
    ) -> Result<(), MemoryError> {
        let Some(last) = self.within_allocation(address, size)? else {
            return Ok(());
        };
        self.split_before(address);
        if let Some(next) = last.checked_add(1) {
            self.split_before(next);
        }
        for (_, part) in self.parts.range_mut(address..=last) {
            part.access = access;
        }
        Ok(())
    }

    /// Records that the host has written `[first, last]`. Returns whether that was all of a buffer, which is
    /// defined from now on.
    pub(crate) fn written(&mut self, first: u32, last: u32) -> bool {
        match self.parts.get_mut(&first) {
            Some(part) if part.host && part.last == last => {
                part.defined = true;
                true
            }
            _ => false,
        }
    }

    /// Makes a part start at `address`, if one covers it.
    fn split_before(&mut self, address: u32) {
        if let Some((&first, part)) = self.parts.range_mut(..address).next_back()
            && first < address
            && part.last >= address
        {
            let tail = *part;
            part.last = address - 1;
            self.parts.insert(address, tail);
        }
    }

    /// The last byte of a range that is inside of one allocation; `None` if the range is empty.
    pub(crate) fn within_allocation(
        &self,
        address: u32,
        size: u64,
    ) -> Result<Option<u32>, MemoryError> {
        let error = MemoryError::OutOfBounds { address, size };
        let (_, &allocated) = self
            .allocations
            .range(..=address)
            .next_back()
            .ok_or(error.clone())?;
        match size
            .checked_sub(1)
            .map(|more| u64::from(address).saturating_add(more))
        {
            None if address <= allocated || address - 1 == allocated => Ok(None),
            Some(last) if last <= u64::from(allocated) => Ok(Some(last as u32)),
            _ => Err(error),
        }
    }

    /// Lets kernels use the free memory after the allocation that holds `address`, `size` bytes at most. Answers its
    /// first and last byte.
    pub(crate) fn open_behind(&mut self, address: u32, size: u32) -> Option<(u32, u32)> {
        let (_, &allocated) = self.allocations.range(..=address).next_back()?;
        let first = allocated.checked_add(1).filter(|&first| address < first)?;
        let next = self.allocations.range(first..).next();
        let end = next.map_or(self.user_end, |(&next, _)| next);
        let last = first + size.min(end - first).checked_sub(1)?;
        self.parts.insert(first, Part::open(last, false));
        Some((first, last))
    }

    /// Ends what [`Protection::open_behind`] began.
    pub(crate) fn close_behind(&mut self, first: u32) {
        self.parts.remove(&first);
    }

    /// The run of like bytes that holds `address`.
    pub(crate) fn range_at(&self, address: u32) -> Option<Range> {
        let (&first, part) = self.parts.range(..=address).next_back()?;
        (part.last >= address).then_some(Range {
            first,
            last: part.last,
            access: part.access,
            host: part.host,
            defined: part.defined,
            dump: (DUMP..self.dump_end).contains(&first),
        })
    }

    /// The parts of the performance dump that the host has not reserved: first and last bytes.
    pub(crate) fn unreserved_dump(&self) -> impl Iterator<Item = (u32, u32)> {
        let parts = self.parts.range(DUMP..self.dump_end);
        parts
            .filter(|&(&first, _)| self.within_allocation(first, 1).is_err())
            .map(|(&first, part)| (first, part.last))
    }

    /// The last byte before the next run, from an address on that is in none.
    pub(crate) fn end_of_gap(&self, address: u32) -> u32 {
        let next = self.parts.range(address..).next();
        next.map_or(u32::MAX, |(&first, _)| first - 1)
    }

    /// Whether a page that holds `address` holds part of an allocation, too.
    pub(crate) fn shares_page(&self, address: u32) -> bool {
        let (first, last) = (address & !(PAGE - 1), address | (PAGE - 1));
        let before = self.allocations.range(..=last).next_back();
        before.is_some_and(|(_, &end)| end >= first)
    }

    /// The freed allocation that held `address`, if it is remembered: first and last byte.
    pub(crate) fn freed_at(&self, address: u32) -> Option<(u32, u32)> {
        let holds = |&(first, last): &(u32, u32)| first <= address && address <= last;
        self.freed.iter().copied().rfind(holds)
    }

    /// The allocation that ends nearest below `address`, or else starts nearest above: first and last byte.
    pub(crate) fn nearest_allocation(&self, address: u32) -> Option<(u32, u32)> {
        let below = self.allocations.range(..=address).next_back();
        let above = self.allocations.range(address..).next();
        let distance = |(first, last): (u32, u32)| {
            if address < first {
                first - address
            } else {
                address.saturating_sub(last)
            }
        };
        [below, above]
            .into_iter()
            .flatten()
            .map(|(&first, &last)| (first, last))
            .min_by_key(|&allocation| distance(allocation))
    }
}
