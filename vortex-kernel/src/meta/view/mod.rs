//! A kernel's arguments as text for tools and people: each view prints by `Display` and reads by `FromStr`.
//!
//! A view holds exactly what its text holds, so parsing what was printed gives the same value.

mod c;
mod dump;
mod launch;
mod mlir;

pub use c::{CHeader, CMember};
pub use dump::{Dump, DumpArg};
pub use launch::c_header;
pub use mlir::{
    ArgumentList, Carrier, ListedArg, Metadata, MetadataOp, Mlir, OpArg, Record, RecordArg,
    Signature,
};

use super::{ArgKind, KernelInfo};
use crate::group::tree::{Cursor, TreeError};

/// A view of a kernel.
pub trait View: std::fmt::Display + std::str::FromStr<Err = TreeError> {
    /// What the view shows of a kernel.
    fn of(kernel: &KernelInfo) -> Self;
}

/// A category by its name.
fn kind(cursor: &Cursor<'_>, name: &str) -> Result<ArgKind, TreeError> {
    let found = ArgKind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| cursor.error(format_args!("`{name}` is no kind of argument")))
}
