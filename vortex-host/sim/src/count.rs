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

/// Some of many, by numbers or names: `2`, `0 and 3`, `0, 1 and 3`.
#[derive(Clone, Copy, Debug)]
pub struct Several<'a, T>(pub &'a [T]);

impl<T: fmt::Display> fmt::Display for Several<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        for (index, one) in self.0.iter().enumerate() {
            let separator = match index {
                0 => "",
                _ if index + 1 == count => " and ",
                _ => ", ",
            };
            write!(f, "{separator}{one}")?;
        }
        Ok(())
    }
}

/// A number with its digits in groups of three: `1,234,567`.
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// A number in units of 1024 or its square where it is so many of them: `100`, `16K`, `2M`.
#[derive(Clone, Copy, Debug)]
pub struct Scaled(pub u32);

impl fmt::Display for Scaled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            n if n.is_multiple_of(1 << 20) => write!(f, "{}M", n >> 20),
            n if n.is_multiple_of(1 << 10) => write!(f, "{}K", n >> 10),
            n => write!(f, "{n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Grouped, Scaled, Several};

    #[test]
    fn one_is_not_many() {
        let said = [0u32, 1, 2].map(|number| Count(number, "element").to_string());
        assert_eq!(said, ["0 elements", "1 element", "2 elements"]);
    }

    #[test]
    fn the_last_one_comes_after_an_and() {
        let said = [&[2][..], &[0, 3], &[0, 1, 3]].map(|numbers| Several(numbers).to_string());
        assert_eq!(said, ["2", "0 and 3", "0, 1 and 3"]);
        assert_eq!(Several(&["`a`", "`b`"]).to_string(), "`a` and `b`");
    }

    #[test]
    fn whole_units_are_short() {
        let said =
            [0, 100, 1 << 10, 1536, 16 << 10, 2 << 20].map(|number| Scaled(number).to_string());
        assert_eq!(said, ["0", "100", "1K", "1536", "16K", "2M"]);
    }

    #[test]
    fn digits_stand_in_threes() {
        let said = [7, 999, 1_000, 1_234_567].map(|number| Grouped(number).to_string());
        assert_eq!(said, ["7", "999", "1,000", "1,234,567"]);
    }
}
