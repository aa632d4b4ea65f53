//! What the work items of a group can compute together, by warp operations, local memory and barriers.
//!
//! Every warp combines its own values and leaves the result in local memory, where all warps read those of the others.
//! Like a [`barrier`], each of these functions must be reached by all work items of the group or by none.

use std::panic::Location;

use super::Int;
use super::arith::Num;
use super::flow::{for_range, when};
use super::ids::{lane_count, local_id, local_size};
use super::lane::Lane;
use super::local::barrier;
use super::place::mutable;
use super::recorder::{self, At, emit, emit_const, emit_void, placed};
use super::warp::{self, WarpValue};
use crate::ir::{Alias, BinOp, LocalId, MemoryObject, Op, Space, Type, Value, WarpOp};

/// Warps that a core has at most.
const WARPS: u32 = 64;

/// Which values are combined for a work item.
#[derive(Clone, Copy, PartialEq)]
enum Range {
    /// Those of all.
    All,
    /// Those of the items up to it.
    To,
    /// Those of the items before it.
    Before,
}

/// A word of local memory for every warp of the group.
struct Partials {
    addr: Value,
    id: LocalId,
    ty: Type,
    at: At,
}

impl Partials {
    fn new(ty: Type, name: &str, at: At) -> Self {
        let id = recorder::new_local(at, |loc| MemoryObject {
            size: WARPS * ty.bytes(),
            count: None,
            align: ty.bytes(),
            name: format!("{name} of each warp"),
            loc,
        });
        let addr = emit(Op::LocalAddr(id), Type::Ptr(Space::Local), at);
        Self { addr, id, ty, at }
    }

    fn place(&self, warp: Lane<usize>) -> Value {
        let op = Op::PtrAdd {
            base: self.addr,
            index: warp.value(),
            scale: self.ty.bytes(),
        };
        emit(op, Type::Ptr(Space::Local), self.at)
    }

    fn set(&self, warp: Lane<usize>, value: Value) {
        let store = Op::Store {
            ptr: self.place(warp),
            value,
            offset: 0,
            alias: Alias::Local(self.id),
        };
        emit_void(store, self.at);
    }

    fn get(&self, warp: Lane<usize>) -> Value {
        let load = Op::Load {
            ptr: self.place(warp),
            offset: 0,
            alias: Alias::Local(self.id),
        };
        emit(load, self.ty, self.at)
    }
}

fn on_words(op: BinOp, a: Lane<usize>, b: Lane<usize>, at: At) -> Lane<usize> {
    Lane::new(emit(Op::Binary(op, a.value(), b.value()), Type::U32, at))
}

fn combined<T: WarpValue>(by: BinOp, range: Range, value: Lane<T>, at: At) -> Lane<T> {
    let ty = T::SCALAR.ir();
    placed(at, || {
        let word = |word| Lane::<usize>::new(emit_const(word, Type::U32, at));
        let (zero, one) = (word(0), word(1));
        let neutral = emit_const(WarpOp::neutral(by, ty).unwrap_or(0), ty, at);
        let partials = Partials::new(ty, T::SCALAR.name(), at);
        let lanes = lane_count();
        let own = on_words(BinOp::Div, local_id(), lanes, at);
        let last = on_words(BinOp::Sub, local_size(), one, at);
        let last_warp = on_words(BinOp::Div, last, lanes, at);
        let warps = on_words(BinOp::Add, last_warp, one, at);

        // For warps whose items have all returned: what changes nothing. Any lane may be the one that is left.
        for_range(zero, || warps, |_, warp| partials.set(warp, neutral));
        barrier();
        let in_warp = warp::of(WarpOp::Reduce(by), value, at);
        when(warp::elect, || partials.set(own, in_warp.value()));
        barrier();
        let sum = mutable(Lane::<T>::new(neutral));
        let end = match range {
            Range::All => warps,
            Range::To | Range::Before => own,
        };
        for_range(
            zero,
            || end,
            |_, warp| {
                let both = Op::Binary(by, sum.get().value(), partials.get(warp));
                sum.set(Lane::new(emit(both, ty, at)));
            },
        );
        let sum = sum.get();
        // Before the words are used again.
        barrier();
        let in_warp = match range {
            Range::All => return sum,
            Range::To => WarpOp::Scan(by),
            Range::Before => WarpOp::ScanBefore(by),
        };
        let in_warp = warp::of(in_warp, value, at);
        let both = Op::Binary(by, sum.value(), in_warp.value());
        Lane::new(emit(both, ty, at))
    })
}

/// Functions that combine the values of work items.
macro_rules! combining {
    ($($what:literal $op:ident $bound:ident: $reduce:ident $inclusive:ident $exclusive:ident;)*) => {$(
        #[doc = concat!("The ", $what, " of `value` over all work items of the group.")]
        #[track_caller]
        #[must_use]
        pub fn $reduce<T: WarpValue + $bound>(value: Lane<T>) -> Lane<T> {
            combined(BinOp::$op, Range::All, value, Location::caller())
        }

        #[doc = concat!("The ", $what, " of `value` over the work items of the group up to and with this one.")]
        #[track_caller]
        #[must_use]
        pub fn $inclusive<T: WarpValue + $bound>(value: Lane<T>) -> Lane<T> {
            combined(BinOp::$op, Range::To, value, Location::caller())
        }

        #[doc = concat!("The ", $what, " of `value` over the work items of the group before this one; what changes nothing in the first.")]
        #[track_caller]
        #[must_use]
        pub fn $exclusive<T: WarpValue + $bound>(value: Lane<T>) -> Lane<T> {
            combined(BinOp::$op, Range::Before, value, Location::caller())
        }
    )*};
}

combining! {
    "sum" Add Num: reduce_add inclusive_add exclusive_add;
    "minimum" Min Num: reduce_min inclusive_min exclusive_min;
    "maximum" Max Num: reduce_max inclusive_max exclusive_max;
    "bitwise and" And Int: reduce_and inclusive_and exclusive_and;
    "bitwise or" Or Int: reduce_or inclusive_or exclusive_or;
    "bitwise exclusive or" Xor Int: reduce_xor inclusive_xor exclusive_xor;
}
