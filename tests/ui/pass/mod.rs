//! Kernels that must compile, without a warning, whatever lints are on around them.

mod foreign;
mod hygiene;
mod language;
mod lints;
mod locations;
mod names;
mod places;
mod shadows;
