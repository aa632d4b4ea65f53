//! Blocks and loops with a value, which a `break` has.

use std::cell::Cell;
use std::panic::Location;

use crate::ir::{self, Op};
use crate::lang::base::flow::{Label, emit_scope, record_loop};
use crate::lang::base::staged::Staged;
use crate::lang::place::access::{Mutable, room};
use crate::lang::recorder::{emit_jump, in_block, is_dead, mark_dead, new_label};

/// Where `break` with a value goes: out of a `loop` or of a labelled block.
#[derive(Debug)]
pub struct Exit<R: Staged> {
    label: ir::Label,
    /// Holds the value. It is made out here, where what a `break` further inside puts there can be read.
    slot: Mutable<R>,
    /// Whether anything is ever put there.
    is_used: Cell<bool>,
}

impl<R: Staged> Exit<R> {
    #[track_caller]
    fn new() -> Self {
        Self {
            label: new_label(),
            slot: room(),
            is_used: Cell::new(false),
        }
    }

    /// For `continue`, and for jumps out of loops inside.
    #[must_use]
    pub fn label(&self) -> Label {
        Label::of_loop(self.label)
    }

    #[track_caller]
    fn put(&self, value: R) {
        self.slot.set(value);
        self.is_used.set(true);
    }

    /// What was put, once control is outside; nothing is there if it never gets there.
    #[track_caller]
    fn take(&self) -> R {
        if self.is_used.get() {
            return self.slot.get();
        }
        mark_dead();
        R::unreachable()
    }
}

/// `break 'label value` out of a labelled block, `break value` out of a `loop`.
#[track_caller]
pub fn break_with<R: Staged>(exit: &Exit<R>, value: impl FnOnce() -> R) {
    let value = value();
    if !is_dead() {
        exit.put(value);
    }
    emit_jump(Op::Break(exit.label), Location::caller());
}

/// `'label: { .. }`.
#[track_caller]
pub fn scope<R: Staged>(body: impl FnOnce(&Exit<R>) -> R) -> R {
    let at = Location::caller();
    let exit = Exit::new();
    let ((), body) = in_block(|| {
        let value = body(&exit);
        if !is_dead() {
            exit.put(value);
        }
    });
    emit_scope(exit.label, body, at);
    exit.take()
}

/// `loop { .. }` with a `break value` in it.
#[track_caller]
pub fn loop_value<R: Staged>(body: impl FnOnce(&Exit<R>)) -> R {
    let exit = Exit::new();
    record_loop(exit.label, |_| body(&exit), |_| (), Location::caller());
    exit.take()
}
