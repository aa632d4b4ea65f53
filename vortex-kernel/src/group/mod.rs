//! Groups of named values: what a user states, what the compiler derives, what holds for a module.
//!
//! A value is declared by one line in a [`group!`]; that it prints, is read back, is part of every file and of the
//! published schema follows from it.

use ciborium::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;

mod field;
mod list;
pub(crate) mod tree;

pub use field::Field;
pub use list::{Integers, List, ListItem, MOST_LISTED};
pub use tree::TreeError;

/// What the values of a group are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// All of a module.
    Module,
    /// A kernel.
    Kernel,
    /// A device function.
    Function,
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user, in the source.
    Stated,
    /// The compiler, from the code.
    Derived,
}

/// A value that a group can have.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: &'static str,
    /// Its type in Rust.
    pub ty: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// Its JSON schema, as JSON.
    pub schema: fn() -> String,
}

/// Named values, each of which is there or not.
pub trait Group: Serialize + DeserializeOwned + Default + PartialEq {
    /// What they are about.
    const LEVEL: Level;
    /// Who says so.
    const ORIGIN: Origin;

    /// All that can be there.
    fn declared() -> Vec<Declaration>;

    /// The names and values that are there, in the order of their declaration.
    fn entries(&self) -> Vec<(&'static str, Value)>;

    /// The names and values that are there, as text.
    fn printed(&self) -> Vec<(&'static str, String)> {
        let entries = self.entries().into_iter();
        let print = |value: &Value| {
            let mut text = String::new();
            // Writing to memory does not fail.
            _ = tree::print(value, &mut text);
            text
        };
        entries.map(|(name, value)| (name, print(&value))).collect()
    }

    /// The values as one, for printing.
    fn tree(&self) -> Value {
        let entries = self.entries().into_iter();
        Value::Map(
            entries
                .map(|(name, value)| (Value::Text(name.to_owned()), value))
                .collect(),
        )
    }

    /// The JSON schema of the group, as JSON: what is declared, and nothing else.
    fn schema() -> String {
        let properties: Vec<_> = Self::declared()
            .into_iter()
            .map(|declared| {
                let (name, summary) = (declared.name, declared.summary);
                let schema = (declared.schema)();
                format!("\"{name}\": {{ \"description\": {summary:?}, \"allOf\": [{schema}] }}")
            })
            .collect();
        format!(
            "{{ \"type\": \"object\", \"properties\": {{ {} }}, \"additionalProperties\": false }}",
            properties.join(", ")
        )
    }
}

/// Reads a group as `Display` prints it.
pub(crate) fn parse<G: Group>(text: &str) -> Result<G, tree::TreeError> {
    let value = tree::parse(text)?;
    value
        .deserialized()
        .map_err(|ciborium::value::Error::Custom(message)| {
            tree::TreeError::new(message, text.len())
        })
}

/// Declares a group: documentation, name, what it is about and who says so, then a line for each value.
macro_rules! group {
    (
        $(#[$outer:meta])*
        $name:ident, $level:ident, $origin:ident {
            $($(#[doc = $summary:literal])+ $field:ident: $ty:ty;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[doc = $summary])+ pub $field: Option<$ty>,)*
        }

        impl $crate::group::Group for $name {
            const LEVEL: $crate::group::Level = $crate::group::Level::$level;
            const ORIGIN: $crate::group::Origin = $crate::group::Origin::$origin;

            fn declared() -> Vec<$crate::group::Declaration> {
                vec![$($crate::group::Declaration {
                    name: stringify!($field),
                    ty: stringify!($ty),
                    summary: str::trim_ascii(concat!($($summary),+)),
                    schema: <$ty as $crate::group::Field>::schema,
                }),*]
            }

            fn entries(&self) -> Vec<(&'static str, ciborium::Value)> {
                let mut entries = Vec::new();
                $(if let Some(value) = &self.$field {
                    entries.push((stringify!($field), $crate::group::Field::value(value)));
                })*
                entries
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let length = 0 $(+ usize::from(self.$field.is_some()))*;
                let mut map = serializer.serialize_map(Some(length))?;
                $(if let Some(value) = &self.$field {
                    map.serialize_entry(stringify!($field), value)?;
                })*
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Entries;

                impl<'de> serde::de::Visitor<'de> for Entries {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("names and their values")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<$name, A::Error> {
                        let mut group = $name::default();
                        while let Some(name) = map.next_key::<String>()? {
                            match name.as_str() {
                                $(stringify!($field) => group.$field = Some(map.next_value()?),)*
                                other => {
                                    const NAMES: &[&str] = &[$(stringify!($field)),*];
                                    return Err(serde::de::Error::unknown_field(other, NAMES));
                                }
                            }
                        }
                        Ok(group)
                    }
                }

                deserializer.deserialize_map(Entries)
            }
        }

        impl std::fmt::Display for $name {
            /// `{name = value, ..}`.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::group::tree::print(&$crate::group::Group::tree(self), f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::group::TreeError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::group::parse(text)
            }
        }
    };
}
pub(crate) use group;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ScalarType;

    // The row that `vortex-macros` has for a new attribute in its own test, and values of every shape.
    group! {
        /// A group with one attribute more.
        #[allow(unreachable_pub)]
        Extended, Kernel, Stated {
            /// Whether launches are traced.
            traced: bool;
            /// A list.
            sizes: Vec<u32>;
            /// A tuple of different things, in a list.
            costs: Vec<(String, u64, ScalarType, (bool, Vec<String>))>;
            /// Numbers with a sign, and such that are not whole.
            bounds: Vec<(i64, f32, i32, Vec<f64>)>;
            /// A list that is a constant.
            tags: List<i32>;
            /// The same of floats.
            weights: List<f32>;
        }
    }

    #[test]
    fn a_declaration_is_all_it_takes() {
        let group = Extended {
            traced: Some(true),
            sizes: None,
            costs: Some(vec![(
                "a \"quoted\"\nline".to_owned(),
                u64::MAX,
                ScalarType::F32,
                (false, vec!["x".to_owned()]),
            )]),
            bounds: Some(vec![
                (i64::MIN, 0.1, -7, vec![0.1, -1e300]),
                (i64::MAX, f32::MIN_POSITIVE, i32::MIN, Vec::new()),
            ]),
            tags: Some(List::of(&[1, -2, 3])),
            weights: Some(List::of(&[0.1, -2.0])),
        };
        let text = group.to_string();
        assert_eq!(
            text,
            concat!(
                r#"{traced = true, costs = [["a \"quoted\"\nline", 18446744073709551615, "f32", [false, ["x"]]]], "#,
                "bounds = [[-9223372036854775808, 0.1, -7, [0.1, -1e300]], [9223372036854775807, 1.1754944e-38, -2147483648, []]], ",
                "tags = [1, -2, 3], weights = [0.1, -2.0]}"
            )
        );
        assert_eq!(text.parse::<Extended>().unwrap(), group);
        let json = serde_json::to_string(&group).unwrap();
        assert_eq!(serde_json::from_str::<Extended>(&json).unwrap(), group);
        let bytes = postcard::to_stdvec(&group).unwrap();
        assert_eq!(postcard::from_bytes::<Extended>(&bytes).unwrap(), group);
        let schema: serde_json::Value = serde_json::from_str(&Extended::schema()).unwrap();
        assert_eq!(
            schema["properties"]["traced"]["allOf"][0]["type"],
            "boolean"
        );
        assert_eq!(
            Extended::declared()[0].summary,
            "Whether launches are traced."
        );
        assert_eq!(Extended::LEVEL, Level::Kernel);
        assert_eq!(Extended::ORIGIN, Origin::Stated);
    }

    #[test]
    fn what_is_not_declared_is_refused() {
        let error = "{tarced = true}".parse::<Extended>().unwrap_err();
        assert!(
            error.to_string().contains("unknown field `tarced`"),
            "{error}"
        );
        let error = "{traced = 1}".parse::<Extended>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid type: integer `1`, expected bool at byte 12"
        );
    }
}
