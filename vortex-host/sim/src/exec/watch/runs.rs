//! The accesses of an instruction, one by one: neighbouring lanes that access neighbouring bytes of a word count as
//! one.

use super::super::super::code::Op;
use super::super::super::memory::{Chunk, Memory};
use super::super::super::notes::WordLocation;
use super::super::super::race::{Access, Kind};
use super::super::super::registers::{Row, lane};
use super::super::super::warp::Warp;
use super::super::atomic;
use super::LOCAL;

/// What of an instruction is left to look at.
pub(super) struct Runs<'a, const SIZE: u32> {
    pub(super) core: u32,
    pub(super) warp_id: u32,
    pub(super) warp: &'a Warp,
    pub(super) memory: &'a Memory,
    pub(super) local: &'a Chunk,
    pub(super) op: &'a Op,
    pub(super) pc: u32,
    pub(super) kind: Kind,
    pub(super) addresses: &'a Row,
    pub(super) values: &'a Row,
    /// Where lanes hold what they work on.
    pub(super) counted: Option<WordLocation>,
    /// Whether misaligned accesses are executed, which is byte by byte. Otherwise they are left out.
    pub(super) bytewise: bool,
    /// The lanes that are left, one bit each.
    pub(super) left: u32,
    /// How many bytes of the first of them are done.
    pub(super) done: u32,
    /// Whether it is known that they load from one place after the other, and work on one thing after the other.
    pub(super) steady: bool,
}

impl<const SIZE: u32> Iterator for Runs<'_, SIZE> {
    type Item = Access;

    #[inline(always)]
    fn next(&mut self) -> Option<Access> {
        while self.left != 0 {
            let first = self.left.trailing_zeros();
            let address = lane(self.addresses, first);
            if address.is_multiple_of(SIZE) {
                self.left &= self.left - 1;
                return Some(self.run(first, address));
            }
            if self.bytewise {
                return Some(self.byte(first, address));
            }
            self.left &= self.left - 1;
        }
        None
    }
}

impl<const SIZE: u32> Runs<'_, SIZE> {
    /// Leaves out lanes up to the first with an aligned address that is not known.
    #[inline(always)]
    pub(super) fn leave_out(&mut self, known: impl Fn(u32) -> bool) {
        while self.left != 0 {
            let address = lane(self.addresses, self.left.trailing_zeros());
            if !address.is_multiple_of(SIZE) || !known(address) {
                return;
            }
            self.left &= self.left - 1;
        }
    }

    /// The access of a lane, and of those after it that continue in the same word. Takes these from what is left.
    #[inline(always)]
    fn run(&mut self, first: u32, address: u32) -> Access {
        let kind = self.kind(address, lane(self.values, first), SIZE);
        let mut access = self.access(first, address, SIZE, kind);
        // Those that are active, without a gap.
        let after = (u64::from(self.left) >> (first + 1)).trailing_ones();
        let most = (1 + after).min((4 - address % 4) / SIZE);
        if self.steady {
            access.lanes = most;
            access.counts = self.counted.is_some();
        } else {
            while access.lanes < most && self.goes_on(&mut access) {
                access.lanes += 1;
            }
        }
        // The first one is gone already.
        self.left &= !(((1 << access.lanes) - 1) << first);
        access
    }

    /// Whether the lane after those of an access, which is active, continues as they do.
    fn goes_on(&self, access: &mut Access) -> bool {
        let (lanes, next) = (access.lanes, access.lane + access.lanes);
        let address = access.address + lanes * SIZE;
        let ahead = self.work(next).wrapping_sub(access.work);
        if lanes == 1 {
            access.counts = ahead == 1;
        }
        lane(self.addresses, next) == address
            && self.kind(address, lane(self.values, next), SIZE) == access.kind
            && ahead == u32::from(access.counts) * lanes
    }

    /// The next byte of a lane's misaligned access.
    #[cold]
    fn byte(&mut self, first: u32, address: u32) -> Access {
        let address = address.wrapping_add(self.done);
        let value = lane(self.values, first) >> (8 * self.done);
        self.done += 1;
        if self.done == SIZE {
            self.done = 0;
            self.left &= self.left - 1;
        }
        self.access(first, address, 1, self.kind(address, value, 1))
    }

    #[inline]
    fn access(&self, lane: u32, address: u32, size: u32, kind: Kind) -> Access {
        Access {
            core: self.core,
            warp: self.warp_id,
            lane,
            lanes: 1,
            pc: self.pc,
            work: self.work(lane),
            counts: false,
            kind,
            address,
            size,
        }
    }

    /// What a lane works on, if that is known.
    #[inline]
    fn work(&self, lane: u32) -> u32 {
        let work = |place: WordLocation| place.word(self.warp, self.memory, lane);
        self.counted.and_then(work).unwrap_or_default()
    }

    /// What an access comes to, by what is in memory.
    #[inline]
    fn kind(&self, address: u32, value: u32, size: u32) -> Kind {
        if self.kind == Kind::Load {
            return Kind::Load;
        }
        let chunk = if address >= LOCAL {
            Some(self.local)
        } else {
            self.memory.existing(address)
        };
        let bits = u32::MAX >> (32 - 8 * size);
        let same = |old: u32| match (self.kind, self.op.opcode) {
            (Kind::Atomic, Some(opcode)) => atomic::leaves(opcode, old, value) == old,
            _ => (old >> (address % 4 * 8) ^ value) & bits == 0,
        };
        match chunk.is_some_and(|chunk| same(chunk.load::<4>(address))) {
            true if self.kind == Kind::Atomic => Kind::SameAtomic,
            true => Kind::SameStore,
            false => self.kind,
        }
    }
}
