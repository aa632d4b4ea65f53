//! Kernels in which something is left open to be tuned: `#[tune(..)]`.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod kernels;
mod search;
