//! What the work items of a group can compute together, by warp operations, local memory and barriers.
//!
//! Every warp combines its own values and leaves the result in local memory, where all warps read those of the others.
//! Like a [`barrier`](crate::lang::place::local::barrier), each of these functions must be reached by all work items of
//! the group or by none.

use std::panic::Location;

use super::collectives::{
    Combine, CombineBits, Variables, both, combinations, combined, neutral, over_lanes,
};
use super::ids::{lane_count, local_id, local_size};
use super::warp;
use crate::ir::{Alias, BinOp, LocalId, MemoryObject, Op, Space, Type, Value, WarpOp};
use crate::lang::base::flow::{for_range, when};
use crate::lang::base::lane::Lane;
use crate::lang::place::local::barrier as all_arrive;
use crate::lang::recorder::{self, At, emit, emit_const, emit_void, placed, type_of};
use crate::lang::value::arith::binary;
use crate::types::DeviceType;

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

/// Local memory for every warp of the group, of one type.
struct Partials {
    addr: Value,
    id: LocalId,
    ty: Type,
    at: At,
}

impl Partials {
    fn new(ty: Type, at: At) -> Self {
        let id = recorder::new_local(at, |loc| MemoryObject {
            size: WARPS * ty.bytes(),
            count: None,
            align: ty.align(),
            agreed: true,
            name: format!("{ty} of each warp"),
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

/// Sets what each of several words is for a warp.
fn set(partials: &[Partials], warp: Lane<usize>, words: &[Value]) {
    for (partials, word) in partials.iter().zip(words) {
        partials.set(warp, *word);
    }
}

fn over_items<T: DeviceType>(by: BinOp, range: Range, value: Lane<T>, at: At) -> Lane<T> {
    placed(at, || {
        combined(value, at, |words| of_words(by, range, &words, at))
    })
}

fn of_words(by: BinOp, range: Range, words: &[Value], at: At) -> Vec<Value> {
    let word = |word| Lane::<usize>::new(emit_const(word, Type::U32, at));
    let on_words = |op, a, b| binary::<usize>(op, a, b, at);
    let (zero, one) = (word(0), word(1));
    let types: Vec<Type> = words.iter().map(|word| type_of(*word)).collect();
    let neutral: Vec<Value> = types.iter().map(|ty| neutral(by, *ty, at)).collect();
    let partials = types.iter().map(|ty| Partials::new(*ty, at));
    let partials: Vec<Partials> = partials.collect();
    let lanes = lane_count();
    let own = on_words(BinOp::Div, local_id(), lanes);
    let last = on_words(BinOp::Sub, local_size(), one);
    let last_warp = on_words(BinOp::Div, last, lanes);
    let warps = on_words(BinOp::Add, last_warp, one);

    // For warps whose items have all returned: what changes nothing. Any lane may be the one that is left.
    for_range(zero, || warps, |_, warp| set(&partials, warp, &neutral));
    all_arrive();
    // One way through the lanes gives both, if this is asked for first.
    let up_to = match range {
        Range::All => None,
        Range::To => Some(over_lanes(WarpOp::Scan(by), words, at)),
        Range::Before => Some(over_lanes(WarpOp::ScanBefore(by), words, at)),
    };
    let in_warp = over_lanes(WarpOp::Reduce(by), words, at);
    when(warp::elect, || set(&partials, own, &in_warp));
    all_arrive();
    let sums = Variables::new(&neutral, at);
    let end = match range {
        Range::All => warps,
        Range::To | Range::Before => own,
    };
    for_range(
        zero,
        || end,
        |_, warp| {
            let of_warp: Vec<Value> = partials.iter().map(|p| p.get(warp)).collect();
            let next = both(by, &sums.get(&neutral, at), &of_warp, at);
            sums.set(&next, at);
        },
    );
    let sums = sums.get(&neutral, at);
    // Before the words are used again.
    all_arrive();
    match up_to {
        None => sums,
        Some(up_to) => both(by, &sums, &up_to, at),
    }
}

/// Functions that combine the values of work items.
macro_rules! combining {
    ($($what:literal $op:ident $bound:ident: $reduce:ident $inclusive:ident $exclusive:ident;)*) => {$(
        #[doc = concat!("The ", $what, " of `value` over all work items of the group.")]
        #[track_caller]
        #[must_use]
        pub fn $reduce<T: $bound>(value: Lane<T>) -> Lane<T> {
            over_items(BinOp::$op, Range::All, value, Location::caller())
        }

        #[doc = concat!("The ", $what, " of `value` over the work items of the group up to and with this one.")]
        #[track_caller]
        #[must_use]
        pub fn $inclusive<T: $bound>(value: Lane<T>) -> Lane<T> {
            over_items(BinOp::$op, Range::To, value, Location::caller())
        }

        #[doc = concat!("The ", $what, " of `value` over the work items of the group before this one; what changes nothing in the first.")]
        #[track_caller]
        #[must_use]
        pub fn $exclusive<T: $bound>(value: Lane<T>) -> Lane<T> {
            over_items(BinOp::$op, Range::Before, value, Location::caller())
        }
    )*};
}

combinations!(combining);
