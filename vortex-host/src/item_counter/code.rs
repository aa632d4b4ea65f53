//! The code of an image, followed backwards from where the number of the iteration is known.

use super::index;
use super::stack_words::{STACK, Words};
use std::collections::VecDeque;
use vortex_kernel::codegen::ItemCounterEntry;
use vortex_kernel::isa::{Class, Inst, Opcode, RegFile, x};
use vortex_sim::debug::WordLocation;

/// An image's instructions; `None` for words that are none.
pub(super) struct Code(Vec<Option<Inst>>);

impl Code {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let words = bytes.as_chunks().0.iter();
        Code(
            words
                .map(|word| Inst::decode(u32::from_le_bytes(*word)))
                .collect(),
        )
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The register that counts iterations before each instruction, where one is noted. Of several, the one that is
    /// noted first.
    pub(super) fn marks(&self, iterations: &[ItemCounterEntry]) -> Vec<Option<u8>> {
        let mut marks = vec![None; self.len()];
        // From each instruction on, the next one without a mark lies no nearer than this.
        let mut next: Vec<usize> = (0..=self.len()).collect();
        let free = |from: usize, next: &mut Vec<usize>| {
            let mut at = from;
            while next[at] != at {
                next[at] = next[next[at]];
                at = next[at];
            }
            at
        };
        for entry in iterations {
            let end = (entry.end as usize).div_ceil(4).min(self.len());
            let mut at = free(
                (entry.offset as usize).div_ceil(4).min(self.len()),
                &mut next,
            );
            while at < end {
                marks[at] = Some(entry.register);
                next[at] = at + 1;
                at = free(at, &mut next);
            }
        }
        for at in 1..self.len() {
            if self.far_target(at).is_some() {
                marks[at - 1] = None;
                marks[at] = None;
            }
        }
        marks
    }

    /// Where the two instructions before and at this one jump to, if that is what they are for. The compiler puts them
    /// among others, for a branch from anywhere that does not reach that far.
    fn far_target(&self, at: usize) -> Option<usize> {
        let (near, far) = (self.0[at]?, self.0[at.checked_sub(1)?]?);
        let is_far = far.opcode == Opcode::Auipc
            && near.opcode == Opcode::Jalr
            && (near.rd, near.rs1) == (x::ZERO, far.rd);
        let base = (at as i64 - 1) * 4;
        let offset = base + i64::from(far.imm) + i64::from(near.imm);
        let target = usize::try_from(offset / 4).ok()?;
        (is_far && offset >= 0 && offset % 4 == 0).then_some(target)
    }

    /// The instructions that may be executed after one.
    fn next(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let inst = self.0[at];
        let target = |inst: Inst| {
            let offset = (at as i64 * 4).checked_add(inst.imm.into())?;
            usize::try_from(offset / 4)
                .ok()
                .filter(|_| offset >= 0 && offset % 4 == 0)
        };
        let on = Some(at + 1);
        let (on, target) = match inst {
            None => (None, None),
            Some(inst) => match inst.opcode {
                Opcode::Tmc if inst.rs1 == x::ZERO => (None, None),
                // A routine goes back to code that is reached otherwise, too.
                Opcode::Jalr => (None, self.far_target(at)),
                // A call comes back, and changes no register that counts.
                Opcode::Jal if inst.rd != x::ZERO => (on, None),
                Opcode::Jal => (None, target(inst)),
                _ if inst.opcode.info().class == Class::Branch => (on, target(inst)),
                _ => (on, None),
            },
        };
        let count = self.len();
        on.into_iter()
            .chain(target)
            .filter(move |next| *next < count)
    }

    /// The instructions that are straight-line code which goes back to where it was called.
    pub(super) fn routines(&self) -> Vec<bool> {
        let back = Inst::i(Opcode::Jalr, x::ZERO, x::TP, 0);
        let mut is_routine = false;
        let mut routines: Vec<bool> = (self.0.iter().rev())
            .map(|inst| {
                is_routine = match inst {
                    None => false,
                    Some(inst) => match inst.opcode.info().class {
                        Class::Branch | Class::Jump | Class::Simt => *inst == back,
                        _ => is_routine,
                    },
                };
                is_routine
            })
            .collect();
        routines.reverse();
        routines
    }

    /// The instructions that can be executed after those at some offsets.
    pub(super) fn reached(&self, from: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut ways: Vec<usize> = from.filter_map(index).collect();
        while let Some(at) = ways.pop() {
            if at < self.len() && self.0[at].is_some() && !reached[at] {
                reached[at] = true;
                ways.extend(self.next(at));
            }
        }
        reached
    }

    /// Where the number is before each instruction from which some way leads to a mark.
    pub(super) fn places(&self, marks: &[Option<u8>]) -> Vec<Option<WordLocation>> {
        let slots = self.slots();
        let before = Predecessors::of(self);
        let mut places: Vec<_> = marks
            .iter()
            .map(|mark| mark.and_then(of_register))
            .collect();
        let mut ways: VecDeque<usize> =
            (0..self.len()).filter(|at| places[*at].is_some()).collect();
        while let Some(at) = ways.pop_front() {
            let Some(place) = places[at] else { continue };
            for &from in before.of_instruction(at) {
                let from = from as usize;
                if marks[from].is_some() || places[from].is_some() {
                    continue;
                }
                let Some(inst) = self.0[from] else { continue };
                if let Some(source) = source(inst, slots[from], place) {
                    places[from] = Some(source);
                    ways.push_back(from);
                }
            }
        }
        places
    }

    /// The word of the stack that each load and store is to, if that is known from the code right before it.
    fn slots(&self) -> Vec<Option<WordLocation>> {
        let mut entered = vec![false; self.len()];
        for at in 0..self.len() {
            for next in self.next(at).filter(|next| *next != at + 1) {
                entered[next] = true;
            }
        }
        let mut words = Words::default();
        let slots = (0..self.len()).map(|at| {
            if entered[at] {
                words = Words::default();
            }
            let inst = self.0[at]?;
            let slot = words.slot(inst);
            words.step(inst);
            slot
        });
        slots.collect()
    }
}

/// The instructions after which each may be executed.
struct Predecessors {
    /// Those of the instruction `n` are `all[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Predecessors {
    fn of(code: &Code) -> Self {
        let mut starts = vec![0u32; code.len() + 2];
        let ways = || (0..code.len()).flat_map(|at| code.next(at).map(move |next| (at, next)));
        for (_, next) in ways() {
            starts[next + 2] += 1;
        }
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut all = vec![0; starts.last().map_or(0, |count| *count as usize)];
        for (at, next) in ways() {
            // Where those of the next one start, when all are there.
            let place = &mut starts[next + 1];
            all[*place as usize] = at as u32;
            *place += 1;
        }
        Self { starts, all }
    }

    fn of_instruction(&self, at: usize) -> &[u32] {
        &self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// A register that can hold a number that is not known.
fn of_register(register: u8) -> Option<WordLocation> {
    (register != x::ZERO && !STACK.contains(&register)).then_some(WordLocation::Register(register))
}

/// Where the word is before an instruction that is in `place` after it. `slot` is the word of the stack that it
/// accesses.
fn source(inst: Inst, slot: Option<WordLocation>, place: WordLocation) -> Option<WordLocation> {
    let is_store = inst.opcode.info().class == Class::Store;
    if is_store && slot == Some(place) {
        return match inst.opcode {
            Opcode::Sw => of_register(inst.rs2),
            _ => None,
        };
    }
    match (inst.destination(), place) {
        (Some((RegFile::Integer, rd)), WordLocation::Register(register)) if rd == register => {
            match inst.opcode {
                Opcode::Addi if inst.imm == 0 => of_register(inst.rs1),
                Opcode::Lw => slot,
                _ => None,
            }
        }
        // The stack is another one.
        (Some((RegFile::Integer, rd)), WordLocation::Stack(base, _)) if rd == base => None,
        _ => Some(place),
    }
}
