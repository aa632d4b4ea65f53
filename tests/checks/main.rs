//! What the embedded device watches for, as the author of a kernel meets it.

#![allow(clippy::unwrap_used)]

mod barriers;
mod each;
mod places;
mod races;
