//! The image verifier: what may run on the device.
//!
//! # What is proved
//!
//! For every accepted image, and every execution of it by a warp:
//!
//! 1. Only instructions that the target has are executed, and none outside of the image.
//! 2. A conditional branch is executed only while the active lanes agree on it. Either it comes from an IR branch
//!    whose condition is uniform, or the last split or pred executed before it made the lanes agree on the very word
//!    it tests.
//! 3. Every split is joined, at one place, with its own token, after whatever was opened later has been closed.
//! 4. A pred restores exactly the lanes that entered its loop, and is the only thing to do so but join.
//! 5. A warp ends, and narrows its mask for good, only outside of all splits and divergent loops.
//! 6. A call returns to where it was made.
//! 7. On Vortex 3, warps wait only at the two barriers of their group, and for phases in which they have arrived.
//!
//! Assumed: what `opt::uniformity` says about IR values; that split and pred receive 0 or 1; that no pointer of the
//! program reaches the stack except for its objects in private memory, and those only in bounds.
//!
//! # How
//!
//! By abstract interpretation of the words, knowing of the compiler only which conditional branch comes from what. The
//! abstract **state** before an instruction:
//!
//! * `open`: the splits (by their address) and divergent loops (by the address of their mask read) that have been
//!   entered and not left, in order;
//! * `guard`: the split or pred on which no branch has been taken yet, and the name of the word it looked at;
//! * for each integer register and stack word a **name**: [`Name::Made`] by the latest execution of the instruction at
//!   an address, a constant, an address in the code or the stack, or unknown. Two places with one name hold one word.
//!
//! **Transfer**: moves, spills and reloads copy names, naming an unknown word first; every other instruction gives its
//! result a fresh name, and whatever held that name from an earlier execution becomes unknown. A split opens and sets
//! the guard, a mask read opens; a guarded branch must test the guard's word and clears the guard, and a pred's branch
//! closes its loop on the way out; a join closes the innermost split, whose token it must be given. Each call is
//! followed from the state in which it is made: the callee is straight-line code.
//!
//! **Join**: `open` and `guard` must be equal on all ways to an instruction, else the image is rejected. A name that
//! all ways agree on stays; otherwise places that share a name on each way share a new one, [`Kind::Joined`]. The
//! partition of places into those of one name only gets finer, so the iteration ends. (A `Joined` name means the
//! latest arrival at its address: there it stays only with places that share it with the one it is called after, so
//! that none keeps it from an earlier arrival.)

use super::narrow::Placed;
use super::tags::Branch;
use super::{CompileError, Target, spills};
use crate::isa::{Class, Extension, Generation, Inst, Opcode, RegFile, SECOND_BARRIER, csr, x};
use std::collections::BTreeSet;

mod state;
#[cfg(test)]
mod tests;

use state::{Guard, Kind, Location, Name, Open, State};

/// Where control goes after an instruction.
enum Next {
    On,
    To(usize),
    /// To the first instruction of a routine.
    Call(usize),
    /// To an instruction in this state, or on.
    Either(usize, Box<State>),
    End,
}

/// Verifies an image. The first `start_length` instructions are hand-written: the only ones that spawn warps. The
/// first `private` bytes of the frame are objects of the program, reached through pointers too: nothing is known of
/// them.
pub(super) fn verify(
    code: &[Placed],
    start_length: usize,
    private: u32,
    target: Target,
) -> Result<(), CompileError> {
    let complain = |(pc, problem): (usize, String)| {
        let inst = code.get(pc).map(|placed| placed.inst.to_string());
        CompileError::internal(format!(
            "the image verifier found at {:#x}, `{}`: {problem}",
            pc * 4,
            inst.unwrap_or_default(),
        ))
    };
    for (pc, placed) in code.iter().enumerate() {
        if !is_legal(placed.inst, target) {
            return Err(complain((
                pc,
                "not an instruction of the target".to_owned(),
            )));
        }
    }
    let mut reached = vec![None; code.len()];
    if let Some(first) = reached.first_mut() {
        *first = Some(State::start());
    }
    let mut verifier = Verifier {
        code,
        start_length,
        private,
        joined_at: vec![None; code.len()],
        generation: target.generation,
        is_target: targets(code, target.generation),
        reached,
        queue: BTreeSet::from([0]),
    };
    while let Some(pc) = verifier.queue.pop_first() {
        verifier.run(pc).map_err(complain)?;
    }
    Ok(())
}

fn is_legal(inst: Inst, target: Target) -> bool {
    match inst.opcode.info().extension {
        Extension::I => inst.opcode.info().class != Class::System,
        Extension::M | Extension::F => true,
        Extension::Zicond => target.zicond,
        Extension::Zicsr => {
            let number = inst.csr();
            inst.is_csr_read()
                && csr::name(number).is_some()
                && target.generation.has(csr::since(number))
        }
        Extension::Simt => true,
        // Without a reservation, which nothing here proves to be held.
        Extension::A => target.atomics && !matches!(inst.opcode, Opcode::LrW | Opcode::ScW),
        Extension::WarpOps => target.warp_ops,
        Extension::V3 => {
            let used = [Opcode::Wsync, Opcode::BarArrive, Opcode::BarWait];
            used.contains(&inst.opcode) && target.generation == Generation::V3
        }
    }
}

/// The instruction `offset` bytes from the one at `pc`.
pub(super) fn at_offset(pc: usize, offset: i32) -> Option<usize> {
    let offset = isize::try_from(offset / 4).ok()?;
    pc.checked_add_signed(offset)
}

/// From the `tmc` that ends a warp back to where the warp continues for its next group, on Vortex 3, in instructions.
const WINDOW: usize = 4;

pub(super) fn ends_warp(inst: Inst) -> bool {
    inst.opcode == Opcode::Tmc && inst.rs1 == x::ZERO
}

/// Which instructions are branched or jumped to, far jumps (`auipc` and `jalr`) and windows included.
fn targets(code: &[Placed], generation: Generation) -> Vec<bool> {
    let mut is_target = vec![false; code.len()];
    let mut last: Option<Inst> = None;
    for (pc, placed) in code.iter().enumerate() {
        let inst = placed.inst;
        let target = match (inst.opcode, last) {
            (Opcode::Jalr, Some(auipc)) if auipc.opcode == Opcode::Auipc => {
                at_offset(pc - 1, auipc.imm.wrapping_add(inst.imm))
            }
            // Where it comes back.
            (Opcode::Jal, _) if inst.rd != x::ZERO => Some(pc + 1),
            (Opcode::Jal, _) => at_offset(pc, inst.imm),
            _ if inst.opcode.info().class == Class::Branch => at_offset(pc, inst.imm),
            _ if ends_warp(inst) && generation == Generation::V3 => pc.checked_sub(WINDOW),
            _ => None,
        };
        if let Some(mark) = target.and_then(|target| is_target.get_mut(target)) {
            *mark = true;
        }
        last = Some(inst);
    }
    is_target
}

struct Verifier<'a> {
    code: &'a [Placed],
    start_length: usize,
    private: u32,
    generation: Generation,
    /// Where each split is joined.
    joined_at: Vec<Option<usize>>,
    is_target: Vec<bool>,
    /// States before the instructions that something jumps to or falls out of a branch into.
    reached: Vec<Option<State>>,
    /// Lowest address first, which is roughly the order of execution.
    queue: BTreeSet<usize>,
}

impl Verifier<'_> {
    /// Whether an offset to sp is that of a byte of the program's.
    fn is_private(&self, offset: i32) -> bool {
        u32::try_from(offset).is_ok_and(|offset| offset < self.private)
    }

    /// Whether a register holds the address of an object of the program's. What the program reckons of it is nothing
    /// that Cranelift keeps in the frame, wherever it would lie: behind a check that fails, an address can be any.
    fn is_object(&self, state: &State, register: u8) -> bool {
        let is_private = |kind| matches!(kind, Kind::Stack(base) if self.is_private(base));
        register != x::SP && is_private(state.kind(register))
    }

    /// Interprets from `pc` up to the next place that keeps its own state.
    fn run(&mut self, mut pc: usize) -> Result<(), (usize, String)> {
        let Some(mut state) = self.reached.get(pc).cloned().flatten() else {
            return Ok(());
        };
        loop {
            let next = self.step(&mut state, pc);
            match next.map_err(|problem| (pc, problem))? {
                Next::On if self.is_target.get(pc + 1) == Some(&false) => pc += 1,
                Next::On => return self.reach(pc + 1, &state),
                Next::To(target) => return self.reach(target, &state),
                Next::Call(routine) => {
                    self.call(&mut state, routine, pc + 1)?;
                    return self.reach(pc + 1, &state);
                }
                Next::Either(taken, then) => {
                    self.reach(taken, &then)?;
                    return self.reach(pc + 1, &state);
                }
                Next::End => return Ok(()),
            }
        }
    }

    /// Interprets a routine up to where it goes back.
    fn call(
        &mut self,
        state: &mut State,
        routine: usize,
        back: usize,
    ) -> Result<(), (usize, String)> {
        for pc in routine..self.code.len() {
            match self.step(state, pc).map_err(|problem| (pc, problem))? {
                Next::On => {}
                Next::To(target) if target == back => return Ok(()),
                _ => return Err((pc, "a routine that is not straight-line code".to_owned())),
            }
        }
        Err((self.code.len(), "control leaves the image".to_owned()))
    }

    fn reach(&mut self, pc: usize, state: &State) -> Result<(), (usize, String)> {
        let known = self
            .reached
            .get_mut(pc)
            .ok_or_else(|| (pc, "control leaves the image".to_owned()))?;
        let changed = match known {
            Some(known) => known.join(state, pc).map_err(|problem| (pc, problem))?,
            None => {
                *known = Some(state.clone());
                true
            }
        };
        if changed {
            self.queue.insert(pc);
        }
        Ok(())
    }

    /// The transfer function. `state` becomes the state after the instruction, where control continues.
    fn step(&mut self, state: &mut State, pc: usize) -> Result<Next, String> {
        let placed = self.code[pc];
        let inst = placed.inst;
        if pc >= self.start_length && inst.destination().is_some_and(is_stack_register) {
            return Err("the stack moves".to_owned());
        }
        if spills::is_access(inst) && !spills::is_slot(inst.imm) {
            return Err("an access between two slots".to_owned());
        }
        match inst.opcode.info().class {
            Class::Branch => return self.branch(state, pc, placed),
            Class::Jump => return self.jump(state, pc, inst),
            Class::Simt => return self.simt(state, pc, inst),
            _ => {}
        }
        match inst.opcode {
            Opcode::Addi if inst.imm == 0 && inst.rs1 != x::ZERO => {
                let name = state.named(inst.rs1, pc);
                state.set(inst.rd, name);
            }
            Opcode::Ori
                if inst.imm.cast_unsigned() == SECOND_BARRIER
                    && self.reads(state, inst.rs1, csr::CTA_ID) =>
            {
                state.set(inst.rd, Name::of(Kind::SecondBarrier));
            }
            Opcode::Addi | Opcode::Lui | Opcode::Auipc | Opcode::Add => {
                let of_object = match inst.opcode {
                    Opcode::Addi => self.is_object(state, inst.rs1),
                    Opcode::Add => [inst.rs1, inst.rs2]
                        .iter()
                        .any(|r| self.is_object(state, *r)),
                    _ => false,
                };
                let known = arithmetic(state, pc, inst).filter(|_| !of_object);
                let name = known.unwrap_or_else(|| state.fresh(pc));
                state.set(inst.rd, name);
            }
            Opcode::Sw | Opcode::Fsw | Opcode::Sh | Opcode::Sb => {
                if let Kind::Stack(base) = state.kind(inst.rs1)
                    && !self.is_object(state, inst.rs1)
                {
                    let name = match inst.opcode {
                        Opcode::Sw => state.named(inst.rs2, pc),
                        _ => Name::UNKNOWN,
                    };
                    let place =
                        Location::slot(base + inst.imm).ok_or("a store outside of the frame")?;
                    state.set_slot(place, name);
                }
            }
            Opcode::Lw => {
                // Of objects nothing is known, whatever was stored in them last: pointers reach them.
                let place = match state.kind(inst.rs1) {
                    Kind::Stack(base)
                        if !self.is_private(base + inst.imm)
                            && !self.is_object(state, inst.rs1) =>
                    {
                        Location::slot(base + inst.imm)
                    }
                    _ => None,
                };
                let held = place.map_or(Name::UNKNOWN, |place| state.slot(place));
                let name = match held {
                    Name::UNKNOWN => state.fresh(pc),
                    name => name,
                };
                if let Some(place) = place {
                    state.set_slot(place, name);
                }
                state.set(inst.rd, name);
            }
            _ => {
                if let Some((RegFile::Integer, rd)) = inst.destination() {
                    let name = state.fresh(pc);
                    state.set(rd, name);
                }
                if inst == Inst::read_mask(inst.rd) {
                    state.open.push(Open::Loop(pc as u32));
                }
            }
        }
        Ok(Next::On)
    }

    fn branch(&self, state: &mut State, pc: usize, placed: Placed) -> Result<Next, String> {
        let inst = placed.inst;
        let target = at_offset(pc, inst.imm).ok_or("control leaves the image")?;
        let guard = std::mem::replace(&mut state.guard, Guard::None);
        let mut taken = Box::new(state.clone());
        match (placed.branch, guard) {
            (None, _) => return Err("a branch that comes from no IR branch".to_owned()),
            (Some(Branch::Uniform), Guard::None) => {}
            (Some(Branch::Uniform), _) => {
                return Err("a uniform branch where a guarded one is due".to_owned());
            }
            (Some(Branch::Guarded), Guard::None) => {
                return Err("a guarded branch without its guard".to_owned());
            }
            (Some(Branch::Guarded), Guard::Split(_, word)) => {
                tests(state, inst, word)?;
            }
            (Some(Branch::Guarded), Guard::Pred(word, stay_if_nonzero)) => {
                let taken_if_nonzero = tests(state, inst, word)?;
                let leaving = if taken_if_nonzero == stay_if_nonzero {
                    state
                } else {
                    &mut *taken
                };
                // The pred has seen to it that the innermost open thing is its loop.
                leaving.open.pop();
            }
        }
        Ok(Next::Either(target, taken))
    }

    fn jump(&self, state: &mut State, pc: usize, inst: Inst) -> Result<Next, String> {
        if inst.rd != x::ZERO {
            let routine = at_offset(pc, inst.imm).filter(|_| inst.opcode == Opcode::Jal);
            state.set(inst.rd, Name::of(Kind::Code((pc as i32 + 1) * 4)));
            return routine
                .map(Next::Call)
                .ok_or_else(|| "a call of an unknown place".to_owned());
        }
        let target = if inst.opcode == Opcode::Jal {
            at_offset(pc, inst.imm)
        } else {
            match state.kind(inst.rs1) {
                Kind::Code(base) => usize::try_from((base + inst.imm) / 4).ok(),
                _ => None,
            }
        };
        match target {
            Some(target) if self.is_target.get(target) == Some(&true) => Ok(Next::To(target)),
            _ => Err("a jump to an unknown place".to_owned()),
        }
    }

    fn simt(&mut self, state: &mut State, pc: usize, inst: Inst) -> Result<Next, String> {
        match inst.opcode {
            Opcode::Split => {
                no_guard(state)?;
                let word = state.named(inst.rs1, pc);
                state.guard = Guard::Split(pc as u32, word);
                state.open.push(Open::Split(pc as u32));
                let token = state.renew(Kind::Token(pc as u32));
                state.set(inst.rd, token);
            }
            Opcode::Join => {
                let Some(Open::Split(split)) = state.open.pop() else {
                    return Err("a join where no split is innermost".to_owned());
                };
                // Without any branch, both arms are empty.
                match state.guard {
                    Guard::None => {}
                    Guard::Split(at, _) if at == split => state.guard = Guard::None,
                    _ => return Err("a join between a split or pred and its branch".to_owned()),
                }
                if state.kind(inst.rs1) != Kind::Token(split) {
                    return Err(format!(
                        "a join with something else than the token of the split at {:#x}",
                        split * 4
                    ));
                }
                if self.joined_at[split as usize]
                    .replace(pc)
                    .is_some_and(|at| at != pc)
                {
                    return Err(format!("the split at {:#x} has another join", split * 4));
                }
            }
            Opcode::Pred => {
                no_guard(state)?;
                match (state.open.last(), state.kind(inst.rs2)) {
                    (Some(Open::Loop(entered)), Kind::Made(mask)) if *entered == mask => {}
                    _ => return Err("a pred without the mask of the innermost loop".to_owned()),
                }
                let word = state.named(inst.rs1, pc);
                state.guard = Guard::Pred(word, inst.rd == 0);
            }
            Opcode::Tmc => {
                no_guard(state)?;
                if let Some(open) = state.open.last() {
                    return Err(format!("{open:?} is still open"));
                }
                if ends_warp(inst) {
                    return self.end(state, pc);
                }
            }
            Opcode::Bar | Opcode::BarArrive | Opcode::BarWait => self.barrier(state, pc, inst)?,
            Opcode::Wsync => {}
            Opcode::Wspawn if self.generation == Generation::V3 => {
                return Err("warps are spawned where the hardware starts them".to_owned());
            }
            Opcode::Wspawn => {
                let next = Kind::Code((pc as i32 + 1) * 4);
                if pc >= self.start_length || state.kind(inst.rs2) != next {
                    return Err(
                        "warps are spawned by the start, at its next instruction".to_owned()
                    );
                }
            }
            _ => return Err("not expected in compiled code".to_owned()),
        }
        Ok(Next::On)
    }
}

impl Verifier<'_> {
    /// Whether a register holds what a CSR was read for.
    fn reads(&self, state: &State, register: u8, csr: u16) -> bool {
        self.made_by(state, register)
            .is_some_and(|inst| inst.is_csr_read() && inst.csr() == csr)
    }

    /// What made the word in a register.
    fn made_by(&self, state: &State, register: u8) -> Option<Inst> {
        match state.kind(register) {
            Kind::Made(at) => self.code.get(at as usize).map(|placed| placed.inst),
            _ => None,
        }
    }

    /// A barrier, or half of one.
    fn barrier(&self, state: &mut State, pc: usize, inst: Inst) -> Result<(), String> {
        no_guard(state)?;
        if let Some(open) = state.open.last() {
            return Err(format!("a barrier while {open:?} is open"));
        }
        let of_the_group = match inst.opcode {
            _ if self.generation == Generation::V2 => true,
            Opcode::Bar => self.reads(state, inst.rs1, csr::CTA_ID),
            _ => state.kind(inst.rs1) == Kind::SecondBarrier,
        };
        let right = match inst.opcode {
            _ if self.generation == Generation::V2 => true,
            Opcode::BarWait => self
                .made_by(state, inst.rs2)
                .is_some_and(|inst| inst.opcode == Opcode::BarArrive),
            _ => self.reads(state, inst.rs2, csr::CTA_SIZE),
        };
        if !of_the_group || !right {
            return Err("a barrier that is not that of the warp's group".to_owned());
        }
        if inst.opcode == Opcode::BarArrive {
            let name = state.fresh(pc);
            state.set(inst.rd, name);
        }
        Ok(())
    }

    /// A warp ends. On Vortex 3 it may begin again, in the window before that, with whatever is in its registers.
    fn end(&self, state: &mut State, pc: usize) -> Result<Next, String> {
        if self.generation == Generation::V2 {
            return Ok(Next::End);
        }
        let before = pc.checked_sub(1).map(|pc| self.code[pc].inst);
        if before != Some(Inst::of(Opcode::Wsync)) {
            return Err("a warp ends before all that it has begun is done".to_owned());
        }
        let window = pc.checked_sub(WINDOW);
        let window = window.ok_or("a warp ends where there is no room for it to begin again")?;
        *state = State::start();
        Ok(Next::To(window))
    }
}

/// Whether a register is one of those that the start sets for good.
fn is_stack_register(destination: (RegFile, u8)) -> bool {
    destination.0 == RegFile::Integer && matches!(destination.1, x::SP | spills::BASE)
}

fn no_guard(state: &State) -> Result<(), String> {
    match state.guard {
        Guard::None => Ok(()),
        _ => Err("a split or pred waits for its branch".to_owned()),
    }
}

/// Whether a branch on `word` is taken when the word is non-zero, and not when it is zero; else the other way round.
fn tests(state: &State, inst: Inst, word: Name) -> Result<bool, String> {
    let tested = match (inst.rs1, inst.rs2) {
        (tested, x::ZERO) | (x::ZERO, tested) => state.get(tested),
        _ => Name::UNKNOWN,
    };
    match inst.opcode {
        _ if tested != word || tested == Name::UNKNOWN => {
            Err("a guarded branch on something else than what its guard looked at".to_owned())
        }
        Opcode::Bne => Ok(true),
        Opcode::Beq => Ok(false),
        _ => Err("a guarded branch that is no test for zero".to_owned()),
    }
}

/// Names of constants and addresses, as far as compiled code makes any: `None` for what is neither.
fn arithmetic(state: &State, pc: usize, inst: Inst) -> Option<Name> {
    let (a, b) = (state.kind(inst.rs1), state.kind(inst.rs2));
    Some(Name::of(match (inst.opcode, a, b) {
        (Opcode::Lui, _, _) => Kind::Constant(inst.imm),
        (Opcode::Auipc, _, _) => Kind::Code((pc as i32 * 4).wrapping_add(inst.imm)),
        (Opcode::Addi, Kind::Constant(c), _) => Kind::Constant(c.wrapping_add(inst.imm)),
        (Opcode::Addi, Kind::Code(c), _) => Kind::Code(c.wrapping_add(inst.imm)),
        (Opcode::Addi, Kind::Stack(c), _) => Kind::Stack(c.wrapping_add(inst.imm)),
        (Opcode::Add, Kind::Stack(base), Kind::Constant(c))
        | (Opcode::Add, Kind::Constant(c), Kind::Stack(base)) => Kind::Stack(base.wrapping_add(c)),
        _ => return None,
    }))
}
