//! IR to image: `entry`, lowering to CLIF words, carriers, narrowing, linking, verification.

use crate::ir::{FaultKind, SourceLoc};

/// What code generation may assume of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// `czero.eqz` and `czero.nez` are there.
    pub zicond: bool,
}

/// A finished, verified image, with what the host needs to run it and to explain its faults.
#[derive(Clone, Debug)]
pub struct Image {
    /// Code and constants; position-independent, execution starts at the first byte.
    pub bytes: Vec<u8>,
    /// Zero-filled, writable memory behind the bytes.
    pub bss: u32,
    /// Meaning of `FaultRecord::site - 1`.
    pub fault_sites: Vec<FaultSite>,
    /// Source lines of code ranges, ascending by offset.
    pub lines: Vec<LineEntry>,
    /// The compiler's view of this image, when asked for.
    pub listing: Option<Listing>,
}

/// A place that can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// Why.
    pub kind: FaultKind,
    /// Where.
    pub loc: SourceLoc,
}

/// From `offset` on, code comes from `loc` (`None`: made up by the compiler).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEntry {
    /// Bytes from the image's start.
    pub offset: u32,
    /// Where in the user's source.
    pub loc: Option<SourceLoc>,
}

/// Texts for people.
#[derive(Clone, Debug)]
pub struct Listing {
    /// IR as staged.
    pub staged: String,
    /// IR after all passes.
    pub optimised: String,
    /// Cranelift IR.
    pub clif: String,
    /// Disassembly of the image, offsets from 0, with source lines.
    pub disassembly: String,
}

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Fill [`Image::listing`].
    pub listing: bool,
}
