//! Why a call failed, in words; C callers get -1, and the words on stderr.

use thiserror::Error;
use vortex_sim::{ConfigError, MemoryError};

/// Why a call failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(
        "this library is a driver for the runtime of Vortex 2, and the one that loads it is of Vortex 3, which asks drivers for other functions"
    )]
    Version3,
    #[error(
        "VORTEX_GENERATION asks for a device of {0}, and this library is a driver for the runtime of Vortex 2"
    )]
    Generation(vortex_sim::Generation),
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
