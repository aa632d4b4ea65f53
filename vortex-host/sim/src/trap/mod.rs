//! What ends a run early.

mod display;

pub use display::{DEADLOCK, LIVELOCK};

use super::protection::Access;
use vortex_isa::Inst;

/// A kernel did what it must not: what, where, and in which thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// Address of the instruction that did it; of a deadlock or a spent budget, where the warp was.
    pub pc: u32,
    /// Core of the device.
    pub core: u32,
    /// Warp of the core.
    pub warp: u32,
    /// Lane of the warp, when a single one is to blame.
    pub lane: Option<u32>,
    /// The instruction's word, if there is memory at `pc`.
    pub word: Option<u32>,
}

/// What a kernel wanted of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// To read it.
    Load,
    /// To write it.
    Store,
    /// To read and write it at once.
    Atomic,
}

/// An access that another one races with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RacingAccess {
    /// What it did.
    pub access: AccessKind,
    /// Address of the instruction.
    pub pc: u32,
    /// The instruction's word.
    pub word: u32,
    /// Core of the device.
    pub core: u32,
    /// Warp of the core.
    pub warp: u32,
    /// Lane of the warp.
    pub lane: u32,
    /// The number of what the lane worked on, in a program of which the device knows where that is counted: those of
    /// this library's kernels count work groups, or work items in steps of a warp.
    pub work: Option<u32>,
}

/// What must not depend on a value that nobody has put where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UninitialisedUse {
    /// Whether to branch.
    Branch,
    /// Where to jump.
    Jump,
    /// Where to access memory.
    Address(AccessKind),
    /// Which lanes go on: `split`, `join`, `pred`, `tmc`.
    ThreadMask,
    /// Which barrier to wait at, or for how many.
    Barrier,
    /// How many warps to start, or where.
    Spawn,
    /// What a CSR is to hold.
    Csr,
    /// What the host finds in a buffer.
    Store {
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// What is printed.
    Console,
}

/// How a register came to hold bits that are no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It, or one that its value was made from, was never written.
    Register,
    /// They were loaded.
    Memory {
        /// From where: there, nothing was stored.
        address: u32,
        /// Address of the instruction.
        pc: u32,
        /// The instruction's word.
        word: u32,
    },
}

/// A warp that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Core of the device.
    pub core: u32,
    /// Warp of the core.
    pub warp: u32,
    /// Address of the instruction at which it waits.
    pub pc: u32,
    /// The instruction's word, if there is memory at `pc`.
    pub word: Option<u32>,
    /// For what.
    pub reason: WaitReason,
}

/// What a warp waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// Other warps at a barrier of the core.
    Barrier {
        /// Which barrier.
        id: u32,
        /// How many warps wait there.
        arrived: u32,
        /// How many it takes.
        expected: u32,
    },
    /// Other cores at a barrier of the device.
    GlobalBarrier {
        /// Which barrier.
        id: u32,
        /// How many cores wait there.
        arrived: u32,
        /// How many it takes.
        expected: u32,
    },
    /// The end of the core's other warps, before it may start new ones.
    Spawn,
}

/// The mistakes a device notices.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrapKind {
    /// No instruction of this device.
    IllegalInstruction,
    /// Execution left all readable memory.
    FetchOutOfBounds,
    /// A jump to an address that is no multiple of 4.
    MisalignedJump {
        /// Where to.
        target: u32,
    },
    /// A load, store or atomic outside of every allocation.
    OutOfBounds {
        /// What was wanted.
        access: AccessKind,
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
        /// The closest allocation: its first and last byte.
        nearest: Option<(u32, u32)>,
    },
    /// A load, store or atomic in memory that the host has freed.
    UseAfterFree {
        /// What was wanted.
        access: AccessKind,
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
        /// The allocation that was there: its first and last byte.
        allocation: (u32, u32),
    },
    /// Two accesses of different warps to the same memory, of which one changes it, and which came first is chance.
    DataRace {
        /// What the later one did, which is that of the trap.
        access: AccessKind,
        /// First byte of the later one.
        address: u32,
        /// Its bytes.
        size: u32,
        /// The earlier one.
        first: RacingAccess,
    },
    /// Two accesses of lanes of one warp to the same memory, of which one changes it, that nothing orders but that
    /// the lanes go in step.
    OnlyLockstep {
        /// What the later one did, which is that of the trap.
        access: AccessKind,
        /// First byte of the later one.
        address: u32,
        /// Its bytes.
        size: u32,
        /// The earlier one.
        first: RacingAccess,
    },
    /// A store or an atomic access to what the kernel was given by `&`: a slice or texture that it only reads.
    LentMemory {
        /// What was wanted.
        access: AccessKind,
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// Two lanes store different values to one address in one instruction.
    StoreCollision {
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
        /// The other lane.
        other: u32,
    },
    /// Two lanes change what is at an address in one instruction, and both began with what was there before.
    LostUpdate {
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
        /// The other lane.
        other: u32,
    },
    /// Something depends on memory or a register that was not written before.
    Uninitialised {
        /// What does.
        what: UninitialisedUse,
        /// The register that holds it, by its name in assembly.
        register: &'static str,
        /// Its bits that were not written.
        bits: u32,
        /// How they got there.
        origin: Origin,
    },
    /// Memory is there, but not for this.
    AccessDenied {
        /// What was wanted.
        access: AccessKind,
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
        /// What is allowed.
        allowed: Access,
    },
    /// An address that is no multiple of the access size.
    Misaligned {
        /// What was wanted.
        access: AccessKind,
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// The console takes stores of single bytes.
    ConsoleAccess {
        /// What was wanted.
        access: AccessKind,
        /// First byte.
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// A plain branch on which the active lanes disagree.
    DivergentBranch {
        /// Lanes that branch.
        taken: u32,
        /// Lanes that do not.
        not_taken: u32,
    },
    /// An indirect jump to different addresses.
    DivergentJump {
        /// The last active lane's target.
        target: u32,
        /// The target of the lane named in the trap.
        other: u32,
    },
    /// A CSR that is not there, or not writable.
    InvalidCsr {
        /// Its number.
        csr: u16,
        /// Whether it was to be written.
        write: bool,
    },
    /// A CSR write with different values.
    DivergentCsrWrite {
        /// Its number.
        csr: u16,
    },
    /// A rounding mode that does not exist, in `frm`.
    InvalidRounding {
        /// The value of `frm`.
        frm: u32,
    },
    /// More open splits than a warp's stack holds.
    SplitOverflow {
        /// How many it holds.
        limit: u32,
    },
    /// A join without an open split.
    JoinUnderflow,
    /// A warp ended while splits were open: the lanes that would have come back never did.
    OpenSplits {
        /// How many.
        open: u32,
        /// Lanes that were still to run, or to run on.
        lanes: u32,
    },
    /// A join that does not belong to the innermost open split.
    JoinMismatch {
        /// The depth given to join.
        depth: u32,
        /// How many splits are open.
        open: u32,
    },
    /// A barrier that is not there.
    InvalidBarrier {
        /// Its number.
        id: u32,
        /// How many there are.
        limit: u32,
    },
    /// A barrier for so many warps, or cores, as never come to it.
    BarrierCount {
        /// Its number, with bit 31 for one of the whole device.
        id: u32,
        /// For how many.
        expected: u32,
        /// How many there are: warps of the core, or of a barrier of the whole device, cores.
        most: u32,
    },
    /// A warp comes to a barrier where others wait for another number of warps, or cores.
    BarrierMismatch {
        /// For how many this one is to wait.
        expected: u32,
        /// One of the others.
        first: Waiting,
    },
    /// A warp comes to a barrier where another one waits that is at another place of the program, or in another work
    /// group. Only the places of this library's kernels are known.
    OtherBarrier {
        /// The other one.
        first: Waiting,
    },
    /// A warp comes to a barrier without the lanes that went another way.
    DivergentBarrier {
        /// Its number, with bit 31 for one of the whole device.
        id: u32,
        /// Lanes that come.
        lanes: u32,
        /// Lanes that are still to go on, or have been there.
        others: u32,
    },
    /// Only warp 0 can start others.
    SpawnOutsideWarpZero,
    /// All warps that are left wait for each other.
    Deadlock {
        /// Who waits for what.
        waiting: Vec<Waiting>,
    },
    /// The instruction budget is spent.
    BudgetSpent {
        /// What it was, in instructions of warps.
        budget: u64,
        /// All warps that were left repeated atomic accesses that change nothing, and nothing else did. Not found out
        /// on host threads.
        livelock: bool,
    },
    /// The cycle model stopped executing instructions although no warp waits for another: a mistake in the model, not
    /// in the program.
    NoProgress {
        /// The cycle in which that was noticed.
        cycle: u64,
        /// What was under way in each core, a line each.
        state: String,
    },
}

impl TrapKind {
    /// Of a deadlock: the warps that wait.
    #[must_use]
    pub fn waiting(&self) -> &[Waiting] {
        match self {
            TrapKind::Deadlock { waiting } => waiting,
            _ => &[],
        }
    }
}

impl WaitReason {
    /// Of a barrier: how many it takes.
    #[must_use]
    pub fn expected(&self) -> Option<u32> {
        match *self {
            WaitReason::Barrier { expected, .. } | WaitReason::GlobalBarrier { expected, .. } => {
                Some(expected)
            }
            WaitReason::Spawn => None,
        }
    }
}

impl Trap {
    /// The instruction at fault, if its word is one.
    #[must_use]
    pub fn inst(&self) -> Option<Inst> {
        Inst::decode(self.word?)
    }
}

impl std::error::Error for Trap {}
