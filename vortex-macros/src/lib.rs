//! The attribute macros of `vortex`.
