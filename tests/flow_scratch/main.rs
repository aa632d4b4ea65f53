#![allow(warnings)]
#[path = "../semantics/harness.rs"]
mod harness;
#[path = "../semantics/options.rs"]
mod options;
