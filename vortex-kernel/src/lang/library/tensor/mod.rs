//! Tensors in a kernel: elements, tiles, circular buffers in local memory, products of tiles, shards.
//!
//! * [`TensorRef`] and [`TensorMut`] are the `&Tensor<T, M, N>` and `&mut Tensor<T, M, N>` parameters.
//! * [`Tile`] and [`TileMut`] are tiles of these in global memory.
//! * [`CircularBuffer`] is the pages in local memory that tiles go through.
//! * [`Accumulator`] is a tile of sums of products, spread over the registers of a group.
//! * [`Shard`] is the part of a sharded tensor that a group has in local memory.
//!
//! How an index becomes an address is [`Geometry`]'s, which the host uses too.

mod accumulator;
mod buffer;
mod copy;
mod number;
mod shard;
mod tile;

pub use accumulator::Accumulator;
pub use buffer::CircularBuffer;
pub use shard::Shard;
pub use tile::{Tile, TileMut};

use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

use crate::ir::{Alias, CmpOp, FaultKind, Op, SourceLoc, Type, Value};
use crate::lang::StageError;
use crate::lang::base::branch::branch;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::base::written::written;
use crate::lang::control::function::Nothing;
use crate::lang::control::method::{HasMethods, PassedTo, ReadOnly, are_returned};
use crate::lang::control::params::{TENSOR_WORDS, words};
use crate::lang::place::coerced::CoercesTo;
use crate::lang::recorder::{self, At, PlaceRef, emit, emit_const, emit_void, placed};
use crate::meta::KernelMeta;
use crate::tensor::{
    BufferRecord, CircularBufferRecord, Geometry, Role, TensorElement, TensorRecords,
};
use crate::types::{Leaf, Words};
use number::Number;

/// A `&Tensor<T, M, N>` in a kernel: a matrix that is not written during the launch.
pub struct TensorRef<T: TensorElement, const M: usize, const N: usize> {
    parts: Parts,
    elem: PhantomData<T>,
}

/// A `&mut Tensor<T, M, N>` in a kernel: a matrix that is reached through no other argument.
pub struct TensorMut<T: TensorElement, const M: usize, const N: usize>(TensorRef<T, M, N>);

/// What a tensor is made of, in the order of `TENSOR_WORDS`, and how it is laid out.
#[derive(Clone, Copy)]
struct Parts {
    words: [Value; 4],
    alias: Alias,
    laid: Option<Laid>,
}

/// What the records say of a tensor.
#[derive(Clone, Copy)]
struct Laid {
    buffer: BufferRecord,
    cb: CircularBufferRecord,
    extents: Option<[u32; 2]>,
    /// The argument's number.
    arg: u32,
    role: Role,
    /// Its number among the tensors of its role.
    number: usize,
}

impl Laid {
    /// Of an argument, if all passes have written their records.
    fn of(meta: &KernelMeta, arg: usize) -> Option<Self> {
        let records = TensorRecords::of(meta.args, None).ok()?;
        let argument = meta.args.get(arg)?;
        let record = records.tensor(argument.name)?;
        record.accessor.as_ref()?;
        let role = Role::of(argument.mutable);
        let before = meta.args[..arg].iter();
        let alike =
            before.filter(|other| other.tensor.is_some() && Role::of(other.mutable) == role);
        Some(Self {
            buffer: record.buffer?,
            cb: record.cb?,
            extents: argument.tensor?.known_extents(),
            arg: arg as u32,
            role,
            number: alike.count(),
        })
    }
}

/// Reports that a tensor cannot be used like that.
fn report(problem: impl Into<String>, at: At) {
    recorder::report(StageError::Tensor {
        problem: problem.into(),
        at: SourceLoc::from_caller(at),
    });
}

/// Work items of a group, which tiles are spread over.
fn group_size(at: At) -> u32 {
    let block = recorder::with(|recorder| recorder.block);
    if let Some(block) = block {
        return block.iter().product();
    }
    report(
        "tiles are the work of whole groups, whose size has to be known when the kernel is compiled: \
         write `#[vortex::kernel(block = 64)]`",
        at,
    );
    1
}

/// Records a fault unless `value` is below `count`; gives whether it is.
fn require_below(value: Value, count: Value, kind: FaultKind, at: At) -> Value {
    let inside = emit(Op::Compare(CmpOp::Lt, value, count), Type::Bool, at);
    let fault = || {
        let operands = [value, count].into();
        emit_void(Op::Fault { kind, operands }, at);
    };
    branch(inside, || (), fault, at);
    inside
}

/// Does `access` to the element of this row and column if there are so many; otherwise records a fault.
fn within<R: Staged>(
    [row, col]: [Value; 2],
    [rows, cols]: [Value; 2],
    access: impl FnOnce() -> R,
    otherwise: impl Fn() -> R,
    at: At,
) -> R {
    let is_below = |value, count| emit(Op::Compare(CmpOp::Lt, value, count), Type::Bool, at);
    let fault = |operands: [Value; 2]| {
        let (kind, operands) = (FaultKind::Element, operands.into());
        emit_void(Op::Fault { kind, operands }, at);
        otherwise()
    };
    let in_row = || branch(is_below(col, cols), access, || fault([col, cols]), at);
    branch(is_below(row, rows), in_row, || fault([row, rows]), at)
}

/// The address of the element with this number.
fn element_address(base: Value, index: Value, scale: u32, at: At) -> Value {
    let ty = recorder::type_of(base);
    emit(Op::PtrAdd { base, index, scale }, ty, at)
}

impl Parts {
    fn laid(self, at: At) -> Option<Laid> {
        if self.laid.is_none() && !recorder::is_dead() {
            report(
                "this tensor has no accessor: use the kernel's parameter itself",
                at,
            );
        }
        self.laid
    }

    fn geometry(self, laid: &Laid) -> Geometry<Number> {
        use crate::tensor::Word as _;
        let [.., rows, cols] = self.words;
        let extents = match laid.extents {
            Some(extents) => extents.map(Number::constant),
            None => [Number(rows), Number(cols)],
        };
        Geometry::of(&laid.buffer, extents)
    }

    fn extent(self, axis: usize, at: At) -> Lane<usize> {
        match self.laid.and_then(|laid| laid.extents) {
            Some(extents) => Lane::new(emit_const(extents[axis], Type::U32, at)),
            None => Lane::new(self.words[2 + axis]),
        }
    }

    fn tiles(self, axis: usize, at: At) -> Lane<usize> {
        placed(at, || match self.laid(at) {
            Some(laid) => Lane::new(self.geometry(&laid).tiles()[axis].0),
            None => zero(at),
        })
    }

    /// Does `access` to an element if there is one, and records a fault otherwise.
    fn reach<T: TensorElement, R: Staged>(
        self,
        [row, col]: [Value; 2],
        access: impl FnOnce(PlaceRef) -> R,
        otherwise: impl Fn() -> R,
        at: At,
    ) -> R {
        placed(at, || {
            let Some(laid) = self.laid(at) else {
                return otherwise();
            };
            let geometry = self.geometry(&laid);
            let extents = geometry.extents().map(|extent| extent.0);
            let found = || {
                let index = geometry.element(Number(row), Number(col)).0;
                let address = element_address(self.words[0], index, T::DTYPE.bytes(), at);
                access(PlaceRef::pointee(address, self.alias, at))
            };
            within([row, col], extents, found, otherwise, at)
        })
    }
}

/// A tensor that a kernel may write.
#[diagnostic::on_unimplemented(
    message = "this tensor cannot be written: the kernel only reads it",
    label = "declared as `&Tensor<..>`",
    note = "write `&mut Tensor<..>` for the kernel's parameter; the host then passes `&mut tensor`"
)]
pub trait WritableTensor {}

#[diagnostic::do_not_recommend]
impl<T: TensorElement, const M: usize, const N: usize> WritableTensor for TensorMut<T, M, N> {}

impl<T: TensorElement, const M: usize, const N: usize> Deref for TensorMut<T, M, N> {
    type Target = TensorRef<T, M, N>;

    fn deref(&self) -> &TensorRef<T, M, N> {
        &self.0
    }
}

impl<T: TensorElement, const M: usize, const N: usize> TensorRef<T, M, N> {
    /// Rows of the matrix.
    #[track_caller]
    #[must_use]
    pub fn rows(self) -> Lane<usize> {
        self.parts.extent(0, Location::caller())
    }

    /// Columns of the matrix.
    #[track_caller]
    #[must_use]
    pub fn cols(self) -> Lane<usize> {
        self.parts.extent(1, Location::caller())
    }

    /// Tiles below each other.
    #[track_caller]
    #[must_use]
    pub fn tile_rows(self) -> Lane<usize> {
        self.parts.tiles(0, Location::caller())
    }

    /// Tiles next to each other.
    #[track_caller]
    #[must_use]
    pub fn tile_cols(self) -> Lane<usize> {
        self.parts.tiles(1, Location::caller())
    }

    /// The element of this row and column. Outside of the matrix this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, row: Lane<usize>, col: Lane<usize>) -> Lane<T> {
        let at = Location::caller();
        let index = [row.value(), col.value()];
        self.parts
            .reach::<T, _>(index, |place| place.get(at), || zero(at), at)
    }

    /// Nothing: only a `&mut Tensor` can be written.
    pub fn write(self, _: Lane<usize>, _: Lane<usize>, _: Lane<T>) -> Nothing
    where
        Self: WritableTensor,
    {
        Nothing {}
    }

    /// The tile of this row and column of tiles. One that is not there is a fault, and the first tile instead.
    #[track_caller]
    #[must_use]
    pub fn tile(self, row: Lane<usize>, col: Lane<usize>) -> Tile<T> {
        Tile::of(self.parts, [row.value(), col.value()], Location::caller())
    }

    /// The circular buffer of this tensor: pages in local memory, each as large as a tile, as many as the layout's
    /// `depth`.
    #[track_caller]
    #[must_use]
    pub fn buffer(self) -> CircularBuffer<T> {
        CircularBuffer::of(self.parts, Location::caller())
    }

    /// The circular buffer of another tensor, for pages that hold tiles of this one. Which page holds what is known
    /// by the order: first in, first out.
    #[track_caller]
    #[must_use]
    pub fn buffer_in<U: TensorElement>(self, buffer: CircularBuffer<U>) -> CircularBuffer<T> {
        buffer.shared_with(self.parts, Location::caller())
    }

    /// The group's shard of a tensor in L1, loaded into local memory; all work items of the group have to come here.
    /// Of a tensor whose extents the launch says there is one.
    #[track_caller]
    #[must_use]
    pub fn shard(self) -> Shard<T> {
        Shard::of(self.parts, Location::caller())
    }
}

impl<T: TensorElement, const M: usize, const N: usize> TensorMut<T, M, N> {
    /// Writes the element of this row and column. Outside of the matrix this is a fault, and writes nothing.
    #[track_caller]
    pub fn write(self, row: Lane<usize>, col: Lane<usize>, value: Lane<T>) -> Nothing {
        let at = Location::caller();
        let index = [row.value(), col.value()];
        let set = |place: PlaceRef| place.set(value, at);
        self.0.parts.reach::<T, ()>(index, set, || (), at);
        Nothing {}
    }

    /// The tile of this row and column of tiles, to be written.
    #[track_caller]
    #[must_use]
    pub fn tile(self, row: Lane<usize>, col: Lane<usize>) -> TileMut<T> {
        TileMut::new(self.0.tile(row, col))
    }

    /// A tile of sums, all zero, spread over the registers of the group.
    #[track_caller]
    #[must_use]
    pub fn accumulator(self) -> Accumulator<T::Sum> {
        let at = Location::caller();
        let tile = self.0.parts.laid(at).map(|laid| laid.buffer.tile_shape);
        Accumulator::of(tile.unwrap_or([1, 1]), at)
    }
}

/// Argument `arg`, a `&Tensor<T, M, N>`, of the kernel with this description.
#[must_use]
pub fn param_tensor<T: TensorElement, const M: usize, const N: usize>(
    arg: u32,
    meta: &KernelMeta,
) -> TensorRef<T, M, N> {
    let parts = Parts {
        words: words(arg, TENSOR_WORDS),
        alias: Alias::Shared(arg),
        laid: Laid::of(meta, arg as usize),
    };
    TensorRef::of(parts)
}

/// Argument `arg`, a `&mut Tensor<T, M, N>`, of the kernel with this description.
#[must_use]
pub fn param_tensor_mut<T: TensorElement, const M: usize, const N: usize>(
    arg: u32,
    meta: &KernelMeta,
) -> TensorMut<T, M, N> {
    let TensorRef { parts, .. } = param_tensor::<T, M, N>(arg, meta);
    let alias = Alias::Exclusive(arg);
    TensorMut::of(Parts { alias, ..parts })
}

impl<T: TensorElement, const M: usize, const N: usize> TensorRef<T, M, N> {
    fn of(parts: Parts) -> Self {
        let elem = PhantomData;
        Self { parts, elem }
    }

    fn parts_of(self) -> Parts {
        self.parts
    }
}

impl<T: TensorElement, const M: usize, const N: usize> TensorMut<T, M, N> {
    fn of(parts: Parts) -> Self {
        Self(TensorRef::of(parts))
    }

    fn parts_of(self) -> Parts {
        self.0.parts
    }
}

#[diagnostic::do_not_recommend]
impl<T: TensorElement, const M: usize, const N: usize> CoercesTo<TensorRef<T, M, N>, u8>
    for TensorMut<T, M, N>
{
    fn coerced(self, _: u8) -> TensorRef<T, M, N> {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<T: TensorElement, const M: usize, const N: usize> PassedTo<TensorRef<T, M, N>>
    for TensorMut<T, M, N>
{
    fn passed_to(self, _: u16) -> TensorRef<T, M, N> {
        self.0
    }
}

macro_rules! tensors {
    ($($tensor:ident)*) => {$(
        impl<T: TensorElement, const M: usize, const N: usize> std::fmt::Debug for $tensor<T, M, N> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($tensor))
            }
        }

        impl<T: TensorElement, const M: usize, const N: usize> Copy for $tensor<T, M, N> {}

        impl<T: TensorElement, const M: usize, const N: usize> Clone for $tensor<T, M, N> {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: TensorElement, const M: usize, const N: usize> HasMethods for $tensor<T, M, N> {
            type Of = ReadOnly<Self>;

            fn keep(self) -> ReadOnly<Self> {
                ReadOnly::new(self)
            }
        }

        impl<T: TensorElement, const M: usize, const N: usize> Staged for $tensor<T, M, N> {
            type Parts = ();

            fn leaves(out: &mut Vec<Leaf>) {
                out.extend(TENSOR_WORDS.map(|(_, ty)| Leaf::new(0, ty)));
            }

            fn build(words: &mut Words) -> Self {
                let words = TENSOR_WORDS.map(|(_, ty)| words.next(ty));
                Self::of(Parts { words, alias: Alias::Unknown, laid: None })
            }

            fn parts(_: PlaceRef) {}

            fn values(self, out: &mut Vec<Value>) {
                out.extend(self.parts_of().words);
            }

            fn rebuild(self, values: &mut dyn Iterator<Item = Value>) -> Self {
                let parts = self.parts_of();
                let words = parts.words.map(|old| values.next().unwrap_or(old));
                Self::of(Parts { words, ..parts })
            }

            fn either(self, other: Self) -> Self {
                let (parts, others) = (self.parts_of(), other.parts_of());
                if parts.alias == others.alias {
                    return self;
                }
                Self::of(Parts { alias: Alias::Unknown, laid: None, ..parts })
            }
        }
    )*};
}

tensors! { TensorRef TensorMut }

written! {
    [T: TensorElement, const M: usize, const N: usize] TensorRef<T, M, N> => Self;
    [T: TensorElement, const M: usize, const N: usize] TensorMut<T, M, N> => Self;
}

/// What is no value, but has methods.
macro_rules! handles {
    ($($handle:ident<$t:ident>)*) => {$(
        impl<$t: TensorElement> std::fmt::Debug for $handle<$t> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($handle))
            }
        }

        impl<$t: TensorElement> Copy for $handle<$t> {}

        impl<$t: TensorElement> Clone for $handle<$t> {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$t: TensorElement> HasMethods for $handle<$t> {
            type Of = ReadOnly<Self>;

            fn keep(self) -> ReadOnly<Self> {
                ReadOnly::new(self)
            }
        }
    )*};
}

handles! { Tile<T> TileMut<T> CircularBuffer<T> Accumulator<T> Shard<T> }

are_returned! {
    [T: TensorElement, const M: usize, const N: usize] TensorRef<T, M, N>;
    [T: TensorElement, const M: usize, const N: usize] TensorMut<T, M, N>;
    [T: TensorElement] Tile<T>;
    [T: TensorElement] TileMut<T>;
    [T: TensorElement] CircularBuffer<T>;
    [T: TensorElement] Accumulator<T>;
    [T: TensorElement] Shard<T>;
}
