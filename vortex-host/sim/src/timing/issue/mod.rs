//! An issue slice: instruction buffers, scoreboard, operand collection, dispatch.

mod holders;

pub(super) use holders::Obstacle;

use super::collector::Collectors;
use super::config::TimingConfig;
use super::queue::{Cyclic, Deep, Greedy, Queue};
use super::stages::Stages;
use super::units::{Alu, Fpu};
use super::uop::{Decoded, Id, Kind, UNITS, Unit, Uops};
use crate::registers::lanes_of;

/// Cycle of what keeps a slice from issuing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocked {
    /// It issued this instruction.
    Issued(Id),
    /// The stage behind is full, so that this instruction cannot issue.
    Behind(Id),
    /// This instruction, the one with the most to wait for, lacks an operand that this unit is to write.
    Operand {
        id: Id,
        unit: Unit,
        /// The unit is to write what a control instruction answers, not a CSR.
        control: bool,
    },
    /// There is no instruction.
    Empty,
}

/// The results that warps wait for: a bit per register, and the unit that will write it.
#[derive(Clone, Debug, Default)]
struct Awaited {
    registers: u64,
    by_unit: [u64; UNITS],
    /// Those that a control instruction writes.
    control: u64,
    /// The float CSRs.
    float: u8,
}

impl Awaited {
    fn set(&mut self, decoded: &Decoded) {
        self.float |= decoded.float.written;
        if decoded.rd != 0 {
            let register = 1 << decoded.rd;
            self.registers |= register;
            self.by_unit[decoded.unit as usize] |= register;
            if decoded.kind == Kind::Control {
                self.control |= register;
            }
        }
    }

    fn clear(&mut self, register: u8) {
        self.registers &= !(1 << register);
        self.control &= !(1 << register);
        for unit in &mut self.by_unit {
            *unit &= !(1 << register);
        }
    }

    /// The unit that is to write one of these registers, or else the float CSRs.
    fn unit(&self, registers: u64) -> Unit {
        if self.registers & registers == 0 {
            return Unit::Fpu;
        }
        [Unit::Lsu, Unit::Fpu, Unit::Sfu]
            .into_iter()
            .find(|&unit| self.by_unit[unit as usize] & registers != 0)
            .unwrap_or(Unit::Alu)
    }
}

/// Which warp goes first.
#[derive(Debug)]
enum Arbiter {
    Cyclic(Cyclic),
    Greedy(Greedy),
}

impl Arbiter {
    #[inline]
    fn choose(&self, requests: u32) -> Option<usize> {
        match self {
            Arbiter::Cyclic(cyclic) => cyclic.choose(requests),
            Arbiter::Greedy(greedy) => greedy.choose(requests),
        }
    }

    #[inline]
    fn serve(&mut self, which: usize, requests: u32, count: usize) {
        match self {
            Arbiter::Cyclic(cyclic) => cyclic.served(which, count),
            Arbiter::Greedy(greedy) => greedy.serve(which, requests),
        }
    }
}

/// How many instructions may be between issue and their unit. The test lags by two registers.
#[derive(Debug)]
struct Credits {
    most: u32,
    /// Per unit, those between issue and its queue.
    collecting: [u32; UNITS],
    /// The units that have too many: as of the last cycle, and the one before.
    spent: [u8; 2],
}

impl Credits {
    fn is_spent(&self, unit: Unit) -> bool {
        self.spent[1] >> unit as u8 & 1 != 0
    }

    /// Looks again, at the end of a cycle.
    fn settle(&mut self, queues: &[Deep<Id>; UNITS]) {
        let spent = (0..UNITS).fold(0, |mask, unit| {
            let all = self.collecting[unit] + queues[unit].len();
            mask | u8::from(all > self.most) << unit
        });
        self.spent = [spent, self.spent[0]];
    }
}

/// What is written back in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// The warp, by its number in the slice.
    pub(super) index: u8,
    pub(super) decoded: Decoded,
}

#[derive(Debug)]
pub(super) struct Slice {
    /// Per warp of the slice: decoded instructions, the one that waits for its operands, and what is awaited.
    buffers: Vec<Deep<Id>>,
    staged: Vec<Option<Id>>,
    /// The warps with a staged instruction, and those with one in their buffer.
    present: u32,
    buffered: u32,
    /// The warps whose staged instruction waits for no result.
    settled: u32,
    /// Registers that the staged instruction reads or writes, float CSRs likewise, and its unit.
    touches: Vec<(u64, u8, Unit)>,
    awaited: Vec<Awaited>,
    /// Per warp and register, the instruction that writes what is awaited; empty if it is not needed.
    writers: Vec<[Id; 64]>,
    arbiter: Arbiter,
    issued: Queue<Id>,
    collectors: Collectors,
    credits: Option<Credits>,
    pub(super) dispatch: [Deep<Id>; UNITS],
    /// The warps of which an instruction left its buffer in this cycle.
    pub(super) moved_up: u32,
    alu: Alu,
    fpu: Fpu,
    /// Results of the units that the slices share; of loads, whether it is the last part.
    pub(super) loaded: Queue<(Id, bool)>,
    pub(super) controlled: Queue<Id>,
    /// What is written back in the next cycle, and whether it is the last of its instruction.
    pub(super) commit: Option<(Id, bool)>,
    pub(super) written: Option<Written>,
}

impl Slice {
    pub(super) fn new(config: &TimingConfig, stages: &Stages, warps: usize) -> Slice {
        Slice {
            buffers: (0..warps)
                .map(|_| Deep::new(config.instruction_buffer.max(1) as usize))
                .collect(),
            staged: vec![None; warps],
            present: 0,
            buffered: 0,
            settled: 0,
            touches: vec![(0, 0, Unit::Alu); warps],
            awaited: vec![Awaited::default(); warps],
            writers: Vec::new(),
            arbiter: match stages.greedy {
                true => Arbiter::Greedy(Greedy::new(warps)),
                false => Arbiter::Cyclic(Cyclic::default()),
            },
            issued: Queue::new(2),
            collectors: Collectors::new(stages.collectors),
            credits: stages.credits.map(|most| Credits {
                most,
                collecting: [0; UNITS],
                spent: [0; 2],
            }),
            dispatch: std::array::from_fn(|_| Deep::new(stages.dispatch_queue)),
            moved_up: 0,
            alu: Alu::new(config),
            fpu: Fpu::new(config),
            loaded: Queue::new(2),
            controlled: Queue::new(2),
            commit: None,
            written: None,
        }
    }

    /// Moves its own units on. Returns a branch that was decided.
    #[inline]
    pub(super) fn compute(&mut self, now: u64, uops: &Uops) -> Option<Id> {
        let [alu, _, _, fpu] = &mut self.dispatch;
        let decided = self.alu.step(now, alu, uops);
        self.fpu.step(now, fpu, uops);
        decided
    }

    /// Chooses the result that is written back next.
    #[inline]
    pub(super) fn choose_result(&mut self, now: u64) {
        let whole = |id: Id| (id, true);
        self.commit = (self.alu.out.pop(now).map(whole))
            .or_else(|| self.loaded.pop(now))
            .or_else(|| self.controlled.pop(now).map(whole))
            .or_else(|| self.fpu.commit(now).map(whole));
    }

    /// Whether the buffer of a warp takes an instruction.
    pub(super) fn has_room(&self, now: u64, warp: usize) -> bool {
        self.buffers[warp].accepts(now)
    }

    /// Puts an instruction into the buffer of its warp.
    pub(super) fn put(&mut self, now: u64, warp: usize, id: Id) {
        self.buffers[warp].push(now, id);
        self.buffered |= 1 << warp;
    }

    /// The instruction that goes to its unit in this cycle.
    pub(super) fn dispatching(&self, now: u64, uops: &Uops) -> Option<Id> {
        let &id = self.collectors.front(now)?;
        self.dispatch[uops[id].decoded.unit as usize]
            .accepts(now)
            .then_some(id)
    }

    /// Sends it there.
    pub(super) fn send(&mut self, now: u64, id: Id, uops: &Uops) {
        let unit = uops[id].decoded.unit as usize;
        self.collectors.pop(now);
        self.dispatch[unit].push(now, id);
        if let Some(credits) = &mut self.credits {
            credits.collecting[unit] -= 1;
        }
    }

    /// Reads operands. Returns whether an operand had to wait for another of its bank.
    pub(super) fn collect(&mut self, now: u64, uops: &Uops) -> bool {
        self.collectors.step(now, &mut self.issued, uops)
    }

    /// Whether nothing moved in this cycle, and nothing but what is behind can make it.
    pub(super) fn is_still(&self, now: u64, uops: &Uops) -> bool {
        let lags = |credits: &Credits| credits.spent[0] != credits.spent[1];
        self.commit.is_none()
            && !self.credits.as_ref().is_some_and(lags)
            && self.alu.is_empty()
            && self.fpu.is_empty()
            && self.loaded.is_empty()
            && self.controlled.is_empty()
            && !self.issued.moved(now)
            && self.collectors.is_still(now, &self.issued, uops)
            && !self.dispatch.iter().any(|queue| queue.moved(now))
            && !self.buffers.iter().any(|queue| queue.moved(now))
            && self.is_blocked(now)
    }

    /// Determines whether a warp's staged instruction waits for a result.
    fn look_at(&mut self, warp: usize) {
        let (registers, float, _) = self.touches[warp];
        let awaited = &self.awaited[warp];
        let settled = registers & awaited.registers == 0 && float & awaited.float == 0;
        self.settled = self.settled & !(1 << warp) | u32::from(settled) << warp;
    }

    /// Whether no warp can issue or move up, except for a lack of room.
    fn is_blocked(&self, now: u64) -> bool {
        let ready = self.requests() != 0;
        self.buffered & !self.present == 0 && (!ready || !self.issued.accepts(now))
    }

    /// The warps whose staged instruction waits for nothing.
    fn requests(&self) -> u32 {
        let settled = self.present & self.settled;
        match &self.credits {
            Some(credits) if credits.spent[1] != 0 => lanes_of(settled)
                .filter(|&warp| !credits.is_spent(self.touches[warp as usize].2))
                .fold(0, |mask, warp| mask | 1 << warp),
            _ => settled,
        }
    }

    /// Issues the next instruction whose registers are all settled, and refills from the buffers.
    pub(super) fn issue(&mut self, now: u64, uops: &Uops) -> Blocked {
        let present = self.present;
        let requests = self.requests();
        let spent = present & self.settled & !requests;
        let blocked = match self.arbiter.choose(requests) {
            Some(warp) if self.issued.accepts(now) => {
                self.arbiter.serve(warp, requests, self.staged.len());
                self.present &= !(1 << warp);
                self.staged[warp].take().map_or(Blocked::Empty, |id| {
                    let decoded = &uops[id].decoded;
                    self.awaited[warp].set(decoded);
                    if let Some(credits) = &mut self.credits {
                        credits.collecting[decoded.unit as usize] += 1;
                    }
                    self.issued.push(now, id);
                    Blocked::Issued(id)
                })
            }
            Some(warp) => self.staged[warp].map_or(Blocked::Empty, Blocked::Behind),
            None if present == 0 => Blocked::Empty,
            None if spent != 0 => {
                let warp = spent.trailing_zeros() as usize;
                self.staged[warp].map_or(Blocked::Empty, Blocked::Behind)
            }
            None => {
                let warp = present.trailing_zeros() as usize;
                let (awaited, (touches, ..)) = (&self.awaited[warp], self.touches[warp]);
                let unit = awaited.unit(touches);
                let control = awaited.control & touches != 0;
                self.staged[warp].map_or(Blocked::Empty, |id| Blocked::Operand {
                    id,
                    unit,
                    control,
                })
            }
        };
        self.moved_up = 0;
        for warp in lanes_of(self.buffered & !self.present) {
            let warp = warp as usize;
            if let Some(id) = self.buffers[warp].pop(now) {
                self.moved_up |= 1 << warp;
                let decoded = &uops[id].decoded;
                let [a, b, c] = decoded.rs;
                // Register 0 is never awaited.
                let registers = 1 << a | 1 << b | 1 << c | 1 << decoded.rd;
                self.touches[warp] = (registers, decoded.float.touched, decoded.unit);
                self.staged[warp] = Some(id);
                self.present |= 1 << warp;
                self.look_at(warp);
                self.buffered &= !(u32::from(self.buffers[warp].is_empty()) << warp);
            }
        }
        blocked
    }

    /// Ends the cycle: the result that was written in it is no longer awaited.
    #[inline]
    pub(super) fn settle(&mut self) {
        if let Some(credits) = &mut self.credits {
            credits.settle(&self.dispatch);
        }
        let Some(Written { index, decoded }) = self.written.take() else {
            return;
        };
        if decoded.rd != 0 || decoded.float.written != 0 {
            let awaited = &mut self.awaited[usize::from(index)];
            if decoded.rd != 0 {
                awaited.clear(decoded.rd);
            }
            awaited.float &= !decoded.float.written;
            self.look_at(usize::from(index));
        }
    }
}
