//! One access to memory, as it comes and as it is kept.

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

/// One lane's access.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) core: u32,
    pub(crate) warp: u32,
    pub(crate) lane: u32,
    pub(crate) pc: u32,
    /// What the lane works on, if that is known.
    pub(crate) work: u32,
    pub(crate) kind: Kind,
    pub(crate) address: u32,
    pub(crate) size: u32,
}

/// Who accessed memory, when in terms of its warp's clock, and by which instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// What it did, core, warp and lane, packed.
    who: u32,
    /// 0: nobody.
    pub(super) clock: u32,
    pc: u32,
    work: u32,
}

/// From which bit on the kind is told.
const KIND: u32 = 29;

/// A warp among those of all cores.
pub(super) const fn number(core: u32, warp: u32) -> u32 {
    core << 5 | warp
}

impl Entry {
    pub(super) fn new(access: &Access, clock: u32) -> Entry {
        let kind = (access.kind as u32) << KIND;
        Entry {
            who: kind | number(access.core, access.warp) << 5 | access.lane,
            clock,
            pc: access.pc,
            work: access.work,
        }
    }

    pub(super) fn pack(self) -> [u32; 4] {
        [self.who, self.clock, self.pc, self.work]
    }

    pub(super) fn unpack([who, clock, pc, work]: [u32; 4]) -> Entry {
        Entry {
            who,
            clock,
            pc,
            work,
        }
    }

    pub(super) fn number(self) -> u32 {
        self.who << (32 - KIND) >> (32 - KIND + 5)
    }

    pub(crate) fn core(self) -> u32 {
        self.number() >> 5
    }

    pub(crate) fn warp(self) -> u32 {
        self.number() & 31
    }

    pub(crate) fn lane(self) -> u32 {
        self.who & 31
    }

    pub(crate) fn pc(self) -> u32 {
        self.pc
    }

    /// What the lane worked on, if that is known for the instruction.
    pub(crate) fn work(self) -> u32 {
        self.work
    }

    pub(crate) fn kind(self) -> Kind {
        match self.who >> KIND {
            0 => Kind::Load,
            1 => Kind::Store,
            2 => Kind::SameStore,
            3 => Kind::Atomic,
            _ => Kind::SameAtomic,
        }
    }

    pub(super) fn is_store(self) -> bool {
        self.kind() == Kind::Store
    }

    /// Whether two accesses, neither a store of something new, race with the same later ones.
    pub(super) fn is_like(self, other: Entry) -> bool {
        let class = |entry: Entry| match entry.kind() {
            Kind::Load | Kind::SameStore => Kind::Load,
            kind => kind,
        };
        class(self) == class(other)
    }

    /// Whether nothing but the order of two accesses keeps them from being a race.
    pub(super) fn harms(self, earlier: Entry) -> bool {
        match self.kind() {
            Kind::Load => matches!(earlier.kind(), Kind::Store | Kind::Atomic),
            Kind::Store => true,
            Kind::SameStore => false,
            Kind::Atomic => !matches!(earlier.kind(), Kind::Atomic | Kind::SameAtomic),
            Kind::SameAtomic => earlier.is_store(),
        }
    }
}
