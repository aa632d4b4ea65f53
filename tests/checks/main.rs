//! What the embedded device watches for, as the author of a kernel meets it.

#![allow(clippy::unwrap_used)]

mod barriers;
mod each;
mod lockstep;
mod own_elements;
mod places;
mod races;
mod slow;
mod split_barriers;
mod unwritten;
mod updates;
