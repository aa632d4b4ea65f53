//! Tiles in global memory.

use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::Location;

use super::number::Number;
use super::{Parts, element_address, require_below, within};
use crate::ir::{Alias, FaultKind, Op, Type, Value};
use crate::lang::Lane;
use crate::lang::base::staged::{Staged, zero};
use crate::lang::control::function::Nothing;
use crate::lang::recorder::{At, PlaceRef, emit, emit_const, placed};
use crate::tensor::TensorElement;

/// A tile of a tensor in global memory.
pub struct Tile<T: TensorElement> {
    /// Of its first element.
    pub(super) addr: Value,
    /// Elements from a row to the next.
    pub(super) stride: Value,
    pub(super) shape: [u32; 2],
    pub(super) alias: Alias,
    elem: PhantomData<T>,
}

/// A tile of a tensor in global memory that may be written.
pub struct TileMut<T: TensorElement>(Tile<T>);

impl<T: TensorElement> Tile<T> {
    pub(super) fn of(parts: Parts, index: [Value; 2], at: At) -> Self {
        placed(at, || {
            let Some(laid) = parts.laid(at) else {
                return Self {
                    addr: parts.words[0],
                    stride: emit_const(0, Type::U32, at),
                    shape: [1, 1],
                    alias: parts.alias,
                    elem: PhantomData,
                };
            };
            let geometry = parts.geometry(&laid);
            let tiles = geometry.tiles();
            let first = emit_const(0, Type::U32, at);
            let [row, col] = [0, 1].map(|axis| {
                let inside = require_below(index[axis], tiles[axis].0, FaultKind::Element, at);
                Number(emit(Op::Select(inside, index[axis], first), Type::U32, at))
            });
            let start = geometry.tile_start([row, col]).0;
            Self {
                addr: element_address(parts.words[0], start, T::DTYPE.bytes(), at),
                stride: geometry.row_stride().0,
                shape: laid.buffer.tile_shape,
                alias: parts.alias,
                elem: PhantomData,
            }
        })
    }

    fn reach<R: Staged>(
        self,
        [row, col]: [Value; 2],
        access: impl FnOnce(PlaceRef) -> R,
        otherwise: impl Fn() -> R,
        at: At,
    ) -> R {
        placed(at, || {
            let shape = self.shape.map(|extent| emit_const(extent, Type::U32, at));
            let found = || {
                use crate::tensor::Word as _;
                let index = Number(row).times(Number(self.stride)).plus(Number(col)).0;
                let address = element_address(self.addr, index, T::DTYPE.bytes(), at);
                access(PlaceRef::pointee(address, self.alias, at))
            };
            within([row, col], shape, found, otherwise, at)
        })
    }

    /// The element of this row and column of the tile. Outside of it this is a fault, and reads zero.
    #[track_caller]
    #[must_use]
    pub fn read(self, row: Lane<usize>, col: Lane<usize>) -> Lane<T> {
        let at = Location::caller();
        let index = [row.value(), col.value()];
        self.reach(index, |place| place.get(at), || zero(at), at)
    }
}

impl<T: TensorElement> TileMut<T> {
    pub(super) fn new(tile: Tile<T>) -> Self {
        Self(tile)
    }

    pub(super) fn tile(self) -> Tile<T> {
        self.0
    }

    /// Writes the element of this row and column of the tile. Outside of it this is a fault, and writes nothing.
    #[track_caller]
    pub fn write(self, row: Lane<usize>, col: Lane<usize>, value: Lane<T>) -> Nothing {
        let at = Location::caller();
        let index = [row.value(), col.value()];
        self.0
            .reach::<()>(index, |place| place.set(value, at), || (), at);
        Nothing {}
    }
}

impl<T: TensorElement> Deref for TileMut<T> {
    type Target = Tile<T>;

    fn deref(&self) -> &Tile<T> {
        &self.0
    }
}
