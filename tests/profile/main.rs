//! Profiles: what they say of kernels with a known bottleneck, and the pages that show them.

#![allow(clippy::unwrap_used)]

mod coarse;
mod page;
mod seeds;
mod trace;
