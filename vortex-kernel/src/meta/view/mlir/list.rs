//! A list on the operation that carries the kernel.

use std::fmt;
use std::str::FromStr;

use super::syntax::{self, Attr, Entries, Symbol};
use super::{Mlir, Signature, View};
use crate::group::tree::{Cursor, TreeError};
use crate::meta::KernelInfo;
use crate::tensor::TensorRecords;

/// The operation that a list of arguments is an attribute of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carrier {
    /// `gpu.func @name(..) kernel attributes {..}`.
    #[default]
    GpuFunction,
    /// `func.func @name(..) attributes {..}`.
    Function,
    /// `gpu.launch blocks(..) in (..) threads(..) in (..) {..}`.
    GpuLaunch,
}

/// A list with all that the kernel's function needs:
/// `gpu.func @name(..) kernel attributes { vortex.kernel_args = [{name = .., type = .., ..}], .. }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentList {
    /// The operation that it is an attribute of.
    pub carrier: Carrier,
    /// What the kernel takes.
    pub signature: Signature,
    /// The arguments, in order.
    pub args: Vec<ListedArg>,
    /// Bytes of the argument struct.
    pub size: u32,
    /// Name of the kernel.
    pub kernel: String,
    /// Work items of a group, if that is known.
    pub known_block: Option<[u32; 3]>,
    /// How its tensors are laid out.
    pub tensors: TensorRecords,
}

/// An argument of an [`ArgumentList`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedArg {
    /// Its name in the signature.
    pub name: String,
    /// Its type as the source spells it.
    pub ty: String,
    /// Its offset in the argument struct, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// Whether it begins with an address.
    pub is_pointer: bool,
}

impl View for ArgumentList {
    fn of(kernel: &KernelInfo) -> Self {
        let args = kernel.args.iter().map(|arg| ListedArg {
            name: arg.name.clone(),
            ty: arg.rust_type.clone(),
            offset: arg.offset,
            size: arg.size,
            align: arg.align,
            is_pointer: arg.is_pointer,
        });
        Self {
            carrier: Carrier::default(),
            signature: Signature::of(kernel),
            args: args.collect(),
            size: kernel.args_size,
            kernel: kernel.name.clone(),
            known_block: kernel.facts.known_block.or(kernel.attributes.block),
            tensors: kernel.tensors.clone(),
        }
    }
}

/// The numbers of a launch, which a function around it takes.
const LAUNCH: &str = "gpu.launch blocks(%bx, %by, %bz) in (%gx = %grid_x, %gy = %grid_y, %gz = %grid_z) \
    threads(%tx, %ty, %tz) in (%sx = %block_x, %sy = %block_y, %sz = %block_z)";

const SIZES: [&str; 6] = [
    "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
];

impl ArgumentList {
    /// The same as an attribute of another operation. A launch takes no arguments in MLIR, so it has no signature.
    #[must_use]
    pub fn on(self, carrier: Carrier) -> Self {
        let signature = match carrier {
            Carrier::GpuLaunch => Signature { types: None },
            _ => self.signature,
        };
        Self {
            carrier,
            signature,
            ..self
        }
    }

    fn entries(&self) -> Entries {
        let args = self.args.iter().map(|arg| Attr::Entries(arg.entries()));
        let entries = Entries::default()
            .with("vortex.kernel_args", Attr::List(args.collect()))
            .with("vortex.kernel_args_size", Attr::Number(self.size))
            .with("vortex.kernel_name", Attr::Text(self.kernel.clone()));
        match self.known_block {
            Some(block) => entries.with("gpu.known_block_size", Attr::Words(block.to_vec())),
            None => entries,
        }
        .with_tensors(&self.tensors)
    }

    fn from_entries(
        carrier: Carrier,
        signature: Signature,
        mut entries: Entries,
    ) -> Result<Self, TreeError> {
        let args = entries.list("vortex.kernel_args")?.into_iter();
        let args = args.map(|arg| match arg {
            Attr::Entries(arg) => ListedArg::from_entries(arg),
            other => Err(entries.error(format_args!("`{other}` is no argument"))),
        });
        let args = args.collect::<Result<_, _>>()?;
        let known_block = match entries.take("gpu.known_block_size") {
            None => None,
            Some(Attr::Words(words)) if words.len() == 3 => Some([words[0], words[1], words[2]]),
            Some(_) => return Err(entries.error("`gpu.known_block_size` has three numbers")),
        };
        let view = Self {
            carrier,
            signature,
            args,
            size: entries.number("vortex.kernel_args_size")?,
            kernel: entries.text("vortex.kernel_name")?,
            known_block,
            tensors: entries.tensors()?,
        };
        entries.end()?;
        Ok(view)
    }
}

impl ListedArg {
    fn entries(&self) -> Entries {
        Entries::default()
            .with("name", Attr::Text(self.name.clone()))
            .with("type", Attr::Text(self.ty.clone()))
            .with("offset", Attr::Number(self.offset))
            .with("size", Attr::Number(self.size))
            .with("align", Attr::Number(self.align))
            .with("is_pointer", Attr::Flag(self.is_pointer))
    }

    fn from_entries(mut entries: Entries) -> Result<Self, TreeError> {
        let arg = Self {
            name: entries.text("name")?,
            ty: entries.text("type")?,
            offset: entries.number("offset")?,
            size: entries.number("size")?,
            align: entries.number("align")?,
            is_pointer: entries.flag("is_pointer")?,
        };
        entries.end()?;
        Ok(arg)
    }
}

impl fmt::Display for ArgumentList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, signature, entries) = (Symbol(&self.kernel), &self.signature, self.entries());
        match self.carrier {
            Carrier::GpuFunction => {
                writeln!(
                    f,
                    "gpu.func {name}{signature} kernel attributes {{ {entries} }} {{"
                )?;
                write!(f, "  gpu.return\n}}")
            }
            Carrier::Function => {
                writeln!(
                    f,
                    "func.func {name}{signature} attributes {{ {entries} }} {{"
                )?;
                write!(f, "  return\n}}")
            }
            Carrier::GpuLaunch => write!(f, "{LAUNCH} {{\n  gpu.terminator\n}} {{ {entries} }}"),
        }
    }
}

impl Mlir for ArgumentList {
    fn generic(&self) -> String {
        let kernel = &self.kernel;
        let inner = format!("  {self}").replace('\n', "\n  ");
        match self.carrier {
            Carrier::GpuFunction => {
                let module = format!("{kernel}_module");
                format!("gpu.module {} {{\n{inner}\n}}", Symbol(&module))
            }
            Carrier::Function => self.to_string(),
            Carrier::GpuLaunch => {
                let launch = format!("{kernel}_launch");
                let sizes = SIZES.map(|size| format!("%{size}: index")).join(", ");
                format!(
                    "func.func {}({sizes}) {{\n{inner}\n  return\n}}",
                    Symbol(&launch)
                )
            }
        }
    }
}

/// Steps over what is in braces.
fn body(cursor: &mut Cursor<'_>) -> Result<(), TreeError> {
    cursor.expect("{")?;
    let mut open = 1;
    while open > 0 {
        match cursor.token() {
            Some("{") => open += 1,
            Some("}") => open -= 1,
            Some(_) => {}
            None => return Err(cursor.error("expected `}`")),
        }
    }
    Ok(())
}

/// Steps over what is around the operation that has the list, and returns how many braces that has opened.
fn around(cursor: &mut Cursor<'_>) -> Result<usize, TreeError> {
    let mut open = 0;
    if cursor.accept("module {") {
        open += 1;
    }
    if cursor.accept("gpu.module") {
        syntax::symbol(cursor)?;
        cursor.expect("{")?;
        open += 1;
    }
    Ok(open)
}

/// Reads `gpu.launch ..`, up to and with its attributes.
fn launch(cursor: &mut Cursor<'_>) -> Result<ArgumentList, TreeError> {
    while !cursor.peek("{") {
        if cursor.token().is_none() {
            return Err(cursor.error("expected `{`"));
        }
    }
    body(cursor)?;
    let entries = Entries::read(cursor, 0)?;
    ArgumentList::from_entries(Carrier::GpuLaunch, Signature { types: None }, entries)
}

/// Reads a function that has the list, or one around a launch that has it.
fn function(cursor: &mut Cursor<'_>) -> Result<ArgumentList, TreeError> {
    let carrier = match cursor.accept("gpu.func") {
        true => Carrier::GpuFunction,
        false => Carrier::Function,
    };
    if carrier == Carrier::Function {
        cursor.expect("func.func")?;
    }
    let name = syntax::symbol(cursor)?;
    let signature = Signature::read(cursor)?;
    if carrier == Carrier::Function && cursor.accept("{ gpu.launch") {
        let view = launch(cursor)?;
        cursor.expect("return }")?;
        return Ok(view);
    }
    if carrier == Carrier::GpuFunction {
        cursor.expect("kernel")?;
    }
    cursor.expect("attributes")?;
    let entries = Entries::read(cursor, 0)?;
    let view = ArgumentList::from_entries(carrier, signature, entries)?;
    if view.kernel != name {
        return Err(cursor.error("the function has another name than the kernel"));
    }
    if cursor.peek("{") {
        body(cursor)?;
    }
    Ok(view)
}

impl FromStr for ArgumentList {
    type Err = TreeError;

    fn from_str(text: &str) -> Result<Self, TreeError> {
        let mut cursor = Cursor::new(text);
        let open = around(&mut cursor)?;
        let view = match cursor.accept("gpu.launch") {
            true => launch(&mut cursor)?,
            false => function(&mut cursor)?,
        };
        for _ in 0..open {
            cursor.expect("}")?;
        }
        cursor.end()?;
        Ok(view)
    }
}
