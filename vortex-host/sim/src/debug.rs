//! The debug interface: what the runtime tells the device about a program, and what the device reports back.
//!
//! A compiler knows more of a program than its words say. [`Machine::annotate`] asks for a [`Note`] on each access to
//! memory and each barrier: where the lanes hold the number of what they work on (so that a message can name work
//! items), what a store has to do with what was loaded before (so that lost updates are found), and which barriers
//! belong together. [`Machine::let_race`] names memory in which races are meant; [`Terms`] lend memory for a run,
//! which is only read there, and name who is told when a run takes long ([`Running`]). After a trap,
//! [`Machine::held`] says what a lane holds in a [`WordLocation`].
//!
//! [`Machine::annotate`]: crate::Machine::annotate
//! [`Machine::let_race`]: crate::Machine::let_race
//! [`Machine::held`]: crate::Machine::held

pub use super::notes::{Note, Update, WordLocation};
pub use super::run::{Running, Tell, Whereabouts};
pub use super::terms::Terms;
pub use super::trap::{DEADLOCK, LIVELOCK};
