//! The kernel language of `vortex` and its compiler.
//!
//! A kernel travels through this crate in one direction:
//!
//! ```text
//! lang  ->  ir  ->  opt  ->  codegen  ->  image
//!           (meta: the argument layout that all of them share; isa: the instructions)
//! ```
//!
//! * [`lang`] is what the body of a kernel is written with; running a staged body records IR.
//! * [`ir`] is the typed, structured kernel IR with verifier, printer, parser and interpreter.
//! * [`opt`] holds the passes, one file each.
//! * [`codegen`] lowers IR through Cranelift's RISC-V backend to a verified image.
//! * [`isa`] is the instruction table: encode, decode, disassemble. The embedded device reads it too.
//! * [`meta`] describes a kernel's arguments; [`abi`] is the launch block a device entry reads.
//!
//! This crate knows nothing about running kernels; that is `vortex-host`.

pub mod abi;
pub mod codegen;
pub mod ir;
pub mod isa;
pub mod lang;
pub mod math;
pub mod meta;
pub mod opt;
