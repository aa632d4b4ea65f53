//! Numbers of things, in words.

use std::fmt;

/// So many things: `1 element`, `2 elements`.
pub(crate) struct Count<N>(pub(crate) N, pub(crate) &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Count<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, thing) = self;
        let ending = if *number == N::from(1) { "" } else { "s" };
        write!(f, "{number} {thing}{ending}")
    }
}

#[cfg(test)]
mod tests {
    use super::Count;
    use crate::{Error, Extents};

    #[test]
    fn one_is_not_many() {
        let said = [0u32, 1, 2].map(|number| Count(number, "element").to_string());
        assert_eq!(said, ["0 elements", "1 element", "2 elements"]);
        let said = [[1, 1, 1], [2, 1, 1], [1, 2, 1]].map(|n| Count(Extents(n), "item").to_string());
        assert_eq!(said, ["1 item", "2 items", "1 x 2 items"]);
    }

    #[test]
    fn errors_do_not_say_that_one_is_many() {
        let one = Extents([1; 3]);
        let error = Error::PartialGroups {
            kernel: "sum".into(),
            required: Extents([64, 1, 1]),
            items: one,
        };
        assert!(
            error.to_string().contains("do not divide 1 work item;"),
            "{error}"
        );
        let error = Error::BlockMismatch {
            kernel: "sum".into(),
            required: one,
            given: Extents([64, 1, 1]),
        };
        assert!(
            error.to_string().contains("groups of 1 work item,"),
            "{error}"
        );
        let error = Error::SubgroupMismatch {
            kernel: "sum".into(),
            required: 4,
            lanes: 1,
        };
        assert!(error.to_string().ends_with("have 1 lane"), "{error}");
        let error = Error::LocalMemoryTooLarge {
            kernel: "sum".into(),
            needed: 1,
            given: 0,
            available: 0,
        };
        assert!(
            error.to_string().contains("needs 1 byte of local memory"),
            "{error}"
        );
    }
}
