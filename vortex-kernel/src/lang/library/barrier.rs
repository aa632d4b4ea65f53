//! Barriers in two halves: items arrive, do other work, and wait for those that have not arrived by then.
//!
//! [`barrier()`](super::super::barrier()) is both halves at one place.

use std::panic::Location;

use crate::ir::{Op, Type, Value};
use crate::lang::control::function::Nothing;
use crate::lang::control::method::{HasMethods, ReadOnly};
use crate::lang::recorder::{emit, emit_void};

/// That an item has arrived at a barrier, which it has to wait at: what `barrier::arrive()` gives.
///
/// In a kernel, `token.wait()` takes it: there is one wait for each arrival.
#[derive(Debug)]
#[must_use = "an item that has arrived at a barrier has to wait for the others: call `.wait()` in the same block"]
pub struct ArrivalToken(Value);

/// Arrives at a barrier, and goes on at once: what the item wrote before, all items of the group see after their
/// [`wait`](ArrivalToken::wait).
///
/// It must be reached by all items of the group or by none. They wait in the same block, before they come to another
/// barrier.
#[track_caller]
pub fn arrive() -> ArrivalToken {
    ArrivalToken(emit(Op::BarrierArrive, Type::U32, Location::caller()))
}

#[diagnostic::do_not_recommend]
impl HasMethods for ArrivalToken {
    type Of = ReadOnly<Self>;

    fn keep(self) -> ReadOnly<Self> {
        ReadOnly::new(self)
    }
}

impl ArrivalToken {
    /// Waits until all work items of the group have arrived; what they wrote before that, all of them see from here on.
    #[track_caller]
    pub fn wait(&self) -> Nothing {
        emit_void(Op::BarrierWait(self.0), Location::caller());
        Nothing {}
    }
}
