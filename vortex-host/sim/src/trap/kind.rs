//! What a kernel can do wrong, with the messages.

use super::display::{
    Barrier, Bytes, Copies, CsrName, DEADLOCK, Extent, LIVELOCK, LOCKSTEP, Lines, SWITCH, Stray,
    UPDATES, collided, lost, raced,
};
use super::{AccessKind, Origin, RacingAccess, UninitialisedUse, Waiting};
use crate::count::Count;
use crate::layout::LOCAL;
use crate::protection::Access;

/// The mistakes that a device notices. [`Checks`](crate::Checks) decides which of them end a run. Lanes are masks: bit
/// n is lane n.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrapKind {
    /// The word at the trap's `pc` is not an instruction of this device: of none, or of an extension that it lacks.
    #[error("illegal instruction")]
    IllegalInstruction,
    /// Execution left all readable memory.
    #[error("execution left the program: there is no code here; warps end by `tmc` with no lanes")]
    FetchOutOfBounds,
    /// A jump to an address that is not a multiple of 4.
    #[error("jump to {target:#x}, which is no multiple of 4")]
    MisalignedJump {
        /// The address that it jumps to.
        target: u32,
    },
    /// A load, store or atomic outside of every allocation.
    #[error("{}", Stray { access: *access, address: *address, size: *size, nearest: *nearest })]
    OutOfBounds {
        /// What was wanted.
        access: AccessKind,
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
        /// The closest allocation: its first and last byte.
        nearest: Option<(u32, u32)>,
    },
    /// A load, store or atomic in memory that the host has freed.
    #[error(
        "use after free: {access} of {} at {address:#x}, {} into the allocation at {:#x} ({}), which the host has freed; \
         a buffer has to live as long as kernels use it",
        Bytes(*size),
        Bytes(address.saturating_sub(allocation.0)),
        allocation.0,
        Extent(*allocation)
    )]
    UseAfterFree {
        /// What was wanted.
        access: AccessKind,
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
        /// The allocation that was there: its first and last byte.
        allocation: (u32, u32),
    },
    /// Two accesses of different warps to the same memory, of which one changes it, and which came first is chance.
    #[error(
        "{}; a barrier between them would order them in a group, and everywhere a second launch, or another buffer to \
         write to; atomic operations do not race, and one work item may access an element as it likes; {SWITCH}",
        raced(*access, *address, *size, first)
    )]
    DataRace {
        /// What the later one did, which is that of the trap.
        access: AccessKind,
        /// Address of the first byte of the later one.
        address: u32,
        /// Bytes of the later one.
        size: u32,
        /// The earlier one.
        first: RacingAccess,
    },
    /// A load after a store of another core, in that order, of what the loading core's data cache may still hold from
    /// before the store: Vortex 3's caches do not hear of each other's stores.
    #[error(
        "stale data: load of {} at {address:#x}, of which this core's data cache may still hold what was there before \
         the {first}; a barrier orders them, but does not renew caches: execute a `fence` on this core between the \
         barrier and the load; {SWITCH}",
        Bytes(*size)
    )]
    StaleRead {
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
        /// The store that came first.
        first: RacingAccess,
    },
    /// Two accesses of lanes of one warp to the same memory, of which one changes it, that nothing orders but that
    /// the lanes run in lockstep.
    #[error(
        "ordered by lockstep alone: {access} of {} at {address:#x} and {first}, which a device with fewer threads per \
         warp need not do in this order; a barrier between them would order them, and so would an operation of `warp` \
         that both lanes come to; {LOCKSTEP}",
        Bytes(*size)
    )]
    OnlyLockstep {
        /// What the later one did, which is that of the trap.
        access: AccessKind,
        /// Address of the first byte of the later one.
        address: u32,
        /// Bytes of the later one.
        size: u32,
        /// The earlier one.
        first: RacingAccess,
    },
    /// A store or an atomic access to what the kernel was given by `&`: a slice or texture that it only reads.
    #[error(
        "{access} of {} at {address:#x}, in what the kernel was given by `&`, a slice or texture that nothing may \
         change during the launch; take it by `&mut`, or store to a part of the buffer that was not given; {SWITCH}",
        Bytes(*size)
    )]
    LentMemory {
        /// What was wanted.
        access: AccessKind,
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
    },
    /// Two lanes store different values to one address in one instruction.
    #[error(
        "{}; one lane may store there, or all the same value; {SWITCH}",
        collided(*address, *size, *other)
    )]
    StoreCollision {
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
        /// The other lane's number.
        other: u32,
    },
    /// Two lanes change what is at an address in one instruction, and both began with what was there before.
    #[error(
        "{}; both begin with what was there before, so that one of the changes is lost; make it one step, such as \
         `x.atomic(i).fetch_add(1, Relaxed)`, or leave it to a single work item; {UPDATES}",
        lost(*address, *size, *other)
    )]
    LostUpdate {
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
        /// The other lane's number.
        other: u32,
    },
    /// Something depends on memory or a register that was not written before.
    #[error(
        "use of uninitialised data: {what} {register}, {}which {origin}; it has to be written before it is used",
        if *bits == u32::MAX { String::new() } else { format!("in its bits {bits:#x}, ") }
    )]
    Uninitialised {
        /// What depends on it.
        what: UninitialisedUse,
        /// The register that holds it, by its name in assembly.
        register: &'static str,
        /// The register's bits that were not written.
        bits: u32,
        /// How they got there.
        origin: Origin,
    },
    /// Memory is there, but not for this.
    #[error(
        "forbidden {access} of {} at {address:#x}: this memory is {allowed}; {}, or take a slice, whose \
         indices are checked",
        Bytes(*size),
        match access {
            AccessKind::Load => "see to it that the pointer leads into a buffer that can be read",
            AccessKind::Store | AccessKind::Atomic => {
                "see to it that the pointer leads into a buffer that can be written, and not to the program or its \
                 constants"
            }
        }
    )]
    AccessDenied {
        /// What was wanted.
        access: AccessKind,
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
        /// What is allowed.
        allowed: Access,
    },
    /// An address that is not a multiple of the access size.
    #[error(
        "misaligned {access} of {} at {address:#x}, which is no multiple of {size}; step a pointer of this type by \
         whole elements, or go through the bytes one by one",
        Bytes(*size)
    )]
    Misaligned {
        /// What was wanted.
        access: AccessKind,
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
    },
    /// The console takes stores of single bytes.
    #[error(
        "{access} of {} at the console ({address:#x}), which takes stores of single bytes only",
        Bytes(*size)
    )]
    ConsoleAccess {
        /// What was wanted.
        access: AccessKind,
        /// Address of the first byte of the access.
        address: u32,
        /// Bytes that the lane accesses.
        size: u32,
    },
    /// A plain branch on which the active lanes disagree.
    #[error(
        "divergent branch: lanes {taken:#x} take it, lanes {not_taken:#x} do not, and no split guards it"
    )]
    DivergentBranch {
        /// The active lanes that branch.
        taken: u32,
        /// The active lanes that do not.
        not_taken: u32,
    },
    /// An indirect jump to different addresses.
    #[error(
        "divergent jump: lanes of the warp go to {target:#x} and to {other:#x}, and a warp is in one place; split them \
         first"
    )]
    DivergentJump {
        /// The last active lane's target.
        target: u32,
        /// The target of the lane named in the trap.
        other: u32,
    },
    /// A CSR that is not there, or not writable.
    #[error(
        "CSR {} {}",
        CsrName(*csr),
        if *write { "cannot be written: it is read-only" } else { "does not exist on this device" }
    )]
    InvalidCsr {
        /// The CSR's number, 12 bits.
        csr: u16,
        /// Whether it was to be written.
        write: bool,
    },
    /// A CSR write with different values.
    #[error(
        "the active lanes write different values to CSR {}, of which a warp has one: all have to write the same",
        CsrName(*csr)
    )]
    DivergentCsrWrite {
        /// The CSR's number, 12 bits.
        csr: u16,
    },
    /// A rounding mode that does not exist, in `frm`.
    #[error("frm holds {frm}, which is no rounding mode: those are 0 to 4")]
    InvalidRounding {
        /// The value of `frm`.
        frm: u32,
    },
    /// More open splits than a warp's stack holds.
    #[error(
        "split: all {limit} levels of divergence of this warp are in use, one less than it has lanes; some need their \
         joins first"
    )]
    SplitOverflow {
        /// How many it holds: one less than the lanes of a warp.
        limit: u32,
    },
    /// A join without an open split.
    #[error("join without an open split: each join ends one split")]
    JoinUnderflow,
    /// A warp ended while splits were open: the lanes that would have come back never did.
    #[error(
        "the warp ended with {}: lanes {lanes:#x} were still to go on, and every split needs its join first",
        Count(*open, "open split")
    )]
    OpenSplits {
        /// How many splits were open.
        open: u32,
        /// Lanes that still had to run or continue.
        lanes: u32,
    },
    /// A join that does not belong to the innermost open split.
    #[error(
        "join to depth {depth} while {open} split{} open: it does not belong to the innermost one, which is at depth {}",
        if *open == 1 { " is" } else { "s are" },
        open.saturating_sub(1)
    )]
    JoinMismatch {
        /// The depth given to join.
        depth: u32,
        /// How many splits are open.
        open: u32,
    },
    /// A barrier that is not there.
    #[error(
        "barrier {id} does not exist: this device has numbers 0 to {}",
        limit.saturating_sub(1)
    )]
    InvalidBarrier {
        /// The number that was asked for.
        id: u32,
        /// How many barriers a core has, numbered from 0.
        limit: u32,
    },
    /// A barrier of Vortex 3 that is not there.
    #[error(
        "barrier {id:#x} does not exist: the lowest 8 bits are the slot of a group (CSR `cta_id`), of which this device \
         has 0 to {}, and those above the number of its barrier, 0 to {}",
        slots.saturating_sub(1),
        limit.saturating_sub(1)
    )]
    InvalidGroupBarrier {
        /// The number that was asked for: the slot in bits 0 to 7, the barrier above.
        id: u32,
        /// How many slots there are on a core.
        slots: u32,
        /// How many barriers each has.
        limit: u32,
    },
    /// A barrier for so many warps, or cores, as never come to it.
    #[error(
        "{} for {expected} {}: {} has {most}, and 1 to {most} can meet",
        Barrier(*id),
        Barrier(*id).counts(),
        Barrier(*id).of()
    )]
    BarrierCount {
        /// The barrier's number, with bit 31 for one of the whole device.
        id: u32,
        /// For how many warps or cores it is, as the instruction says.
        expected: u32,
        /// How many there are: warps of the core, or of a barrier of the whole device, cores.
        most: u32,
    },
    /// A barrier is to wait for asynchronous copies, too (`bar.arrive` with bit 31 of its count), on a device that has
    /// none: it would never let a warp continue.
    #[error(
        "{} is to wait for {}, which this device does not make: whoever waits there would wait for ever; leave out what \
         expects them (`expect_tx`), or run this on a device with DXA",
        Barrier(*id),
        Copies(*copies)
    )]
    ExpectsCopies {
        /// The barrier's number, with bit 31 for one of the whole device.
        id: u32,
        /// How many copies it is to wait for.
        copies: u32,
    },
    /// A warp reaches a barrier where others wait for another number of warps, or cores.
    #[error(
        "barrier mismatch: this warp is to wait for {expected} in all, and core {}, warp {} waits for another number \
         ({first}); all who meet have to ask for the same",
        first.core,
        first.warp
    )]
    BarrierMismatch {
        /// For how many this one is to wait.
        expected: u32,
        /// One of the others.
        first: Waiting,
    },
    /// A warp reaches a barrier where another one waits that is at another place of the program, or in another work
    /// group. Only the places of this library's kernels are known.
    #[error(
        "barrier mismatch: core {}, warp {} waits for this warp, but elsewhere or for another group ({first}); all warps \
         of a group have to come to the same barriers",
        first.core,
        first.warp
    )]
    OtherBarrier {
        /// The other one.
        first: Waiting,
    },
    /// A warp reaches a barrier without the lanes that went another way.
    #[error(
        "divergent barrier: lanes {lanes:#x} come to {} without lanes {others:#x} of their warp, which a split has sent \
         another way; all lanes that work have to come together",
        Barrier(*id)
    )]
    DivergentBarrier {
        /// The barrier's number, with bit 31 for one of the whole device.
        id: u32,
        /// Lanes that come.
        lanes: u32,
        /// Lanes that still have to continue, or have been there.
        others: u32,
    },
    /// `ecall` or `ebreak` on Vortex 3 in a program that has set no trap handler: `mtvec` is 0.
    #[error("a trap without a handler: `mtvec` is 0, so there is nowhere to go")]
    NoTrapHandler,
    /// `wspawn` in a warp other than warp 0, which alone can start others.
    #[error("wspawn outside of warp 0, which alone can start others")]
    SpawnOutsideWarpZero,
    /// All warps that are left wait for each other.
    #[error("{DEADLOCK}{}", Lines(waiting.iter().map(|warp| format!("core {}, warp {}: {warp}", warp.core, warp.warp))))]
    Deadlock {
        /// The warps that wait, and for what.
        waiting: Vec<Waiting>,
    },
    /// The instruction budget is spent.
    #[error(
        "still running after {} of warps, which is the budget: {}",
        Count(*budget, "instruction"),
        if *livelock { LIVELOCK } else { "an endless loop, unless a larger budget is needed" }
    )]
    BudgetSpent {
        /// What it was, in instructions of warps.
        budget: u64,
        /// All warps that were left repeated atomic accesses that change nothing, and nothing else did. Not detected on
        /// host threads.
        livelock: bool,
    },
    /// The run has come back to a state that it was in before, and so will never end. Only looked for now and then, and
    /// not on host threads or on the cycle model.
    #[error("it will never end, for it is {LIVELOCK}")]
    Livelock,
    /// The cycles are spent that the run was given ([`Terms::within`](crate::debug::Terms::within)).
    #[error("still running after {}, which is all it was given", Count(*cycles, "cycle"))]
    CyclesSpent {
        /// How many those were, of the device.
        cycles: u64,
    },
    /// The debugger that [drives](crate::stepping) the run has ended it.
    #[error("ended by the debugger")]
    Ended,
    /// The cycle model stopped executing instructions although no warp waits for another: a mistake in the model, not
    /// in the program.
    #[error(
        "internal error: the cycle model executes nothing any more in cycle {cycle}, although no warp waits for another; \
         please report this with the program, which the functional model (VORTEX_MODEL=functional) may still run{}",
        Lines(state.lines())
    )]
    NoProgress {
        /// The cycle of the run in which that was noticed.
        cycle: u64,
        /// What was under way in each core, a line each.
        state: String,
    },
}

impl TrapKind {
    /// What happened, without what to do about it, and how the check is turned off: of accesses by two lanes.
    pub(super) fn facts(&self) -> Option<(String, &'static str)> {
        Some(match self {
            Self::DataRace {
                access,
                address,
                size,
                first,
            } => (raced(*access, *address, *size, first), SWITCH),
            Self::StoreCollision {
                address,
                size,
                other,
            } => (collided(*address, *size, *other), SWITCH),
            Self::LostUpdate {
                address,
                size,
                other,
            } => (lost(*address, *size, *other), UPDATES),
            _ => return None,
        })
    }

    /// Of a deadlock: the warps that wait. Of anything else, none.
    #[must_use]
    pub fn waiting(&self) -> &[Waiting] {
        match self {
            TrapKind::Deadlock { waiting } => waiting,
            _ => &[],
        }
    }

    /// Of uninitialised data: where in local memory it was loaded from, if it was.
    #[must_use]
    pub fn unwritten_local(&self) -> Option<u32> {
        match self {
            TrapKind::Uninitialised {
                origin: Origin::Memory { address, .. },
                ..
            } => (*address >= LOCAL).then_some(*address),
            _ => None,
        }
    }

    /// Where in memory it happened, of mistakes in the contents of memory that the kernel may access.
    #[must_use]
    pub fn address(&self) -> Option<u32> {
        match self {
            Self::DataRace { address, .. }
            | Self::StaleRead { address, .. }
            | Self::OnlyLockstep { address, .. }
            | Self::LentMemory { address, .. }
            | Self::StoreCollision { address, .. }
            | Self::LostUpdate { address, .. }
            | Self::Uninitialised {
                what: UninitialisedUse::Store { address, .. },
                ..
            } => Some(*address),
            _ => None,
        }
    }
}
