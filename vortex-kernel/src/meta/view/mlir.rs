//! The arguments as people who come from MLIR write them down: four ways that are in use.

use std::fmt;
use std::str::FromStr;

use super::{View, kind};
use crate::meta::tree::{self, Cursor, TreeError};
use crate::meta::{ArgInfo, ArgKind, KernelInfo};

/// An attribute on the kernel: `vortex.metadata = { arg_offsets = [0, 4], .. }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Where each argument begins.
    pub offsets: Vec<u32>,
    /// Bytes of each.
    pub sizes: Vec<u32>,
    /// What each is.
    pub kinds: Vec<ArgKind>,
    /// Bytes of all.
    pub total: u32,
}

impl View for Metadata {
    fn of(kernel: &KernelInfo) -> Self {
        Self {
            offsets: kernel.args.iter().map(|arg| arg.offset).collect(),
            sizes: kernel.args.iter().map(|arg| arg.size).collect(),
            kinds: kernel.args.iter().map(|arg| arg.kind).collect(),
            total: kernel.args_size,
        }
    }
}

fn list<T: fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<_> = values.into_iter().map(|value| value.to_string()).collect();
    values.join(", ")
}

impl fmt::Display for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "vortex.metadata = {{ arg_offsets = [{}], arg_sizes = [{}], arg_types = [{}], total_size = {} }}",
            list(&self.offsets),
            list(&self.sizes),
            list(self.kinds.iter().map(|kind| format!("\"{kind}\""))),
            self.total
        )
    }
}

impl FromStr for Metadata {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("vortex.metadata = {")?;
        cursor.expect("arg_offsets = [")?;
        let offsets = list_of(&mut cursor, Cursor::number)?;
        cursor.expect(", arg_sizes = [")?;
        let sizes = list_of(&mut cursor, Cursor::number)?;
        cursor.expect(", arg_types = [")?;
        let kinds = list_of(&mut cursor, |cursor| {
            let name = cursor.string()?;
            kind(cursor, &name)
        })?;
        cursor.expect(", total_size =")?;
        let total = cursor.number()?;
        cursor.expect("}")?;
        cursor.end()?;
        if offsets.len() != sizes.len() || offsets.len() != kinds.len() {
            return Err(cursor.error("the lists are not of the same length"));
        }
        Ok(Self {
            offsets,
            sizes,
            kinds,
            total,
        })
    }
}

/// What is up to `]`, separated by commas.
fn list_of<'a, T>(
    cursor: &mut Cursor<'a>,
    mut one: impl FnMut(&mut Cursor<'a>) -> Result<T, TreeError>,
) -> Result<Vec<T>, TreeError> {
    let mut values = Vec::new();
    while !cursor.accept("]") {
        if !values.is_empty() {
            cursor.expect(",")?;
        }
        values.push(one(cursor)?);
    }
    Ok(values)
}

/// An operation of its own: `vortex.kernel_metadata @kernel { .. }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataOp {
    /// The kernel.
    pub kernel: String,
    /// The arguments, in order.
    pub args: Vec<OpArg>,
    /// Bytes of all.
    pub total: u32,
}

/// An argument of a [`MetadataOp`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpArg {
    /// Where it begins.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// What it is.
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
        write!(f, "}}")
    }
}

impl FromStr for MetadataOp {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("vortex.kernel_metadata")?;
        let kernel = symbol(&mut cursor)?;
        cursor.expect("{")?;
        cursor.expect("vortex.arg_layout {")?;
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
        cursor.expect("}")?;
        cursor.end()?;
        Ok(Self {
            kernel,
            args,
            total,
        })
    }
}

/// A record of the module, and the kernel's reference to it: the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kernel.
    pub kernel: String,
    /// Bytes of all arguments.
    pub size: u32,
    /// The arguments, in order.
    pub args: Vec<RecordArg>,
}

/// An argument of a [`Record`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordArg {
    /// Where it begins.
    pub offset: u32,
    /// Its bytes.
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
            size: kernel.args_size,
            args: args.collect(),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{}_args", self.kernel);
        let args = self.args.iter().enumerate().map(|(index, arg)| {
            let RecordArg { offset, size, ty } = arg;
            format!("<index={index}, offset={offset}, size={size}, type={ty}>")
        });
        writeln!(
            f,
            "vortex.kernel_args {} : !vortex.kernel_args<struct_size = {}, args = [{}]>",
            Symbol(&name),
            self.size,
            list(args)
        )?;
        write!(
            f,
            "gpu.func {} kernel attributes {{vortex.kernel_args = {}}}",
            Symbol(&self.kernel),
            Symbol(&name)
        )
    }
}

impl FromStr for Record {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("vortex.kernel_args")?;
        let name = symbol(&mut cursor)?;
        cursor.expect(": !vortex.kernel_args<struct_size =")?;
        let size = cursor.number()?;
        cursor.expect(", args = [")?;
        let mut index = 0;
        let args = list_of(&mut cursor, |cursor| {
            cursor.expect(&format!("<index={index}, offset="))?;
            index += 1;
            let offset = cursor.number()?;
            cursor.expect(", size=")?;
            let size = cursor.number()?;
            cursor.expect(", type=")?;
            let ty = ty(cursor)?;
            cursor.expect(">")?;
            Ok(RecordArg { offset, size, ty })
        })?;
        cursor.expect(">")?;
        cursor.expect("gpu.func")?;
        let kernel = symbol(&mut cursor)?;
        cursor.expect("kernel attributes {vortex.kernel_args =")?;
        if symbol(&mut cursor)? != name || format!("{kernel}_args") != name {
            return Err(cursor.error("the kernel refers to another record"));
        }
        cursor.expect("}")?;
        cursor.end()?;
        Ok(Self { kernel, size, args })
    }
}

/// A list with all that the kernel's function needs: `vortex.kernel_args = [{name = .., type = .., ..}], ..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentList {
    /// The arguments, in order.
    pub args: Vec<ListedArg>,
    /// Bytes of all.
    pub size: u32,
    /// The kernel.
    pub kernel: String,
    /// Work items of a group, if that is known.
    pub known_block: Option<[u32; 3]>,
}

/// An argument of an [`ArgumentList`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedArg {
    /// Its name.
    pub name: String,
    /// Its type in LLVM's dialect.
    pub ty: String,
    /// Where it begins.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// Its alignment.
    pub align: u32,
    /// Whether it begins with an address.
    pub is_pointer: bool,
}

impl View for ArgumentList {
    fn of(kernel: &KernelInfo) -> Self {
        let args = kernel.args.iter().map(|arg| ListedArg {
            name: arg.name.clone(),
            ty: llvm_type(arg),
            offset: arg.offset,
            size: arg.size,
            align: arg.align,
            is_pointer: arg.is_pointer,
        });
        Self {
            args: args.collect(),
            size: kernel.args_size,
            kernel: kernel.name.clone(),
            known_block: kernel.facts.known_block.or(kernel.attributes.block),
        }
    }
}

impl fmt::Display for ArgumentList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args = self.args.iter().map(|arg| {
            format!(
                "{{name = {}, type = {}, offset = {}, size = {}, align = {}, is_pointer = {}}}",
                tree::quoted(&arg.name),
                arg.ty,
                arg.offset,
                arg.size,
                arg.align,
                arg.is_pointer
            )
        });
        write!(
            f,
            "vortex.kernel_args = [{}], vortex.kernel_args_size = {}, vortex.kernel_name = {}",
            list(args),
            self.size,
            tree::quoted(&self.kernel)
        )?;
        if let Some(block) = self.known_block {
            write!(f, ", gpu.known_block_size = array<i32: {}>", list(block))?;
        }
        Ok(())
    }
}

impl FromStr for ArgumentList {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("vortex.kernel_args = [")?;
        let args = list_of(&mut cursor, |cursor| {
            cursor.expect("{name =")?;
            let name = cursor.string()?;
            cursor.expect(", type =")?;
            let ty = ty(cursor)?;
            cursor.expect(", offset =")?;
            let offset = cursor.number()?;
            cursor.expect(", size =")?;
            let size = cursor.number()?;
            cursor.expect(", align =")?;
            let align = cursor.number()?;
            cursor.expect(", is_pointer =")?;
            let is_pointer = match cursor.word()? {
                "true" => true,
                "false" => false,
                _ => return Err(cursor.error("expected `true` or `false`")),
            };
            cursor.expect("}")?;
            Ok(ListedArg {
                name,
                ty,
                offset,
                size,
                align,
                is_pointer,
            })
        })?;
        cursor.expect(", vortex.kernel_args_size =")?;
        let size = cursor.number()?;
        cursor.expect(", vortex.kernel_name =")?;
        let kernel = cursor.string()?;
        let known_block = match cursor.accept(", gpu.known_block_size = array<i32:") {
            false => None,
            true => {
                let x = cursor.number()?;
                cursor.expect(",")?;
                let y = cursor.number()?;
                cursor.expect(",")?;
                let z = cursor.number()?;
                cursor.expect(">")?;
                Some([x, y, z])
            }
        };
        cursor.end()?;
        Ok(Self {
            args,
            size,
            kernel,
            known_block,
        })
    }
}

/// The type in LLVM's dialect of MLIR, which tells integers apart by width alone.
fn llvm_type(arg: &ArgInfo) -> String {
    match arg.kind {
        ArgKind::Slice => "!llvm.struct<(ptr, i32)>".to_owned(),
        ArgKind::Pointer | ArgKind::ByRef => "!llvm.ptr".to_owned(),
        ArgKind::LocalSize => "i32".to_owned(),
        ArgKind::Scalar => match arg.rust_type.as_str() {
            float @ ("f32" | "f16" | "bf16") => float.to_owned(),
            _ => format!("i{}", arg.size.saturating_mul(8)),
        },
        ArgKind::Struct
        | ArgKind::Image
        | ArgKind::Sampler
        | ArgKind::Pipe
        | ArgKind::Opaque
        | ArgKind::Unknown => {
            format!("!llvm.array<{} x i8>", arg.size)
        }
    }
}

/// A type: up to the `,` or `>` that ends it.
fn ty(cursor: &mut Cursor<'_>) -> Result<String, TreeError> {
    let mut ty = String::new();
    if cursor.accept("!") {
        ty.push('!');
    }
    ty.push_str(cursor.word()?);
    if cursor.accept("<") {
        ty.push('<');
        ty.push_str(cursor.until(">")?);
        ty.push('>');
    }
    Ok(ty)
}

/// A name that begins with `@`, in quotes where it has to be.
struct Symbol<'a>(&'a str);

impl fmt::Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match tree::is_bare(self.0) {
            true => write!(f, "@{}", self.0),
            false => write!(f, "@{}", tree::quoted(self.0)),
        }
    }
}

fn symbol(cursor: &mut Cursor<'_>) -> Result<String, TreeError> {
    cursor.expect("@")?;
    match cursor.peek("\"") {
        true => cursor.string(),
        false => cursor.word().map(str::to_owned),
    }
}
