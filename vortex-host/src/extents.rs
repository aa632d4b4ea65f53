//! How messages spell what has up to three axes.

use std::fmt;

/// An extent in x, y and z. Axes of 1 at the end are not printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents(pub [u64; 3]);

impl Extents {
    fn axes(&self) -> Vec<String> {
        let used = self.0.iter().rposition(|&n| n != 1).unwrap_or(0);
        self.0[..=used].iter().map(u64::to_string).collect()
    }

    /// As an argument of `.block(..)`.
    pub(crate) fn tuple(&self) -> String {
        match self.axes().as_slice() {
            [one] => one.clone(),
            more => format!("({})", more.join(", ")),
        }
    }
}

impl From<u8> for Extents {
    /// So many along x.
    fn from(x: u8) -> Self {
        Self([x.into(), 1, 1])
    }
}

impl fmt::Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.axes().join(" x "))
    }
}
