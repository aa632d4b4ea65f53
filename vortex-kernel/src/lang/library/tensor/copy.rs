//! Tiles on their way between global and local memory, by all work items of a group together.

use super::{element_address, group_size};
use crate::ir::{Alias, BinOp, CmpOp, Op, Type, Value};
use crate::lang::Lane;
use crate::lang::base::branch::branch;
use crate::lang::base::flow::for_range;
use crate::lang::base::staged::zero;
use crate::lang::library::ids::local_id;
use crate::lang::recorder::{At, const_of, emit, emit_const, emit_void};
use crate::lang::value::arith::on_words;
use crate::tensor::TensorElement;

/// So many words of each work item are under way at once.
const MOST_UNDER_WAY: usize = 8;

/// So many words of each work item are copied one after the other; more are a loop.
const MOST_WRITTEN: u32 = 32;

/// A tile in memory.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) addr: Value,
    /// How far its page is from there, in bytes.
    pub(super) page: Option<Value>,
    /// Elements from a row to the next.
    pub(super) stride: Value,
    pub(super) alias: Alias,
}

/// How a tile is cut for the way: into words, if its rows are whole words.
struct Units {
    ty: Type,
    /// Elements of each.
    elements: u32,
    /// In a row.
    across: u32,
    /// In all.
    count: u32,
}

impl Units {
    fn of<T: TensorElement>([rows, cols]: [u32; 2], sides: [Side; 2]) -> Self {
        const WORD: u32 = 4;
        let size = T::DTYPE.bytes();
        let whole = |elements: u32| (elements * size).is_multiple_of(WORD);
        // Rows that follow each other need not be whole words each.
        let dense = sides
            .iter()
            .all(|side| const_of(side.stride) == Some(cols.into()));
        let strides = sides.iter().all(|side| match const_of(side.stride) {
            Some(stride) => whole(stride as u32),
            // It is a multiple of the width of a tile.
            None => true,
        });
        let in_words = match dense {
            true => whole(rows * cols),
            false => whole(cols) && strides,
        };
        let elements = if in_words { WORD / size } else { 1 };
        Self {
            ty: if in_words {
                Type::U32
            } else {
                T::DTYPE.scalar().ir()
            },
            elements,
            across: if dense {
                rows * cols / elements
            } else {
                cols / elements
            },
            count: rows * cols / elements,
        }
    }

    /// The address of a unit of a tile.
    fn address(&self, number: Value, side: Side, at: At) -> Value {
        let scale = self.ty.bytes();
        let in_page = |of_first| match side.page {
            Some(page) => element_address(of_first, page, 1, at),
            None => of_first,
        };
        if self.across == self.count {
            return in_page(element_address(side.addr, number, scale, at));
        }
        let across = emit_const(self.across, Type::U32, at);
        let row = on_words(BinOp::Div, number, across, at);
        let col = on_words(BinOp::Rem, number, across, at);
        let elements = emit_const(self.elements, Type::U32, at);
        let stride = on_words(BinOp::Div, side.stride, elements, at);
        let index = on_words(BinOp::Add, on_words(BinOp::Mul, row, stride, at), col, at);
        in_page(element_address(side.addr, index, scale, at))
    }

    /// How many bytes a unit lies after the one that is so many units before it, if that is the same for all.
    fn step(&self, items: u32, side: Side) -> Option<i32> {
        if self.across == self.count {
            return i32::try_from(items * self.ty.bytes()).ok();
        }
        let bytes = const_of(side.stride)? * u64::from(self.ty.bytes() / self.elements);
        let rows = u64::from(items / self.across);
        let is_whole = items.is_multiple_of(self.across);
        is_whole.then(|| i32::try_from(rows * bytes).ok()).flatten()
    }
}

/// The units of a tile that a work item copies: its own, and every so many further on.
struct Way<'a> {
    units: &'a Units,
    side: Side,
    items: u32,
    /// The address of its own unit, and bytes from each to the next.
    run: Option<(Value, i32)>,
    at: At,
}

impl<'a> Way<'a> {
    fn new(units: &'a Units, side: Side, items: u32, at: At) -> Self {
        let own = || units.address(local_id().value(), side, at);
        let step = units.step(items, side);
        Self {
            units,
            side,
            items,
            run: step.map(|step| (own(), step)),
            at,
        }
    }

    /// The number of a unit of this work item.
    fn number(&self, n: Value) -> Value {
        let items = emit_const(self.items, Type::U32, self.at);
        let before = on_words(BinOp::Mul, n, items, self.at);
        on_words(BinOp::Add, local_id().value(), before, self.at)
    }

    /// Address and displacement of a unit of this work item.
    fn place(&self, n: u32) -> (Value, i32) {
        let behind = |(own, step): (Value, i32)| {
            let offset = i64::from(step) * i64::from(n);
            Some((own, i32::try_from(offset).ok()?))
        };
        self.run.and_then(behind).unwrap_or_else(|| {
            let number = self.number(emit_const(n, Type::U32, self.at));
            (self.units.address(number, self.side, self.at), 0)
        })
    }

    fn load(&self, (ptr, offset): (Value, i32)) -> Value {
        let alias = self.side.alias;
        emit(Op::Load { ptr, offset, alias }, self.units.ty, self.at)
    }

    fn store(&self, (ptr, offset): (Value, i32), value: Value) {
        let store = Op::Store {
            ptr,
            value,
            offset,
            alias: self.side.alias,
        };
        emit_void(store, self.at);
    }
}

/// Copies a tile: every work item of the group some of it.
pub(super) fn copy<T: TensorElement>(shape: [u32; 2], from: Side, to: Side, at: At) {
    let units = Units::of::<T>(shape, [from, to]);
    let items = group_size(at);
    let word = |number| emit_const(number, Type::U32, at);
    let (whole, rest) = (units.count / items, units.count % items);
    let [from, to] = [from, to].map(|side| Way::new(&units, side, items, at));
    if whole <= MOST_WRITTEN {
        let numbers: Vec<u32> = (0..whole).collect();
        for some in numbers.chunks(MOST_UNDER_WAY) {
            let loaded: Vec<Value> = some.iter().map(|n| from.load(from.place(*n))).collect();
            for (n, value) in some.iter().zip(loaded) {
                to.store(to.place(*n), value);
            }
        }
    } else {
        let body = |n: Lane<usize>| {
            let number = from.number(n.value());
            let address = |way: &Way<'_>| (units.address(number, way.side, at), 0);
            to.store(address(&to), from.load(address(&from)));
        };
        for_range(zero(at), || Lane::new(word(whole)), |_, n| body(n));
    }
    if rest > 0 {
        let last = from.number(word(whole));
        let is_there = emit(
            Op::Compare(CmpOp::Lt, last, word(units.count)),
            Type::Bool,
            at,
        );
        let copied = || to.store(to.place(whole), from.load(from.place(whole)));
        branch(is_there, copied, || (), at);
    }
}
