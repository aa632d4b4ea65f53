//! ISA table.
