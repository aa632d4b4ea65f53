//! A record of the module.

use std::fmt;
use std::str::FromStr;

use super::syntax::{self, Attr, Entries, Operation, Symbol, is_generic, joined};
use super::{Mlir, Signature, View, exactly, kernel_op, llvm_type, read_kernel, read_kernel_op};
use crate::group::tree::{Cursor, TreeError};
use crate::meta::KernelInfo;
use crate::tensor::TensorRecords;

/// A record of the module, and the kernel's reference to it: the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Name of the kernel.
    pub kernel: String,
    /// What it takes.
    pub signature: Signature,
    /// Bytes of the argument struct.
    pub size: u32,
    /// The arguments, in order.
    pub args: Vec<RecordArg>,
    /// How its tensors are laid out.
    pub tensors: TensorRecords,
}

/// An argument of a [`Record`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordArg {
    /// Its offset in the argument struct, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Its type in LLVM's dialect.
    pub ty: String,
}

impl View for Record {
    fn of(kernel: &KernelInfo) -> Self {
        let args = kernel.args.iter().map(|arg| RecordArg {
            offset: arg.offset,
            size: arg.size,
            ty: llvm_type(arg),
        });
        Self {
            kernel: kernel.name.clone(),
            signature: Signature::of(kernel),
            size: kernel.args_size,
            args: args.collect(),
            tensors: kernel.tensors.clone(),
        }
    }
}

impl Record {
    /// What the record is called.
    fn name(&self) -> String {
        format!("{}_args", self.kernel)
    }

    /// The attributes of the kernel.
    fn reference(&self) -> Entries {
        Entries::default()
            .with("vortex.kernel_args", Attr::Symbol(self.name()))
            .with_tensors(&self.tensors)
    }

    /// The record itself: a type.
    fn layout(&self) -> String {
        let args = self.args.iter().enumerate().map(|(index, arg)| {
            let RecordArg { offset, size, ty } = arg;
            format!("<index={index}, offset={offset}, size={size}, type={ty}>")
        });
        let args: Vec<_> = args.collect();
        let size = self.size;
        format!(
            "!vortex.kernel_args<struct_size = {size}, args = [{}]>",
            joined(&args)
        )
    }
}

/// Reads [`Record::layout`].
fn layout(cursor: &mut Cursor<'_>) -> Result<(u32, Vec<RecordArg>), TreeError> {
    cursor.expect("!vortex.kernel_args<struct_size =")?;
    let size = cursor.number()?;
    cursor.expect(", args = [")?;
    let mut index = 0;
    let args = syntax::list(cursor, "]", |cursor| {
        cursor.expect(&format!("<index={index}, offset="))?;
        index += 1;
        let offset = cursor.number()?;
        cursor.expect(", size=")?;
        let size = cursor.number()?;
        cursor.expect(", type=")?;
        let ty = syntax::ty(cursor)?;
        cursor.expect(">")?;
        Ok(RecordArg { offset, size, ty })
    })?;
    cursor.expect(">")?;
    Ok((size, args))
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        let (name, kernel, signature) = (Symbol(&name), Symbol(&self.kernel), &self.signature);
        writeln!(f, "vortex.kernel_args {name} : {}", self.layout())?;
        let reference = self.reference();
        write!(f, "vortex.kernel {kernel}{signature} {{ {reference} }}")
    }
}

impl Mlir for Record {
    fn generic(&self) -> String {
        let entries = Entries::default()
            .with("sym_name", Attr::Text(self.name()))
            .with("layout", Attr::Type(self.layout()));
        let record = Operation::new("vortex.kernel_args", entries);
        let kernel = kernel_op(&self.kernel, &self.signature, self.reference());
        format!("{record}\n{kernel}")
    }
}

impl FromStr for Record {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        let (name, (size, args), (kernel, signature, mut entries)) = match is_generic(&mut cursor) {
            true => {
                let [record, kernel] = exactly(&mut cursor)?;
                let mut entries = record.expect("vortex.kernel_args")?;
                let name = entries.text("sym_name")?;
                let text = entries.ty("layout")?;
                entries.end()?;
                let mut inner = Cursor::new(&text);
                let layout = layout(&mut inner)?;
                inner.end()?;
                (name, layout, read_kernel_op(kernel)?)
            }
            false => {
                cursor.expect("vortex.kernel_args")?;
                let name = syntax::symbol(&mut cursor)?;
                cursor.expect(":")?;
                (name, layout(&mut cursor)?, read_kernel(&mut cursor)?)
            }
        };
        cursor.end()?;
        let view = Self {
            kernel,
            signature,
            size,
            args,
            tensors: entries.tensors()?,
        };
        if entries.symbol("vortex.kernel_args")? != name || view.name() != name {
            return Err(entries.error("the kernel refers to another record"));
        }
        entries.end()?;
        Ok(view)
    }
}
