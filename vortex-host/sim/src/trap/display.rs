//! Traps in words.

use super::super::exec::GLOBAL;
use super::*;
use crate::count::Count;
use std::fmt;
use vortex_isa::{Extension, csr};

impl fmt::Display for Trap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = At {
            pc: self.pc,
            word: self.word,
        };
        write!(out, "{}", self.kind)?;
        if self.kind == TrapKind::IllegalInstruction {
            out.write_str(lacking(self.inst()))?;
        }
        write!(out, "\n  at {at}\n  core {}, warp {}", self.core, self.warp)?;
        match self.lane {
            Some(lane) => write!(out, ", lane {lane}"),
            None => Ok(()),
        }
    }
}

/// Why an instruction is none of the device's.
fn lacking(inst: Option<Inst>) -> &'static str {
    match inst.map(|inst| inst.opcode.info().extension) {
        None => ": this word encodes none",
        Some(Extension::A) => ": this device is built without atomic operations (A)",
        Some(Extension::Zicond) => ": this device is built without Zicond",
        Some(Extension::WarpOps) => ": this device is built without votes and shuffles",
        Some(_) => "",
    }
}

/// An address, and the instruction there: "0x80000010: lw a0, 4(a1)".
struct At {
    pc: u32,
    word: Option<u32>,
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

/// What a barrier is called, what it counts, and of what.
fn barrier(id: u32) -> (&'static str, &'static str, &'static str) {
    match id & GLOBAL {
        0 => ("barrier", "warps", "a core of this device"),
        _ => ("global barrier", "cores", "this device"),
    }
}

/// How not to be told of data races, of kernels and of programs with Vortex's own start-up.
const SWITCH: &str = "the check is `Checks::races` or `foreign_races`, and VORTEX_CHECKS=-races,-foreign-races turns it off";

/// The same of what only lockstep orders.
const LOCKSTEP: &str = "the check is `Checks::lockstep`, and VORTEX_CHECKS=-lockstep turns it off";

/// The same of lost updates.
const UPDATES: &str =
    "the check is `Checks::lost_updates`, and VORTEX_CHECKS=-lost-updates turns it off";

/// What is said of a livelock.
pub const LIVELOCK: &str = "a livelock: all warps that run repeat atomic operations that change nothing; lanes of a warp go in step, so that none can \
    wait in a loop for what another one is to do after it, and not all groups of a launch run at a time";

/// What is said of a deadlock before its warps are named.
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
            WaitReason::Spawn => write!(out, "wspawn, until the core's other warps end"),
        }
    }
}

/// A CSR by name, or else by number.
struct CsrName(u16);

impl fmt::Display for CsrName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match csr::name(self.0) {
            Some(name) => out.write_str(name),
            None => write!(out, "{:#05x}", self.0),
        }
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
        let size = Count(u64::from(last - first) + 1, "byte");
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

impl fmt::Display for TrapKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrapKind::IllegalInstruction => write!(out, "illegal instruction"),
            TrapKind::FetchOutOfBounds => {
                write!(
                    out,
                    "execution left the program: there is no code here; warps end by `tmc` with no lanes"
                )
            }
            TrapKind::MisalignedJump { target } => {
                write!(out, "jump to {target:#x}, which is no multiple of 4")
            }
            &TrapKind::OutOfBounds {
                access,
                address,
                size,
                nearest,
            } => {
                let place = Relative {
                    address,
                    size,
                    allocation: nearest,
                };
                write!(
                    out,
                    "out-of-bounds {access} of {} at {address:#x}{place}",
                    Count(u64::from(size), "byte")
                )
            }
            &TrapKind::UseAfterFree {
                access,
                address,
                size,
                allocation: (first, last),
            } => {
                write!(
                    out,
                    "use after free: {access} of {} at {address:#x}, {} into the allocation at {first:#x} ({}), which the host has freed; a buffer has to live as long as kernels use it",
                    Count(u64::from(size), "byte"),
                    Count(u64::from(address.saturating_sub(first)), "byte"),
                    Count(u64::from(last - first) + 1, "byte")
                )
            }
            &TrapKind::DataRace {
                access,
                address,
                size,
                first,
            } => {
                write!(
                    out,
                    "data race: {access} of {} at {address:#x} and {first}; a barrier between them would order them, atomic operations do not race, and one work item may access an element as it likes; {SWITCH}",
                    Count(u64::from(size), "byte")
                )
            }
            &TrapKind::OnlyLockstep {
                access,
                address,
                size,
                first,
            } => {
                write!(
                    out,
                    "ordered by lockstep alone: {access} of {} at {address:#x} and {first}, which a device with fewer threads per warp need not do in this order; a barrier between them would order them, and so would an operation of `warp` that both lanes come to; {LOCKSTEP}",
                    Count(u64::from(size), "byte")
                )
            }
            &TrapKind::LentMemory {
                access,
                address,
                size,
            } => {
                write!(
                    out,
                    "{access} of {} at {address:#x}, in what the kernel was given by `&`, a slice or texture that nothing may change during the launch; take it by `&mut`, or store to a part of the buffer that was not given; {SWITCH}",
                    Count(u64::from(size), "byte")
                )
            }
            &TrapKind::StoreCollision {
                address,
                size,
                other,
            } => {
                write!(
                    out,
                    "data race: lane {other} stores another value to {address:#x} ({}) with the same instruction; one lane may store there, or all the same value; {SWITCH}",
                    Count(u64::from(size), "byte")
                )
            }
            &TrapKind::LostUpdate {
                address,
                size,
                other,
            } => {
                write!(
                    out,
                    "lost update: lane {other} changes the same {} at {address:#x} with the same instruction; both begin with what was there before, so that one of the changes is lost; make it one step, such as `x.atomic(i).fetch_add(1, Relaxed)`, or leave it to a single work item; {UPDATES}",
                    Count(u64::from(size), "byte")
                )
            }
            TrapKind::Uninitialised {
                what,
                register,
                bits,
                origin,
            } => {
                write!(out, "use of uninitialised data: {what} {register}, ")?;
                if *bits != u32::MAX {
                    write!(out, "in its bits {bits:#x}, ")?;
                }
                match origin {
                    Origin::Register => write!(
                        out,
                        "which was never written, or comes from a register that was not"
                    )?,
                    &Origin::Memory { address, pc, word } => {
                        let word = Some(word);
                        write!(
                            out,
                            "which comes from {address:#x}, where nothing was stored (loaded at {})",
                            At { pc, word }
                        )?;
                    }
                }
                write!(out, "; it has to be written before it is used")
            }
            TrapKind::AccessDenied {
                access,
                address,
                size,
                allowed,
            } => {
                write!(
                    out,
                    "forbidden {access} of {} at {address:#x}: this memory is {allowed}",
                    Count(u64::from(*size), "byte")
                )
            }
            TrapKind::Misaligned {
                access,
                address,
                size,
            } => {
                write!(
                    out,
                    "misaligned {access} of {} at {address:#x}, which is no multiple of {size}",
                    Count(u64::from(*size), "byte")
                )
            }
            TrapKind::ConsoleAccess {
                access,
                address,
                size,
            } => {
                write!(
                    out,
                    "{access} of {} at the console ({address:#x}), which takes stores of single bytes only",
                    Count(u64::from(*size), "byte")
                )
            }
            TrapKind::DivergentBranch { taken, not_taken } => {
                write!(
                    out,
                    "divergent branch: lanes {taken:#x} take it, lanes {not_taken:#x} do not, and no split guards it"
                )
            }
            TrapKind::DivergentJump { target, other } => {
                write!(
                    out,
                    "divergent jump: lanes of the warp go to {target:#x} and to {other:#x}, and a warp is in one place; split them first"
                )
            }
            TrapKind::InvalidCsr { csr, write: false } => {
                write!(out, "CSR {} does not exist on this device", CsrName(*csr))
            }
            TrapKind::InvalidCsr { csr, write: true } => {
                write!(
                    out,
                    "CSR {} cannot be written: it is read-only",
                    CsrName(*csr)
                )
            }
            TrapKind::DivergentCsrWrite { csr } => {
                write!(
                    out,
                    "the active lanes write different values to CSR {}, of which a warp has one: all have to write the same",
                    CsrName(*csr)
                )
            }
            TrapKind::InvalidRounding { frm } => {
                write!(
                    out,
                    "frm holds {frm}, which is no rounding mode: those are 0 to 4"
                )
            }
            TrapKind::SplitOverflow { limit } => write!(
                out,
                "split: all {limit} levels of divergence of this warp are in use, one less than it has lanes; some need their joins first"
            ),
            TrapKind::JoinUnderflow => {
                write!(out, "join without an open split: each join ends one split")
            }
            TrapKind::OpenSplits { open, lanes } => {
                write!(
                    out,
                    "the warp ended with {}: lanes {lanes:#x} were still to go on, and every split needs its join first",
                    Count(*open, "open split")
                )
            }
            TrapKind::JoinMismatch { depth, open } => {
                write!(
                    out,
                    "join to depth {depth} while {open} split{} open: it does not belong to the innermost one, which is at depth {}",
                    if *open == 1 { " is" } else { "s are" },
                    open.saturating_sub(1)
                )
            }
            TrapKind::InvalidBarrier { id, limit } => write!(
                out,
                "barrier {id} does not exist: this device has numbers 0 to {}",
                limit.saturating_sub(1)
            ),
            &TrapKind::BarrierCount { id, expected, most } => {
                let (what, unit, of) = barrier(id);
                write!(
                    out,
                    "{what} {} for {expected} {unit}: {of} has {most}, and 1 to {most} can meet",
                    id & !GLOBAL
                )
            }
            TrapKind::BarrierMismatch { expected, first } => {
                let Waiting { core, warp, .. } = first;
                write!(
                    out,
                    "barrier mismatch: this warp is to wait for {expected} in all, and core {core}, warp {warp} waits for another number ({first}); all who meet have to ask for the same"
                )
            }
            TrapKind::OtherBarrier { first } => {
                let Waiting { core, warp, .. } = first;
                write!(
                    out,
                    "barrier mismatch: core {core}, warp {warp} waits for this warp, but elsewhere or for another group ({first}); all warps of a group have to come to the same barriers"
                )
            }
            TrapKind::DivergentBarrier { id, lanes, others } => {
                let (what, ..) = barrier(*id);
                write!(
                    out,
                    "divergent barrier: lanes {lanes:#x} come to {what} {} without lanes {others:#x} of their warp, which a split has sent another way; all lanes that work have to come together",
                    id & !GLOBAL
                )
            }
            TrapKind::SpawnOutsideWarpZero => {
                write!(
                    out,
                    "wspawn outside of warp 0, which alone can start others"
                )
            }
            TrapKind::Deadlock { waiting } => {
                write!(out, "{DEADLOCK}")?;
                for warp in waiting {
                    let Waiting { core, warp: id, .. } = warp;
                    write!(out, "\n  core {core}, warp {id}: {warp}")?;
                }
                Ok(())
            }
            TrapKind::BudgetSpent { budget, livelock } => {
                let why = match livelock {
                    true => LIVELOCK,
                    false => "an endless loop, unless a larger budget is needed",
                };
                write!(
                    out,
                    "still running after {} of warps, which is the budget: {why}",
                    Count(*budget, "instruction")
                )
            }
            TrapKind::NoProgress { cycle, state } => {
                write!(
                    out,
                    "internal error: the cycle model executes nothing any more in cycle {cycle}, although no warp waits for another; please report this with the program, which the functional model (VORTEX_MODEL=functional) may still run"
                )?;
                for core in state.lines() {
                    write!(out, "\n  {core}")?;
                }
                Ok(())
            }
        }
    }
}
