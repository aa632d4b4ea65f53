//! Profiles: what they say of kernels with a known bottleneck, and the pages that show them.

#![allow(clippy::unwrap_used)]

#[path = "../browser/mod.rs"]
mod browser;
mod coarse;
mod kept_constants;
mod page;
mod rows_of_launches;
mod rows_of_weights;
#[path = "../said/mod.rs"]
mod said;
mod seeds;
mod several_exits;
mod trace;
