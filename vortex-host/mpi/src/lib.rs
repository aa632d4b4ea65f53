//! Device memory of [Vortex](vortex) between the ranks of an MPI program: one device for each rank.
//!
//! ```
//! use vortex::prelude::*;
//! use vortex_mpi::World;
//!
//! #[vortex::kernel]
//! fn add(a: &[f32], b: &[f32], sum: &mut [f32]) {
//!     let i = global_id();
//!     if i < sum.len() {
//!         sum[i] = a[i] + b[i];
//!     }
//! }
//!
//! fn main() -> vortex_mpi::Result<()> {
//!     let world = World::open()?;
//!     let device = world.device();
//!     let mine = world.share(10_000);
//!     let a = device.upload(&vec![1.0; mine.len()])?;
//!     let b = device.upload(&vec![2.0; mine.len()])?;
//!     let mut sum = device.alloc(mine.len())?;
//!     world.together(|| add(&a, &b, &mut sum).over(mine.len()).launch(device))?;
//!     let mut all = if world.rank() == 0 { Some(device.alloc(10_000)?) } else { None };
//!     world.gather(0, &sum, all.as_deref_mut())?;
//!     Ok(())
//! }
//! ```
//!
//! Every operation compares before it moves anything: a wrong count, another type, another operation or a failed
//! device on one rank is an error on all, which names the rank. The page `docs/mpi.md` has the whole story.

mod agree;
mod collective;
mod error;
mod link;
mod number;
mod on_stream;
mod packet;
mod point;
mod turns;
mod world;

/// The examples of `docs/mpi.md`, compiled and run as tests.
#[cfg(doctest)]
mod page {
    #[doc = include_str!("../../../docs/mpi.md")]
    mod mpi {}
}

/// The crate that this one calls MPI through.
pub use mpi;

pub use error::{Error, Result};
pub use number::{Number, Reduction};
pub use on_stream::OnStream;
pub use packet::Packet;
pub use world::{World, run};
