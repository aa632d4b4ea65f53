//! Lets gdb attach to the embedded device.
//!
//! A [`Debugger`] listens for one. It drives launches ([`Session`] is a [`Drive`](vortex_sim::stepping::Drive)): each
//! begins when gdb says so, stops where gdb wants it to, and goes back in time if gdb asks for that. Threads are the
//! lanes of the device. What gdb is to know about a program comes as an ELF file with DWARF (`symbols`), which is
//! handed to it over the same connection; what it is to know about a launch, such as the work item that a lane is at,
//! says [`Explain`].
//!
//! ```text
//!   gdb  <--- TCP --->  server        a thread of its own
//!                         |  link     jobs and their results
//!                       Session       the thread that runs the launch, and has the device
//! ```
//!
//! The protocol is that of the `gdbstub` crate, `target` the device as that crate wants to see it; `wire` has what it
//! does not know. `resume` goes on and back, `agent` evaluates the conditions of breakpoints. `files` are programs as
//! gdb reads them, and `host_io` has it do so.

mod agent;
mod arch;
mod explain;
mod files;
mod host_io;
mod lane;
mod link;
mod resume;
mod server;
mod symbols;
mod target;
mod wire;

pub use explain::{Explain, Item, Program};
pub use server::{Debugger, Session};
pub use symbols::{Symbols, symbols};
