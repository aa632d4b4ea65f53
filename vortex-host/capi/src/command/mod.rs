//! What Vortex 3's runtime expects of a driver: a Command Processor. The runtime writes commands into a ring in host
//! memory, sets a register to how far it has written, and reads from another how many commands are done. It handles
//! allocations, modules, queues and the console itself.
//!
//! `table` is the boundary, `processor` the registers and the ring, `memory` the host memory that commands may access,
//! `launch` the configuration registers. Numbers: Vortex 3's `cmd_processor.cpp`, `callbacks.h` and `VX_types.toml`.

mod caps;
mod launch;
mod memory;
mod processor;
pub(crate) mod table;
