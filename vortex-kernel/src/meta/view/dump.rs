//! A line per argument.

use std::fmt;
use std::str::FromStr;

use super::{View, kind};
use crate::meta::tree::{Cursor, TreeError};
use crate::meta::{ArgKind, KernelInfo};

/// `[0] count : offset=0, size=4, type=scalar (i32)` and so on, and a line on padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The kernel.
    pub kernel: String,
    /// Bytes of the argument struct.
    pub size: u32,
    /// The arguments, in order.
    pub args: Vec<DumpArg>,
}

/// A line of a [`Dump`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpArg {
    /// Its name.
    pub name: String,
    /// Its offset.
    pub offset: u32,
    /// Its size.
    pub size: u32,
    /// Its category.
    pub kind: ArgKind,
    /// Its type in the signature.
    pub rust_type: String,
}

impl View for Dump {
    fn of(kernel: &KernelInfo) -> Self {
        let args = kernel.args.iter().map(|arg| DumpArg {
            name: arg.name.clone(),
            offset: arg.offset,
            size: arg.size,
            kind: arg.kind,
            rust_type: arg.rust_type.clone(),
        });
        Self {
            kernel: kernel.name.clone(),
            size: kernel.args_size,
            args: args.collect(),
        }
    }
}

impl Dump {
    fn padding(&self) -> u32 {
        let used = self.args.iter().map(|arg| arg.size).sum();
        self.size.saturating_sub(used)
    }
}

impl fmt::Display for Dump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, size) = (self.args.len(), self.size);
        writeln!(f, "kernel {}: {count} arguments, {size} bytes", self.kernel)?;
        for (index, arg) in self.args.iter().enumerate() {
            writeln!(
                f,
                "[{index}] {} : offset={}, size={}, type={} ({})",
                arg.name, arg.offset, arg.size, arg.kind, arg.rust_type
            )?;
        }
        write!(f, "padding: {} bytes", self.padding())
    }
}

impl FromStr for Dump {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("kernel ")?;
        // Names have no spaces, but may have colons.
        let kernel = cursor.until(" ")?;
        let kernel = kernel.strip_suffix(':').unwrap_or(kernel).to_owned();
        let count = cursor.number()?;
        cursor.expect("arguments,")?;
        let size = cursor.number()?;
        cursor.expect("bytes")?;
        let mut args = Vec::new();
        for index in 0..count {
            cursor.expect(&format!("[{index}]"))?;
            let name = cursor.until(" : ")?.to_owned();
            cursor.expect("offset=")?;
            let offset = cursor.number()?;
            cursor.expect(", size=")?;
            let size = cursor.number()?;
            cursor.expect(", type=")?;
            let word = cursor.word()?;
            let kind = kind(&cursor, word)?;
            cursor.expect("(")?;
            let line = cursor.until("\n")?;
            let rust_type = line
                .strip_suffix(')')
                .ok_or_else(|| cursor.error("expected `)` at the end of the line"))?;
            args.push(DumpArg {
                name,
                offset,
                size,
                kind,
                rust_type: rust_type.to_owned(),
            });
        }
        let dump = Self { kernel, size, args };
        cursor.expect("padding:")?;
        if cursor.number()? != dump.padding() {
            return Err(cursor.error("the padding does not add up"));
        }
        cursor.expect("bytes")?;
        cursor.end()?;
        Ok(dump)
    }
}
