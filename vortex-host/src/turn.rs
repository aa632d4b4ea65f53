//! Which turn of its loop over work items a warp was in when it was stopped.
//!
//! Kernels spend nothing on telling. The compiler notes where some register holds the turn's number
//! ([`Image::turns`]), which is not everywhere: it may be on the stack, in another register, or only in code that seldom
//! runs. But sooner or later, before the turn ends, it is in that register again. So the code is followed from where the warp was
//! stopped to the nearest such place, without executing it, keeping book of which word at the start is where: the one that
//! arrives in the noted register is the turn's number.

use std::collections::BTreeSet;

use vortex_kernel::codegen::{Image, TurnEntry};
use vortex_kernel::isa::{Class, Inst, Opcode, RegFile, x};

use crate::sim::Place;

/// The turn that a warp is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It has yet to begin.
    First,
    /// The one with the number that is here.
    In(Place),
    /// That of the code which has called this, whose address is in [`CALLER`].
    Called,
}

/// Where routines of an image find where they go back to.
pub(crate) const CALLER: Place = Place::Register(x::TP);

/// The turn of a warp that was stopped `offset` bytes from the image's start, if that can be told.
pub(crate) fn of(image: &Image, offset: u32) -> Option<Turn> {
    Code::of(image).turn(offset)
}

/// Where the number of the turn is in which a warp comes to the instruction there, if it is known: nowhere before the first begins.
pub(crate) fn place(image: &Image, offset: u32) -> Option<Place> {
    Code::of(image).place(offset)
}

/// An image's code, by offsets in bytes.
struct Code<'a> {
    bytes: &'a [u8],
    turns: &'a [TurnEntry],
}

impl<'a> Code<'a> {
    fn of(image: &'a Image) -> Self {
        Code {
            bytes: &image.bytes,
            turns: &image.turns,
        }
    }

    fn turn(&self, offset: u32) -> Option<Turn> {
        if self.is_routine(offset) {
            return Some(Turn::Called);
        }
        if let Some(place) = self.place(offset) {
            return Some(Turn::In(place));
        }
        let before = !self.turns.is_empty() && !self.after_marks().contains(&offset);
        before.then_some(Turn::First)
    }

    fn inst(&self, offset: u32) -> Option<Inst> {
        let at = usize::try_from(offset).ok()?;
        let word = self.bytes.get(at..)?.first_chunk()?;
        Inst::decode(u32::from_le_bytes(*word))
    }

    /// Whether the code there is a routine's: straight-line code, which goes back to where it was called.
    fn is_routine(&self, offset: u32) -> bool {
        let code = (offset..).step_by(4).map_while(|at| self.inst(at));
        let mut ends = code.filter(|inst| {
            matches!(
                inst.opcode.info().class,
                Class::Branch | Class::Jump | Class::Simt
            )
        });
        let back = Inst::i(Opcode::Jalr, x::ZERO, x::TP, 0);
        ends.next() == Some(back)
    }

    /// The register that counts turns before the instruction there.
    fn register(&self, offset: u32) -> Option<u8> {
        let mut turns = self.turns.iter();
        let entry = turns.find(|entry| entry.offset <= offset && offset < entry.end)?;
        Some(entry.register)
    }

    /// What may be executed after an instruction.
    fn next(&self, offset: u32, inst: Inst) -> impl Iterator<Item = u32> + use<> {
        let target = offset.checked_add_signed(inst.imm);
        let on = offset.checked_add(4);
        let (on, target) = match inst.opcode {
            Opcode::Tmc if inst.rs1 == x::ZERO => (None, None),
            // What the compiler puts there leads out of the loop, or back to code that is reached otherwise too.
            Opcode::Jalr => (None, None),
            // A call comes back, and changes no register that counts.
            Opcode::Jal if inst.rd != x::ZERO => (on, None),
            Opcode::Jal => (None, target),
            _ if inst.opcode.info().class == Class::Branch => (on, target),
            _ => (on, None),
        };
        on.into_iter().chain(target)
    }

    /// Where the word is that some way on from `offset` leads into a register that counts turns.
    fn place(&self, offset: u32) -> Option<Place> {
        let mut seen = BTreeSet::new();
        let mut ways = vec![(offset, Words::default())];
        while let Some((at, mut words)) = ways.pop() {
            if !seen.insert(at) {
                continue;
            }
            if let Some(register) = self.register(at) {
                if let Word::From(place) = words.register(register) {
                    return Some(place);
                }
                continue;
            }
            let Some(inst) = self.inst(at) else { continue };
            words.step(inst);
            for next in self.next(at, inst) {
                ways.push((next, words.clone()));
            }
        }
        None
    }

    /// What can be executed once the first turn has begun.
    fn after_marks(&self) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut ways: Vec<u32> = self.turns.iter().map(|entry| entry.offset).collect();
        while let Some(at) = ways.pop() {
            if let Some(inst) = self.inst(at)
                && seen.insert(at)
            {
                ways.extend(self.next(at, inst));
            }
        }
        seen
    }
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// It was here at the start.
    From(Place),
    Constant(i32),
    /// An address, as an offset to the stack pointer.
    Stack(i32),
    Other,
}

/// Registers and words on the stack that are not as they were.
#[derive(Clone, Default)]
struct Words(Vec<(Place, Word)>);

impl Words {
    fn get(&self, place: Place) -> Word {
        let changed = self.0.iter().find(|(at, _)| *at == place);
        changed.map_or(Word::From(place), |(_, word)| *word)
    }

    fn set(&mut self, place: Place, word: Word) {
        self.0.retain(|(at, _)| *at != place);
        self.0.push((place, word));
    }

    fn register(&self, register: u8) -> Word {
        match register {
            x::ZERO => Word::Constant(0),
            x::SP => Word::Stack(0),
            _ => self.get(Place::Register(register)),
        }
    }

    /// The place on the stack that an access is to.
    fn accessed(&self, inst: Inst) -> Option<Place> {
        match self.register(inst.rs1) {
            Word::Stack(base) => Some(Place::Stack(base.wrapping_add(inst.imm) & !3)),
            _ => None,
        }
    }

    fn step(&mut self, inst: Inst) {
        if inst.opcode.info().class == Class::Store {
            let whole = inst.opcode == Opcode::Sw;
            if let Some(place) = self.accessed(inst) {
                let word = whole.then(|| self.register(inst.rs2));
                self.set(place, word.unwrap_or(Word::Other));
            }
        }
        let Some((RegFile::Integer, rd)) = inst.destination() else {
            return;
        };
        let (a, b) = (self.register(inst.rs1), self.register(inst.rs2));
        let word = match (inst.opcode, a, b) {
            (Opcode::Addi, word, _) if inst.imm == 0 => word,
            (Opcode::Addi, Word::Stack(base), _) => Word::Stack(base.wrapping_add(inst.imm)),
            (Opcode::Addi, Word::Constant(c), _) => Word::Constant(c.wrapping_add(inst.imm)),
            (Opcode::Add, Word::Stack(base), Word::Constant(c))
            | (Opcode::Add, Word::Constant(c), Word::Stack(base)) => {
                Word::Stack(base.wrapping_add(c))
            }
            (Opcode::Lui, ..) => Word::Constant(inst.imm),
            (Opcode::Lw, ..) => self
                .accessed(inst)
                .map_or(Word::Other, |place| self.get(place)),
            _ => Word::Other,
        };
        self.set(Place::Register(rd), word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    const T0: u8 = 5;
    const T1: u8 = 6;
    const S2: u8 = 18;
    const END: Inst = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO);

    /// The turn of a warp at each instruction; before those in `marked`, `S2` counts turns.
    fn turns<const N: usize>(code: [Inst; N], marked: Range<u32>) -> [Option<Turn>; N] {
        let bytes = code.map(|inst| inst.encode().to_le_bytes());
        let turns = [TurnEntry {
            offset: marked.start * 4,
            end: marked.end * 4,
            register: S2,
        }];
        let code = Code {
            bytes: bytes.as_flattened(),
            turns: &turns,
        };
        std::array::from_fn(|n| code.turn(n as u32 * 4))
    }

    fn register(register: u8) -> Option<Turn> {
        Some(Turn::In(Place::Register(register)))
    }

    fn stack(offset: i32) -> Option<Turn> {
        Some(Turn::In(Place::Stack(offset)))
    }

    #[test]
    fn a_routine_is_in_the_turn_of_its_caller() {
        let code = [
            Inst::jal(x::TP, 12),
            Inst::mv(S2, T0),
            Inst::jal(x::ZERO, 0),
            Inst::mv(x::GP, T1),
            Inst::i(Opcode::Jalr, x::ZERO, x::TP, 0),
        ];
        let called = Some(Turn::Called);
        assert_eq!(
            turns(code, 2..3),
            [register(T0), register(T0), register(S2), called, called]
        );
    }

    #[test]
    fn the_number_is_followed_through_moves_and_the_stack() {
        let code = [
            Inst::mv(T1, T0),
            Inst::s(Opcode::Sw, T1, x::SP, 8),
            Inst::i(Opcode::Addi, T1, x::ZERO, 1),
            Inst::i(Opcode::Lw, S2, x::SP, 8),
            Inst::i(Opcode::Addi, S2, S2, 4),
            END,
        ];
        let found = [
            register(T0),
            register(T1),
            stack(8),
            stack(8),
            register(S2),
            None,
        ];
        assert_eq!(turns(code, 4..5), found);
    }

    #[test]
    fn far_words_of_the_stack_are_found() {
        let code = [
            Inst::u(Opcode::Lui, T0, 0x1000),
            Inst::r(Opcode::Add, T0, x::SP, T0),
            Inst::i(Opcode::Lw, S2, T0, -4),
            Inst::nop(),
            END,
        ];
        assert_eq!(turns(code, 3..4)[0], stack(0xffc));
    }

    #[test]
    fn either_way_of_a_branch_may_lead_there() {
        let code = [
            Inst::b(Opcode::Beq, T0, x::ZERO, 12),
            Inst::mv(S2, x::ZERO),
            END,
            Inst::mv(S2, T1),
            Inst::nop(),
            END,
        ];
        assert_eq!(turns(code, 4..5)[0], register(T1));
    }

    #[test]
    fn before_the_loop_is_the_first_turn_and_after_it_none() {
        let code = [
            Inst::i(Opcode::Lw, T0, T1, 0),
            Inst::csrr(S2, vortex_kernel::isa::csr::WARP_ID),
            Inst::i(Opcode::Lw, T0, S2, 0),
            Inst::b(Opcode::Bne, T0, x::ZERO, -4),
            Inst::i(Opcode::Lw, T0, T1, 0),
            END,
        ];
        let found = turns(code, 2..4);
        assert_eq!(found[..2], [Some(Turn::First); 2]);
        assert_eq!(found[2..4], [register(S2); 2]);
        assert_eq!(found[4], None);
    }

    #[test]
    fn what_is_no_code_ends_the_search() {
        let code = [Inst::jal(x::ZERO, -8), Inst::jal(x::ZERO, 0), END];
        assert_eq!(turns(code, 9..10), [Some(Turn::First); 3]);
        assert_eq!(turns(code, 2..3)[1], Some(Turn::First));
    }
}
