//! Passes over the IR, one file each.
