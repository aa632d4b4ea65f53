//! A separate operation.

use std::fmt;
use std::str::FromStr;

use super::syntax::{self, Attr, Entries, Operation, Symbol, TENSORS, is_generic};
use super::{Mlir, View, exactly, kind};
use crate::group::tree::{Cursor, TreeError};
use crate::meta::{ArgKind, KernelInfo};
use crate::tensor::TensorRecords;

/// An operation of its own: `vortex.kernel_metadata @kernel { .. }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataOp {
    /// Name of the kernel.
    pub kernel: String,
    /// The arguments, in order.
    pub args: Vec<OpArg>,
    /// Bytes of the argument struct.
    pub total: u32,
    /// How its tensors are laid out.
    pub tensors: TensorRecords,
}

/// An argument of a [`MetadataOp`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpArg {
    /// Its offset in the argument struct, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// What kind of argument it is.
    pub kind: ArgKind,
}

impl View for MetadataOp {
    fn of(kernel: &KernelInfo) -> Self {
        let args = kernel.args.iter().map(|arg| OpArg {
            offset: arg.offset,
            size: arg.size,
            kind: arg.kind,
        });
        Self {
            kernel: kernel.name.clone(),
            args: args.collect(),
            total: kernel.args_size,
            tensors: kernel.tensors.clone(),
        }
    }
}

impl fmt::Display for MetadataOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "vortex.kernel_metadata {} {{", Symbol(&self.kernel))?;
        writeln!(f, "  vortex.arg_layout {{")?;
        for (index, arg) in self.args.iter().enumerate() {
            writeln!(
                f,
                "    vortex.arg index={index}, offset={}, size={}, type=\"{}\"",
                arg.offset, arg.size, arg.kind
            )?;
        }
        writeln!(f, "  }}")?;
        writeln!(f, "  vortex.total_size = {}", self.total)?;
        if !self.tensors.is_empty() {
            writeln!(f, "  {}", Entries::default().with_tensors(&self.tensors))?;
        }
        write!(f, "}}")
    }
}

impl OpArg {
    fn operation(&self, index: usize) -> Operation {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let entries = Entries::default()
            .with("index", Attr::Number(index))
            .with("offset", Attr::Number(self.offset))
            .with("size", Attr::Number(self.size))
            .with("type", Attr::Text(self.kind.to_string()));
        Operation::new("vortex.arg", entries)
    }

    fn from_operation(
        operation: Operation,
        index: usize,
        cursor: &Cursor<'_>,
    ) -> Result<Self, TreeError> {
        let mut entries = operation.expect("vortex.arg")?;
        if entries.number("index")? as usize != index {
            return Err(entries.error("the arguments are not in order"));
        }
        let arg = Self {
            offset: entries.number("offset")?,
            size: entries.number("size")?,
            kind: kind(cursor, &entries.text("type")?)?,
        };
        entries.end()?;
        Ok(arg)
    }
}

impl Mlir for MetadataOp {
    fn generic(&self) -> String {
        let args = self.args.iter().enumerate();
        let args = args.map(|(index, arg)| arg.operation(index)).collect();
        let layout = Operation::new("vortex.arg_layout", Entries::default()).around(args);
        let entries = Entries::default()
            .with("sym_name", Attr::Text(self.kernel.clone()))
            .with("vortex.total_size", Attr::Number(self.total))
            .with_tensors(&self.tensors);
        let operation = Operation::new("vortex.kernel_metadata", entries);
        operation.around(vec![layout]).to_string()
    }
}

/// Reads the generic form.
fn generic(cursor: &mut Cursor<'_>) -> Result<MetadataOp, TreeError> {
    let [operation] = exactly(cursor)?;
    let (layout, mut entries) = operation.expect_around("vortex.kernel_metadata")?;
    let Ok([layout]) = <[Operation; 1]>::try_from(layout) else {
        return Err(entries.error("expected one operation in this one"));
    };
    let (args, of_layout) = layout.expect_around("vortex.arg_layout")?;
    of_layout.end()?;
    let args = args.into_iter().enumerate();
    let args = args.map(|(index, arg)| OpArg::from_operation(arg, index, cursor));
    let view = MetadataOp {
        kernel: entries.text("sym_name")?,
        args: args.collect::<Result<_, _>>()?,
        total: entries.number("vortex.total_size")?,
        tensors: entries.tensors()?,
    };
    entries.end()?;
    Ok(view)
}

impl FromStr for MetadataOp {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        if is_generic(&mut cursor) {
            return generic(&mut cursor);
        }
        cursor.expect("vortex.kernel_metadata")?;
        let kernel = syntax::symbol(&mut cursor)?;
        cursor.expect("{ vortex.arg_layout {")?;
        let mut args = Vec::new();
        while !cursor.accept("}") {
            cursor.expect(&format!("vortex.arg index={}, offset=", args.len()))?;
            let offset = cursor.number()?;
            cursor.expect(", size=")?;
            let size = cursor.number()?;
            cursor.expect(", type=")?;
            let name = cursor.string()?;
            let kind = kind(&cursor, &name)?;
            args.push(OpArg { offset, size, kind });
        }
        cursor.expect("vortex.total_size =")?;
        let total = cursor.number()?;
        let tensors = match cursor.peek(TENSORS) {
            true => {
                let mut entries = Entries::read_one(&mut cursor)?;
                entries.tensors()?
            }
            false => TensorRecords::default(),
        };
        cursor.expect("}")?;
        cursor.end()?;
        Ok(Self {
            kernel,
            args,
            total,
            tensors,
        })
    }
}
