//! Whether an image has all of its code: the format does not say how long it is.

use std::collections::BTreeSet;
use std::fmt;

use vortex::isa::{Class, Inst, Opcode, x};

/// Where the code of an image continues without there being any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CutOff {
    /// The end of what is there.
    end: u64,
    /// The last instruction on the way.
    at: u32,
    /// Where it leads.
    to: u32,
}

/// Follows execution from the first instruction of an image on, and finds where it leaves the bytes that there are of
/// it. What is after them are zeros, which are not instructions. Whatever is reached through registers is not
/// followed, and calls may not return.
pub(crate) fn cut_off(base: u32, bytes: &[u8]) -> Option<CutOff> {
    let end = u64::from(base) + bytes.len() as u64;
    let mut seen = BTreeSet::new();
    let mut pending = vec![base];
    while let Some(at) = pending.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(inst) = word(base, bytes, at).and_then(Inst::decode) else {
            continue;
        };
        for Next { to, is_certain } in next(at, &inst) {
            let is_there = to >= base && u64::from(to) + 4 <= end;
            if is_there {
                pending.push(to);
            } else if is_certain {
                return Some(CutOff { end, at, to });
            }
        }
    }
    None
}

/// The word at an address.
fn word(base: u32, bytes: &[u8], at: u32) -> Option<u32> {
    let start = at.checked_sub(base)? as usize;
    let word = bytes.get(start..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*word))
}

/// Where execution may continue.
struct Next {
    to: u32,
    /// It does so for some outcome of the instruction.
    is_certain: bool,
}

fn next(at: u32, inst: &Inst) -> Vec<Next> {
    let certain = |to| Next {
        to,
        is_certain: true,
    };
    let possible = |to| Next {
        to,
        is_certain: false,
    };
    let (after, target) = (at.wrapping_add(4), at.wrapping_add_signed(inst.imm));
    match inst.opcode.info().class {
        Class::Branch => vec![certain(target), certain(after)],
        Class::Jump if inst.opcode != Opcode::Jal => vec![],
        Class::Jump if inst.rd == x::ZERO => vec![certain(target)],
        Class::Jump => vec![certain(target), possible(after)],
        // A thread mask of nothing ends the warp, and so may a call of the system.
        Class::Simt if inst.opcode == Opcode::Tmc && inst.rs1 == x::ZERO => vec![],
        Class::Simt if inst.opcode == Opcode::Tmc => vec![possible(after)],
        Class::System => vec![possible(after)],
        _ => vec![certain(after)],
    }
}

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { end, at, to } = self;
        write!(
            f,
            "this .vxbin file is cut off: its bytes end at {end:#010x}, and execution goes on from {at:#010x} to {to:#010x}; \
             make it or copy it again"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u32 = 0x8000_0000;

    fn found(program: &[Inst]) -> Option<(u32, u32)> {
        let bytes: Vec<u8> = program
            .iter()
            .flat_map(|inst| inst.encode().to_le_bytes())
            .collect();
        let found = cut_off(BASE, &bytes)?;
        assert_eq!(found.end, u64::from(BASE) + bytes.len() as u64);
        Some((found.at - BASE, found.to.wrapping_sub(BASE)))
    }

    #[test]
    fn code_goes_on_where_there_is_some() {
        let add = Inst::i(Opcode::Addi, x::A0, x::A0, 1);
        let end = Inst::simt(Opcode::Tmc, x::ZERO, 0);
        let jump = |offset| Inst::jal(x::ZERO, offset);
        let call = |offset| Inst::jal(x::RA, offset);
        let branch = |offset| Inst::b(Opcode::Bne, x::A0, x::ZERO, offset);
        assert_eq!(found(&[add, end]), None);
        assert_eq!(found(&[add]), Some((0, 4)));
        assert_eq!(found(&[branch(8), end, add, jump(-4)]), None);
        assert_eq!(found(&[branch(12), end, add]), Some((0, 12)));
        assert_eq!(found(&[jump(8), add, end]), None);
        assert_eq!(found(&[jump(-4)]), Some((0, u32::MAX - 3)));
        // Calls of functions that do not return, jumps through registers, and data that nothing reaches.
        assert_eq!(found(&[jump(8), end, call(-4)]), None);
        assert_eq!(found(&[call(8)]), Some((0, 8)));
        let back = Inst::i(Opcode::Jalr, x::ZERO, x::RA, 0);
        assert_eq!(found(&[back, add]), None);
        // Half an instruction does not count.
        let mut bytes = [add, add].map(|inst| inst.encode().to_le_bytes()).concat();
        bytes.truncate(6);
        assert!(cut_off(BASE, &bytes).is_some());
    }
}
