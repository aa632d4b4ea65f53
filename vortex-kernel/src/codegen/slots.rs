//! Accesses to spill slots that change nothing.
//!
//! Cranelift splits where a value lives around code that needs many registers, and spills the parts one by one: a loop
//! may load a value only to store it to the same slot again.
//!
//! ```text
//! lw a0, 16(sp)              lw a0, 16(sp)       a0 is what is in the slot
//! ..                  ==>    ..
//! sw a0, 16(sp)
//! lw a1, 16(sp)              mv a1, a0
//! ```
//!
//! Which registers hold what is in a slot is known along each way that a lane takes through the code, and only that:
//! what other lanes of its warp do meanwhile changes neither its registers nor its slots. Where lanes are switched on
//! again, they come from elsewhere; there nothing is known, and all that is in slots is needed.

use std::collections::BTreeSet;
use std::ops::Range;

use super::link::CALL;
use super::narrow::Placed;
use super::spills::slot_in_frame;
use super::verify::{at_offset, ends_warp};
use crate::isa::{Class, Inst, Opcode, RegFile, x};

/// Takes them out of code whose frame begins with `private` bytes of the program's objects. `ranges` are of words of
/// the code, and remain where they are in it.
pub(super) fn without_idle_accesses(
    code: &mut Vec<Placed>,
    private: u32,
    ranges: &mut [(Range<usize>, u8)],
) {
    let Some(mut slots) = Slots::of(code, private) else {
        return;
    };
    let mut is_idle = vec![false; code.len()];
    slots.reload_less(code, &mut is_idle);
    slots.store_less(&mut is_idle);
    remove(code, &is_idle, ranges);
}

/// A register: a bit of a set, integers first.
type Registers = u64;

fn bit(file: RegFile, register: u8) -> Registers {
    match file {
        RegFile::Integer => 1 << register,
        RegFile::Float => 1 << (32 + register),
    }
}

/// What an instruction does to slots and to registers that hold what is in them.
#[derive(Clone, Copy)]
enum Effect {
    /// Loads a slot to a register.
    Load(usize, Registers),
    /// Stores a register to a slot.
    Store(usize, Registers),
    /// Copies the second register to the first.
    Move(Registers, Registers),
    /// Changes these registers.
    Change(Registers),
    /// Lanes are switched on or off, or code that is not known runs.
    Unknown,
}

impl Effect {
    const NONE: Self = Self::Change(0);
}

/// The slots of a piece of code, and the ways through it.
struct Slots {
    effects: Vec<Effect>,
    count: usize,
    /// The basic blocks in order, each with those that it goes on to.
    blocks: Vec<(Range<usize>, Vec<usize>)>,
}

impl Slots {
    /// Nothing if there are no slots, or jumps that are not understood.
    fn of(code: &[Placed], private: u32) -> Option<Self> {
        let mut offsets = Vec::new();
        let effects: Vec<Effect> = code
            .iter()
            .map(|placed| effect(placed.inst, private, &mut offsets))
            .collect();
        if offsets.is_empty() {
            return None;
        }
        let mut leaders: BTreeSet<usize> = [0, code.len()].into();
        for (at, placed) in code.iter().enumerate() {
            let ways = Ways::of(at, placed.inst)?;
            if !ways.is_only_next() {
                leaders.extend(ways.target);
                leaders.insert(at + 1);
            }
        }
        let starts: Vec<usize> = leaders.into_iter().collect();
        let mut blocks = Vec::with_capacity(starts.len());
        for pair in starts.windows(2) {
            let last = pair[1] - 1;
            let ways = Ways::of(last, code[last].inst)?;
            let next = ways.falls_through.then_some(last + 1);
            let to = ways.target.into_iter().chain(next);
            let to = to.map(|at| {
                starts
                    .binary_search(&at)
                    .ok()
                    .filter(|to| *to + 1 < starts.len())
            });
            blocks.push((pair[0]..pair[1], to.collect::<Option<_>>()?));
        }
        Some(Self {
            effects,
            count: offsets.len(),
            blocks,
        })
    }

    /// Finds loads of what the register holds already, and stores of what the slot holds; loads of what another
    /// register holds become moves.
    fn reload_less(&mut self, code: &mut [Placed], is_idle: &mut [bool]) {
        let mut reached: Vec<Option<Vec<Registers>>> = vec![None; self.blocks.len()];
        reached[0] = Some(vec![0; self.count]);
        let mut pending: BTreeSet<usize> = [0].into();
        while let Some(at) = pending.pop_first() {
            let (range, to) = &self.blocks[at];
            let Some(mut held) = reached[at].clone() else {
                continue;
            };
            for effect in &self.effects[range.clone()] {
                after(*effect, &mut held);
            }
            for &to in to {
                let changed = match &mut reached[to] {
                    Some(known) => {
                        let mut changed = false;
                        for (known, held) in known.iter_mut().zip(&held) {
                            changed |= *known & !held != 0;
                            *known &= held;
                        }
                        changed
                    }
                    unknown => {
                        *unknown = Some(held.clone());
                        true
                    }
                };
                if changed {
                    pending.insert(to);
                }
            }
        }
        for ((range, _), reached) in self.blocks.iter().zip(reached) {
            let Some(mut held) = reached else {
                continue;
            };
            for at in range.clone() {
                let effect = self.effects[at];
                match effect {
                    Effect::Load(slot, register) | Effect::Store(slot, register)
                        if held[slot] & register != 0 =>
                    {
                        is_idle[at] = true;
                        self.effects[at] = Effect::NONE;
                    }
                    Effect::Load(slot, register)
                        if let Some(moved) = moved(code[at].inst, held[slot]) =>
                    {
                        code[at].inst = moved;
                        self.effects[at] = Effect::Change(register);
                    }
                    _ => {}
                }
                after(effect, &mut held);
            }
        }
    }

    /// Finds stores of what is not loaded before the next store to the slot.
    fn store_less(&self, is_idle: &mut [bool]) {
        let mut live = vec![vec![false; self.count]; self.blocks.len()];
        let after = |to: &[usize], live: &[Vec<bool>]| {
            let mut all = vec![false; self.count];
            for &to in to {
                let both = all.iter_mut().zip(&live[to]);
                both.for_each(|(all, live)| *all |= live);
            }
            all
        };
        let mut changed = true;
        while changed {
            changed = false;
            for (at, (range, to)) in self.blocks.iter().enumerate().rev() {
                let mut here = after(to, &live);
                for effect in self.effects[range.clone()].iter().rev() {
                    before(*effect, &mut here);
                }
                changed |= here != live[at];
                live[at] = here;
            }
        }
        for (range, to) in &self.blocks {
            let mut here = after(to, &live);
            for at in range.clone().rev() {
                if let Effect::Store(slot, _) = self.effects[at] {
                    is_idle[at] |= !here[slot];
                }
                before(self.effects[at], &mut here);
            }
        }
    }
}

fn effect(inst: Inst, private: u32, offsets: &mut Vec<i32>) -> Effect {
    if let Some(offset) = slot_in_frame(inst, private) {
        let known = offsets.iter().position(|known| *known == offset);
        let slot = known.unwrap_or(offsets.len());
        if known.is_none() {
            offsets.push(offset);
        }
        return match inst.opcode {
            Opcode::Lw => Effect::Load(slot, bit(RegFile::Integer, inst.rd)),
            Opcode::Flw => Effect::Load(slot, bit(RegFile::Float, inst.rd)),
            Opcode::Sw => Effect::Store(slot, bit(RegFile::Integer, inst.rs2)),
            _ => Effect::Store(slot, bit(RegFile::Float, inst.rs2)),
        };
    }
    let changed = inst
        .destination()
        .map_or(0, |(file, register)| bit(file, register));
    match inst.opcode {
        Opcode::Addi if inst.imm == 0 && changed != 0 => {
            Effect::Move(changed, bit(RegFile::Integer, inst.rs1))
        }
        Opcode::Fsgnj if inst.rs1 == inst.rs2 => {
            Effect::Move(changed, bit(RegFile::Float, inst.rs1))
        }
        _ if ends_warp(inst) => Effect::NONE,
        Opcode::Tmc | Opcode::Pred | Opcode::Wspawn | Opcode::Join => Effect::Unknown,
        // To code of the linker's.
        Opcode::Jal if inst == CALL => Effect::Unknown,
        _ => Effect::Change(changed),
    }
}

/// Which slots are loaded after what is before an instruction, from those that are after it.
fn before(effect: Effect, live: &mut [bool]) {
    match effect {
        Effect::Load(slot, _) => live[slot] = true,
        Effect::Store(slot, _) => live[slot] = false,
        Effect::Unknown => live.fill(true),
        Effect::Move(..) | Effect::Change(_) => {}
    }
}

/// Which registers hold what is in each slot, from what they held before an instruction.
fn after(effect: Effect, held: &mut [Registers]) {
    let forget = |held: &mut [Registers], changed: Registers| {
        held.iter_mut().for_each(|held| *held &= !changed);
    };
    match effect {
        Effect::Load(slot, register) => {
            if held[slot] & register == 0 {
                forget(held, register);
                // Nothing is kept in `x0`.
                held[slot] |= register & !1;
            }
        }
        Effect::Store(slot, register) => {
            let alike = held.iter().filter(|held| **held & register != 0);
            held[slot] = alike.fold(register, |all, held| all | held);
        }
        Effect::Move(to, from) => {
            forget(held, to & !from);
            for held in held.iter_mut().filter(|held| **held & from != 0) {
                *held |= to;
            }
        }
        Effect::Change(changed) => forget(held, changed),
        Effect::Unknown => held.fill(0),
    }
}

/// What a load becomes of what is in one of these registers.
fn moved(load: Inst, held: Registers) -> Option<Inst> {
    let first = |held: u32| (held != 0).then(|| held.trailing_zeros() as u8);
    match load.opcode {
        Opcode::Lw => Some(Inst::mv(load.rd, first(held as u32)?)),
        _ => {
            let from = first((held >> 32) as u32)?;
            Some(Inst::r(Opcode::Fsgnj, load.rd, from, from))
        }
    }
}

/// Where a lane goes after an instruction.
struct Ways {
    target: Option<usize>,
    falls_through: bool,
}

impl Ways {
    /// Nothing if it jumps to where a register says.
    fn of(at: usize, inst: Inst) -> Option<Self> {
        let target = || at_offset(at, inst.imm);
        Some(match inst.opcode {
            Opcode::Jalr | Opcode::Auipc => return None,
            Opcode::Jal if inst.rd == x::ZERO => Self {
                target: Some(target()?),
                falls_through: false,
            },
            _ if inst.opcode.info().class == Class::Branch => Self {
                target: Some(target()?),
                falls_through: true,
            },
            _ => Self {
                target: None,
                falls_through: !ends_warp(inst),
            },
        })
    }

    fn is_only_next(&self) -> bool {
        self.target.is_none() && self.falls_through
    }
}

/// Removes instructions, and has branches go on to where they went.
fn remove(code: &mut Vec<Placed>, is_removed: &[bool], ranges: &mut [(Range<usize>, u8)]) {
    let mut now = Vec::with_capacity(code.len() + 1);
    let mut kept = 0;
    for removed in is_removed {
        now.push(kept);
        kept += usize::from(!removed);
    }
    now.push(kept);
    for (at, placed) in code.iter_mut().enumerate() {
        let target = Ways::of(at, placed.inst).and_then(|ways| ways.target);
        if let Some(&there) = target.and_then(|target| now.get(target)) {
            placed.inst.imm = 4 * (there as i32 - now[at] as i32);
        }
    }
    let mut removed = is_removed.iter();
    code.retain(|_| removed.next() == Some(&false));
    for (range, _) in ranges {
        let there = |at: usize| now.get(at).copied().unwrap_or(kept);
        *range = there(range.start)..there(range.end);
    }
}

#[cfg(test)]
mod tests {
    use super::without_idle_accesses;
    use crate::codegen::narrow::Placed;
    use crate::isa::{Class, Inst, Opcode, x};
    use crate::opt::bounds_hold::Numbers;

    const END: Inst = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO);

    fn load(register: u8, slot: i32) -> Inst {
        Inst::i(Opcode::Lw, register, x::SP, slot)
    }

    fn store(register: u8, slot: i32) -> Inst {
        Inst::s(Opcode::Sw, register, x::SP, slot)
    }

    /// What is left of this code, whose frame has 16 bytes of objects.
    fn left(code: &[Inst]) -> Vec<Inst> {
        let mut code: Vec<Placed> = code.iter().copied().map(Placed::made_up).collect();
        without_idle_accesses(&mut code, 16, &mut []);
        code.into_iter().map(|placed| placed.inst).collect()
    }

    #[test]
    fn what_changes_nothing_goes() {
        let changed = Inst::i(Opcode::Addi, x::A0, x::A0, 1);
        let used = Inst::s(Opcode::Sw, x::A1, x::A2, 0);
        let code = [
            load(x::A0, 16),
            store(x::A0, 16), // The same again.
            load(x::A0, 16),  // The same again.
            load(x::A1, 16),  // A copy.
            used,
            changed,
            store(x::A0, 16), // Nobody loads it.
            END,
        ];
        let copy = Inst::mv(x::A1, x::A0);
        assert_eq!(left(&code), [load(x::A0, 16), copy, used, changed, END]);
        // Objects of the program are not slots, and may be reached otherwise.
        let objects = [load(x::A0, 12), store(x::A0, 12), load(x::A1, 12), END];
        assert_eq!(left(&objects), objects);
    }

    #[test]
    fn floats_have_registers_of_their_own() {
        let float = |register, slot| Inst::i(Opcode::Flw, register, x::SP, slot);
        let used = |register| Inst::s(Opcode::Fsw, register, x::A2, 0);
        let code = [
            load(x::A0, 16),
            float(10, 16),
            float(11, 16),
            used(10),
            used(11),
            END,
        ];
        let copy = Inst::r(Opcode::Fsgnj, 11, 10, 10);
        assert_eq!(
            left(&code),
            [
                load(x::A0, 16),
                float(10, 16),
                copy,
                used(10),
                used(11),
                END
            ]
        );
    }

    #[test]
    fn nothing_is_known_where_lanes_are_switched_on() {
        for switch in [
            Inst::simt(Opcode::Tmc, x::A3, x::ZERO),
            Inst::simt(Opcode::Pred, x::A3, x::A4),
            Inst::simt(Opcode::Join, x::A3, x::ZERO),
        ] {
            let code = [
                store(x::A0, 16),
                switch,
                load(x::A0, 16),
                store(x::A0, 16),
                switch,
                END,
            ];
            let all_but_one = [store(x::A0, 16), switch, load(x::A0, 16), switch, END];
            assert_eq!(left(&code), all_but_one);
        }
    }

    #[test]
    fn branches_go_where_they_went() {
        let branch = |offset| Inst::b(Opcode::Beq, x::A3, x::ZERO, offset);
        let code = [
            load(x::A0, 16),
            store(x::A0, 16),
            branch(12),
            load(x::A0, 16),
            Inst::jal(x::ZERO, -12),
            store(x::A0, 16),
            END,
        ];
        let expected = [load(x::A0, 16), branch(8), Inst::jal(x::ZERO, -4), END];
        assert_eq!(left(&code), expected);
    }

    /// What code stores outside of its frame, until it ends or has executed very many instructions.
    fn stored(code: &[Inst]) -> Vec<u32> {
        let mut registers = [0u32; 32];
        for (register, value) in registers.iter_mut().enumerate() {
            *value = register as u32 * 7;
        }
        let mut slots = [1000u32; 64];
        let (mut at, mut stored) = (0, Vec::new());
        for _ in 0..2000 {
            let inst = code[at];
            let [a, b] = [inst.rs1, inst.rs2].map(|register| registers[register as usize]);
            let slot = (inst.imm as usize / 4).min(63);
            let mut next = at + 1;
            match inst.opcode {
                Opcode::Tmc => return stored,
                Opcode::Lw => registers[inst.rd as usize] = slots[slot],
                Opcode::Sw if inst.rs1 == x::SP => slots[slot] = b,
                Opcode::Sw => stored.push(b),
                Opcode::Addi => registers[inst.rd as usize] = a.wrapping_add(inst.imm as u32),
                Opcode::Blt if (a as i32) < b as i32 => next = at + inst.imm as usize / 4,
                Opcode::Bne if a % 4 != 0 => next = at.wrapping_add_signed(inst.imm as isize / 4),
                _ => {}
            }
            registers[0] = 0;
            at = next;
        }
        stored
    }

    #[test]
    fn random_code_does_what_it_did() {
        let mut numbers = Numbers(1);
        let mut removed = 0;
        for _ in 0..3000 {
            let length = 12 + numbers.below(30);
            let mut code: Vec<Inst> = (0..length)
                .map(|at| {
                    let register = |numbers: &mut Numbers| x::A0 + numbers.below(4) as u8;
                    let slot = 16 + 4 * numbers.below(3) as i32;
                    let to = numbers.below(length) as i32 - at as i32;
                    let (one, other) = (register(&mut numbers), register(&mut numbers));
                    match numbers.below(10) {
                        0..3 => load(one, slot),
                        3..6 => store(one, slot),
                        6 => Inst::mv(one, other),
                        7 => Inst::i(Opcode::Addi, one, other, 3),
                        8 => Inst::s(Opcode::Sw, one, x::A6, 0),
                        _ if to > 0 => Inst::b(Opcode::Blt, one, other, 4 * to),
                        _ => Inst::b(Opcode::Bne, one, x::ZERO, 4 * to),
                    }
                })
                .collect();
            code.push(END);
            let is_slot =
                |inst: &&Inst| inst.rs1 == x::SP && inst.opcode.info().class != Class::Alu;
            let slots = |code: &[Inst]| code.iter().filter(is_slot).count();
            let less = left(&code);
            removed += slots(&code) - slots(&less);
            // Shorter code comes further in so many instructions.
            let (before, after) = (stored(&code), stored(&less));
            let both = before.len().min(after.len());
            assert_eq!(before[..both], after[..both], "{code:#?}");
            assert!(after.len() >= before.len(), "{code:#?}");
        }
        assert!(removed > 10_000, "{removed}");
    }
}
