//! What a device learns about a program beyond its instructions, so that it can say more about mistakes.
//!
//! Programs with many work items go through them in a loop, and keep a counter somewhere. A note says where, for each
//! instruction whose work item may matter later: accesses to memory, which another access may turn out to race with,
//! and barriers, where warps that work on the same thing meet.

use super::memory::Memory;
use super::registers::FLOAT_ROWS;
use super::warp::Warp;
use vortex_isa::{Class, Inst, Opcode};

/// Where the lanes of a warp hold a word each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordLocation {
    /// An integer register.
    Register(u8),
    /// On the stack, at this offset to the address in this integer register.
    Stack(u8, i32),
}

impl WordLocation {
    /// The word that a lane holds there.
    #[inline]
    pub(crate) fn word(self, warp: &Warp, memory: &Memory, lane: u32) -> Option<u32> {
        let register = |number| (number < FLOAT_ROWS).then(|| warp.held(number, lane));
        match self {
            WordLocation::Register(number) => register(number),
            WordLocation::Stack(base, offset) => {
                let address = register(base)?.checked_add_signed(offset)?;
                (address % 4 == 0 && address < super::layout::STACK_TOP)
                    .then(|| memory.word(address))
            }
        }
    }
}

/// How a store relates to what its lane has loaded from the same place. vortex-kernel/src/opt/updates.rs has the
/// theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// That decides whether to store, or which value: of lanes that store the same, none is lost.
    Chosen,
    /// The value is made of it: of lanes that store the same, all but one are lost, unless it is what is there.
    Made,
}

/// What is known about an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Note {
    /// Where the lanes hold the number of what they work on.
    pub work: Option<WordLocation>,
    /// Of a store: what it has to do with what its lane has loaded from the same place.
    pub update: Option<Update>,
    /// For a barrier: a number that it shares with those at which warps may wait for those that reach it. 0: all.
    pub meeting: u32,
}

/// What is known about a program's instructions.
#[derive(Debug)]
pub(crate) struct Notes {
    start: u32,
    by_word: Box<[Note]>,
}

impl Notes {
    /// Asks for notes on the instructions of a program, by their offsets; those of accesses to memory only if
    /// `accesses` matter. `None` if there is nothing to note.
    pub(crate) fn of(
        start: u32,
        code: &[u8],
        accesses: bool,
        note: &mut dyn FnMut(u32, Inst) -> Note,
    ) -> Option<Notes> {
        let mut any = false;
        let mut ask = |(offset, word): (u32, &[u8; 4])| {
            let inst = Inst::decode(u32::from_le_bytes(*word))?;
            let wanted = match inst.opcode.info().class {
                Class::Load | Class::Store | Class::Atomic => accesses,
                _ => matches!(inst.opcode, Opcode::Bar | Opcode::BarArrive),
            };
            any |= wanted;
            wanted.then(|| note(offset, inst))
        };
        let by_word = (0..)
            .step_by(4)
            .zip(code.as_chunks().0)
            .map(|word| ask(word).unwrap_or_default())
            .collect();
        any.then_some(Notes { start, by_word })
    }

    /// Where the program starts.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// What is known about the instruction at `pc`.
    #[inline]
    pub(crate) fn at(&self, pc: u32) -> Note {
        let index = pc.wrapping_sub(self.start) / 4;
        self.by_word
            .get(index as usize)
            .copied()
            .unwrap_or_default()
    }
}
