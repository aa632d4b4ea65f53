#![allow(warnings)]
#[path = "../semantics/elements.rs"]
mod elements;
#[path = "../semantics/harness.rs"]
mod harness;
