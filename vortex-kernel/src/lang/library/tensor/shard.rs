//! Shards in local memory, with their neighbours' rim.

use std::marker::PhantomData;
use std::panic::Location;

use super::number::Number;
use super::{Laid, Parts, element_address, report, within};
use crate::ir::{Alias, BinOp, CmpOp, LocalId, MemoryObject, Op, Space, Type, Value};
use crate::lang::Lane;
use crate::lang::base::branch::branch;
use crate::lang::base::flow::{for_range, when};
use crate::lang::base::staged::{Staged, zero};
use crate::lang::control::function::Nothing;
use crate::lang::library::ids::{group_id, local_id, local_size};
use crate::lang::place::local::barrier;
use crate::lang::recorder::{self, At, PlaceRef, emit, placed};
use crate::tensor::{ShardRecord, TensorElement, TensorMemory, Word as _};

const LOCAL: Type = Type::Ptr(Space::Local);

/// The part of a sharded tensor that a group has in local memory: the one whose number is the group's.
pub struct Shard<T: TensorElement> {
    addr: Value,
    id: LocalId,
    /// Rows and columns, the rim not counted.
    shape: [Number; 2],
    halo: [Number; 2],
    /// Its first row and column in the tensor.
    first: [Number; 2],
    parts: Parts,
    elem: PhantomData<T>,
}

/// So many bytes of local memory, or as many times as many as the launch says.
fn local_memory(size: u32, count: Option<Value>, name: String, at: At) -> (Value, LocalId) {
    let id = recorder::new_local(at, |loc| MemoryObject {
        size,
        count,
        align: 4,
        agreed: false,
        name,
        loc,
    });
    (emit(Op::LocalAddr(id), LOCAL, at), id)
}

impl<T: TensorElement> Shard<T> {
    pub(super) fn of(parts: Parts, at: At) -> Self {
        let laid = parts
            .laid(at)
            .filter(|laid| laid.buffer.memory == TensorMemory::L1);
        let Some((laid, record)) = laid.and_then(|laid| Some((laid, laid.buffer.nd_shard?))) else {
            report(
                "only tensors in L1 have shards in local memory: write \
                 `#[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]))]` for the parameter",
                at,
            );
            let memory = local_memory(T::DTYPE.bytes(), None, String::new(), at);
            let [one, none] = [1, 0].map(Number::constant);
            return Self::new(parts, memory, [[one; 2], [none; 2], [none; 2]]);
        };
        placed(at, || {
            let geometry = parts.geometry(&laid);
            let shape = geometry.shard();
            let at_group = geometry.shard_at(Number(group_id().value()));
            let first = [0, 1].map(|axis| at_group[axis].times(shape[axis]));
            let memory = Self::memory(parts, &laid, &record, at);
            let shard = Self::new(
                parts,
                memory,
                [shape, record.halo.map(Number::constant), first],
            );
            shard.load(at);
            shard
        })
    }

    fn new(
        parts: Parts,
        (addr, id): (Value, LocalId),
        [shape, halo, first]: [[Number; 2]; 3],
    ) -> Self {
        Self {
            addr,
            id,
            shape,
            halo,
            first,
            parts,
            elem: PhantomData,
        }
    }

    /// Local memory for a shard: as much as it needs, or as much as the launch says.
    fn memory(parts: Parts, laid: &Laid, record: &ShardRecord, at: At) -> (Value, LocalId) {
        let (size, count, name) = match laid.buffer.local_shape() {
            Some([rows, cols]) => {
                let name = format!("shard of {rows} x {cols} elements");
                (rows * cols * T::DTYPE.bytes(), None, name)
            }
            None => {
                if !recorder::with(|recorder| recorder.sharded.insert(laid.arg)) {
                    let problem = "this tensor's shard exists already, and the launch, which says how large it is, \
                                   gives local memory to one: call `.shard()` once";
                    report(problem, at);
                }
                let [rows, cols] = record.projected_grid;
                let name = format!("shard of a tensor in {rows} x {cols} shards");
                (T::DTYPE.bytes(), Some(parts.words[1]), name)
            }
        };
        local_memory(size, count, name, at)
    }

    /// Rows and columns in local memory, the rim counted.
    fn local_shape(self) -> [Number; 2] {
        [0, 1].map(|axis| self.shape[axis].plus(self.halo[axis]).plus(self.halo[axis]))
    }

    /// Does `f` to every element, and to the rim if that is wanted: row and column in local memory, and in the tensor.
    fn each(self, f: impl FnOnce([Number; 2], [Number; 2]), with_rim: bool, at: At) {
        let none = [Number::constant(0); 2];
        let (shape, rim, before) = match with_rim {
            true => (self.local_shape(), self.halo, none),
            false => (self.shape, none, self.halo),
        };
        let items = Number(local_size().value());
        let count = shape[0].times(shape[1]);
        let [count, all] = [count, count.plus(items).minus(Number::constant(1))];
        let iterations = all.over(items);
        for_range(
            zero(at),
            || Lane::<usize>::new(iterations.0),
            |_, iteration| {
                let first = Number(iteration.value()).times(items);
                let number = first.plus(Number(local_id().value()));
                let is_less = Op::Compare(CmpOp::Lt, number.0, count.0);
                when(
                    || Lane::new(emit(is_less, Type::Bool, at)),
                    || {
                        let index = [number.over(shape[1]), number.modulo(shape[1])];
                        let axes = [0, 1];
                        let local = axes.map(|axis| index[axis].plus(before[axis]));
                        // In front of the tensor this is far beyond its end.
                        let global =
                            axes.map(|axis| self.first[axis].plus(index[axis].minus(rim[axis])));
                        f(local, global);
                    },
                );
            },
        );
    }

    /// Whether the tensor has this row and column.
    fn is_inside(self, [row, col]: [Number; 2], at: At) -> Value {
        let [rows, cols] = [0, 1].map(|axis| self.parts.extent(axis, at).value());
        let below =
            |Number(value), count| emit(Op::Compare(CmpOp::Lt, value, count), Type::Bool, at);
        let both = Op::Binary(BinOp::And, below(row, rows), below(col, cols));
        emit(both, Type::Bool, at)
    }

    /// An element of the tensor that is there.
    fn global(self, [row, col]: [Number; 2], at: At) -> Option<PlaceRef> {
        let laid = self.parts.laid?;
        let index = self.parts.geometry(&laid).element(row, col).0;
        let address = element_address(self.parts.words[0], index, T::DTYPE.bytes(), at);
        Some(PlaceRef::pointee(address, self.parts.alias, at))
    }

    /// An element in local memory, the rim counted.
    fn local(self, [row, col]: [Number; 2], at: At) -> PlaceRef {
        let [_, width] = self.local_shape();
        let index = row.times(width).plus(col).0;
        let address = element_address(self.addr, index, T::DTYPE.bytes(), at);
        PlaceRef::pointee(address, Alias::Local(self.id), at)
    }

    fn load(self, at: At) {
        let one = |local, global| {
            let there = || match self.global(global, at) {
                Some(place) => place.get::<Lane<T>>(at),
                None => zero(at),
            };
            let value = branch(self.is_inside(global, at), there, || zero(at), at);
            self.local(local, at).set(value, at);
        };
        self.each(one, true, at);
        barrier();
    }

    fn reach<R: Staged>(
        self,
        index: [Number; 2],
        access: impl FnOnce(PlaceRef) -> R,
        otherwise: impl Fn() -> R,
        at: At,
    ) -> R {
        let found = || access(self.local(index, at));
        let [index, shape] = [index, self.local_shape()].map(|both| both.map(|number| number.0));
        within(index, shape, found, otherwise, at)
    }

    /// Row and column in local memory of an element.
    fn index(self, from: [Lane<usize>; 2]) -> [Number; 2] {
        [0, 1].map(|axis| Number(from[axis].value()).plus(self.halo[axis]))
    }

    /// Rows of the shard, the rim not counted.
    #[must_use]
    pub fn rows(self) -> Lane<usize> {
        Lane::new(self.shape[0].0)
    }

    /// Columns of the shard, the rim not counted.
    #[must_use]
    pub fn cols(self) -> Lane<usize> {
        Lane::new(self.shape[1].0)
    }

    /// The row of the tensor that is the shard's first.
    #[must_use]
    pub fn first_row(self) -> Lane<usize> {
        Lane::new(self.first[0].0)
    }

    /// The column of the tensor that is the shard's first.
    #[must_use]
    pub fn first_col(self) -> Lane<usize> {
        Lane::new(self.first[1].0)
    }

    /// The element of this row and column of the shard. Beyond the rim this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, row: Lane<usize>, col: Lane<usize>) -> Lane<T> {
        let at = Location::caller();
        placed(at, || {
            let index = self.index([row, col]);
            self.reach(index, |place| place.get(at), || zero(at), at)
        })
    }

    /// The element so many rows below and so many columns to the right of one, which may be one of the neighbours',
    /// as far as the halo reaches. Outside of the tensor there are zeros.
    #[track_caller]
    #[must_use]
    pub fn near(
        self,
        row: Lane<usize>,
        col: Lane<usize>,
        down: Lane<i32>,
        right: Lane<i32>,
    ) -> Lane<T> {
        let at = Location::caller();
        placed(at, || {
            let from = self.index([row, col]);
            let steps = [down, right].map(|step| emit(Op::Bitcast(step.value()), Type::U32, at));
            let index = [0, 1].map(|axis| from[axis].plus(Number(steps[axis])));
            self.reach(index, |place| place.get(at), || zero(at), at)
        })
    }

    /// Writes the element of this row and column of the shard, in local memory. [`flush`](Self::flush) brings it to
    /// the tensor.
    #[track_caller]
    pub fn write(self, row: Lane<usize>, col: Lane<usize>, value: Lane<T>) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            let index = self.index([row, col]);
            self.reach::<()>(index, |place| place.set(value, at), || (), at);
        });
        Nothing {}
    }

    /// Brings the shard to the tensor in global memory, when all work items of the group have come here.
    #[track_caller]
    pub fn flush(self) -> Nothing {
        let at = Location::caller();
        if !matches!(self.parts.alias, Alias::Exclusive(_)) {
            report(
                "this tensor cannot be written: declare it as `&mut Tensor<..>`",
                at,
            );
            return Nothing {};
        }
        placed(at, || {
            barrier();
            let one = |local, global| {
                let value = self.local(local, at).get::<Lane<T>>(at);
                let put = || {
                    if let Some(place) = self.global(global, at) {
                        place.set(value, at);
                    }
                };
                branch(self.is_inside(global, at), put, || (), at);
            };
            self.each(one, false, at);
        });
        Nothing {}
    }
}
