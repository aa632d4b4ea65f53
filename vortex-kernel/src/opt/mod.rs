//! Passes over the IR, one file each.
//!
//! [`structurise`](structurise()) and [`ssa`](ssa()) bring what staging recorded into the structured form.

mod ssa;
mod structurise;
mod uniformity;

pub use ssa::ssa;
pub use structurise::structurise;
pub use uniformity::Uniformity;

use crate::ir::Function;

/// A pass over structured IR by the name its file has, for tests.
#[must_use]
pub fn pass(name: &str) -> Option<fn(&mut Function)> {
    Some(match name {
        "compact" => Function::compact,
        _ => return None,
    })
}
