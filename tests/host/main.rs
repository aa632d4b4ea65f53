//! `#[vortex::kernel(host)]`: kernels that run on the host, too, as rustc compiles them.

// What tests are for is to fail where something is not there; kernels are what a user writes, with indices.
#![allow(clippy::unwrap_used, clippy::needless_range_loop)]

mod basics;
mod debugger;
mod groups;
