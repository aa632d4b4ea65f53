//! Traits of Rust's library in front of which `#[vortex::device]` means nothing.

use std::fmt;
use std::ops::{BitOrAssign, Deref};

use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Pair(u32, u32);

#[vortex::device]
impl Deref for Pair {
    type Target = u32;

    fn deref(&self) -> &u32 {
        &self.0
    }
}

#[vortex::device]
impl std::iter::Sum for Pair {
    fn sum<I: Iterator<Item = Pair>>(pairs: I) -> Pair {
        pairs.fold(Pair(0, 0), |a, b| Pair(a.0 + b.0, a.1 + b.1))
    }
}

#[vortex::device]
impl BitOrAssign for Pair {
    fn bitor_assign(&mut self, other: Pair) {
        self.0 |= other.0;
        self.1 |= other.1;
    }
}

#[vortex::device]
impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.0, self.1)
    }
}

#[vortex::device]
impl IntoIterator for Pair {
    type Item = u32;
    type IntoIter = std::array::IntoIter<u32, 2>;

    fn into_iter(self) -> Self::IntoIter {
        [self.0, self.1].into_iter()
    }
}

#[vortex::device]
impl From<(u32, u32)> for Pair {
    fn from(parts: (u32, u32)) -> Self {
        Pair(parts.0, parts.1)
    }
}

#[vortex::device]
impl Eq for Pair {}

fn main() {}

// Mistakes: 7
