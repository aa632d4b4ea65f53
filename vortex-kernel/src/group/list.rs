//! Short lists that constants can hold, for what a user states.

use std::fmt;
use std::ops::Deref;

use ciborium::Value;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::field::Field;

/// The most numbers of a [`List`].
pub const MOST_LISTED: usize = 16;

/// Up to [`MOST_LISTED`] numbers, as an attribute of a kernel has them. Dereferences to a slice.
#[derive(Clone, Copy, PartialEq)]
pub struct List<T> {
    /// Those that are not there are zeros.
    values: [T; MOST_LISTED],
    len: usize,
}

/// A list of integers.
pub type Integers = List<i32>;

/// A number that can be in a [`List`].
pub trait ListItem: Field + Copy + fmt::Debug {
    /// The number 0.
    const ZERO: Self;
}

macro_rules! listed {
    ($($ty:ty = $zero:literal),*) => {$(
        impl ListItem for $ty {
            const ZERO: Self = $zero;
        }
    )*};
}

listed! { i32 = 0, i64 = 0, u32 = 0, u64 = 0, f32 = 0.0, f64 = 0.0 }

impl<T: ListItem> List<T> {
    /// A list of these numbers.
    ///
    /// # Panics
    /// If there are more than [`MOST_LISTED`].
    #[must_use]
    #[track_caller]
    pub const fn of(values: &[T]) -> Self {
        match Self::new(values) {
            Some(list) => list,
            None => panic!("a list of an attribute has at most 16 numbers"),
        }
    }

    /// A list of these numbers, if there are not too many.
    const fn new(values: &[T]) -> Option<Self> {
        if values.len() > MOST_LISTED {
            return None;
        }
        let mut list = Self {
            values: [T::ZERO; MOST_LISTED],
            len: values.len(),
        };
        let mut index = 0;
        while index < values.len() {
            list.values[index] = values[index];
            index += 1;
        }
        Some(list)
    }
}

impl<T> List<T> {
    /// The numbers.
    #[must_use]
    pub const fn as_slice(&self) -> &[T] {
        self.values.split_at(self.len).0
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<T: Serialize> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de, T: ListItem> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::deserialize(deserializer)?;
        let too_long = || D::Error::invalid_length(values.len(), &"at most 16 numbers");
        Self::new(&values).ok_or_else(too_long)
    }
}

impl<T: ListItem> Field for List<T> {
    fn schema() -> String {
        let item = T::schema();
        format!(r#"{{ "type": "array", "items": {item}, "maxItems": {MOST_LISTED} }}"#)
    }

    fn value(&self) -> Value {
        Value::Array(self.iter().map(T::value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_constants() {
        const TAGS: List<i32> = List::of(&[1, -2, 3]);
        assert_eq!(*TAGS, [1, -2, 3]);
        assert_eq!(format!("{TAGS:?}"), "[1, -2, 3]");
        assert!(List::<f32>::of(&[]).is_empty());
    }

    #[test]
    fn long_lists_are_an_error() {
        let long = serde_json::to_string(&[7; MOST_LISTED + 1]).unwrap();
        let error = serde_json::from_str::<List<i32>>(&long).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid length 17, expected at most 16 numbers"
        );
        let longest = serde_json::to_string(&[7; MOST_LISTED]).unwrap();
        let list: List<i32> = serde_json::from_str(&longest).unwrap();
        assert_eq!(*list, [7; MOST_LISTED]);
    }
}
