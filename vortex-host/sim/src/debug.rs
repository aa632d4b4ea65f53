//! The debug interface: what the runtime tells the device about a program, and what the device reports back.
//!
//! A compiler knows more about a program than its instruction words say. [`Machine::annotate`] takes a [`Note`] for
//! each access to memory and each barrier: where the lanes keep the number of their work item (so that messages can
//! name it), how a store relates to what was loaded before (so that lost updates are found), and which barriers belong
//! together. [`Machine::let_race`] names memory in which races are intended; [`Terms`] lend read-only memory for a run,
//! and name the callback for a long run ([`Running`]). After a trap, [`Machine::held`] returns what a lane holds in a
//! [`WordLocation`].
//!
//! [`Machine::annotate`]: crate::Machine::annotate
//! [`Machine::let_race`]: crate::Machine::let_race
//! [`Machine::held`]: crate::Machine::held

pub use super::notes::{Note, Update, WordLocation};
pub use super::run::{HeldNow, Running, Tell, Whereabouts};
pub use super::terms::Terms;
pub use super::trap::{DEADLOCK, LIVELOCK};
