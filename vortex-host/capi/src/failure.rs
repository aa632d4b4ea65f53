//! Why a call failed, in words; C callers get -1, and the words on stderr.

use thiserror::Error;
use vortex_sim::{ConfigError, MemoryError};

/// Why a call failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(
        "VORTEX_GENERATION asks for a device of {0}, which the runtime of Vortex 2 cannot drive"
    )]
    Generation(vortex_sim::Generation),
    #[error("the runtime of Vortex 3 knows powers of two only, and the device has {count} {what}")]
    NoPowerOfTwo { what: &'static str, count: u32 },
    #[error("the host has no {0} bytes of memory")]
    HostMemory(u64),
    #[error("no memory for commands was allocated at {0:#x}")]
    NoHostMemory(u64),
    #[error("{0} is null")]
    Null(&'static str),
    #[error("this is no open device")]
    NoDevice,
    #[error("this is no buffer, or one that was freed, or its device was closed")]
    NoBuffer,
    #[error("the {0} buffer belongs to another device")]
    OtherDevice(&'static str),
    #[error("[{offset:#x}, {offset:#x} + {size:#x}) is not within the buffer's {buffer:#x} bytes")]
    OutOfBuffer { offset: u64, size: u64, buffer: u64 },
    #[error("{0:#x} is no 32-bit address")]
    Address(u64),
    #[error("{0:#x} are no access flags: read is 1, write 2, pinned 4")]
    Flags(i32),
    #[error("there is no capability {0:#x}")]
    Caps(u32),
    #[error("there is no device configuration register {0:#x}, or nobody has written it")]
    Register(u32),
    #[error("there is no counter {0:#x}: they are 0xb00 to 0xb1f")]
    Counter(u32),
    #[error("there is no core {core}: the device has {cores}")]
    Core { core: u32, cores: u32 },
    #[error("the kernel was still running after {0} ms")]
    TimedOut(u64),
    #[error("the kernel did not finish: {0}")]
    Kernel(String),
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Environment(#[from] vortex_sim::environment::VariableError),
}
