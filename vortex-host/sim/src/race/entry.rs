//! One access to memory, as it is reported and as it is kept.

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Load = 0,
    Store = 1,
    /// A store of what was there already: others who only store the same, or nothing, do not notice.
    SameStore = 2,
    Atomic = 3,
    /// An atomic access that leaves what was there: those who only load do not notice.
    SameAtomic = 4,
}

/// The access of a lane, or of neighbouring lanes to neighbouring places of a word.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) core: u32,
    pub(crate) warp: u32,
    /// The first.
    pub(crate) lane: u32,
    /// How many lanes.
    pub(crate) lanes: u32,
    pub(crate) pc: u32,
    /// What the first lane works on, if that is known.
    pub(crate) work: u32,
    /// Whether each lane works on what comes after what the lane before it works on. Otherwise they work on the same.
    pub(crate) counts: bool,
    pub(crate) kind: Kind,
    /// Where the first lane's bytes start.
    pub(crate) address: u32,
    /// Bytes of each lane.
    pub(crate) size: u32,
}

impl Access {
    /// Which of the word's bytes, one bit each.
    #[inline]
    pub(super) fn bytes(&self) -> u32 {
        let count = self.size * self.lanes;
        (WHOLE >> (4 - count)) << (self.address % 4)
    }
}

/// Who accessed a word, which of its bytes, when in terms of its warp's clock, and by which instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// From the lowest bit: lane, number of the warp, bytes, where the first lane's bytes start, their binary
    /// logarithm, whether lanes count what they work on, and what they did.
    who: u32,
    /// 0: nobody.
    pub(super) clock: u32,
    pc: u32,
    work: u32,
}

/// The bit positions of the packed parts.
const NUMBER: u32 = 5;
const BYTES: u32 = 18;
const START: u32 = 22;
const SIZE: u32 = 24;
const COUNTS: u32 = 26;
const KIND: u32 = 29;

/// All bytes of a word, one bit each.
pub(super) const WHOLE: u32 = 0xf;

/// A warp among those of all cores.
pub(super) const fn number(core: u32, warp: u32) -> u32 {
    core << 5 | warp
}

impl Entry {
    #[inline]
    pub(super) fn new(access: &Access, clock: u32) -> Entry {
        Entry {
            who: access.lane
                | number(access.core, access.warp) << NUMBER
                | access.bytes() << BYTES
                | (access.address % 4) << START
                | access.size.trailing_zeros() << SIZE
                | u32::from(access.counts) << COUNTS
                | (access.kind as u32) << KIND,
            clock,
            pc: access.pc,
            work: access.work,
        }
    }

    #[inline]
    pub(super) fn pack(self) -> [u32; 4] {
        [self.who, self.clock, self.pc, self.work]
    }

    #[inline]
    pub(super) fn unpack([who, clock, pc, work]: [u32; 4]) -> Entry {
        Entry {
            who,
            clock,
            pc,
            work,
        }
    }

    /// Bits from one on, up to another.
    #[inline]
    fn bits(self, from: u32, to: u32) -> u32 {
        self.who >> from & ((1 << (to - from)) - 1)
    }

    #[inline]
    pub(super) fn number(self) -> u32 {
        self.bits(NUMBER, BYTES)
    }

    #[inline]
    pub(crate) fn core(self) -> u32 {
        self.number() >> 5
    }

    #[inline]
    pub(crate) fn warp(self) -> u32 {
        self.number() & 31
    }

    /// Which of the word's bytes, one bit each.
    #[inline]
    pub(crate) fn bytes(self) -> u32 {
        self.bits(BYTES, START)
    }

    /// The same access, of some of its bytes.
    #[inline]
    pub(super) fn only(self, bytes: u32) -> Entry {
        Entry {
            who: self.who & !(WHOLE << BYTES) | (self.bytes() & bytes) << BYTES,
            ..self
        }
    }

    /// How many lanes after the first it was that accessed a byte.
    fn step(self, byte: u32) -> u32 {
        (byte - self.bits(START, SIZE)) >> self.bits(SIZE, COUNTS)
    }

    /// The lane that accessed one of its bytes.
    pub(crate) fn lane(self, byte: u32) -> u32 {
        self.bits(0, NUMBER) + self.step(byte)
    }

    pub(crate) fn pc(self) -> u32 {
        self.pc
    }

    /// What the lane worked on that accessed one of its bytes, if that is known for the instruction.
    pub(crate) fn work(self, byte: u32) -> u32 {
        let counted = self.bits(COUNTS, COUNTS + 1) * self.step(byte);
        self.work.wrapping_add(counted)
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        match self.who >> KIND {
            0 => Kind::Load,
            1 => Kind::Store,
            2 => Kind::SameStore,
            3 => Kind::Atomic,
            _ => Kind::SameAtomic,
        }
    }

    #[inline]
    pub(super) fn is_store(self) -> bool {
        self.kind() == Kind::Store
    }

    /// Whether two accesses, neither a store of something new, race with the same later ones.
    #[inline]
    pub(super) fn is_like(self, other: Entry) -> bool {
        let class = |entry: Entry| match entry.kind() {
            Kind::Load | Kind::SameStore => Kind::Load,
            kind => kind,
        };
        class(self) == class(other)
    }

    /// Whether an earlier access races with all later ones that this one races with: the same warp did the same at
    /// the same time.
    #[inline]
    pub(super) fn repeats(self, earlier: Entry) -> bool {
        self.clock == earlier.clock
            && self.number() == earlier.number()
            && self.bytes() & !earlier.bytes() == 0
            && self.is_like(earlier)
    }

    /// Whether nothing but the order of two accesses keeps them from being a race.
    #[inline]
    pub(super) fn harms(self, earlier: Entry) -> bool {
        let matters = match self.kind() {
            Kind::Load => matches!(earlier.kind(), Kind::Store | Kind::Atomic),
            Kind::Store => true,
            Kind::SameStore => false,
            Kind::Atomic => !matches!(earlier.kind(), Kind::Atomic | Kind::SameAtomic),
            Kind::SameAtomic => earlier.is_store(),
        };
        matters && self.bytes() & earlier.bytes() != 0
    }
}
