//! A line per argument.

use std::fmt;
use std::str::FromStr;

use super::{View, kind};
use crate::group::tree::{self, Cursor, TreeError};
use crate::meta::{ArgKind, KernelInfo, KernelMeta};

/// `[0] count : offset=0, size=4, type=scalar (i32)` and so on, and a line on padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Name of the kernel.
    pub kernel: String,
    /// Bytes of the argument struct.
    pub size: u32,
    /// The arguments, in order.
    pub args: Vec<DumpArg>,
}

/// A line of a [`Dump`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpArg {
    /// Its name in the signature.
    pub name: String,
    /// Its offset in the argument struct, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// What kind of argument it is.
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
        let kernel = Plain(&self.kernel, ": ");
        let arguments = if count == 1 { "argument" } else { "arguments" };
        let bytes = if size == 1 { "byte" } else { "bytes" };
        writeln!(f, "kernel {kernel}: {count} {arguments}, {size} {bytes}")?;
        for (index, arg) in self.args.iter().enumerate() {
            writeln!(
                f,
                "[{index}] {} : offset={}, size={}, type={} ({})",
                Plain(&arg.name, " : "),
                arg.offset,
                arg.size,
                arg.kind,
                Plain(&arg.rust_type, ")\n")
            )?;
        }
        write!(f, "padding: {} bytes", self.padding())
    }
}

impl fmt::Display for KernelMeta {
    /// A line per argument, as `[0] count : offset=0, size=4, type=scalar (i32)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Dump::of(&KernelInfo::from(self)).fmt(f)
    }
}

/// Text unchanged, or in quotes if it could not be distinguished from the `end` that follows it.
struct Plain<'a>(&'a str, &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text, end) = *self;
        let is_plain = !text.is_empty()
            && text == text.trim()
            && !text.starts_with('"')
            && !text.contains(char::is_control)
            && format!("{text}{end}").find(end) == Some(text.len());
        match is_plain {
            true => f.write_str(text),
            false => f.write_str(&tree::quoted(text)),
        }
    }
}

/// Reads what [`Plain`] prints, and its end.
fn plain(cursor: &mut Cursor<'_>, end: &str) -> Result<String, TreeError> {
    if !cursor.peek("\"") {
        return Ok(cursor.until(end)?.to_owned());
    }
    let text = cursor.string()?;
    cursor.expect(end.trim())?;
    Ok(text)
}

/// Steps over a word of several things, or of one.
fn counted(cursor: &mut Cursor<'_>, several: &str, one: &str) -> Result<(), TreeError> {
    match cursor.accept(several) {
        true => Ok(()),
        false => cursor.expect(one),
    }
}

impl FromStr for Dump {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("kernel ")?;
        let kernel = plain(&mut cursor, ": ")?;
        let count = cursor.number()?;
        counted(&mut cursor, "arguments,", "argument,")?;
        let size = cursor.number()?;
        counted(&mut cursor, "bytes", "byte")?;
        let mut args = Vec::new();
        for index in 0..count {
            cursor.expect(&format!("[{index}]"))?;
            let name = plain(&mut cursor, " : ")?;
            cursor.expect("offset=")?;
            let offset = cursor.number()?;
            cursor.expect(", size=")?;
            let size = cursor.number()?;
            cursor.expect(", type=")?;
            let word = cursor.word()?;
            let kind = kind(&cursor, word)?;
            cursor.expect("(")?;
            let rust_type = plain(&mut cursor, ")\n")?;
            args.push(DumpArg {
                name,
                offset,
                size,
                kind,
                rust_type,
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
