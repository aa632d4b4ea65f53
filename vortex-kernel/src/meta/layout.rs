//! A kernel's arguments and the kernel itself, as constants.

use std::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

use super::attributes::Attributes;
use super::kind::{Access, ArgKind, Qualifiers};
use super::place::bytes_of_value;
use super::place::{ArgType, MAX_ALIGN, layout, round_up};
use super::space::Space;
use crate::tensor::{AT_LAUNCH, Parameter, TensorElement, TensorLayout, TensorMeta};
use crate::types::Texel;
use crate::types::{Argument, Element, InMemory, Scalar, ScalarType};
use crate::types::{Part, Text};

/// A slice in an argument struct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SliceArg {
    /// Device address of the first element.
    pub addr: u32,
    /// Number of elements.
    pub len: u32,
}

/// One argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgMeta {
    /// Position in the signature, from 0.
    pub index: usize,
    /// Name in the signature.
    pub name: &'static str,
    /// What kind of argument it is.
    pub kind: ArgKind,
    /// Whether the kernel may write through it (`&mut [T]`, `*mut T`).
    pub mutable: bool,
    /// Offset in the argument struct, in bytes.
    pub offset: usize,
    /// Size in the argument struct, in bytes.
    pub size: usize,
    /// Alignment in the argument struct, in bytes.
    pub align: usize,
    /// The type as the signature spells it.
    pub rust_type: &'static str,
    /// The type of a scalar.
    pub scalar: Option<ScalarType>,
    /// Its name, or that of the type that is referred to.
    pub element: &'static str,
    /// Bytes of such a value; 0 if that is not known.
    pub element_size: usize,
    /// For an image, its number of axes; otherwise 0.
    pub dimensions: usize,
    /// For a tensor, its layout.
    pub tensor: Option<TensorMeta>,
}

impl Parameter for ArgMeta {
    fn index(&self) -> usize {
        self.index
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn is_mutable(&self) -> bool {
        self.mutable
    }

    fn tensor(&self) -> Option<&TensorMeta> {
        self.tensor.as_ref()
    }
}

impl ArgMeta {
    /// A scalar passed by value; its place is given by [`arguments`].
    #[must_use]
    pub const fn scalar<T: Scalar>(name: &'static str) -> Self {
        Self {
            scalar: Some(T::SCALAR),
            ..Self::new(name, ArgType::scalar::<T>(), T::SCALAR.name())
        }
    }

    /// Any value; its place is given by [`arguments`].
    #[must_use]
    pub const fn value<T: Argument>(name: &'static str) -> Self {
        Self {
            scalar: T::AS_SCALAR,
            element_size: bytes_of_value::<T>(),
            ..Self::new(name, ArgType::value::<T>(), T::NAME)
        }
    }

    /// A `*const T`; its place is given by [`arguments`].
    #[must_use]
    pub const fn ptr<T: Element>(name: &'static str) -> Self {
        Self::memory::<T>(name, ArgType::POINTER, false, T::SPELLING.ptr)
    }

    /// A `*mut T`; likewise.
    #[must_use]
    pub const fn ptr_mut<T: Element>(name: &'static str) -> Self {
        Self::memory::<T>(name, ArgType::POINTER, true, T::SPELLING.ptr_mut)
    }

    /// A `&[T]`; likewise.
    #[must_use]
    pub const fn slice<T: Element>(name: &'static str) -> Self {
        Self::memory::<T>(name, ArgType::SLICE, false, T::SPELLING.slice)
    }

    /// A `&mut [T]`; likewise.
    #[must_use]
    pub const fn slice_mut<T: Element>(name: &'static str) -> Self {
        Self::memory::<T>(name, ArgType::SLICE, true, T::SPELLING.slice_mut)
    }

    /// A `&mut Local<[T]>`: the argument struct has its length, in elements.
    #[must_use]
    pub const fn local<T: Element>(name: &'static str) -> Self {
        Self::memory::<T>(name, ArgType::LOCAL_SIZE, true, T::SPELLING.local)
    }

    /// A `&Texture<T, D>`, of `D` axes; likewise.
    #[must_use]
    pub const fn texture<T: Texel, const D: usize>(name: &'static str) -> Self {
        Self::image::<T, D>(name, false)
    }

    /// A `&mut Texture<T, D>`; likewise.
    #[must_use]
    pub const fn texture_mut<T: Texel, const D: usize>(name: &'static str) -> Self {
        Self::image::<T, D>(name, true)
    }

    /// A `&Tensor<T, M, N>`, with what `#[layout(..)]` says about it.
    ///
    /// # Panics
    /// If no tensor can have that layout: in constants, as the macro makes them, when they are compiled.
    #[must_use]
    #[track_caller]
    pub const fn tensor<T: TensorElement, const M: usize, const N: usize>(
        name: &'static str,
        layout: Option<TensorLayout>,
    ) -> Self {
        Self {
            tensor: Some(TensorMeta::new::<T, M, N>(name, layout)),
            ..Self::memory::<T>(
                name,
                ArgType::TENSOR,
                false,
                TensorSpelling::<T, M, N>::SHARED.as_str(),
            )
        }
    }

    /// A `&mut Tensor<T, M, N>`, with what `#[layout(..)]` says about it.
    ///
    /// # Panics
    /// If no tensor can have that layout: in constants, as the macro makes them, when they are compiled.
    #[must_use]
    #[track_caller]
    pub const fn tensor_mut<T: TensorElement, const M: usize, const N: usize>(
        name: &'static str,
        layout: Option<TensorLayout>,
    ) -> Self {
        Self {
            tensor: Some(TensorMeta::new::<T, M, N>(name, layout)),
            ..Self::memory::<T>(
                name,
                ArgType::TENSOR,
                true,
                TensorSpelling::<T, M, N>::EXCLUSIVE.as_str(),
            )
        }
    }

    const fn image<T: Texel, const D: usize>(name: &'static str, mutable: bool) -> Self {
        let spelling = <T as Texel>::SPELLING;
        let spelled = match (D, mutable) {
            (3, false) => spelling[2],
            (3, true) => spelling[3],
            (_, false) => spelling[0],
            (_, true) => spelling[1],
        };
        Self {
            dimensions: D,
            ..Self::memory::<T>(name, ArgType::IMAGE, mutable, spelled)
        }
    }

    const fn memory<T: Element>(
        name: &'static str,
        ty: ArgType,
        mutable: bool,
        rust_type: &'static str,
    ) -> Self {
        Self {
            mutable,
            element: <T as InMemory>::SPELLING.name,
            element_size: size_of::<T>(),
            ..Self::new(name, ty, rust_type)
        }
    }

    /// A value of its own; its place is given by [`arguments`].
    const fn new(name: &'static str, ty: ArgType, rust_type: &'static str) -> Self {
        Self {
            index: 0,
            name,
            kind: ty.kind,
            mutable: false,
            offset: 0,
            size: ty.size,
            align: ty.capped_align(),
            rust_type,
            scalar: None,
            element: rust_type,
            element_size: ty.size,
            dimensions: 0,
            tensor: None,
        }
    }

    /// What its layout depends on.
    #[must_use]
    pub const fn ty(&self) -> ArgType {
        ArgType::new(self.kind, self.size, self.align)
    }

    /// Whether it begins with a device address.
    #[must_use]
    pub const fn is_pointer(&self) -> bool {
        self.kind.is_pointer()
    }

    /// Where what it refers to lies.
    #[must_use]
    pub const fn space(&self) -> Space {
        self.kind.space()
    }

    /// What the signature lets the kernel do with what it refers to.
    #[must_use]
    pub const fn access(&self) -> Access {
        let refers = self.is_pointer() || matches!(self.kind, ArgKind::LocalSize | ArgKind::Image);
        match (refers, self.mutable) {
            (false, _) => Access::None,
            (true, false) => Access::ReadOnly,
            (true, true) => Access::ReadWrite,
        }
    }

    /// C's qualifiers of what it refers to: slices do not overlap with what is written, raw pointers may.
    #[must_use]
    pub const fn qualifiers(&self) -> Qualifiers {
        Qualifiers {
            is_const: self.is_pointer() && !self.mutable,
            is_restrict: matches!(
                self.kind,
                ArgKind::Slice | ArgKind::Tensor | ArgKind::LocalSize
            ),
            is_volatile: false,
        }
    }
}

/// How a tensor is written in a signature.
struct TensorSpelling<T, const M: usize, const N: usize>(PhantomData<T>);

impl<T: TensorElement, const M: usize, const N: usize> TensorSpelling<T, M, N> {
    const SHARED: &'static Text = &Self::behind("&Tensor<");
    const EXCLUSIVE: &'static Text = &Self::behind("&mut Tensor<");

    const fn behind(reference: &str) -> Text {
        let name = Part::Text(<T as InMemory>::SPELLING.name);
        match (M, N) {
            (AT_LAUNCH, AT_LAUNCH) => Text::of(&[name], reference, ">"),
            _ => {
                let comma = Part::Text(", ");
                let (rows, cols) = (Part::Number(M as i128), Part::Number(N as i128));
                Text::of(&[name, comma, rows, comma, cols], reference, ">")
            }
        }
    }
}

/// Numbers the arguments and gives each its offset, as [`layout`] lays them out.
#[must_use]
pub const fn arguments<const N: usize>(mut args: [ArgMeta; N]) -> [ArgMeta; N] {
    let mut types = [ArgType::POINTER; N];
    let mut index = 0;
    while index < N {
        types[index] = args[index].ty();
        index += 1;
    }
    let layout = layout(types);
    index = 0;
    while index < N {
        args[index].index = index;
        args[index].offset = layout.offsets[index];
        index += 1;
    }
    args
}

/// What is known about a kernel from its source.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelMeta {
    /// Unmangled name: the function's, unless `name = ".."` says otherwise.
    pub name: &'static str,
    /// Name of the function.
    pub function: &'static str,
    /// Path of the module it is declared in.
    pub module: &'static str,
    /// Path of the source file, as rustc prints it.
    pub file: &'static str,
    /// Line of the declaration, from 1.
    pub line: u32,
    /// Column of the declaration in characters, from 1.
    pub column: u32,
    /// The arguments, in order.
    pub args: &'static [ArgMeta],
    /// Size of the argument struct in bytes, a multiple of 4.
    pub size: usize,
    /// What the source states of it besides its signature.
    pub attributes: Attributes,
    /// Its documentation, lines of text; `None` without.
    pub doc: Option<&'static str>,
}

impl KernelMeta {
    /// Puts a description together; `args` come from [`arguments`].
    #[must_use]
    pub const fn new(
        name: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
        column: u32,
        args: &'static [ArgMeta],
    ) -> Self {
        let end = match args.last() {
            Some(last) => last.offset + last.size,
            None => 0,
        };
        Self {
            name,
            function: name,
            module,
            file,
            line,
            column,
            args,
            size: round_up(end, MAX_ALIGN),
            attributes: Attributes::NONE,
            doc: None,
        }
    }

    /// The same under another name than its function's.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// The same with attributes.
    ///
    /// # Panics
    /// If an attribute is impossible, such as a group of no items: in constants, as the macro makes them, when they are
    /// compiled.
    #[must_use]
    #[track_caller]
    pub const fn with_attributes(mut self, attributes: Attributes) -> Self {
        self.attributes = attributes.checked();
        self
    }

    /// The same with documentation.
    #[must_use]
    pub const fn documented(mut self, doc: &'static str) -> Self {
        self.doc = Some(doc);
        self
    }

    /// Whether all arguments are in the argument struct themselves, none of them as the address of a copy.
    #[must_use]
    pub const fn is_by_value(&self) -> bool {
        let mut index = 0;
        while index < self.args.len() {
            if matches!(self.args[index].kind, ArgKind::ByRef) {
                return false;
            }
            index += 1;
        }
        true
    }

    /// Unused bytes between argument `index`, from 0, and what follows it.
    ///
    /// # Panics
    /// If there is no such argument.
    #[must_use]
    pub const fn padding_after(&self, index: usize) -> usize {
        let next = if index + 1 < self.args.len() {
            self.args[index + 1].offset
        } else {
            self.size
        };
        next - self.args[index].offset - self.args[index].size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn meta(args: &'static [ArgMeta]) -> KernelMeta {
        KernelMeta::new("kernel", "tests", "layout.rs", 1, 1, args)
    }

    fn offsets(meta: &KernelMeta) -> Vec<usize> {
        meta.args.iter().map(|arg| arg.offset).collect()
    }

    fn sizes(meta: &KernelMeta) -> Vec<usize> {
        meta.args.iter().map(|arg| arg.size).collect()
    }

    fn kinds(meta: &KernelMeta) -> Vec<ArgKind> {
        meta.args.iter().map(|arg| arg.kind).collect()
    }

    use ArgKind::{Pointer, Scalar, Slice};

    #[test]
    fn metadata_kernel() {
        const META: KernelMeta = meta(&arguments([
            ArgMeta::scalar::<i32>("count"),
            ArgMeta::ptr::<i32>("input"),
            ArgMeta::scalar::<f32>("scale"),
            ArgMeta::ptr_mut::<i32>("output"),
        ]));
        assert_eq!(META.args.len(), 4);
        assert_eq!(kinds(&META), [Scalar, Pointer, Scalar, Pointer]);
        assert_eq!(sizes(&META), [4, 4, 4, 4]);
        assert_eq!(offsets(&META), [0, 4, 8, 12]);
        assert_eq!(META.size, 16);
        assert_eq!(META.args[1].rust_type, "*const i32");
        assert_eq!(META.args[3].rust_type, "*mut i32");
        assert!(META.args[3].mutable && !META.args[1].mutable);
    }

    #[test]
    fn two_pointers_and_a_scalar() {
        const META: KernelMeta = meta(&arguments([
            ArgMeta::ptr::<f32>("a"),
            ArgMeta::ptr_mut::<f32>("b"),
            ArgMeta::scalar::<u32>("n"),
        ]));
        assert_eq!(META.args.len(), 3);
        assert_eq!(kinds(&META), [Pointer, Pointer, Scalar]);
        assert_eq!(sizes(&META), [4, 4, 4]);
        assert_eq!(offsets(&META), [0, 4, 8]);
        assert_eq!(META.size, 12);
    }

    #[test]
    fn three_pointers_and_a_scalar() {
        const META: KernelMeta = meta(&arguments([
            ArgMeta::ptr::<f32>("a"),
            ArgMeta::ptr::<f32>("b"),
            ArgMeta::ptr_mut::<f32>("c"),
            ArgMeta::scalar::<usize>("n"),
        ]));
        assert_eq!(META.args.len(), 4);
        assert_eq!(kinds(&META), [Pointer, Pointer, Pointer, Scalar]);
        assert_eq!(sizes(&META), [4, 4, 4, 4]);
        assert_eq!(offsets(&META), [0, 4, 8, 12]);
        assert_eq!(META.size, 16);
    }

    #[test]
    fn mixed_sizes_are_padded() {
        const META: KernelMeta = meta(&arguments([
            ArgMeta::scalar::<u8>("a"),
            ArgMeta::scalar::<u16>("b"),
            ArgMeta::scalar::<bool>("c"),
            ArgMeta::scalar::<f32>("d"),
            ArgMeta::slice::<u16>("e"),
            ArgMeta::scalar::<bool>("f"),
            ArgMeta::slice_mut::<bool>("g"),
            ArgMeta::scalar::<u8>("h"),
        ]));
        assert_eq!(META.args.len(), 8);
        assert_eq!(
            kinds(&META),
            [Scalar, Scalar, Scalar, Scalar, Slice, Scalar, Slice, Scalar]
        );
        assert_eq!(sizes(&META), [1, 2, 1, 4, 8, 1, 8, 1]);
        assert_eq!(offsets(&META), [0, 2, 4, 8, 12, 20, 24, 32]);
        assert_eq!(META.size, 36);
        let padding: Vec<usize> = (0..8).map(|index| META.padding_after(index)).collect();
        assert_eq!(padding, [1, 0, 3, 0, 0, 3, 0, 3]);
        assert_eq!(META.args[6].rust_type, "&mut [bool]");
    }

    #[test]
    fn nothing_at_all() {
        const META: KernelMeta = meta(&arguments([]));
        assert_eq!(META.size, 0);
    }

    #[test]
    fn small_scalars_pack() {
        const META: KernelMeta = meta(&arguments([
            ArgMeta::scalar::<u8>("a"),
            ArgMeta::scalar::<i8>("b"),
            ArgMeta::scalar::<i16>("c"),
            ArgMeta::scalar::<u8>("d"),
        ]));
        assert_eq!(offsets(&META), [0, 1, 2, 4]);
        assert_eq!(META.size, 8);
    }

    #[test]
    fn prints_a_line_per_argument() {
        const META: KernelMeta = meta(&arguments([
            ArgMeta::scalar::<u8>("count"),
            ArgMeta::slice::<f32>("x"),
        ]));
        assert_eq!(
            META.to_string(),
            "kernel kernel: 2 arguments, 12 bytes\n\
             [0] count : offset=0, size=1, type=scalar (u8)\n\
             [1] x : offset=4, size=8, type=slice (&[f32])\n\
             padding: 3 bytes"
        );
    }
}
