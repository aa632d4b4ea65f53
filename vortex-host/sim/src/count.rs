//! Numbers of things, in words.

use std::fmt;

/// So many things: `1 element`, `2 elements`.
#[derive(Clone, Copy, Debug)]
pub struct Count<N>(pub N, pub &'static str);

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

    #[test]
    fn one_is_not_many() {
        let said = [0u32, 1, 2].map(|number| Count(number, "element").to_string());
        assert_eq!(said, ["0 elements", "1 element", "2 elements"]);
    }
}
