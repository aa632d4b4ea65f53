//! Circular buffers: pages in local memory that tiles go through.
//!
//! All work items of the group run the same code, so reader, computer and writer are parts of one body. `reserve` and
//! `wait` are barriers, where one is needed; what is loaded between a `wait` and the use of what was waited for is on
//! its way while that is computed with.

use std::marker::PhantomData;
use std::panic::Location;

use super::copy::{Side, copy};
use super::{Parts, Tile, TileMut, element_address, report, require_below, within};
use crate::ir::{Alias, BinOp, CmpOp, FaultKind, LocalId, MemoryObject, Op, Space, Type, Value};
use crate::lang::Lane;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::control::function::Nothing;
use crate::lang::place::access::{Mutable, mutable};
use crate::lang::place::local::barrier;
use crate::lang::recorder::{self, At, Change, PlaceRef, emit, emit_const, placed};
use crate::lang::value::arith::on_words;
use crate::tensor::{CircularBufferRecord, DataFormat, TensorElement};

const LOCAL: Type = Type::Ptr(Space::Local);

/// Pages in local memory that the tiles of a tensor go through, first in, first out.
pub struct CircularBuffer<T: TensorElement> {
    addr: Value,
    id: LocalId,
    shape: [u32; 2],
    record: CircularBufferRecord,
    /// Where the page lies that was pushed before all others there are.
    front: Mutable<Lane<u32>>,
    /// How many pages have been pushed, and not popped.
    filled: Mutable<Lane<u32>>,
    elem: PhantomData<T>,
}

/// Which page is meant.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// The one that is reserved.
    Back,
    /// The one that was pushed before all others there are.
    Front,
}

impl<T: TensorElement> CircularBuffer<T> {
    pub(super) fn of(parts: Parts, at: At) -> Self {
        let laid = parts.laid(at);
        let (record, shape, name) = match &laid {
            Some(laid) => (
                laid.cb,
                laid.buffer.tile_shape,
                laid.role.buffer_name(laid.number),
            ),
            None => (NONE, [1, 1], String::new()),
        };
        if let Some(laid) = laid
            && !recorder::with(|recorder| recorder.circular.insert(laid.arg))
        {
            let problem = "this tensor's circular buffer exists already: call `.buffer()` once";
            report(problem, at);
        }
        let id = recorder::new_local(at, |loc| MemoryObject {
            size: record.page_size * record.depth,
            count: None,
            align: 4,
            agreed: false,
            name,
            loc,
        });
        recorder::with(|recorder| recorder.settled.add(id));
        let none = || mutable(Lane::<u32>::new(emit_const(0, Type::U32, at)));
        Self {
            addr: emit(Op::LocalAddr(id), LOCAL, at),
            id,
            shape,
            record,
            front: none(),
            filled: none(),
            elem: PhantomData,
        }
    }

    /// The same circular buffer for pages that hold tiles of another tensor, of its type and shape.
    pub(super) fn shared_with<U: TensorElement>(self, parts: Parts, at: At) -> CircularBuffer<U> {
        let laid = parts.laid(at);
        let (shape, record) = laid.map_or(([1, 1], NONE), |laid| (laid.buffer.tile_shape, laid.cb));
        if record.page_size > self.record.page_size {
            let ([rows, cols], ty) = (shape, U::DTYPE.name());
            report(
                format!(
                    "a tile of {rows} x {cols} elements of `{ty}` has {} bytes, and a page of this circular buffer \
                     {}: use the buffer of the tensor with the largest tiles",
                    record.page_size, self.record.page_size
                ),
                at,
            );
        }
        CircularBuffer {
            addr: self.addr,
            id: self.id,
            shape,
            record: CircularBufferRecord {
                data_format: record.data_format,
                ..self.record
            },
            front: self.front,
            filled: self.filled,
            elem: PhantomData,
        }
    }

    fn alias(self) -> Alias {
        Alias::Local(self.id)
    }

    pub(super) const fn shape(self) -> [u32; 2] {
        self.shape
    }

    /// The address of an element of a page: that of the first page's, which does not change, and how far the page is
    /// from there.
    pub(super) fn address(self, end: End, index: Value, at: At) -> (Value, Alias) {
        let of_first = element_address(self.addr, index, T::DTYPE.bytes(), at);
        (self.in_page(end, of_first, at), self.alias())
    }

    /// The same place in another page, of one in the first.
    fn in_page(self, end: End, of_first: Value, at: At) -> Value {
        match self.page(end, at) {
            Some(page) => element_address(of_first, page, 1, at),
            None => of_first,
        }
    }

    /// How far a page is from the first, in bytes; nothing if there is no other.
    fn page(self, end: End, at: At) -> Option<Value> {
        let CircularBufferRecord {
            page_size, depth, ..
        } = self.record;
        if depth == 1 {
            return None;
        }
        let front = self.front.position().get::<Lane<u32>>(at).value();
        let word = |number| emit_const(number, Type::U32, at);
        Some(match end {
            End::Front => front,
            End::Back => {
                let filled = on_words(BinOp::Mul, self.filled(at), word(page_size), at);
                self.wrapped(on_words(BinOp::Add, front, filled, at), at)
            }
        })
    }

    /// A number of bytes from the first page, which may be after the last.
    fn wrapped(self, bytes: Value, at: At) -> Value {
        let CircularBufferRecord {
            page_size, depth, ..
        } = self.record;
        let word = |number| emit_const(number, Type::U32, at);
        let all = page_size * depth;
        if all.is_power_of_two() {
            return on_words(BinOp::And, bytes, word(all - 1), at);
        }
        let inside = emit(Op::Compare(CmpOp::Lt, bytes, word(all)), Type::Bool, at);
        let back = on_words(BinOp::Sub, bytes, word(all), at);
        emit(Op::Select(inside, bytes, back), Type::U32, at)
    }

    /// A barrier, unless nothing has changed since one.
    fn settle(self, change: Change) {
        if !recorder::with(|recorder| recorder.settled.is_settled(self.id, change)) {
            barrier();
        }
    }

    fn count(self, op: BinOp, at: At) {
        let filled = self.filled.position();
        let old = filled.get::<Lane<u32>>(at).value();
        let new = on_words(op, old, emit_const(1, Type::U32, at), at);
        filled.set(Lane::<u32>::new(new), at);
    }

    fn require(self, [value, below]: [Value; 2], at: At) {
        require_below(value, below, FaultKind::Pages, at);
    }

    fn filled(self, at: At) -> Value {
        self.filled.position().get::<Lane<u32>>(at).value()
    }

    /// Waits until a page is free: until all work items of the group have come here, and so have popped what they
    /// popped. It is what [`push`](Self::push) pushes. No page is free if as many have been pushed as there are: that
    /// is a fault.
    #[track_caller]
    pub fn reserve(self) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            let depth = emit_const(self.record.depth, Type::U32, at);
            self.require([self.filled(at), depth], at);
            self.settle(Change::Pop);
        });
        Nothing {}
    }

    /// Pushes the reserved page. The group sees what is in it after [`wait`](Self::wait).
    #[track_caller]
    pub fn push(self) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            self.count(BinOp::Add, at);
            recorder::with(|recorder| recorder.settled.change(self.id, Change::Push));
        });
        Nothing {}
    }

    /// Waits until all work items of the group have come here, and so have written their parts of the page at the
    /// front, which was pushed before the others. If none has been pushed, that is a fault.
    #[track_caller]
    pub fn wait(self) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            self.require([emit_const(0, Type::U32, at), self.filled(at)], at);
            self.settle(Change::Push);
        });
        Nothing {}
    }

    /// Frees the page at the front.
    #[track_caller]
    pub fn pop(self) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            self.count(BinOp::Sub, at);
            if let Some(front) = self.page(End::Front, at) {
                let next = on_words(
                    BinOp::Add,
                    front,
                    emit_const(self.record.page_size, Type::U32, at),
                    at,
                );
                self.front
                    .position()
                    .set(Lane::<u32>::new(self.wrapped(next, at)), at);
            }
            recorder::with(|recorder| recorder.settled.change(self.id, Change::Pop));
        });
        Nothing {}
    }

    /// Loads a tile into the reserved page: each work item a part of it.
    #[track_caller]
    pub fn load_tile(self, tile: Tile<T>) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            let from = self.other_side(tile, at);
            copy::<T>(self.shape, from, self.side(End::Back, at), at);
        });
        Nothing {}
    }

    /// Stores the page at the front to a tile: each work item a part of it.
    #[track_caller]
    pub fn store_tile(self, tile: TileMut<T>) -> Nothing {
        let at = Location::caller();
        placed(at, || {
            let to = self.other_side(tile.tile(), at);
            copy::<T>(self.shape, self.side(End::Front, at), to, at);
        });
        Nothing {}
    }

    fn side(self, end: End, at: At) -> Side {
        Side {
            addr: self.addr,
            page: self.page(end, at),
            stride: emit_const(self.shape[1], Type::U32, at),
            alias: self.alias(),
        }
    }

    fn other_side(self, tile: Tile<T>, at: At) -> Side {
        if tile.shape != self.shape {
            let ([m, n], [height, width]) = (tile.shape, self.shape);
            report(
                format!(
                    "a tile of {m} x {n} does not go through a page of {height} x {width}: give both tensors the same \
                     `tile_shape`"
                ),
                at,
            );
        }
        Side {
            addr: tile.addr,
            page: None,
            stride: tile.stride,
            alias: tile.alias,
        }
    }

    fn reach<R: Staged>(
        self,
        end: End,
        [row, col]: [Value; 2],
        access: impl FnOnce(PlaceRef) -> R,
        otherwise: impl Fn() -> R,
        at: At,
    ) -> R {
        placed(at, || {
            let shape = self.shape.map(|extent| emit_const(extent, Type::U32, at));
            let found = || {
                let before = on_words(BinOp::Mul, row, shape[1], at);
                let index = on_words(BinOp::Add, before, col, at);
                let (address, alias) = self.address(end, index, at);
                access(PlaceRef::pointee(address, alias, at))
            };
            within([row, col], shape, found, otherwise, at)
        })
    }

    /// The element of this row and column of the page at the front. Outside of it this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, row: Lane<usize>, col: Lane<usize>) -> Lane<T> {
        let at = Location::caller();
        let index = [row.value(), col.value()];
        self.reach(End::Front, index, |place| place.get(at), || zero(at), at)
    }

    /// Writes the element of this row and column of the reserved page. Outside of it this is a fault, and writes
    /// nothing.
    #[track_caller]
    pub fn write(self, row: Lane<usize>, col: Lane<usize>, value: Lane<T>) -> Nothing {
        let at = Location::caller();
        let index = [row.value(), col.value()];
        let set = |place: PlaceRef| place.set(value, at);
        self.reach::<()>(End::Back, index, set, || (), at);
        Nothing {}
    }
}

/// Of a tensor that was reported.
const NONE: CircularBufferRecord = CircularBufferRecord {
    cb_id: 0,
    page_size: 4,
    depth: 1,
    data_format: DataFormat::Float32,
};
