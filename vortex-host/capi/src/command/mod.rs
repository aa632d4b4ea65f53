//! What Vortex 3's runtime asks of a driver: a Command Processor. The runtime writes commands into a ring in memory of
//! the host, says by a register how far it has written, and reads from another how many commands are done; allocations,
//! modules, queues and the console are its own business.
//!
//! `table` is the boundary, `processor` the registers and the ring, `memory` what of the host's memory the commands
//! may reach, `launch` what the device is told by its configuration registers. Numbers: Vortex 3's `cmd_processor.cpp`,
//! `callbacks.h` and `VX_types.toml`.

mod caps;
mod launch;
mod memory;
mod processor;
pub(crate) mod table;
