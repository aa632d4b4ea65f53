//! Shards in local memory, with their neighbours' rim.

use std::marker::PhantomData;
use std::panic::Location;

use super::number::Number;
use super::{Parts, element_address, report, require_below};
use crate::ir::{Alias, BinOp, CmpOp, FaultKind, LocalId, MemoryObject, Op, Space, Type, Value};
use crate::lang::Lane;
use crate::lang::arith::on_words;
use crate::lang::flow::{branch, for_range, when};
use crate::lang::function::Nothing;
use crate::lang::ids::{group_id, local_id, local_size};
use crate::lang::local::barrier;
use crate::lang::memory::pointee;
use crate::lang::position::{Position, zero};
use crate::lang::recorder::{self, At, emit, emit_const, placed};
use crate::lang::staged::Staged;
use crate::tensor::{TensorElement, TensorMemory};

const LOCAL: Type = Type::Ptr(Space::Local);

/// The part of a sharded tensor that a group has in local memory: the one whose number is the group's.
pub struct Shard<T: TensorElement> {
    addr: Value,
    id: LocalId,
    /// Rows and columns, the rim not counted.
    shape: [u32; 2],
    halo: [u32; 2],
    /// Its first row and column in the tensor.
    first: [Value; 2],
    parts: Parts,
    elem: PhantomData<T>,
}

impl<T: TensorElement> Shard<T> {
    pub(super) fn of(parts: Parts, at: At) -> Self {
        let laid = parts
            .laid(at)
            .filter(|laid| laid.buffer.memory == TensorMemory::L1);
        let shards = laid.and_then(|laid| {
            let shard = laid.buffer.nd_shard?;
            Some((laid, shard.shard_shape_elems?, shard.halo))
        });
        let Some((laid, shape, halo)) = shards else {
            report(
                "only tensors in L1 have shards in local memory: write \
                 `#[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]))]` for the parameter",
                at,
            );
            return Self::new(parts, [1, 1], [0, 0], [parts.words[1]; 2], at);
        };
        placed(at, || {
            let geometry = parts.geometry(&laid);
            let at_group = geometry.shard_at(Number(group_id().value()));
            let [first_row, first_col] = [0, 1].map(|axis| {
                let extent = emit_const(shape[axis], Type::U32, at);
                on_words(BinOp::Mul, at_group[axis].0, extent, at)
            });
            let shard = Self::new(parts, shape, halo, [first_row, first_col], at);
            shard.load(at);
            shard
        })
    }

    fn new(parts: Parts, shape: [u32; 2], halo: [u32; 2], first: [Value; 2], at: At) -> Self {
        let [rows, cols] = [0, 1].map(|axis| shape[axis] + 2 * halo[axis]);
        let id = recorder::new_local(at, |loc| MemoryObject {
            size: rows * cols * T::DTYPE.bytes(),
            count: None,
            align: 4,
            name: format!("shard of {rows} x {cols} elements"),
            loc,
        });
        Self {
            addr: emit(Op::LocalAddr(id), LOCAL, at),
            id,
            shape,
            halo,
            first,
            parts,
            elem: PhantomData,
        }
    }

    /// Does `f` to every element and to the rim: row and column in local memory, and in the tensor.
    fn each(self, f: impl FnOnce([Value; 2], [Value; 2]), with_rim: bool, at: At) {
        let rim = if with_rim { self.halo } else { [0, 0] };
        let word = |number| emit_const(number, Type::U32, at);
        let [rows, cols] = [0, 1].map(|axis| self.shape[axis] + 2 * rim[axis]);
        let items = local_size().value();
        let count = word(rows * cols);
        let left = on_words(
            BinOp::Add,
            count,
            on_words(BinOp::Sub, items, word(1), at),
            at,
        );
        let turns = on_words(BinOp::Div, left, items, at);
        for_range(
            zero(at),
            || Lane::<usize>::new(turns),
            |_, turn| {
                let before = on_words(BinOp::Mul, turn.value(), items, at);
                let number = on_words(BinOp::Add, before, local_id().value(), at);
                let inside =
                    || Lane::new(emit(Op::Compare(CmpOp::Lt, number, count), Type::Bool, at));
                when(inside, || {
                    let width = word(cols);
                    let index = [
                        on_words(BinOp::Div, number, width, at),
                        on_words(BinOp::Rem, number, width, at),
                    ];
                    let axes = [0, 1];
                    let local = axes.map(|axis| {
                        on_words(
                            BinOp::Add,
                            index[axis],
                            word(self.halo[axis] - rim[axis]),
                            at,
                        )
                    });
                    // In front of the tensor this is far behind it.
                    let global = axes.map(|axis| {
                        let from_first = on_words(BinOp::Sub, index[axis], word(rim[axis]), at);
                        on_words(BinOp::Add, self.first[axis], from_first, at)
                    });
                    f(local, global);
                });
            },
        );
    }

    /// Whether the tensor has this row and column.
    fn is_inside(self, [row, col]: [Value; 2], at: At) -> Value {
        let [rows, cols] = [0, 1].map(|axis| self.parts.extent(axis, at).value());
        let below = |value, count| emit(Op::Compare(CmpOp::Lt, value, count), Type::Bool, at);
        let both = Op::Binary(BinOp::And, below(row, rows), below(col, cols));
        emit(both, Type::Bool, at)
    }

    /// An element of the tensor that is there.
    fn global(self, [row, col]: [Value; 2], at: At) -> Option<Position> {
        let laid = self.parts.laid?;
        let geometry = self.parts.geometry(&laid);
        let index = geometry.element(Number(row), Number(col)).0;
        let address = element_address(self.parts.words[0], index, T::DTYPE.bytes(), at);
        Some(pointee(address, self.parts.alias, at))
    }

    /// An element in local memory, the rim counted.
    fn local(self, [row, col]: [Value; 2], at: At) -> Position {
        let width = emit_const(self.shape[1] + 2 * self.halo[1], Type::U32, at);
        let index = on_words(BinOp::Add, on_words(BinOp::Mul, row, width, at), col, at);
        let address = element_address(self.addr, index, T::DTYPE.bytes(), at);
        pointee(address, Alias::Local(self.id), at)
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
        index: [Value; 2],
        access: impl FnOnce(Position) -> R,
        otherwise: impl Fn() -> R,
        at: At,
    ) -> R {
        let counts = [0, 1].map(|axis| self.shape[axis] + 2 * self.halo[axis]);
        let [in_rows, in_cols] = [0, 1].map(|axis| {
            let count = emit_const(counts[axis], Type::U32, at);
            require_below(index[axis], count, FaultKind::Element, at)
        });
        let inside = emit(Op::Binary(BinOp::And, in_rows, in_cols), Type::Bool, at);
        branch(inside, || access(self.local(index, at)), otherwise, at)
    }

    /// Row and column in local memory of what is so far from an element.
    fn index(self, from: [Lane<usize>; 2], steps: Option<[Lane<i32>; 2]>, at: At) -> [Value; 2] {
        [0, 1].map(|axis| {
            let rim = emit_const(self.halo[axis], Type::U32, at);
            let own = on_words(BinOp::Add, from[axis].value(), rim, at);
            match steps {
                None => own,
                Some(steps) => {
                    let step = emit(Op::Bitcast(steps[axis].value()), Type::U32, at);
                    on_words(BinOp::Add, own, step, at)
                }
            }
        })
    }

    /// Rows of the shard, the rim not counted.
    #[track_caller]
    #[must_use]
    pub fn rows(self) -> Lane<usize> {
        Lane::new(emit_const(self.shape[0], Type::U32, Location::caller()))
    }

    /// Columns of the shard, the rim not counted.
    #[track_caller]
    #[must_use]
    pub fn cols(self) -> Lane<usize> {
        Lane::new(emit_const(self.shape[1], Type::U32, Location::caller()))
    }

    /// The row of the tensor that is the shard's first.
    #[must_use]
    pub fn first_row(self) -> Lane<usize> {
        Lane::new(self.first[0])
    }

    /// The column of the tensor that is the shard's first.
    #[must_use]
    pub fn first_col(self) -> Lane<usize> {
        Lane::new(self.first[1])
    }

    /// The element of this row and column of the shard. Beyond the rim this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, row: Lane<usize>, col: Lane<usize>) -> Lane<T> {
        let at = Location::caller();
        placed(at, || {
            let index = self.index([row, col], None, at);
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
            let index = self.index([row, col], Some([down, right]), at);
            self.reach(index, |place| place.get(at), || zero(at), at)
        })
    }

    /// Writes the element of this row and column of the shard, in local memory. [`flush`](Self::flush) brings it to
    /// the tensor.
    #[track_caller]
    pub fn write(self, row: Lane<usize>, col: Lane<usize>, value: Lane<T>) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            let index = self.index([row, col], None, at);
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
