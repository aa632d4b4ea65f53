//! Which iteration of its loop over work items a warp was in when it was stopped.
//!
//! Kernels spend nothing on telling. The compiler notes where some register holds the iteration's number
//! ([`Image::item_counters`]), which is not everywhere: it may be on the stack, in another register, or only in code
//! that seldom runs. But sooner or later, before the iteration ends, it is in that register again. So the code is
//! followed back from the noted places, without executing it, to where the word that arrives there comes from: the
//! nearest noted place that an instruction leads to decides where the number is before it.
//!
//! An image may come from a file, and can be any code. Each instruction is looked at a few times, so that time and
//! memory grow with the code's size and nothing else.

use std::cell::OnceCell;
use std::collections::VecDeque;

use vortex_kernel::codegen::{Image, ItemCounterEntry};
use vortex_kernel::isa::{Class, Inst, Opcode, RegFile, x};

use vortex_sim::debug::WordLocation;

/// The iteration that a warp is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iteration {
    /// It has yet to begin.
    First,
    /// The one with the number that is here.
    In(WordLocation),
    /// That of the code which has called this, whose address is in [`CALLER`].
    Called,
}

/// Where routines of an image find where they go back to.
pub(crate) const CALLER: WordLocation = WordLocation::Register(x::TP);

/// Where the number of the iteration is, for each instruction of an image.
pub(crate) struct ItemCounters<'a> {
    code: Code,
    iterations: &'a [ItemCounterEntry],
    /// Where it is before an instruction, by the number of that.
    places: Vec<Option<WordLocation>>,
    /// What is needed only for a warp that was stopped: which instructions are of routines, and which can be executed
    /// once the first iteration has begun.
    parts: OnceCell<Parts>,
}

struct Parts {
    routines: Vec<bool>,
    after_marks: Vec<bool>,
}

impl<'a> ItemCounters<'a> {
    pub(crate) fn of(image: &'a Image) -> Self {
        Self::new(&image.bytes, &image.item_counters)
    }

    fn new(bytes: &[u8], iterations: &'a [ItemCounterEntry]) -> Self {
        let code = Code::of(bytes);
        let places = code.places(&code.marks(iterations));
        Self {
            code,
            iterations,
            places,
            parts: OnceCell::new(),
        }
    }

    /// The iteration of a warp that was stopped `offset` bytes from the image's start, if that can be told.
    pub(crate) fn at(&self, offset: u32) -> Option<Iteration> {
        let parts = self.parts.get_or_init(|| Parts {
            routines: self.code.routines(),
            after_marks: self
                .code
                .reached(self.iterations.iter().map(|entry| entry.offset)),
        });
        let index = index(offset)?;
        let is_among = |those: &[bool]| those.get(index).copied().unwrap_or_default();
        if is_among(&parts.routines) {
            return Some(Iteration::Called);
        }
        if let Some(place) = self.place(offset) {
            return Some(Iteration::In(place));
        }
        let before = !self.iterations.is_empty() && !is_among(&parts.after_marks);
        before.then_some(Iteration::First)
    }

    /// Where the number of the iteration is in which a warp comes to the instruction there, if it is known: nowhere
    /// before the first begins.
    pub(crate) fn place(&self, offset: u32) -> Option<WordLocation> {
        *self.places.get(index(offset)?)?
    }
}

/// The number of the instruction at an offset.
fn index(offset: u32) -> Option<usize> {
    usize::try_from(offset / 4)
        .ok()
        .filter(|_| offset.is_multiple_of(4))
}

/// An image's instructions; `None` for words that are none.
struct Code(Vec<Option<Inst>>);

impl Code {
    fn of(bytes: &[u8]) -> Self {
        let words = bytes.as_chunks().0.iter();
        Code(
            words
                .map(|word| Inst::decode(u32::from_le_bytes(*word)))
                .collect(),
        )
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// The register that counts iterations before each instruction, where one is noted. Of several, the one that is
    /// noted first.
    fn marks(&self, iterations: &[ItemCounterEntry]) -> Vec<Option<u8>> {
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
    fn routines(&self) -> Vec<bool> {
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
    fn reached(&self, from: impl Iterator<Item = u32>) -> Vec<bool> {
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
    fn places(&self, marks: &[Option<u8>]) -> Vec<Option<WordLocation>> {
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

/// What points to the stack: at a lane's frame, and at its words of the slots that lanes share lines for
/// (vortex-kernel/src/codegen/spills.rs).
const STACK: [u8; 2] = [x::SP, x::S0];

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

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Word {
    Constant(i32),
    /// An address, as an offset to one of [`STACK`].
    Stack(u8, i32),
    #[default]
    Other,
}

/// What is known of registers, from the straight-line code before an instruction.
#[derive(Default)]
struct Words([Word; 32]);

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
    fn slot(&self, inst: Inst) -> Option<WordLocation> {
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

    fn step(&mut self, inst: Inst) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    const T0: u8 = 5;
    const T1: u8 = 6;
    const S2: u8 = 18;
    const END: Inst = Inst::simt(Opcode::Tmc, x::ZERO, x::ZERO);

    /// The iteration of a warp at each instruction; before those in `marked`, `S2` counts iterations.
    fn iterations<const N: usize>(code: [Inst; N], marked: Range<u32>) -> [Option<Iteration>; N] {
        let bytes = code.map(|inst| inst.encode().to_le_bytes());
        let iterations = [ItemCounterEntry {
            offset: marked.start * 4,
            end: marked.end * 4,
            register: S2,
        }];
        let iterations = ItemCounters::new(bytes.as_flattened(), &iterations);
        std::array::from_fn(|n| iterations.at(n as u32 * 4))
    }

    fn register(register: u8) -> Option<Iteration> {
        Some(Iteration::In(WordLocation::Register(register)))
    }

    fn stack(offset: i32) -> Option<Iteration> {
        Some(Iteration::In(WordLocation::Stack(x::SP, offset)))
    }

    #[test]
    fn a_routine_is_in_the_iteration_of_its_caller() {
        let code = [
            Inst::jal(x::TP, 12),
            Inst::mv(S2, T0),
            Inst::jal(x::ZERO, 0),
            Inst::mv(x::GP, T1),
            Inst::i(Opcode::Jalr, x::ZERO, x::TP, 0),
        ];
        let called = Some(Iteration::Called);
        assert_eq!(
            iterations(code, 2..3),
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
        assert_eq!(iterations(code, 4..5), found);
    }

    #[test]
    fn slots_that_lanes_share_lines_for_are_others_than_those_of_the_frame() {
        let code = [
            Inst::s(Opcode::Sw, T1, x::S0, 8),
            Inst::s(Opcode::Sw, T0, x::SP, 8),
            Inst::i(Opcode::Lw, S2, x::S0, 8),
            Inst::nop(),
            END,
        ];
        let slot = Some(Iteration::In(WordLocation::Stack(x::S0, 8)));
        assert_eq!(iterations(code, 3..4)[..3], [register(T1), slot, slot]);
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
        assert_eq!(iterations(code, 3..4)[0], stack(0xffc));
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
        assert_eq!(iterations(code, 4..5)[0], register(T1));
    }

    #[test]
    fn before_the_loop_is_the_first_iteration_and_after_it_none() {
        let code = [
            Inst::i(Opcode::Lw, T0, T1, 0),
            Inst::csrr(S2, vortex_kernel::isa::csr::WARP_ID),
            Inst::i(Opcode::Lw, T0, S2, 0),
            Inst::b(Opcode::Bne, T0, x::ZERO, -4),
            Inst::i(Opcode::Lw, T0, T1, 0),
            END,
        ];
        let found = iterations(code, 2..4);
        assert_eq!(found[..2], [Some(Iteration::First); 2]);
        assert_eq!(found[2..4], [register(S2); 2]);
        assert_eq!(found[4], None);
    }

    #[test]
    fn branches_that_do_not_reach_go_through_other_code() {
        let far = |at: i32, to: i32| {
            let near = Inst::i(Opcode::Jalr, x::ZERO, T0, 4 * (to - at));
            [Inst::u(Opcode::Auipc, T0, 0), near]
        };
        let [high, low] = far(4, 7);
        let code = [
            Inst::b(Opcode::Beq, T1, x::ZERO, 16),
            Inst::mv(S2, T1),
            Inst::nop(),
            Inst::jal(x::ZERO, 12),
            high,
            low,
            Inst::nop(),
            Inst::i(Opcode::Lw, S2, x::SP, 8),
            Inst::jal(x::ZERO, -20),
        ];
        let found = iterations(code, 2..7);
        assert_eq!(found[1..4], [register(T1), register(S2), register(S2)]);
        assert_eq!(found[4..8], [stack(8), stack(8), register(S2), stack(8)]);
        assert_eq!(found[8], register(S2));
    }

    #[test]
    fn what_is_no_code_ends_the_search() {
        let code = [Inst::jal(x::ZERO, -8), Inst::jal(x::ZERO, 0), END];
        assert_eq!(iterations(code, 9..10), [Some(Iteration::First); 3]);
        assert_eq!(iterations(code, 2..3)[1], Some(Iteration::First));
    }

    #[test]
    fn stores_through_far_addresses_are_seen() {
        let code = [
            Inst::u(Opcode::Lui, T0, 0x1000),
            Inst::r(Opcode::Add, T0, x::SP, T0),
            Inst::s(Opcode::Sw, T1, T0, -4),
            Inst::u(Opcode::Lui, T1, 0x1000),
            Inst::r(Opcode::Add, T1, T1, x::SP),
            Inst::i(Opcode::Lw, S2, T1, -4),
            Inst::nop(),
            END,
        ];
        let found = iterations(code, 6..7);
        assert_eq!(found[..3], [register(T1); 3]);
        assert_eq!(found[3..6], [stack(0xffc); 3]);
    }

    #[test]
    fn of_places_that_are_noted_twice_the_first_counts() {
        let iterations = [(4, 12, S2), (0, 8, T0), (0, 20, T1)].map(|(offset, end, register)| {
            ItemCounterEntry {
                offset,
                end,
                register,
            }
        });
        let code = Code::of(
            &[Inst::nop(); 4]
                .map(|inst| inst.encode().to_le_bytes())
                .concat(),
        );
        let marks = code.marks(&iterations);
        assert_eq!(marks, [Some(T0), Some(S2), Some(S2), Some(T1)]);
        let beyond = ItemCounterEntry {
            offset: u32::MAX,
            end: u32::MAX,
            register: S2,
        };
        assert_eq!(code.marks(&[beyond]), [None; 4]);
    }

    /// A way through code of this many instructions used to take the square of their number, in time and in memory.
    #[test]
    fn code_of_any_kind_takes_time_in_proportion_to_its_size() {
        const COUNT: usize = 1 << 18;
        let stores = |n: usize| Inst::s(Opcode::Sw, T0, x::SP, (n as i32 * 4) & 0x7ff);
        let branches = |n: usize| match n % 2 {
            0 => stores(n),
            _ => Inst::b(Opcode::Beq, T0, x::ZERO, 8),
        };
        let kinds: [&dyn Fn(usize) -> Inst; 2] = [&stores, &branches];
        for inst in kinds {
            let code: Vec<u8> = (0..COUNT)
                .flat_map(|n| inst(n).encode().to_le_bytes())
                .collect();
            let entry = |n: usize| ItemCounterEntry {
                offset: COUNT as u32 * 2,
                end: COUNT as u32 * 4,
                register: n as u8,
            };
            let marks: Vec<ItemCounterEntry> = (0..COUNT / 16).map(entry).collect();
            let began = std::time::Instant::now();
            let iterations = ItemCounters::new(&code, &marks[S2.into()..]);
            let found = (0..COUNT as u32).filter(|n| iterations.at(n * 4) == register(S2));
            assert_eq!(found.count(), COUNT);
            assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
        }
    }
}
