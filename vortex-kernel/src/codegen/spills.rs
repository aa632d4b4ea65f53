//! Spill slots, interleaved by lane.
//!
//! Cranelift keeps values without a register in a frame, and each lane has its own frame: if slots stayed there, a warp
//! that spills would touch as many lines of the data cache as it has lanes. Here the slots leave the frame. A slot is a
//! line that [`HARTS`] neighbouring harts have a word of each, so that a warp's access to it is one request or two:
//!
//! ```text
//!               hart 0   hart 1   ..   hart 15
//! slot 0       |  word |   word |  .. |  word |      s0 of hart h points at its word of slot 0,
//! slot 1       |  word |   word |  .. |  word |      and BIAS further: slots lie within the
//! ..                                                 reach of an offset
//! ```
//!
//! The objects of the program in private memory have addresses, and stay in the frame, with the slots for which no
//! offset is left.

use super::narrow::Placed;
use crate::isa::{Inst, Opcode, x};

/// Where a lane's slots are. Cranelift keeps the frame pointer here, which nothing reads without a prologue.
pub(super) const BASE: u8 = x::S0;

/// Harts that share the line of a slot. They are of one core or, where warps are few, of neighbouring ones, each of
/// which reads what it has written itself.
pub(super) const HARTS: u32 = SLOT / WORD;

/// From one slot to the next, in bytes: a line of the data cache.
pub(super) const SLOT: u32 = 64;

/// Of each hart in a slot.
pub(super) const WORD: u32 = 4;

/// How far beyond the first slot [`BASE`] points: the lowest offset of a load or store reaches slot 0.
pub(super) const BIAS: i32 = 2048;

/// The offsets of a load or store reach no more.
const MOST: usize = 2 * BIAS as usize / SLOT as usize;

/// Whether an instruction accesses a slot outside of the frame.
pub(super) fn is_access(inst: Inst) -> bool {
    is_word_access(inst.opcode) && inst.rs1 == BASE
}

/// Whether an offset to [`BASE`] is that of a slot.
pub(super) fn is_slot(offset: i32) -> bool {
    (offset + BIAS).rem_euclid(SLOT as i32) == 0
}

/// Moves up to `most` slots out of the frame, whose first `private` bytes are the program's objects. Returns how many.
pub(super) fn interleave(code: &mut [Placed], private: u32, most: u32) -> u32 {
    let most = MOST.min(most as usize);
    // In the frame, in the order of their first use.
    let mut slots: Vec<i32> = Vec::new();
    for Placed { inst, .. } in code {
        let Some(slot) = slot_in_frame(*inst, private) else {
            continue;
        };
        let known = slots.iter().position(|known| *known == slot);
        let index = known.unwrap_or(slots.len());
        if index == most {
            continue;
        }
        if known.is_none() {
            slots.push(slot);
        }
        inst.rs1 = BASE;
        inst.imm = index as i32 * SLOT as i32 - BIAS;
    }
    slots.len() as u32
}

/// The offset of the slot that an instruction accesses in a frame, behind the `private` bytes of the program's objects.
pub(super) fn slot_in_frame(inst: Inst, private: u32) -> Option<i32> {
    let is_slot = inst.rs1 == x::SP && is_word_access(inst.opcode);
    let is_object = u32::try_from(inst.imm).is_ok_and(|offset| offset < private);
    (is_slot && !is_object).then_some(inst.imm)
}

fn is_word_access(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Lw | Opcode::Sw | Opcode::Flw | Opcode::Fsw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interleaved(code: &[Inst], private: u32) -> (Vec<String>, u32) {
        let mut code: Vec<_> = code.iter().copied().map(Placed::made_up).collect();
        let slots = interleave(&mut code, private, 80);
        let text = code.iter().map(|placed| placed.inst.to_string());
        (text.collect(), slots)
    }

    #[test]
    fn slots_are_numbered_by_first_use() {
        let code = [
            Inst::s(Opcode::Sw, x::A0, x::SP, 40),
            Inst::s(Opcode::Fsw, 10, x::SP, 16),
            Inst::i(Opcode::Lw, x::A1, x::SP, 40),
            Inst::i(Opcode::Flw, 11, x::SP, 16),
            Inst::i(Opcode::Lw, x::A1, x::A0, 40),
        ];
        let (text, slots) = interleaved(&code, 0);
        let expected = [
            "sw a0, -2048(s0)",
            "fsw fa0, -1984(s0)",
            "lw a1, -2048(s0)",
            "flw fa1, -1984(s0)",
            "lw a1, 40(a0)",
        ];
        assert_eq!((text, slots), (expected.map(String::from).to_vec(), 2));
    }

    #[test]
    fn objects_stay_where_they_are() {
        let code = [
            Inst::s(Opcode::Sw, x::A0, x::SP, 12),
            Inst::i(Opcode::Addi, x::A1, x::SP, 16),
            Inst::s(Opcode::Sw, x::A0, x::SP, 16),
        ];
        let (text, slots) = interleaved(&code, 16);
        assert_eq!(text[..2], ["sw a0, 12(sp)", "addi a1, sp, 16"]);
        assert_eq!((text[2].as_str(), slots), ("sw a0, -2048(s0)", 1));
    }

    #[test]
    fn what_is_out_of_reach_stays() {
        let stores = |n: i32| Inst::s(Opcode::Sw, x::A0, x::SP, 8 * n);
        let code: Vec<Inst> = (0..66).chain(0..66).map(stores).collect();
        let (text, slots) = interleaved(&code, 0);
        assert_eq!(slots, 64);
        assert_eq!(text[..66], text[66..]);
        assert_eq!(
            text[63..66],
            ["sw a0, 1984(s0)", "sw a0, 512(sp)", "sw a0, 520(sp)"]
        );
    }
}
