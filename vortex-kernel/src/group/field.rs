//! What the values in a group of metadata can be.

use ciborium::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;

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
