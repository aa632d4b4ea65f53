//! What a kernel mostly computes with: a scalar or a short vector, as `vec_hint` states it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::group::Field;
use crate::types::{Scalar, ScalarType};
use crate::types::{Vec2, Vec3, Vec4};

/// A type that a kernel mostly computes with: `f32`, `Vec4<f32>`. OpenCL's `vec_type_hint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VecHint {
    /// The scalar that the type consists of.
    pub scalar: ScalarType,
    /// How many: 1 for a scalar, 2 to 4 for a vector.
    lanes: u8,
}

impl VecHint {
    /// The most lanes of a vector.
    const MOST_LANES: u8 = 4;

    /// A scalar, for one lane, or a vector of this many; `None` for others.
    #[must_use]
    pub const fn new(scalar: ScalarType, lanes: u8) -> Option<Self> {
        match lanes {
            1..=Self::MOST_LANES => Some(Self { scalar, lanes }),
            _ => None,
        }
    }

    /// How many scalars the type has.
    #[must_use]
    pub const fn lanes(self) -> u8 {
        self.lanes
    }

    /// Every type that there is.
    pub fn all() -> impl Iterator<Item = Self> {
        let lanes = 1..=Self::MOST_LANES;
        lanes.flat_map(|lanes| {
            let scalars = ScalarType::ALL.iter();
            scalars.map(move |&scalar| Self { scalar, lanes })
        })
    }
}

impl fmt::Display for VecHint {
    /// As Rust spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            1 => self.scalar.fmt(f),
            lanes => write!(f, "Vec{lanes}<{}>", self.scalar),
        }
    }
}

impl FromStr for VecHint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::all().find(|hint| hint.to_string() == text);
        found.ok_or_else(|| format!("`{text}` is no type of kernels, such as `f32` or `Vec4<f32>`"))
    }
}

impl Serialize for VecHint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VecHint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl Field for VecHint {
    fn schema() -> String {
        let names: Vec<_> = Self::all().map(|hint| hint.to_string()).collect();
        format!(r#"{{ "enum": {names:?} }}"#)
    }
}

/// A type that `vec_hint` takes: scalars and short vectors of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that kernels can compute with",
    label = "not a scalar or a short vector",
    note = "`vec_hint` takes `bool`, `i8`, `i16`, `i32`, `u8`, `u16`, `u32`, `i64`, `u64`, `f16` and `bf16` of the prelude, `f32`, `usize`, `isize`, \
            and `Vec2<T>`, `Vec3<T>` and `Vec4<T>` of these"
)]
pub trait Hinted {
    /// The type.
    const HINT: VecHint;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Hinted for T {
    const HINT: VecHint = VecHint {
        scalar: T::SCALAR,
        lanes: 1,
    };
}

macro_rules! vectors {
    ($($vector:ident $lanes:literal),*) => {$(
        impl<T: Scalar> Hinted for $vector<T> {
            const HINT: VecHint = VecHint {
                scalar: T::SCALAR,
                lanes: $lanes,
            };
        }
    )*};
}

vectors! { Vec2 2, Vec3 3, Vec4 4 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_reads_back() {
        assert_eq!(VecHint::all().count(), ScalarType::ALL.len() * 4);
        for hint in VecHint::all() {
            assert_eq!(hint.to_string().parse(), Ok(hint));
            assert_eq!(VecHint::new(hint.scalar, hint.lanes()), Some(hint));
        }
        assert_eq!(<Vec4<f32>>::HINT.to_string(), "Vec4<f32>");
        assert_eq!(VecHint::new(ScalarType::F32, 5), None);
        let error = "Vec5<f32>".parse::<VecHint>().unwrap_err();
        assert_eq!(
            error,
            "`Vec5<f32>` is no type of kernels, such as `f32` or `Vec4<f32>`"
        );
    }
}
