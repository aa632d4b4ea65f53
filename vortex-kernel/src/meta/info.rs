//! What is known about a compiled module: complete, owned records, as they are in files.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::attributes::Attributes;
use super::facts::{FunctionFacts, ModuleValues};
use super::kind::{Access, ArgKind, Qualifiers};
use super::layout::{ArgMeta, KernelMeta};
use super::space::Space;
use super::statistics::Statistics;
use crate::escape::Escaped;
use crate::ir::Facts;
use crate::tensor::{AccessorSummary, TensorRecords};
use crate::types::ScalarType;

/// A module: kernels that were compiled together, for one target.
///
/// ```
/// use vortex_kernel::meta::{ArgMeta, KernelInfo, KernelMeta, ModuleInfo, arguments};
///
/// const ARGS: &[ArgMeta] = &arguments([ArgMeta::scalar::<f32>("alpha"), ArgMeta::slice::<f32>("x")]);
/// const META: KernelMeta = KernelMeta::new("scale", module_path!(), file!(), line!(), column!(), ARGS);
///
/// let module = ModuleInfo {
///     kernels: vec![KernelInfo::from(&META)],
///     ..ModuleInfo::named("example")
/// };
/// for kernel in module.kernels() {
///     assert_eq!(kernel.args()[1].opencl_type, "float*");
///     assert_eq!(kernel.attributes().block, None);
///     assert_eq!(kernel.facts().uses_barrier, None); // It was not compiled.
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleInfo {
    /// Its name, given by its builder.
    pub name: String,
    /// What holds for all of it.
    pub values: ModuleValues,
    /// Its kernels, in the order in which they were added.
    pub kernels: Vec<KernelInfo>,
    /// Its device functions, inlined or not.
    pub functions: Vec<FunctionInfo>,
    /// Its global variables and constants.
    pub globals: Vec<GlobalInfo>,
    /// What the compiler counted, if it was asked to.
    pub statistics: Option<Statistics>,
}

impl ModuleInfo {
    /// A module of this name with nothing in it.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The kernels.
    #[must_use]
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// The kernel of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// The device functions.
    #[must_use]
    pub fn functions(&self) -> &[FunctionInfo] {
        &self.functions
    }

    /// The global variables and constants.
    #[must_use]
    pub fn globals(&self) -> &[GlobalInfo] {
        &self.globals
    }

    /// What holds for all of it.
    #[must_use]
    pub fn values(&self) -> &ModuleValues {
        &self.values
    }

    /// How the tensors of all kernels are reached, each by the name of its kernel and its own: `matmul.a`.
    pub fn accessor_summary(&self) -> impl Iterator<Item = (String, AccessorSummary)> {
        self.kernels.iter().flat_map(|kernel| {
            let lines = kernel.tensors.summary();
            lines.map(|(tensor, line)| (format!("{}.{tensor}", kernel.name), line))
        })
    }

    /// What the compiler counted, if it was asked to.
    #[must_use]
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_ref()
    }
}

/// A kernel: its signature, the layout of its arguments, what the user states and what the compiler determined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelInfo {
    /// Unmangled name: the function's, unless `name = ".."` says otherwise.
    pub name: String,
    /// Name of its function.
    pub function: String,
    /// Path of the Rust module it is declared in.
    pub module: String,
    /// Where it is declared.
    pub location: Location,
    /// Its documentation, lines of text; `None` without.
    pub doc: Option<String>,
    /// Size of the argument struct in bytes.
    pub args_size: u32,
    /// The arguments, in order.
    pub args: Vec<ArgInfo>,
    /// What the user states of it.
    pub attributes: Attributes,
    /// What the compiler found out about it.
    pub facts: Facts,
    /// How its tensors are laid out.
    pub tensors: TensorRecords,
    /// The images there are of it, when there is more than one.
    pub alternatives: Vec<Alternative>,
}

impl KernelInfo {
    /// The arguments, in order.
    #[must_use]
    pub fn args(&self) -> &[ArgInfo] {
        &self.args
    }

    /// What the user states of it.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// What the compiler found out about it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// How its tensors are laid out.
    #[must_use]
    pub fn tensors(&self) -> &TensorRecords {
        &self.tensors
    }

    /// Whether both take the same arguments, and tensors in the same layouts.
    #[must_use]
    pub fn takes_like(&self, other: &Self) -> bool {
        self.args == other.args && self.tensors.are_laid_out_like(&other.tensors)
    }

    /// Unused bytes of the argument struct.
    #[must_use]
    pub fn padding(&self) -> u32 {
        let sizes = self.args.iter().map(|arg| arg.size);
        let used = sizes.fold(0, u32::saturating_add);
        self.args_size.saturating_sub(used)
    }
}

impl From<&KernelMeta> for KernelInfo {
    fn from(meta: &KernelMeta) -> Self {
        Self {
            name: meta.name.to_owned(),
            function: meta.function.to_owned(),
            module: meta.module.to_owned(),
            location: Location {
                file: meta.file.to_owned(),
                line: meta.line,
                column: meta.column,
            },
            doc: meta.doc.map(str::to_owned),
            args_size: word(meta.size),
            args: meta.args.iter().map(ArgInfo::from).collect(),
            attributes: meta.attributes,
            facts: Facts::default(),
            // Constants of tensors that cannot be do not compile.
            tensors: TensorRecords::of(meta.args, None).unwrap_or_default(),
            alternatives: Vec::new(),
        }
    }
}

/// One of several images of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// Work items of a group in x, y and z, which the image relies on; any if there are none.
    pub block: Option<[u32; 3]>,
    /// Bytes of code.
    pub code_size: u32,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Path as rustc prints it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", Escaped(&self.file), self.line, self.column)
    }
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgInfo {
    /// Position in the signature, from 0.
    pub index: u32,
    /// Name in the signature.
    pub name: String,
    /// Offset in the argument struct, in bytes.
    pub offset: u32,
    /// Size in the argument struct, in bytes.
    pub size: u32,
    /// Alignment in the argument struct, in bytes.
    pub align: u32,
    /// What kind of argument it is.
    pub kind: ArgKind,
    /// Whether it begins with a device address.
    pub is_pointer: bool,
    /// The type as the signature spells it.
    pub rust_type: String,
    /// What is in the argument struct: `{ptr<global>, u32}`.
    pub device_type: String,
    /// The type as OpenCL C spells it.
    pub opencl_type: String,
    /// The same without aliases such as `size_t`.
    pub base_type: String,
    /// Bytes of the value, or of each of those that it refers to; 0 if that is not known.
    pub element_size: u32,
    /// C's qualifiers of what it refers to.
    pub qualifiers: Qualifiers,
    /// Where what it refers to lies, as OpenCL numbers it.
    pub address_space: Space,
    /// What the signature lets the kernel do with what it refers to.
    pub access: Access,
}

impl ArgInfo {
    /// Rows and columns of a tensor whose type says them.
    #[must_use]
    pub fn tensor_extents(&self) -> Option<[u32; 2]> {
        let (_, parts) = self.rust_type.strip_suffix('>')?.split_once("Tensor<")?;
        let mut parts = parts.split(", ").skip(1).map(str::parse);
        Some([parts.next()?.ok()?, parts.next()?.ok()?])
    }
}

impl From<&ArgMeta> for ArgInfo {
    fn from(arg: &ArgMeta) -> Self {
        let element = match arg.kind {
            ArgKind::Image => Spelling::of_image(arg.dimensions),
            _ => Spelling::of(arg.element),
        };
        // OpenCL passes a size, and the kernel has a pointer.
        let is_pointer = arg.is_pointer() || arg.kind == ArgKind::LocalSize;
        let star = if is_pointer { "*" } else { "" };
        Self {
            index: word(arg.index),
            name: arg.name.to_owned(),
            offset: word(arg.offset),
            size: word(arg.size),
            align: word(arg.align),
            kind: arg.kind,
            is_pointer: arg.is_pointer(),
            rust_type: arg.rust_type.to_owned(),
            device_type: match arg.kind {
                ArgKind::Scalar | ArgKind::Struct | ArgKind::Image => element.device,
                ArgKind::ByRef => "ptr<constant>".to_owned(),
                ArgKind::Slice => "{ptr<global>, u32}".to_owned(),
                ArgKind::Tensor => "{ptr<global>, u32, u32, u32}".to_owned(),
                ArgKind::LocalSize => "u32".to_owned(),
                _ => "ptr<global>".to_owned(),
            },
            opencl_type: format!("{}{star}", element.opencl),
            base_type: format!("{}{star}", element.base),
            element_size: word(arg.element_size),
            qualifiers: arg.qualifiers(),
            address_space: arg.space(),
            access: arg.access(),
        }
    }
}

/// How an element type is spelled elsewhere.
struct Spelling {
    device: String,
    opencl: String,
    base: String,
}

impl Spelling {
    fn of(rust: &str) -> Self {
        if let Some((element, count)) = array(rust) {
            let Self { opencl, base, .. } = Self::of(element);
            return Self {
                device: rust.to_owned(),
                opencl: format!("{opencl}[{count}]"),
                base: format!("{base}[{count}]"),
            };
        }
        if let "RawPtr" | "RawPtrMut" = rust {
            // What it points to is not known.
            return Self {
                device: "ptr<global>".to_owned(),
                opencl: "uintptr_t".to_owned(),
                base: "uint".to_owned(),
            };
        }
        let Some(&ty) = ScalarType::ALL.iter().find(|ty| ty.name() == rust) else {
            let name = format!("struct {}", rust.rsplit("::").next().unwrap_or(rust));
            return Self {
                device: rust.to_owned(),
                opencl: name.clone(),
                base: name,
            };
        };
        let base = opencl(ty.ir());
        let alias = match ty {
            ScalarType::Usize => Some("size_t"),
            ScalarType::Isize => Some("ptrdiff_t"),
            _ => None,
        };
        Self {
            device: match ty {
                ScalarType::Usize => "u32",
                ScalarType::Isize => "i32",
                _ => ty.name(),
            }
            .to_owned(),
            opencl: alias.unwrap_or(base).to_owned(),
            base: base.to_owned(),
        }
    }
}

impl Spelling {
    /// Of an image of this many dimensions, with its sampler.
    fn of_image(dimensions: usize) -> Self {
        let name = format!("image{dimensions}d_t");
        Self {
            device: format!("{{image{dimensions}d, sampler}}"),
            opencl: name.clone(),
            base: name,
        }
    }
}

/// Element and length of `[T; N]`.
fn array(rust: &str) -> Option<(&str, &str)> {
    rust.strip_prefix('[')?.strip_suffix(']')?.rsplit_once("; ")
}

fn opencl(ty: crate::ir::Type) -> &'static str {
    use crate::ir::Type;
    match ty {
        Type::Bool => "bool",
        Type::I8 => "char",
        Type::I16 => "short",
        Type::I32 => "int",
        Type::U8 => "uchar",
        Type::U16 => "ushort",
        Type::U32 => "uint",
        Type::I64 => "long",
        Type::U64 => "ulong",
        Type::F16 => "half",
        // OpenCL has no name for it.
        Type::BF16 => "ushort",
        Type::F32 => "float",
        Type::Ptr(_) => "void*",
    }
}

/// A function that kernels call: a `#[device]` function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionInfo {
    /// Its name in the source.
    pub name: String,
    /// Path of the Rust module it is declared in, as far as it is known.
    pub module: String,
    /// Where it is declared.
    pub location: Location,
    /// The kernels and functions that call it.
    pub callers: Vec<String>,
    /// What the compiler found out about it.
    pub facts: FunctionFacts,
}

/// A global variable or constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlobalInfo {
    /// Its name: the path of a variable of the program, and a kernel's name in front of what belongs to that kernel.
    pub name: String,
    /// Offset in the image that has it, in bytes. 0 for what is in no image, as each device has one of its own:
    /// kernels are given its address at launch ([`Facts::globals`]).
    pub address: u32,
    /// Size in bytes.
    pub size: u32,
    /// Kernels do not write it.
    pub is_const: bool,
    /// The program that read the file lacks it: it is declared in the one that the file comes from, and a device gets
    /// one for the module.
    pub is_extern: bool,
    /// Other modules can name it.
    pub is_global: bool,
}

/// Argument structs are far smaller than 4 GiB.
fn word(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
