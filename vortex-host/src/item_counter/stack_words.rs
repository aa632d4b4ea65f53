//! Which words of the stack straight-line code accesses.

use vortex_kernel::isa::{Class, Inst, Opcode, RegFile, x};
use vortex_sim::debug::WordLocation;

/// What points to the stack: at a lane's frame, and at its words of the slots that lanes share lines for
/// (vortex-kernel/src/codegen/spills.rs).
pub(super) const STACK: [u8; 2] = [x::SP, x::S0];

/// What is known about a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Word {
    Constant(i32),
    /// An address, as an offset to one of [`STACK`].
    Stack(u8, i32),
    #[default]
    Other,
}

/// What is known about registers, from the straight-line code before an instruction.
#[derive(Default)]
pub(super) struct Words([Word; 32]);

impl Words {
    fn register(&self, register: u8) -> Word {
        match register {
            x::ZERO => Word::Constant(0),
            base if STACK.contains(&base) => Word::Stack(base, 0),
            _ => self
                .0
                .get(usize::from(register))
                .copied()
                .unwrap_or_default(),
        }
    }

    /// The word of the stack that a load or a store is to.
    pub(super) fn slot(&self, inst: Inst) -> Option<WordLocation> {
        if !matches!(inst.opcode.info().class, Class::Load | Class::Store) {
            return None;
        }
        match self.register(inst.rs1) {
            Word::Stack(base, offset) => Some(WordLocation::Stack(
                base,
                offset.wrapping_add(inst.imm) & !3,
            )),
            _ => None,
        }
    }

    pub(super) fn step(&mut self, inst: Inst) {
        // Others come out of these than have come in, or with other registers.
        if matches!(inst.opcode.info().class, Class::Jump | Class::Simt) {
            *self = Self::default();
        }
        let Some((RegFile::Integer, rd)) = inst.destination() else {
            return;
        };
        let (a, b) = (self.register(inst.rs1), self.register(inst.rs2));
        let word = match (inst.opcode, a, b) {
            (Opcode::Addi, Word::Stack(base, offset), _) => {
                Word::Stack(base, offset.wrapping_add(inst.imm))
            }
            (Opcode::Addi, Word::Constant(c), _) => Word::Constant(c.wrapping_add(inst.imm)),
            (Opcode::Add, Word::Stack(base, offset), Word::Constant(c))
            | (Opcode::Add, Word::Constant(c), Word::Stack(base, offset)) => {
                Word::Stack(base, offset.wrapping_add(c))
            }
            (Opcode::Lui, ..) => Word::Constant(inst.imm),
            _ => Word::Other,
        };
        if let Some(place) = self.0.get_mut(usize::from(rd)) {
            *place = word;
        }
    }
}
