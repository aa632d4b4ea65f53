//! Traps in words.

use super::{AccessKind, Origin, RacingAccess, UninitialisedUse, WaitReason, Waiting};
use crate::count::Count;
use crate::layout::{LOCAL, PAGE};
use std::fmt;
use vortex_isa::{GLOBAL_BARRIER, Inst, csr};

/// An address, and the instruction there: "0x80000010: lw a0, 4(a1)".
pub(super) struct At {
    pub(super) pc: u32,
    pub(super) word: Option<u32>,
}

impl fmt::Display for At {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:#010x}", self.pc)?;
        match (self.word.and_then(Inst::decode), self.word) {
            (Some(inst), _) => write!(out, ": {}", inst.at(self.pc)),
            (None, Some(word)) => write!(out, ": {word:#010x}"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for AccessKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic access",
        })
    }
}

impl fmt::Display for UninitialisedUse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UninitialisedUse::Branch => write!(out, "a branch is decided by"),
            UninitialisedUse::Jump => write!(out, "a jump goes to"),
            UninitialisedUse::Address(access) => {
                write!(out, "the address of {} depends on", Article(*access))
            }
            UninitialisedUse::ThreadMask => write!(out, "which lanes go on is decided by"),
            UninitialisedUse::Barrier => write!(out, "a barrier is chosen by"),
            UninitialisedUse::Spawn => write!(out, "warps are started by"),
            UninitialisedUse::Csr => write!(out, "a CSR is set to"),
            UninitialisedUse::Store { address, size } => write!(
                out,
                "the store of {} at {address:#x}, where the host reads, is of",
                Count(u64::from(*size), "byte")
            ),
            UninitialisedUse::Console => write!(out, "the console is given"),
        }
    }
}

/// "a load", "an atomic access".
struct Article(AccessKind);

impl fmt::Display for Article {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let article = match self.0 {
            AccessKind::Load | AccessKind::Store => "a",
            AccessKind::Atomic => "an",
        };
        write!(out, "{article} {}", self.0)
    }
}

impl fmt::Display for RacingAccess {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RacingAccess {
            access,
            pc,
            word,
            core,
            warp,
            lane,
            work: _,
        } = self;
        let at = At {
            pc: *pc,
            word: Some(*word),
        };
        write!(
            out,
            "{access} by core {core}, warp {warp}, lane {lane} (at {at})"
        )
    }
}

/// What happened in a data race.
pub(super) fn raced(access: AccessKind, address: u32, size: u32, first: &RacingAccess) -> String {
    let size = Bytes(size);
    format!("data race: {access} of {size} at {address:#x} and {first}")
}

/// What happened where lanes store different values.
pub(super) fn collided(address: u32, size: u32, other: u32) -> String {
    let size = Bytes(size);
    format!(
        "data race: lane {other} stores another value to {address:#x} ({size}) with the same instruction"
    )
}

/// What happened where an update is lost.
pub(super) fn lost(address: u32, size: u32, other: u32) -> String {
    let size = Bytes(size);
    format!(
        "lost update: lane {other} changes the same {size} at {address:#x} with the same instruction"
    )
}

/// A barrier by its number, which has bit 31 for one of the whole device: "global barrier 2".
pub(super) struct Barrier(pub(super) u32);

impl Barrier {
    const fn is_global(&self) -> bool {
        self.0 & GLOBAL_BARRIER != 0
    }

    /// What it waits for.
    pub(super) const fn counts(&self) -> &'static str {
        if self.is_global() { "cores" } else { "warps" }
    }

    /// Of what these are.
    pub(super) const fn of(&self) -> &'static str {
        match self.is_global() {
            true => "each cluster of this device",
            false => "a core of this device",
        }
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let global = if self.is_global() { "global " } else { "" };
        write!(out, "{global}barrier {}", self.0 & !GLOBAL_BARRIER)
    }
}

/// "1 asynchronous copy".
pub(super) struct Copies(pub(super) u32);

impl fmt::Display for Copies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => out.write_str("1 asynchronous copy"),
            more => write!(out, "{more} asynchronous copies"),
        }
    }
}

/// "1 byte".
pub(super) struct Bytes(pub(super) u32);

impl fmt::Display for Bytes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Count(u64::from(self.0), "byte").fmt(out)
    }
}

/// The bytes from the first to the last one of an allocation.
pub(super) struct Extent(pub(super) (u32, u32));

impl fmt::Display for Extent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.0;
        Count(u64::from(last - first) + 1, "byte").fmt(out)
    }
}

/// Each on an indented line of its own, after what stands before.
pub(super) struct Lines<I>(pub(super) I);

impl<I: Iterator<Item: fmt::Display> + Clone> fmt::Display for Lines<I> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .clone()
            .try_for_each(|line| write!(out, "\n  {line}"))
    }
}

/// What became of a register: follows "which".
impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Origin::Register => {
                out.write_str("was never written, or comes from a register that was not")
            }
            Origin::Memory {
                address, pc, word, ..
            } => {
                let word = Some(word);
                let at = At { pc, word };
                write!(out, "comes from {address:#x}, ")?;
                if address >= LOCAL {
                    out.write_str(
                        "in local memory, where what other items store is there after a `barrier()`, and ",
                    )?;
                }
                write!(out, "where nothing was stored (loaded at {at})")
            }
        }
    }
}

/// How to turn off the race check, for kernels and for programs with Vortex's own start-up.
pub(super) const SWITCH: &str = "the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off";

/// The same of what only lockstep orders.
pub(super) const LOCKSTEP: &str =
    "the check is `Checks::lockstep`, and VORTEX_CHECKS=-lockstep turns it off";

/// The same of lost updates.
pub(super) const UPDATES: &str =
    "the check is `Checks::lost_updates`, and VORTEX_CHECKS=-lost-updates turns it off";

/// What is said about a livelock.
pub const LIVELOCK: &str = "a livelock: all warps that run repeat atomic operations that change nothing; lanes of a \
    warp go in step, so that none can wait in a loop for what another one is to do after it, and not all groups of a \
    launch run at a time; a sum needs no lock, `x.atomic(i).fetch_add(v, Relaxed)`, nor does what `fetch_max` and \
    other operations combine; where there has to be one, let one item of each warp take it, `if warp::elect() { .. }`, \
    and do the work of all of them, from `warp::reduce_max(v)` and its like; and a second launch begins when \
    all items of the first have ended";

/// What is said about a deadlock before its warps are named.
pub const DEADLOCK: &str = "deadlock: every warp that is left waits for warps that do not come; all warps of a group have to come to the same barriers";

/// For what, and where: "barrier 0, where 1 of 2 warps arrived, at 0x80000010: bar a0, a1".
impl fmt::Display for Waiting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = At {
            pc: self.pc,
            word: self.word,
        };
        write!(out, "{}, at {at}", self.reason)
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitReason::Barrier {
                id,
                arrived,
                expected,
            } => write!(
                out,
                "barrier {id}, where {arrived} of {} arrived",
                Count(*expected, "warp")
            ),
            WaitReason::GlobalBarrier {
                id,
                arrived,
                expected,
            } => write!(
                out,
                "global barrier {id}, where {arrived} of {} arrived",
                Count(*expected, "core")
            ),
            WaitReason::Phase { id, arrived } => write!(
                out,
                "the end of a phase of {}, in which {} arrived",
                Barrier(*id),
                Count(u64::from(*arrived), "warp")
            ),
            WaitReason::Copies { id, copies } => write!(
                out,
                "{}, for {} to end, which nothing makes here",
                Barrier(*id),
                Copies(*copies)
            ),
            WaitReason::Spawn => write!(out, "wspawn, until the core's other warps end"),
        }
    }
}

/// A CSR by name, or else by number.
pub(super) struct CsrName(pub(super) u16);

impl fmt::Display for CsrName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match csr::name(self.0) {
            Some(name) => out.write_str(name),
            None => write!(out, "{:#05x}", self.0),
        }
    }
}

/// An access to where nothing is allocated.
pub(super) struct Stray {
    pub(super) access: AccessKind,
    pub(super) address: u32,
    pub(super) size: u32,
    pub(super) nearest: Option<(u32, u32)>,
}

impl fmt::Display for Stray {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (access, address, bytes) = (self.access, self.address, Bytes(self.size));
        // No allocation begins there, and what is behind a null pointer is seldom larger.
        if address < PAGE {
            return write!(
                out,
                "null pointer: {access} of {bytes} at {address:#x}; a null pointer leads nowhere: ask `is_null()` \
                 before, `if !pointer.is_null() {{ .. }}`"
            );
        }
        let relative = Relative {
            address,
            size: self.size,
            allocation: self.nearest,
        };
        write!(
            out,
            "out-of-bounds {access} of {bytes} at {address:#x}{relative}; compare with the length of what the pointer \
             leads into, or take a slice, whose indices are checked"
        )
    }
}

/// Where an address lies relative to an allocation.
struct Relative {
    address: u32,
    size: u32,
    allocation: Option<(u32, u32)>,
}

impl fmt::Display for Relative {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, last)) = self.allocation else {
            return write!(out, "; nothing is allocated");
        };
        let size = Extent((first, last));
        if self.address < first {
            write!(
                out,
                ", {} before the allocation at {first:#x} ({size})",
                Count(u64::from(first - self.address), "byte")
            )
        } else if self.address > last {
            write!(
                out,
                ", {} past the end of the allocation at {first:#x} ({size})",
                Count(u64::from(self.address - last) - 1, "byte")
            )
        } else {
            let over = u64::from(self.address) + u64::from(self.size) - 1 - u64::from(last);
            write!(
                out,
                ", {} too long for the allocation at {first:#x} ({size})",
                Count(over, "byte")
            )
        }
    }
}
