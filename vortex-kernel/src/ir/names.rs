//! The user's locals with their names, for debuggers and for messages.

use super::{PrivateId, SourceLoc};

/// A local that a debugger can show. Except for parameters, each of its values is stored to private memory, where only
/// the debugger reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedLocal {
    /// As the user spells it.
    pub name: String,
    /// Its type, and its layout in memory.
    pub shape: Shape,
    /// It can be seen after this place in the source.
    pub after: SourceLoc,
    /// It can be seen up to this place.
    pub until: SourceLoc,
    /// It is a parameter of the kernel.
    pub is_param: bool,
    /// Where its value is kept. `None` if there was no more room.
    pub place: Option<LocalPlace>,
}

/// What the user calls an object in local memory, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject {
    /// As the user spells it.
    pub name: String,
    /// Its type, and its layout in memory.
    pub shape: Shape,
    /// A word is left out behind each of so many bytes of it.
    pub period: Option<u32>,
}

impl NamedObject {
    /// Bytes that a word takes up which is left out.
    pub(crate) const GAP: u32 = 4;

    /// How many bytes of its shape lie before a byte of it; `None` if that belongs to a word that is left out.
    #[must_use]
    pub fn without_gaps(&self, offset: u32) -> Option<u32> {
        let Some(period) = self.period else {
            return Some(offset);
        };
        let pitch = period.checked_add(Self::GAP)?;
        let (before, within) = (offset / pitch, offset % pitch);
        (within < period).then(|| before * period + within)
    }
}

/// Where the value of a local is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalPlace {
    /// In an object in private memory, at this offset.
    Private(PrivateId, u32),
    /// In the argument struct, at this offset.
    Argument(u32),
}

/// The type of a value, and its layout in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number, or a `bool`.
    Scalar {
        /// As Rust spells it.
        name: &'static str,
        /// Which kind of number.
        kind: ScalarShape,
        /// Bytes that a value takes up.
        size: u32,
    },
    /// A struct, a tuple, or a struct whose fields are called `0`, `1` and so on.
    Struct {
        /// As Rust spells it.
        name: String,
        /// Bytes that a value takes up.
        size: u32,
        /// Names, offsets in bytes, and shapes.
        fields: Vec<(String, u32, Shape)>,
    },
    /// A C-like enum.
    Enum {
        /// As Rust spells it.
        name: String,
        /// Bytes that a value takes up.
        size: u32,
        /// Names and values.
        variants: Vec<(String, i64)>,
    },
    /// An array, `[T; N]`, element after element.
    Array {
        /// What each element is.
        element: Box<Shape>,
        /// How many elements there are.
        count: u32,
    },
    /// A slice: a pointer, and a number of elements after it.
    Slice {
        /// What each element is.
        element: Box<Shape>,
        /// It is a `&mut [T]`.
        is_mut: bool,
    },
    /// A pointer or a reference.
    Pointer {
        /// What is written before the type: `&`, `&mut `, `*const `, `*mut `.
        sigil: &'static str,
        /// What it points to.
        to: Box<Shape>,
    },
    /// An `Option`: a `bool`, and the value.
    Option {
        /// What it may hold.
        value: Box<Shape>,
        /// Offset of that, in bytes.
        offset: u32,
    },
    /// Bytes of which nothing more is known.
    Bytes {
        /// As Rust spells it.
        name: String,
        /// How many there are.
        size: u32,
    },
}

/// A kind of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarShape {
    /// A `bool`: a byte that is 0 or 1.
    Bool,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// An IEEE 754 float.
    Float,
    /// The upper half of a float of 32 bits: a `bf16`.
    Brain,
}

/// A field: its name or number, its offset, and what it is.
type FieldShape<'a> = (&'a str, usize, fn() -> Shape);

/// The same, as debuggers are told.
fn field((name, offset, shape): &FieldShape<'_>) -> (String, u32, Shape) {
    // As rustc calls it.
    let name = match name.parse::<u32>() {
        Ok(number) => format!("__{number}"),
        Err(_) => (*name).to_owned(),
    };
    (name, bytes(*offset), shape())
}

fn bytes(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The name of a type: those of this library without their modules.
fn type_name<T>() -> String {
    of_this_library(std::any::type_name::<T>())
}

fn of_this_library(name: &str) -> String {
    name.replace("vortex_kernel::types::vector::", "")
}

impl Shape {
    /// That of a struct.
    #[doc(hidden)]
    #[must_use]
    pub fn of_struct<T>(fields: &[FieldShape<'_>]) -> Self {
        Self::Struct {
            name: type_name::<T>(),
            size: bytes(size_of::<T>()),
            fields: fields.iter().map(field).collect(),
        }
    }

    /// That of an enum.
    #[doc(hidden)]
    #[must_use]
    pub fn of_enum<T>(variants: &[(&str, i64)]) -> Self {
        let variants = variants.iter();
        Self::Enum {
            name: type_name::<T>(),
            size: bytes(size_of::<T>()),
            variants: variants
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
        }
    }

    /// As Rust spells it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Scalar { name, .. } => (*name).to_owned(),
            Self::Struct { name, .. } | Self::Enum { name, .. } | Self::Bytes { name, .. } => {
                name.clone()
            }
            Self::Array { element, count } => format!("[{}; {count}]", element.name()),
            Self::Slice { element, is_mut } => {
                let sigil = if *is_mut { "&mut " } else { "&" };
                format!("{sigil}[{}]", element.name())
            }
            Self::Pointer { sigil, to } => format!("{sigil}{}", to.name()),
            Self::Option { value, .. } => format!("Option<{}>", value.name()),
        }
    }

    /// The part that a byte belongs to, as it is written after the name of the whole, `[3].x`, and what it is. The name
    /// is empty where there are no parts.
    #[must_use]
    pub fn part_at(&self, offset: u32) -> (String, &Self) {
        match self {
            Self::Array { element, .. } => {
                let size = element.size().max(1);
                let (part, shape) = element.part_at(offset % size);
                (format!("[{}]{part}", offset / size), shape)
            }
            Self::Struct { fields, .. } => {
                let before = fields.iter().filter(|(_, start, _)| *start <= offset);
                let Some((name, start, shape)) = before.max_by_key(|(_, start, _)| *start) else {
                    return (String::new(), self);
                };
                let name = name.strip_prefix("__").unwrap_or(name);
                let (part, shape) = shape.part_at(offset - start);
                (format!(".{name}{part}"), shape)
            }
            _ => (String::new(), self),
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Self::Scalar { size, .. }
            | Self::Struct { size, .. }
            | Self::Enum { size, .. }
            | Self::Bytes { size, .. } => *size,
            Self::Array { element, count } => element.size().saturating_mul(*count),
            Self::Slice { .. } => 8,
            Self::Pointer { .. } => 4,
            Self::Option { value, offset } => (offset + value.size()).next_multiple_of(4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ScalarShape, Shape};

    fn array(element: Shape, count: u32) -> Shape {
        let element = Box::new(element);
        Shape::Array { element, count }
    }

    #[test]
    fn parts_of_arrays_and_structs() {
        let float = || Shape::Scalar {
            name: "f32",
            kind: ScalarShape::Float,
            size: 4,
        };
        let part = |shape: &Shape, offset| {
            let (part, shape) = shape.part_at(offset);
            (part, shape.name())
        };
        let float_at = |name: &str| (name.to_owned(), "f32".to_owned());
        assert_eq!(part(&float(), 2), float_at(""));
        let rows = array(array(float(), 16), 8);
        assert_eq!(part(&rows, 4 * 35 + 1), float_at("[2][3]"));
        let pair = Shape::Struct {
            name: "(f32, [f32; 2])".to_owned(),
            size: 12,
            fields: vec![
                ("x".to_owned(), 0, float()),
                ("__1".to_owned(), 4, array(float(), 2)),
            ],
        };
        let pairs = array(pair, 5);
        assert_eq!(part(&pairs, 24), float_at("[2].x"));
        assert_eq!(part(&pairs, 20), float_at("[1].1[1]"));
    }
}
