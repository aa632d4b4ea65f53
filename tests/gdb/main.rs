//! Kernels under gdb on the embedded device: scripted sessions, many to a process of gdb.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod kernels;
mod programs;
mod session;
mod sessions;
