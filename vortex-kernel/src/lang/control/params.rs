//! A kernel's parameters, from its metadata.

use std::panic::Location;

use crate::ir::{Alias, Function, Op, Param, SourceLoc, Space, Type, Value};
use crate::lang::base::lane::Lane;
use crate::lang::place::access::Place;
use crate::lang::place::local::{Local, sized_by_launch};
use crate::lang::place::memory::{Slice, SliceMut};
use crate::lang::place::pointer::{Ptr, PtrMut};
use crate::lang::recorder;
use crate::lang::recorder::{PlaceRef, Root};
use crate::meta::{ArgKind, ArgMeta, KernelMeta};
use crate::types::{Argument, Element, Leaf, Scalar, ScalarType};

const POINTER: Type = Type::Ptr(Space::Global);

/// The words of a texture in an argument struct: what each adds to the argument's name, and its type.
pub(in crate::lang) const TEXTURE_WORDS: [(&str, Type); 9] = [
    ("", POINTER),
    (".width", Type::U32),
    (".height", Type::U32),
    (".depth", Type::U32),
    (".sampler", Type::U32),
    (".border.0", Type::F32),
    (".border.1", Type::F32),
    (".border.2", Type::F32),
    (".border.3", Type::F32),
];

/// The words of a tensor in an argument struct: what each adds to the argument's name, and its type.
pub(in crate::lang) const TENSOR_WORDS: [(&str, Type); 4] = [
    ("", POINTER),
    (".local", Type::U32),
    (".rows", Type::U32),
    (".cols", Type::U32),
];

/// A function with the kernel's parameters and nothing else.
pub(in crate::lang) fn declare(meta: &KernelMeta) -> Function {
    let none = SourceLoc {
        file: String::new(),
        line: 0,
        column: 0,
    };
    let mut function = Function {
        name: meta.name.to_owned(),
        args_size: word(meta.size),
        locs: vec![none].into(),
        ..Function::default()
    };
    for arg in meta.args {
        match arg.kind {
            ArgKind::Scalar => {
                let ty = arg.scalar.map_or(Type::U32, ScalarType::ir);
                declare_word(&mut function, arg, "", 0, ty);
            }
            ArgKind::Pointer => declare_word(&mut function, arg, "", 0, Type::Ptr(Space::Global)),
            ArgKind::LocalSize => declare_word(&mut function, arg, ".len", 0, Type::U32),
            ArgKind::Slice => {
                declare_word(&mut function, arg, "", 0, Type::Ptr(Space::Global));
                declare_word(&mut function, arg, ".len", 4, Type::U32);
            }
            ArgKind::ByRef => {
                declare_word(&mut function, arg, "", 0, Type::Ptr(Space::Constant));
            }
            // Its words are declared by `param_value`, which knows them.
            ArgKind::Struct => {}
            ArgKind::Image => declare_words(&mut function, arg, &TEXTURE_WORDS),
            ArgKind::Tensor => declare_words(&mut function, arg, &TENSOR_WORDS),
            // No parameter of a kernel is one of these.
            ArgKind::Sampler | ArgKind::Pipe | ArgKind::Opaque | ArgKind::Unknown => {}
        }
    }
    function
}

fn declare_word(function: &mut Function, arg: &ArgMeta, suffix: &str, offset: usize, ty: Type) {
    let value = function.new_value(ty);
    function.params.push(Param {
        value,
        name: format!("{}{suffix}", arg.name),
        arg: word(arg.index),
        offset: word(arg.offset + offset),
    });
}

/// The words of what is more than one.
fn declare_words(function: &mut Function, arg: &ArgMeta, words: &[(&str, Type)]) {
    for (number, (suffix, ty)) in words.iter().enumerate() {
        declare_word(function, arg, suffix, 4 * number, *ty);
    }
}

/// Argument structs are far smaller than 4 GiB.
fn word(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// The values of argument `arg`.
fn values(arg: u32) -> impl Iterator<Item = Value> {
    let values: Vec<_> = recorder::with(|recorder| {
        recorder
            .function
            .params
            .iter()
            .filter(|param| param.arg == arg)
            .map(|param| param.value)
            .collect()
    });
    values.into_iter()
}

fn one(arg: u32, ty: Type) -> Value {
    values(arg)
        .next()
        .unwrap_or_else(|| recorder::undefined(ty))
}

fn two(arg: u32) -> (Value, Value) {
    let mut values = values(arg);
    match (values.next(), values.next()) {
        (Some(addr), Some(len)) => (addr, len),
        _ => (
            recorder::undefined(Type::Ptr(Space::Global)),
            recorder::undefined(Type::U32),
        ),
    }
}

/// Argument `arg`, a scalar.
#[must_use]
pub fn param_scalar<T: Scalar>(arg: u32) -> Lane<T> {
    Lane::new(one(arg, T::SCALAR.ir()))
}

/// Argument `arg`, a value of any type, at `offset` in the argument struct.
#[track_caller]
#[must_use]
pub fn param_value<T: Argument>(arg: u32, meta: &ArgMeta) -> Place<T> {
    let at = Location::caller();
    let root = match meta.kind {
        ArgKind::ByRef => Root::Memory {
            addr: one(arg, Type::Ptr(Space::Constant)),
            check: None,
            alias: Alias::Launch,
            at,
        },
        ArgKind::Struct => {
            let mut leaves = Vec::new();
            T::leaves(0, &mut leaves);
            declare_struct(&leaves, meta);
            let words = values(arg).zip(&leaves).map(|(word, leaf)| match leaf.ty {
                POINTER => recorder::emit(Op::Bitcast(word), POINTER, at),
                _ => word,
            });
            Root::Values(recorder::new_list(words.collect()))
        }
        _ => Root::Values(recorder::new_list(values(arg).collect())),
    };
    Place::at(PlaceRef::new(root))
}

/// The words of a struct by value, in the place that they have among the parameters. An address among them is a
/// number here, as it is for the host, which cannot tell from the argument what memory the kernel accesses.
fn declare_struct(leaves: &[Leaf], meta: &ArgMeta) {
    recorder::with(|recorder| {
        let function = &mut recorder.function;
        let after = (function.params.iter()).position(|param| param.arg > word(meta.index));
        let after = function
            .params
            .split_off(after.unwrap_or(function.params.len()));
        for (number, leaf) in leaves.iter().enumerate() {
            let suffix = format!(".{number}");
            let ty = match leaf.ty {
                POINTER => Type::U32,
                ty => ty,
            };
            declare_word(function, meta, &suffix, leaf.offset as usize, ty);
        }
        function.params.extend(after);
    });
}

/// Argument `arg`, a `&[T]`.
#[must_use]
pub fn param_slice<T: Element>(arg: u32) -> Slice<T> {
    let (addr, len) = two(arg);
    Slice::new(addr, len, arg)
}

/// Argument `arg`, a `&mut [T]`.
#[must_use]
pub fn param_slice_mut<T: Element>(arg: u32) -> SliceMut<T> {
    let (addr, len) = two(arg);
    SliceMut::new(addr, len, arg)
}

/// Argument `arg`, a `*const T`.
#[must_use]
pub fn param_ptr<T: Element>(arg: u32) -> Ptr<T> {
    Ptr::new(one(arg, Type::Ptr(Space::Global)))
}

/// Argument `arg`, a `*mut T`.
#[must_use]
pub fn param_ptr_mut<T: Element>(arg: u32) -> PtrMut<T> {
    PtrMut::new(one(arg, Type::Ptr(Space::Global)))
}

/// Argument `arg`, a `&mut Local<[T]>`.
#[track_caller]
#[must_use]
pub fn param_local<T: Element>(arg: u32) -> Local<[T]> {
    let name = recorder::with(|recorder| {
        let params = &recorder.function.params;
        let param = params.iter().find(|param| param.arg == arg);
        param.map(|param| param.name.trim_end_matches(".len").to_owned())
    });
    let count = one(arg, Type::U32);
    sized_by_launch(name.unwrap_or_default(), count, Location::caller())
}

/// The words of argument `arg`, which is made of these.
pub(in crate::lang) fn words<const N: usize>(arg: u32, words: [(&str, Type); N]) -> [Value; N] {
    let mut values = values(arg);
    words.map(|(_, ty)| values.next().unwrap_or_else(|| recorder::undefined(ty)))
}
