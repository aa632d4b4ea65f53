//! The argument struct for programs in C.

use std::fmt;
use std::str::FromStr;

use rustc_hash::{FxHashMap, FxHashSet};

use super::View;
use crate::group::tree::{Cursor, TreeError};
use crate::meta::{ArgInfo, ArgKind, ImageArg, KernelInfo, MAX_ALIGN, SamplerArg, TextureArg};

/// The argument struct as C declares it: `typedef struct { int32_t count; .. } kernel_args_t;`.
///
/// A slice is two members, and so is a texture: its image and its sampler. Members of 64 bits are aligned to 4 bytes,
/// which C must be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CHeader {
    /// Name of the type, without its `_args_t`.
    pub name: String,
    /// The members, in order.
    pub members: Vec<CMember>,
    /// Bytes of the struct.
    pub size: u32,
}

/// A member of a [`CHeader`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CMember {
    /// Its type in C, without the length of an array.
    pub ty: String,
    /// Its name in C.
    pub name: String,
    /// How many there are, if it is an array.
    pub count: Option<u32>,
}

const TEXTURE: u32 = size_of::<TextureArg>() as u32;

const RELAXED: &str = "__attribute__((packed, aligned(4)))";

impl View for CHeader {
    fn of(kernel: &KernelInfo) -> Self {
        Self::with_firsts(kernel).0
    }
}

impl CHeader {
    /// The header of a kernel, and which member each argument begins with.
    pub(super) fn with_firsts(kernel: &KernelInfo) -> (Self, Vec<usize>) {
        let mut header = Self {
            name: identifier(&kernel.name),
            members: Vec::new(),
            size: kernel.args_size,
        };
        let mut firsts = Vec::new();
        for arg in &kernel.args {
            firsts.push(header.members.len());
            header.push(arg);
        }
        header.push_padding();
        header.tell_names_apart();
        (header, firsts)
    }

    fn push(&mut self, arg: &ArgInfo) {
        let name = member_name(&arg.name);
        let mut push = |ty: &str, name: String, count| {
            self.members.push(CMember {
                ty: ty.to_owned(),
                name,
                count,
            });
        };
        match (arg.kind, arg.size) {
            (ArgKind::Slice, 8) => {
                let len = format!("{name}_len");
                push("uint32_t", name, None);
                push("uint32_t", len, None);
            }
            (ArgKind::Tensor, 16) => {
                let parts = ["local", "rows", "cols"].map(|part| format!("{name}_{part}"));
                push("uint32_t", name, None);
                for part in parts {
                    push("uint32_t", part, None);
                }
            }
            (ArgKind::Image, TEXTURE) => {
                let sampler = format!("{name}_sampler");
                push("uint32_t", name, Some(size_of::<ImageArg>() as u32 / 4));
                push(
                    "uint32_t",
                    sampler,
                    Some(size_of::<SamplerArg>() as u32 / 4),
                );
            }
            (ArgKind::Scalar, size) => match scalar(arg, size) {
                Some(ty) => push(ty, name, None),
                None => push("uint8_t", name, Some(size)),
            },
            (ArgKind::Struct, size) => match arg.align {
                4 => push("uint32_t", name, Some(size / 4)),
                2 => push("uint16_t", name, Some(size / 2)),
                _ => push("uint8_t", name, Some(size)),
            },
            (_, 4) => push("uint32_t", name, None),
            (_, size) => push("uint8_t", name, Some(size)),
        }
    }

    /// Bytes at the end that C would not leave out by itself. Between members it leaves out the same as we do.
    fn push_padding(&mut self) {
        let end = self.end();
        if end < self.size && end.next_multiple_of(self.align()) != self.size {
            self.members.push(CMember {
                ty: "uint8_t".to_owned(),
                name: "_padding".to_owned(),
                count: Some(self.size - end),
            });
        }
    }

    /// Gives a number to each member whose name is another's: `x_len` may be of the slice `x`, or a number that the
    /// kernel takes.
    fn tell_names_apart(&mut self) {
        let names = self.members.iter().map(|one| one.name.clone());
        let mut taken: FxHashSet<String> = names.collect();
        // Of each name, the last number that was given.
        let mut numbers: FxHashMap<String, u64> = FxHashMap::default();
        for member in &mut self.members {
            let Some(number) = numbers.get_mut(&member.name) else {
                numbers.insert(member.name.clone(), 1);
                continue;
            };
            let mut name = member.name.clone();
            while !taken.insert(name.clone()) {
                *number += 1;
                name = format!("{}_{number}", member.name);
            }
            member.name = name;
        }
    }

    /// Where the members end.
    fn end(&self) -> u32 {
        self.members.iter().fold(0, |end: u32, member| {
            end.next_multiple_of(member.align())
                .saturating_add(member.bytes())
        })
    }

    fn align(&self) -> u32 {
        self.members.iter().map(CMember::align).max().unwrap_or(1)
    }
}

impl CMember {
    fn element_bytes(&self) -> u32 {
        match self.ty.as_str() {
            "bool" | "int8_t" | "uint8_t" => 1,
            "int16_t" | "uint16_t" => 2,
            "int64_t" | "uint64_t" | "double" => 8,
            _ => 4,
        }
    }

    fn bytes(&self) -> u32 {
        self.element_bytes().saturating_mul(self.count.unwrap_or(1))
    }

    fn align(&self) -> u32 {
        self.element_bytes().min(MAX_ALIGN as u32)
    }
}

/// C's type of a number.
fn scalar(arg: &ArgInfo, size: u32) -> Option<&'static str> {
    let ty = match (arg.base_type.as_str(), size) {
        ("bool", 1) => "bool",
        ("float", 4) => "float",
        ("char", 1) => "int8_t",
        ("short", 2) => "int16_t",
        ("int", 4) => "int32_t",
        ("long", 8) => "int64_t",
        (_, 1) => "uint8_t",
        (_, 2) => "uint16_t",
        (_, 4) => "uint32_t",
        (_, 8) => "uint64_t",
        _ => return None,
    };
    Some(ty)
}

impl fmt::Display for CHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "typedef struct {{")?;
        for member in &self.members {
            write!(f, "    {} {}", member.ty, member.name)?;
            if let Some(count) = member.count {
                write!(f, "[{count}]")?;
            }
            if member.element_bytes() > MAX_ALIGN as u32 {
                write!(f, " {RELAXED}")?;
            }
            writeln!(f, ";")?;
        }
        writeln!(f, "}} {}_args_t;", self.name)?;
        write!(
            f,
            "_Static_assert(sizeof({}_args_t) == {}, \"the layout of the kernel's arguments\");",
            self.name, self.size
        )
    }
}

impl FromStr for CHeader {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("typedef struct {")?;
        let mut members = Vec::new();
        while !cursor.accept("}") {
            let ty = cursor.word()?.to_owned();
            let name = cursor.word()?.to_owned();
            let count = match cursor.accept("[") {
                true => Some(cursor.number()?),
                false => None,
            };
            if count.is_some() {
                cursor.expect("]")?;
            }
            cursor.accept(RELAXED);
            cursor.expect(";")?;
            members.push(CMember { ty, name, count });
        }
        let name = cursor.word()?;
        let name = name
            .strip_suffix("_args_t")
            .ok_or_else(|| cursor.error("expected a name that ends in `_args_t`"))?;
        cursor.expect(";")?;
        cursor.expect(&format!("_Static_assert(sizeof({name}_args_t) =="))?;
        let size = cursor.number()?;
        cursor.until(";")?;
        cursor.end()?;
        Ok(Self {
            name: name.to_owned(),
            members,
            size,
        })
    }
}

/// A name with everything replaced that C would object to.
pub(super) fn identifier(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    match safe.trim_end_matches('_') {
        "" => "kernel".to_owned(),
        safe if safe.starts_with(|c: char| c.is_ascii_digit()) => format!("_{safe}"),
        safe => safe.to_owned(),
    }
}

/// Words of C, up to C23, and of C++ that a member cannot be called.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
];

/// The name of a member: one that C takes for a name.
fn member_name(name: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut name: String = name
        .chars()
        .map(|c| if safe(c) { c } else { '_' })
        .collect();
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}
