//! Iterators over parts of slices: `chunks`, `chunks_exact`, `windows`.

use std::panic::Location;

use super::elements::{Iter, Mode};
use super::range_iter::range_iter;
use crate::ir::{BinOp, CmpOp, FaultKind, Type, Value};
use crate::lang::base::branch::fail_if;
use crate::lang::base::lane::Lane;
use crate::lang::base::staged::zero;
use crate::lang::place::elements::Elements;
use crate::lang::place::subslice::{AnySlice, Divisible, subslice_at};
use crate::lang::recorder::{At, const_of, emit_const};
use crate::lang::value::arith::{compare, on_words};

/// A `for` has parts of a slice, each of this length.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    length: Value,
    /// Of all elements, where the last part may be shorter.
    of: Option<Value>,
}

impl<S: AnySlice> Mode<S> for Pieces {
    type Item = S;

    fn item(self, slice: S, index: Lane<usize>, at: At) -> S {
        let len = match self.of {
            None => self.length,
            Some(all) => {
                let rest = on_words(BinOp::Sub, all, index.value(), at);
                on_words(BinOp::Min, rest, self.length, at)
            }
        };
        subslice_at(slice, index.value(), len, at)
    }
}

fn all_chunks<S: AnySlice + Elements>(slice: S, n: Lane<usize>, at: At) -> Iter<S, Pieces> {
    not_zero(n, FaultKind::ZeroChunks, at);
    let all = slice.parts().len;
    let range = range_iter(zero(at), || Lane::new(all)).step_by(n);
    let (length, of) = (n.value(), Some(all));
    Iter::new(slice, range, Pieces { length, of })
}

fn whole_chunks<S: AnySlice + Elements>(slice: S, n: Lane<usize>, at: At) -> Iter<S, Pieces> {
    not_zero(n, FaultKind::ZeroChunks, at);
    let all = slice.parts().len;
    let rest = on_words(BinOp::Rem, all, n.value(), at);
    let end = on_words(BinOp::Sub, all, rest, at);
    let count = on_words(BinOp::Div, all, n.value(), at);
    let range = range_iter(zero(at), || Lane::new(end)).step_by(n);
    let range = range.counted(Lane::new(count));
    let (length, of) = (n.value(), None);
    Iter::new(slice, range, Pieces { length, of })
}

/// `slice.chunks(n)`. An `n` of zero ends the work item, here and in the others.
#[track_caller]
pub fn chunks<S: Divisible<Slice>, Slice: AnySlice<Shared: AnySlice + Elements>>(
    slice: S,
    n: Lane<usize>,
) -> Iter<Slice::Shared, Pieces> {
    let at = Location::caller();
    all_chunks(slice.whole(at).shared(), n, at)
}

/// `slice.chunks_mut(n)`.
#[track_caller]
pub fn chunks_mut<S: Divisible<Slice>, Slice: AnySlice + Elements>(
    slice: S,
    n: Lane<usize>,
) -> Iter<Slice, Pieces> {
    let at = Location::caller();
    all_chunks(slice.whole(at), n, at)
}

/// `slice.chunks_exact(n)`.
#[track_caller]
pub fn chunks_exact<S: Divisible<Slice>, Slice: AnySlice<Shared: AnySlice + Elements>>(
    slice: S,
    n: Lane<usize>,
) -> Iter<Slice::Shared, Pieces> {
    let at = Location::caller();
    whole_chunks(slice.whole(at).shared(), n, at)
}

/// `slice.chunks_exact_mut(n)`.
#[track_caller]
pub fn chunks_exact_mut<S: Divisible<Slice>, Slice: AnySlice + Elements>(
    slice: S,
    n: Lane<usize>,
) -> Iter<Slice, Pieces> {
    let at = Location::caller();
    whole_chunks(slice.whole(at), n, at)
}

/// `slice.windows(n)`.
#[track_caller]
pub fn windows<S: Divisible<Slice>, Slice: AnySlice<Shared: AnySlice + Elements>>(
    slice: S,
    n: Lane<usize>,
) -> Iter<Slice::Shared, Pieces> {
    let at = Location::caller();
    let slice = slice.whole(at).shared();
    not_zero(n, FaultKind::ZeroWindows, at);
    let all = slice.parts().len;
    // All but the last `n - 1` elements begin one.
    let one = emit_const(1, Type::U32, at);
    let others = on_words(BinOp::Sub, n.value(), one, at);
    let others = on_words(BinOp::Min, others, all, at);
    let range = range_iter(zero(at), || {
        Lane::new(on_words(BinOp::Sub, all, others, at))
    });
    let (length, of) = (n.value(), None);
    Iter::new(slice, range, Pieces { length, of })
}

/// Pieces without elements would be no end of them.
fn not_zero(n: Lane<usize>, kind: FaultKind, at: At) {
    if const_of(n.value()).is_none_or(|n| n == 0) {
        let zero = emit_const(0, Type::U32, at);
        let is_zero = compare(CmpOp::Eq, n.value(), zero, at);
        fail_if(is_zero, kind, [zero, n.value()], at);
    }
}
