//! Lets gdb attach to the embedded device.
//!
//! A [`Debugger`] listens for one. It drives launches ([`Session`] is a [`Drive`](vortex_sim::stepping::Drive)): each
//! begins when gdb says so, stops where gdb wants it to, and goes back in time on request. Threads are the lanes of the
//! device. What gdb should know about a program is an ELF file with DWARF (`symbols`), which it reads over the same
//! connection; what it should know about a launch, such as the work item that a lane is at, comes from [`Explain`].
//!
//! ```text
//!   gdb  <--- TCP --->  server        a thread of its own
//!                         |  link     jobs and their results
//!                       Session       the thread that runs the launch, and has the device
//! ```
//!
//! The `gdbstub` crate has the protocol, and `target` is the device in its terms; `wire` adds what it lacks. `resume`
//! runs forwards and backwards, `agent` evaluates the conditions of breakpoints. `files` are programs as gdb reads
//! them, and `host_io` lets it do so.

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
