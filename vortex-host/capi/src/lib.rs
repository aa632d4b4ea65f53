//! The embedded device as a driver library for Vortex's own runtime.
//!
//! Vortex's `libvortex.so` opens `libvortex-$VORTEX_DRIVER.so` and calls its [`vx_dev_init`], which fills a table of
//! functions. Copied to where the loader finds it under the name `libvortex-embedded.so`, this library makes programs
//! written for Vortex's runtime run on the embedded device with `VORTEX_DRIVER=embedded`. `docs/driver.md` is the
//! page for users.
//!
//! `table` has the functions that C calls, and `boundary` what they share: handles, pointers to results, panics, return
//! values. `handle` gives out handles and knows which are alive; none is ever dereferenced, so a stale one is just an
//! error. `device` is an embedded device that runs kernels in the background; `caps` reports its properties. All of
//! that is for the runtime of Vortex 2; that of Vortex 3 drives the same devices by commands, which are in `command`.
//! `runtime` detects which one it is.

mod boundary;
mod caps;
mod command;
mod device;
mod failure;
mod handle;
mod runtime;
mod table;

pub use boundary::Handle;
pub use table::{Callbacks, vx_dev_init};
