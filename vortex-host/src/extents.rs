//! How messages spell sizes with up to three axes.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, LaunchError};
    use vortex_sim::Count;

    #[test]
    fn one_of_an_extent_is_not_many() {
        let said = [[1, 1, 1], [2, 1, 1], [1, 2, 1]].map(|n| Count(Extents(n), "item").to_string());
        assert_eq!(said, ["1 item", "2 items", "1 x 2 items"]);
    }

    #[test]
    fn errors_do_not_say_that_one_is_many() {
        let one = Extents([1; 3]);
        let error = Error::refused(
            "sum",
            LaunchError::PartialGroups {
                required: Extents([64, 1, 1]),
                items: one,
            },
        );
        assert!(
            error.to_string().contains("do not divide 1 work item;"),
            "{error}"
        );
        let error = Error::refused(
            "sum",
            LaunchError::BlockMismatch {
                required: one,
                given: Extents([64, 1, 1]),
            },
        );
        assert!(
            error.to_string().contains("groups of 1 work item,"),
            "{error}"
        );
        let error = Error::refused(
            "sum",
            LaunchError::SubgroupMismatch {
                required: 4,
                lanes: 1,
            },
        );
        assert!(error.to_string().ends_with("have 1 lane"), "{error}");
        let error = Error::refused(
            "sum",
            LaunchError::LocalMemoryTooLarge {
                needed: 1,
                given: 0,
                available: 0,
            },
        );
        assert!(
            error.to_string().contains("needs 1 byte of local memory"),
            "{error}"
        );
    }
}
