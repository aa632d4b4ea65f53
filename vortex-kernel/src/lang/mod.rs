//! What a kernel body is written with.
//!
//! `#[vortex::kernel]` rewrites the body of a function into calls of this module; running the
//! rewritten body once, on the host, records the kernel's IR ([`stage`]). Kernel authors meet the
//! types here in rustc's messages:
//!
//! * [`Lane<T>`] is a `T` in every lane of the device: each work item has its own.
//! * [`Mutable<T>`] is a `let mut` local.
//! * [`Slice<T>`] and [`SliceMut<T>`] are the `&[T]` and `&mut [T]` parameters of a kernel.
//! * [`TextureRef<T, D>`] and [`TextureMut<T, D>`] are its `&Texture<T, D>` and `&mut Texture<T, D>` parameters.
//! * [`TensorRef<T, M, N>`] and [`TensorMut<T, M, N>`] are its `&Tensor<T, M, N>` and `&mut Tensor<T, M, N>`
//!   parameters.
//! * [`Local<T>`] is memory that a work group shares.
//! * [`Ptr<T>`] and [`PtrMut<T>`] are its `*const T` and `*mut T` parameters.
//!
//! A division by zero, an overflowing signed division and an index outside its slice are caught on
//! the device and reported by the launch, with the source line; everything else wraps as Rust's
//! release builds do.

mod adapters;
mod arith;
mod array;
mod ascii;
mod atomic;
mod checked;
mod chosen;
mod chunks;
mod coerced;
mod combine;
mod compare;
mod comptime;
mod convert;
mod device_type;
mod elements;
mod ends;
mod exchanged;
mod flow;
mod function;
mod global;
pub mod group;
mod half;
mod ids;
mod instance;
mod integer;
mod lane;
mod literal;
mod local;
mod math;
mod memory;
mod method;
mod ops;
mod option;
pub mod overload;
mod params;
mod part;
mod pattern;
mod place;
mod pointer;
mod position;
mod recorder;
mod said;
mod sequence;
mod slices;
mod staged;
mod tensor;
#[cfg(test)]
mod tests;
mod texture;
mod truth;
mod turns;
mod twin;
mod vector;
pub mod warp;
mod well_known;

pub use adapters::{
    Chained, FilterMapped, MappedWhile, Numbering, Picked, Skipped, SkippedWhile, Taken,
    TakenWhile, chained, counted, filter_mapped, mapped_while, picked, skipped, skipped_while,
    taken, taken_while,
};
pub use arith::{Num, Signed};
pub use array::{array, repeat};
pub use atomic::{Atomic, AtomicInt, AtomicType};
pub use chosen::{
    Ranked, first_mapped, greatest_by_key, greatest_of, last_of, least_by_key, least_of, reduced,
};
pub use chunks::{Pieces, chunks, chunks_exact, chunks_exact_mut, chunks_mut, windows};
pub use coerced::{CoercesTo, coerced};
pub use compare::{Equal, Ordered, eq, ge, gt, le, lt, ne};
pub use comptime::{
    Comptime, ComptimeValue, Instance, for_comptime, instance, known, param_comptime,
};
pub use convert::{CastTo, cast, convert, lossless};
pub use device_type::{DeviceType, Kind, Lanes, Leaf, Mutables, Places, Struct, Word, Words};
pub use elements::{
    Elements, Enumerated, Exclusive, Iter, Mode, Values, for_each, for_each_unrolled,
    for_each_unrolled_by, iter, iter_mut,
};
pub use ends::{Listed, Sliced, element, element_from_end, elements_between, has_elements, holds};
pub use exchanged::{Exchanged, matches_err, matches_ok};
pub use flow::{
    Exit, Label, and, break_, break_with, continue_, diverged, endless_loop, for_range,
    for_range_inclusive, if_else, loop_value, or, return_, scope, when, while_loop,
};
pub use function::{
    Callable, Declared, Handed, Nothing, PassedAs, Returns, argument, callable, function, handed,
    return_from, returning,
};
pub use global::{
    Changeable, Contents, Global, GlobalConstant, GlobalItem, HostItem, Named, Static, contents,
};
pub use half::{Half, half_from_bits, half_from_f32};
pub use ids::{
    clock, core_count, core_id, global_id, global_id_2d, global_id_3d, global_size, global_size_2d,
    global_size_3d, group_count, group_count_2d, group_count_3d, group_id, group_id_2d,
    group_id_3d, lane_count, lane_id, local_id, local_id_2d, local_id_3d, local_size,
    local_size_2d, local_size_3d, warp_count, warp_id,
};
pub use instance::instance_name;
pub use integer::{Int, SignedInt, Unsigned};
pub use lane::Lane;
pub(crate) use literal::emit_scalar;
pub use literal::{Constant, field, literal, rest};
pub use local::{LentAs, Local, LocalType, barrier, fence, lent, local};
pub use math::f32_from_bits;
pub use memory::{
    Indexable, IndexableInPlace, NumbersElements, Slice, SliceMut, SliceParts, number_of_element,
};
pub use method::{
    First, HasMethods, Lend, Lent, PassedTo, ReadOnly, ReadWrite, Returned, argument_of_method,
    exclusive, first_argument, method, method_of_fields, returned, this, this_mut,
};
pub use ops::Bits;
pub use option::{Opt, Variants, inside, matches_none, matches_some, none, some};
pub use params::{
    param_local, param_ptr, param_ptr_mut, param_scalar, param_slice, param_slice_mut,
    param_texture, param_texture_mut, param_value,
};
pub use part::{
    AnySlice, Divisible, DivisibleInPlace, part, part_from, part_inclusive, shared_part,
    shared_part_from, shared_part_inclusive,
};
pub use pattern::{Matched, all, any, any_bool, host, never, shadow};
pub use place::{Mutable, Place, Readable, Writable, assign, declared, get, mutable, set, update};
pub use pointer::{Pointer, Ptr, PtrMut, RawPtr, RawPtrMut};
pub use position::Position;
pub use said::{Said, SaidValues, Shown, like, panic, print, require, shown};
pub use sequence::{
    Enumerable, Filtered, Mapped, Sequence, Zipped, all_of, any_of, count_of, filtered, first_of,
    folded, for_all, for_sequence, length_of, mapped, numbered, position_of, product_of, sum_of,
    zipped,
};
pub use slices::{ChangedInPlace, SliceOf};
pub use staged::Staged;
pub use tensor::{
    Accumulator, CircularBuffer, Shard, TensorMut, TensorRef, Tile, TileMut, WritableTensor,
    param_tensor, param_tensor_mut,
};
pub use texture::{TextureMut, TextureRef, WritableTexture};
pub use turns::{Turns, for_turns, for_unrolled, for_unrolled_by, turns, turns_inclusive};
pub use twin::{CalledAsItIs, Callee, Twin, Untwinned};
pub use vector::{Component, Vec2, Vec3, Vec4, swizzled, vec2, vec3, vec4};

pub use well_known::{
    Alone, MadeByDefault, OfUser, Order, Replace, Sample, Swap, Take, array_from_fn, by_default,
    default, greatest, instead_of, least, named_min_or_max, named_replace, named_swap, named_take,
    no_end, replace, swap, take, within, within_inclusive,
};

pub use crate::ir::Stream;
use crate::ir::{Function, MAX_PANIC_WORDS, SourceLoc};
use crate::meta::KernelMeta;
use recorder::Recorder;
use turns::MOST_UNROLLED;

/// A kernel: what `#[vortex::kernel]` makes of a function, under the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel",
    label = "not declared with `#[vortex::kernel]`"
)]
pub trait Kernel: Sized + 'static {
    /// The argument struct, as the device reads it. That of an instance of a generic kernel is one only if all of its
    /// values are passed in it, not by the address of a copy ([`KernelMeta::is_by_value`]).
    type Args: Copy + Send + 'static;

    /// Name, place and argument layout.
    const META: KernelMeta;

    /// The kernel's name; that of an instance of a generic kernel has its types and constants: `scale<f32>`.
    #[must_use]
    fn name() -> &'static str {
        Self::META.name
    }

    /// Records the body; called by [`stage`] only.
    #[doc(hidden)]
    fn stage();
}

/// Why the body of a kernel could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// A constant does not fit the device's 32-bit `usize` or `isize`.
    #[error(
        "the constant {value} does not fit `{ty}`, which is 32 bits wide on the device, at {at}"
    )]
    ConstantTooLarge {
        /// The constant.
        value: String,
        /// `usize` or `isize`.
        ty: &'static str,
        /// Where it is used.
        at: SourceLoc,
    },
    /// An atomic operation with an ordering it cannot have.
    #[error("`{operation}` cannot be `{ordering:?}`: {instead}, at {at}")]
    Ordering {
        /// The method.
        operation: &'static str,
        /// What was asked for.
        ordering: std::sync::atomic::Ordering,
        /// What can be asked for.
        instead: &'static str,
        /// Where.
        at: SourceLoc,
    },
    /// An unrolled loop whose range is not known when the kernel is compiled.
    #[error(
        "how often an unrolled loop turns has to be known when the kernel is compiled: write a range of constants, or \
         `#[unroll(4)]` to have four turns at a time, at {at}"
    )]
    UnrolledRange {
        /// The loop.
        at: SourceLoc,
    },
    /// A kernel with `#[comptime]` parameters that is compiled on its own.
    #[error(
        "the kernel has `#[comptime]` parameters, so it is compiled when it is launched, for the values of the call: without them \
         there is nothing to compile, at {at}"
    )]
    NoComptimeValues {
        /// The parameter.
        at: SourceLoc,
    },
    /// A device function is called with something that changes where it wants something known.
    #[error(
        "the parameter `{name}` is `#[comptime]`: pass what is known when the kernel is compiled, which literals, constants, `#[comptime]` \
         parameters and what is computed from them are, at {at}"
    )]
    ComptimeArgument {
        /// The parameter.
        name: &'static str,
        /// The call.
        at: SourceLoc,
    },
    /// An unrolled loop of very many turns.
    #[error(
        "an unrolled loop of {turns} turns is too much code: up to {MOST_UNROLLED} turns are possible, or write `#[unroll(8)]` to \
         have eight at a time, at {at}"
    )]
    UnrolledTooOften {
        /// How many turns it has.
        turns: u64,
        /// The loop.
        at: SourceLoc,
    },
    /// A constant index that no array of the length has.
    #[error("the index {index} is outside of an array of {len} element{}, at {at}", if *len == 1 { "" } else { "s" })]
    Index {
        /// The index.
        index: usize,
        /// How many elements there are.
        len: usize,
        /// Where.
        at: SourceLoc,
    },
    /// An index of a short vector that is not known when the kernel is compiled.
    #[error(
        "which component of a short vector is meant has to be known when the kernel is compiled: write a constant index, or use an \
         array, at {at}"
    )]
    VectorIndex {
        /// Where.
        at: SourceLoc,
    },
    /// A device function that calls itself, directly or through others.
    #[error(
        "{}, and the device has no call stack for that: write a loop, at {at}",
        cycle(functions)
    )]
    Recursion {
        /// The functions, each called by the one before; the first one is the last one.
        functions: Vec<&'static str>,
        /// The call that closes the circle.
        at: SourceLoc,
    },
    /// A tensor that cannot be used as it is.
    #[error("{problem}, at {at}")]
    Tensor {
        /// What is wrong, and what to write instead.
        problem: String,
        /// Where.
        at: SourceLoc,
    },
    /// A failure with more values than a record of it holds.
    #[error(
        "the values in this message take {words} words of 32 bits, but in the message of a failure there is room for {MAX_PANIC_WORDS}, at {at}"
    )]
    PanicTooLong {
        /// How many words they take.
        words: usize,
        /// Where.
        at: SourceLoc,
    },
}

/// "`f` calls `g`, which calls `f`".
fn cycle(functions: &[&str]) -> String {
    let names: Vec<String> = functions.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [first, last] if first == last => format!("{first} calls itself"),
        [first, others @ ..] => format!("{first} calls {}", others.join(", which calls ")),
        [] => String::new(),
    }
}

impl StageError {
    /// Where in the user's source the error is.
    #[must_use]
    pub fn location(&self) -> &SourceLoc {
        match self {
            Self::ConstantTooLarge { at, .. }
            | Self::Ordering { at, .. }
            | Self::UnrolledRange { at }
            | Self::NoComptimeValues { at }
            | Self::ComptimeArgument { at, .. }
            | Self::UnrolledTooOften { at, .. }
            | Self::Index { at, .. }
            | Self::VectorIndex { at }
            | Self::Recursion { at, .. }
            | Self::Tensor { at, .. }
            | Self::PanicTooLong { at, .. } => at,
        }
    }
}

/// Runs the body of `K` once and returns what it recorded, in the staged form of the IR.
///
/// # Errors
/// If the body uses a host value that the device cannot hold.
pub fn stage<K: Kernel>() -> Result<Function, StageError> {
    stage_as::<K>(None)
}

/// The same of a kernel with `#[comptime]` parameters.
///
/// # Errors
/// As [`stage`].
pub fn stage_as<K: Kernel>(instance: Option<&Instance>) -> Result<Function, StageError> {
    let (name, values) = match instance {
        Some(instance) => (&*instance.name, instance.values.as_slice()),
        None => (K::name(), Default::default()),
    };
    let mut function = params::declare(&K::META);
    name.clone_into(&mut function.name);
    Recorder::new(function)
        .with_attributes(&K::META.attributes)
        .with_comptime(values)
        .with_arguments(K::META.args.len())
        .run(K::stage)
}

/// `Debug` that names the handle's type; what it holds means nothing outside the recorder.
macro_rules! opaque_debug {
    ($($name:ident<$t:ident: $bound:path>)*) => {$(
        impl<$t: $bound> std::fmt::Debug for $name<$t> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}
use opaque_debug;
