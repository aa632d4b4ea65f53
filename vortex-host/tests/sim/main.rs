//! The embedded device, instruction by instruction and situation by situation, through its public interface.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conformance;
mod counters;
mod elf;
mod flags;
mod float;
mod foreign;
mod harness;
mod hostile;
mod images;
mod integer;
mod limits;
mod memory;
mod models;
mod neighbours;
mod odd;
mod oracle;
mod parallel;
mod qemu;
mod races;
mod readings;
mod simt;
mod switches;
mod traps;
mod uninitialised;
