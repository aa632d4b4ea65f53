//! Blocks: each is open while its code is recorded, inside of those around it.

use super::settled::Before;
use super::with;
use crate::ir::{Alias, Block, Op, Value};

/// A block that is being recorded.
#[derive(Default)]
pub(in crate::lang) struct OpenBlock {
    pub(in crate::lang) block: Block,
    /// Nothing that follows can be reached, so nothing that follows is recorded.
    pub(in crate::lang) dead: bool,
    /// Values that have been put into private memory here.
    pub(super) materialized: Vec<(Vec<Value>, Value, Alias)>,
    /// What is as it was again after it: how many receivers there are, and what is settled.
    around: (usize, Before),
}

impl OpenBlock {
    /// Whether the last instruction is a jump.
    pub(in crate::lang) fn ends_in_jump(&self) -> bool {
        self.block
            .insts
            .last()
            .is_some_and(|inst| matches!(inst.op, Op::Break(_) | Op::Continue(_) | Op::Return))
    }
}

/// Records what `f` does into a block of its own.
///
/// All but the call of `f` is code that has no type parameters: it stands once in a program, and not once for each
/// block of each kernel.
pub(in crate::lang) fn in_block<R>(f: impl FnOnce() -> R) -> (R, OpenBlock) {
    open_block();
    let value = f();
    (value, close_block())
}

fn open_block() {
    with(|recorder| {
        recorder.open.push(OpenBlock {
            dead: recorder.is_dead(),
            around: (recorder.receivers.len(), recorder.settled.enter()),
            ..OpenBlock::default()
        });
    });
}

fn close_block() -> OpenBlock {
    with(|recorder| {
        let mut block = closed(recorder.open.pop());
        let (receivers, settled) = std::mem::take(&mut block.around);
        recorder.settled.leave(settled);
        // What a method that is never reached was to be called on has stayed.
        recorder.receivers.truncate(receivers);
        block
    })
}

/// Notes that the open block is an iteration of a loop.
pub(in crate::lang) fn begin_iteration() {
    with(|recorder| recorder.settled.iteration());
}

/// What was opened, and is closed now: code that was recorded must not get lost silently.
pub(in crate::lang) fn closed<T>(open: Option<T>) -> T {
    open.unwrap_or_else(|| unreachable!("what is closed was opened before"))
}

/// Whether what follows in the open block cannot be reached.
pub(in crate::lang) fn is_dead() -> bool {
    with(|recorder| recorder.is_dead())
}

/// Says that what follows in the open block cannot be reached.
pub(in crate::lang) fn mark_dead() {
    with(|recorder| {
        if let Some(open) = recorder.open.last_mut() {
            open.dead = true;
        }
    });
}
