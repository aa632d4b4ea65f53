//! Argument layout and kernel metadata.
