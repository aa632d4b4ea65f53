//! What ends a run early.

mod display;
mod kind;

pub use display::{DEADLOCK, LIVELOCK};
pub use kind::TrapKind;

use std::fmt;

use display::At;
use vortex_isa::{Extension, Inst};

/// A kernel made a mistake: which one, where, and in which thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The mistake, and what is known about it.
    pub kind: TrapKind,
    /// Address of the instruction that did it; of a deadlock or a spent budget, where the warp was.
    pub pc: u32,
    /// Core of the device, from 0.
    pub core: u32,
    /// Warp of the core, from 0.
    pub warp: u32,
    /// Lane of the warp, from 0, when a single one is to blame.
    pub lane: Option<u32>,
    /// The instruction's word, if there is memory at `pc`.
    pub word: Option<u32>,
}

/// The kind of an access to memory.
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
    /// The number of the lane's work, in a program whose counter the device knows: this library's kernels count work
    /// groups, or work items in steps of a warp.
    pub work: Option<u32>,
}

/// What must not depend on an uninitialised value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UninitialisedUse {
    /// Whether to branch.
    Branch,
    /// Where to jump.
    Jump,
    /// Where to access memory.
    Address(AccessKind),
    /// Which lanes continue: `split`, `join`, `pred`, `tmc`.
    ThreadMask,
    /// Which barrier to wait at, or for how many.
    Barrier,
    /// How many warps to start, or where.
    Spawn,
    /// What a CSR is to hold.
    Csr,
    /// What the host finds in a buffer.
    Store {
        /// Address of the first byte.
        address: u32,
        /// Bytes that are stored.
        size: u32,
    },
    /// What is printed.
    Console,
}

/// How a register came to hold bits without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It, or one that its value was made from, was never written.
    Register,
    /// They were loaded.
    Memory {
        /// Address that they were loaded from: there, nothing was stored.
        address: u32,
        /// Address of the load.
        pc: u32,
        /// The load's word.
        word: u32,
        /// The warp that loaded them, of the core of the trap.
        warp: u32,
        /// The first of its lanes that did.
        lane: u32,
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
    /// What it waits for.
    pub reason: WaitReason,
}

/// What a warp waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// Other warps at a barrier of the core.
    Barrier {
        /// The barrier's number, without bit 31.
        id: u32,
        /// How many warps wait there.
        arrived: u32,
        /// How many it takes.
        expected: u32,
    },
    /// The end of a phase of a barrier.
    Phase {
        /// The barrier's number, with bit 31 for one of the whole device.
        id: u32,
        /// How many warps of the core have arrived in this phase.
        arrived: u32,
    },
    /// Asynchronous copies that a barrier is to wait for, too.
    Copies {
        /// The barrier's number, with bit 31 for one of the whole device.
        id: u32,
        /// How many copies are still to come.
        copies: u32,
    },
    /// Other cores at a barrier of the device.
    GlobalBarrier {
        /// The barrier's number, without bit 31.
        id: u32,
        /// How many cores wait there.
        arrived: u32,
        /// How many it takes.
        expected: u32,
    },
    /// The end of the core's other warps, before it may start new ones.
    Spawn,
}

impl WaitReason {
    /// Of a barrier: how many warps, or cores, it takes.
    #[must_use]
    pub fn expected(&self) -> Option<u32> {
        match *self {
            WaitReason::Barrier { expected, .. } | WaitReason::GlobalBarrier { expected, .. } => {
                Some(expected)
            }
            WaitReason::Phase { .. } | WaitReason::Copies { .. } | WaitReason::Spawn => None,
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

impl fmt::Display for Trap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.kind)?;
        if self.kind == TrapKind::IllegalInstruction {
            out.write_str(lacking(self.inst()))?;
        }
        self.fmt_place(out)
    }
}

impl Trap {
    fn fmt_place(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = At {
            pc: self.pc,
            word: self.word,
        };
        write!(out, "\n  at {at}\n  core {}, warp {}", self.core, self.warp)?;
        match self.lane {
            Some(lane) => write!(out, ", lane {lane}"),
            None => Ok(()),
        }
    }

    /// What happened and where, for those who say themselves what to do about it: what lanes do to each other's memory
    /// without the advice, anything else as it is.
    #[must_use]
    pub fn facts(&self) -> impl fmt::Display {
        Facts(self)
    }
}

struct Facts<'a>(&'a Trap);

impl fmt::Display for Facts<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind.facts() {
            Some((facts, switch)) => write!(out, "{facts}; {switch}")?,
            None => return self.0.fmt(out),
        }
        self.0.fmt_place(out)
    }
}

/// Why the device does not have an instruction.
fn lacking(inst: Option<Inst>) -> &'static str {
    match inst.map(|inst| inst.opcode.info().extension) {
        None => ": this word encodes none",
        Some(Extension::A) => ": this device is built without atomic operations (A)",
        Some(Extension::Zicond) => ": this device is built without Zicond",
        Some(Extension::V3) => {
            ": it came with Vortex 3, and this device is of an earlier generation"
        }
        Some(Extension::WarpOps) => ": this device is built without votes and shuffles",
        Some(_) => "",
    }
}
