//! What the values in a group of metadata can be.

use ciborium::Value;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::scalar::ScalarType;

/// A type of values in metadata: numbers, text, lists, and tuples of such, in any depth. Floats are finite: JSON has no
/// others.
pub trait Field: Serialize + DeserializeOwned {
    /// Its JSON schema, as JSON.
    fn schema() -> String;

    /// The value, for printing.
    fn value(&self) -> Value {
        // Whatever can be a field can be a value.
        Value::serialized(self).unwrap_or(Value::Null)
    }
}

impl Field for bool {
    fn schema() -> String {
        r#"{ "type": "boolean" }"#.to_owned()
    }
}

macro_rules! integers {
    ($($ty:ident),*) => {$(
        impl Field for $ty {
            fn schema() -> String {
                let (least, most) = (Self::MIN, Self::MAX);
                format!(r#"{{ "type": "integer", "minimum": {least}, "maximum": {most} }}"#)
            }
        }
    )*};
}

integers! { i32, u32, i64 }

impl Field for u64 {
    fn schema() -> String {
        r#"{ "type": "integer", "minimum": 0 }"#.to_owned()
    }
}

impl Field for f32 {
    fn schema() -> String {
        f64::schema()
    }

    fn value(&self) -> Value {
        // As many digits as tell it from other `f32`: 0.1 is not 0.10000000149011612.
        let digits = self.to_string().parse();
        Value::Float(digits.unwrap_or(f64::from(*self)))
    }
}

impl Field for f64 {
    fn schema() -> String {
        r#"{ "type": "number" }"#.to_owned()
    }
}

impl Field for String {
    fn schema() -> String {
        r#"{ "type": "string" }"#.to_owned()
    }
}

/// What is checked in a kernel, other than indices and divisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Checks {
    /// That arithmetic on integers does not overflow, as in Rust's debug builds.
    Full,
    /// Indices are not checked either: whoever launches the kernel answers for them.
    None,
}

impl Field for Checks {
    fn schema() -> String {
        r#"{ "enum": ["full", "none"] }"#.to_owned()
    }
}

/// What a kernel must not have, or it does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Denied {
    /// Bounds checks that are made where the access is, in the body or in a loop.
    Checks,
}

impl Field for Denied {
    fn schema() -> String {
        r#"{ "enum": ["checks"] }"#.to_owned()
    }
}

impl Field for ScalarType {
    fn schema() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|ty| ty.name()).collect();
        format!(r#"{{ "enum": {names:?} }}"#)
    }
}

impl<T: Field> Field for Vec<T> {
    fn schema() -> String {
        format!(r#"{{ "type": "array", "items": {} }}"#, T::schema())
    }

    fn value(&self) -> Value {
        Value::Array(self.iter().map(T::value).collect())
    }
}

impl Field for [u32; 3] {
    fn schema() -> String {
        <(u32, u32, u32)>::schema()
    }
}

// As long as Rust's own traits have them; a tuple can be part of another.
macro_rules! tuples {
    () => {};
    ($first:ident $($part:ident)*) => {
        impl<$first: Field, $($part: Field),*> Field for ($first, $($part,)*) {
            fn schema() -> String {
                let parts = [$first::schema(), $($part::schema()),*];
                let length = parts.len();
                format!(
                    r#"{{ "type": "array", "prefixItems": [{}], "minItems": {length}, "maxItems": {length} }}"#,
                    parts.join(", ")
                )
            }

            fn value(&self) -> Value {
                #[allow(non_snake_case)]
                let ($first, $($part,)*) = self;
                Value::Array(vec![$first.value(), $($part.value()),*])
            }
        }

        tuples! { $($part)* }
    };
}

tuples! { A B C D E F G H I J K L }
