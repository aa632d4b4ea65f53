//! The arguments in the four forms that MLIR users write.
//!
//! Each prints in that form, with operations of a dialect `vortex` that no tool has; and, by [`Mlir::generic`], in the
//! form that `mlir-opt --allow-unregistered-dialect` accepts. Both can be parsed back, with any blanks and line breaks
//! between tokens.

mod attribute;
mod list;
mod op;
mod record;
mod syntax;

use std::fmt;

pub use attribute::Metadata;
pub use list::{ArgumentList, Carrier, ListedArg};
pub use op::{MetadataOp, OpArg};
pub use record::{Record, RecordArg};

use super::{View, kind};
use crate::group::tree::{Cursor, TreeError};
use crate::meta::{ArgInfo, ArgKind, KernelInfo};
use syntax::{Attr, Entries, Operation, joined};

/// A view in MLIR.
pub trait Mlir: View {
    /// The same as `mlir-opt --allow-unregistered-dialect` takes it: operations of the dialect `vortex` in their
    /// generic form, others inside of what they must be in. Reads back as well.
    fn generic(&self) -> String;
}

/// Types of a kernel's arguments in LLVM's dialect, in order, as its declaration in MLIR has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The types; none if they are left out: `(...)`.
    pub types: Option<Vec<String>>,
}

impl Signature {
    fn of(kernel: &KernelInfo) -> Self {
        Self {
            types: Some(kernel.args.iter().map(llvm_type).collect()),
        }
    }

    /// Reads what `Display` prints. Names mean nothing.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, TreeError> {
        if cursor.accept("(...)") {
            return Ok(Self { types: None });
        }
        cursor.expect("(")?;
        let types = syntax::list(cursor, ")", |cursor| {
            cursor.expect("%")?;
            cursor.word()?;
            cursor.expect(":")?;
            syntax::ty(cursor)
        })?;
        Ok(Self { types: Some(types) })
    }

    /// As the type of a function, where there is one.
    fn function_type(&self) -> Option<Attr> {
        let types = self.types.as_ref()?;
        Some(Attr::Type(format!("({}) -> ()", joined(types))))
    }

    /// Reads [`Signature::function_type`].
    fn of_function(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        cursor.expect("(")?;
        let types = syntax::list(&mut cursor, ")", syntax::ty)?;
        cursor.expect("-> ()")?;
        cursor.end()?;
        Ok(Self { types: Some(types) })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(types) = &self.types else {
            return f.write_str("(...)");
        };
        let named = types.iter().enumerate();
        let named: Vec<_> = named.map(|(n, ty)| format!("%arg{n}: {ty}")).collect();
        write!(f, "({})", joined(&named))
    }
}

/// The operation `vortex.kernel` with these attributes, in its generic form.
fn kernel_op(name: &str, signature: &Signature, attributes: Entries) -> Operation {
    let mut entries = Entries::default().with("sym_name", Attr::Text(name.to_owned()));
    if let Some(ty) = signature.function_type() {
        entries = entries.with("function_type", ty);
    }
    Operation::new("vortex.kernel", entries.and(attributes)).around(Vec::new())
}

/// Name and signature of what [`kernel_op`] makes, and its other attributes.
fn read_kernel_op(operation: Operation) -> Result<(String, Signature, Entries), TreeError> {
    let mut entries = operation.expect("vortex.kernel")?;
    let name = entries.text("sym_name")?;
    let signature = match entries.take("function_type") {
        None => Signature { types: None },
        Some(ty) => Signature::of_function(&ty.to_string())?,
    };
    Ok((name, signature, entries))
}

/// Reads `vortex.kernel @name(..) {..}`: its name, signature and attributes.
fn read_kernel(cursor: &mut Cursor<'_>) -> Result<(String, Signature, Entries), TreeError> {
    cursor.expect("vortex.kernel")?;
    let kernel = syntax::symbol(cursor)?;
    let signature = Signature::read(cursor)?;
    Ok((kernel, signature, Entries::read(cursor, 0)?))
}

/// As many operations as are expected.
fn exactly<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[Operation; N], TreeError> {
    let all = syntax::operations(cursor)?;
    let count = all.len();
    let wrong = |_| {
        cursor.error(format_args!(
            "expected {N} operations, and there are {count}"
        ))
    };
    <[Operation; N]>::try_from(all).map_err(wrong)
}

/// The type in LLVM's dialect of MLIR, which tells integers apart by width alone.
fn llvm_type(arg: &ArgInfo) -> String {
    match arg.kind {
        ArgKind::Slice => "!llvm.struct<(ptr, i32)>".to_owned(),
        ArgKind::Tensor => "!llvm.struct<(ptr, i32, i32, i32)>".to_owned(),
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
