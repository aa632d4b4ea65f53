//! The embedded device: a Vortex in software.
//!
//! [`Machine`] is the device: memory that the host allocates, writes and reads, and [`Machine::run`], which executes a
//! program to its end. [`Config`] describes the device; [`Trap`] describes what a program did wrong.
//!
//! ```
//! use vortex_sim::{Access, Config, Machine};
//! use vortex_isa::{Inst, Opcode, csr, x};
//!
//! let mut machine = Machine::new(Config::with_shape(1, 4, 4))?;
//! let buffer = machine.alloc(4, Access::ReadWrite)?;
//! let code = machine.alloc(64, Access::Read)?;
//! let program = [
//!     Inst::csrr(x::A0, csr::MSCRATCH),
//!     Inst::i(Opcode::Addi, x::A1, x::ZERO, 42),
//!     Inst::s(Opcode::Sw, x::A1, x::A0, 0),
//!     Inst::simt(Opcode::Tmc, x::ZERO, 0),
//! ];
//! let bytes: Vec<u8> = program.iter().flat_map(|inst| inst.encode().to_le_bytes()).collect();
//! machine.write(code, &bytes)?;
//! let stats = machine.run(code, buffer)?;
//! assert_eq!(stats.lane_instructions, 4);
//! let mut result = [0; 4];
//! machine.read(buffer, &mut result)?;
//! assert_eq!(u32::from_le_bytes(result), 42);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Inside, data flows one way: `machine` (the host's view) starts a `run` (scheduling, barriers), in which `exec` runs
//! a `warp` of a `core` for a while; `code` holds decoded instructions, `memory` the bytes, `protection` the access
//! rights. [`stepping`] is a run that a debugger drives, instruction by instruction, also backwards.

mod checks;
mod code;
mod config;
mod console;
mod core;
mod count;
pub mod debug;
mod dispatch;
mod elf;
pub mod environment;
mod exec;
mod executable;
mod executed;
mod grid;
mod hardware;
mod image;
pub mod layout;
mod local_shadow;
mod machine;
mod memory;
mod notes;
mod perf;
mod progress;
mod protection;
mod race;
mod registers;
mod run;
mod shadow;
mod softfloat;
pub mod stepping;
mod sums;
mod terms;
mod timed;
pub mod timing;
mod trap;
mod usage;
mod vxbin;
mod warp;

pub use checks::{Checks, UnknownCheck};
pub use config::{Config, ConfigError, Model, ModelError};
pub use count::{Count, Grouped, Scaled, Several};
pub use elf::Elf;
pub use executable::Executable;
pub use grid::{Grid, GridError};
pub use image::{Image, ImageError, Segment};
pub use machine::{LaunchError, Machine, MemoryInfo, RunStats};
pub use perf::{PerfClass, PerfCounter};
pub use progress::Progress;
pub use protection::{Access, MemoryError};
pub use trap::{
    AccessKind, Origin, RacingAccess, Trap, TrapKind, UninitialisedUse, WaitReason, Waiting,
};
pub use usage::Usage;
pub use vortex_isa::Generation;
pub use vxbin::VxBin;
