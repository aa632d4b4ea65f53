//! An attribute on the kernel.

use std::fmt;
use std::str::FromStr;

use super::syntax::{Attr, Entries, Symbol, is_generic};
use super::{Mlir, Signature, View, exactly, kernel_op, kind, read_kernel, read_kernel_op};
use crate::group::tree::{Cursor, TreeError};
use crate::meta::{ArgKind, KernelInfo};
use crate::tensor::TensorRecords;

/// An attribute on the kernel: `vortex.kernel @name(..) { vortex.metadata = { arg_offsets = [0, 4], .. } }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Name of the kernel.
    pub kernel: String,
    /// What it takes.
    pub signature: Signature,
    /// Offset of each argument in the argument struct, in bytes.
    pub offsets: Vec<u32>,
    /// Size of each argument in bytes.
    pub sizes: Vec<u32>,
    /// What kind of argument each is.
    pub kinds: Vec<ArgKind>,
    /// Bytes of the argument struct.
    pub total: u32,
    /// How its tensors are laid out.
    pub tensors: TensorRecords,
}

impl View for Metadata {
    fn of(kernel: &KernelInfo) -> Self {
        Self {
            kernel: kernel.name.clone(),
            signature: Signature::of(kernel),
            offsets: kernel.args.iter().map(|arg| arg.offset).collect(),
            sizes: kernel.args.iter().map(|arg| arg.size).collect(),
            kinds: kernel.args.iter().map(|arg| arg.kind).collect(),
            total: kernel.args_size,
            tensors: kernel.tensors.clone(),
        }
    }
}

impl Metadata {
    fn entries(&self) -> Entries {
        let kinds = self.kinds.iter();
        let kinds = kinds.map(|kind| Attr::Text(kind.to_string())).collect();
        Entries::default()
            .with("arg_offsets", Attr::numbers(&self.offsets))
            .with("arg_sizes", Attr::numbers(&self.sizes))
            .with("arg_types", Attr::List(kinds))
            .with("total_size", Attr::Number(self.total))
            .with_tensors(&self.tensors)
    }

    /// Of a kernel, from its attributes.
    fn from_entries(
        kernel: String,
        signature: Signature,
        mut of_kernel: Entries,
        cursor: &Cursor<'_>,
    ) -> Result<Self, TreeError> {
        let mut entries = of_kernel.entries("vortex.metadata")?;
        of_kernel.end()?;
        let kinds = entries.list("arg_types")?.into_iter();
        let kinds = kinds.map(|value| match value {
            Attr::Text(name) => kind(cursor, &name),
            other => Err(cursor.error(format_args!("`{other}` is no kind of argument"))),
        });
        let view = Self {
            kernel,
            signature,
            kinds: kinds.collect::<Result<_, _>>()?,
            offsets: entries.numbers("arg_offsets")?,
            sizes: entries.numbers("arg_sizes")?,
            total: entries.number("total_size")?,
            tensors: entries.tensors()?,
        };
        entries.end()?;
        let lengths = [view.sizes.len(), view.kinds.len()];
        if lengths.iter().any(|length| *length != view.offsets.len()) {
            return Err(entries.error("the lists are not of the same length"));
        }
        Ok(view)
    }
}

impl fmt::Display for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, signature) = (Symbol(&self.kernel), &self.signature);
        writeln!(f, "vortex.kernel {name}{signature} {{")?;
        writeln!(f, "  vortex.metadata = {{ {} }}", self.entries())?;
        write!(f, "}}")
    }
}

impl Mlir for Metadata {
    fn generic(&self) -> String {
        let value = Attr::Entries(self.entries());
        let entries = Entries::default().with("vortex.metadata", value);
        kernel_op(&self.kernel, &self.signature, entries).to_string()
    }
}

impl FromStr for Metadata {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        let (kernel, signature, entries) = match is_generic(&mut cursor) {
            true => {
                let [operation] = exactly(&mut cursor)?;
                read_kernel_op(operation)?
            }
            false => read_kernel(&mut cursor)?,
        };
        cursor.end()?;
        Self::from_entries(kernel, signature, entries, &cursor)
    }
}
