//! An issue slice: instruction buffers, scoreboard, operand collection, dispatch.

use super::config::TimingConfig;
use super::queue::{Cyclic, Deep, Queue};
use super::units::{Alu, Fpu};
use super::uop::{Decoded, Id, Kind, UNITS, Unit, Uops};
use crate::warp::lanes_of;

/// Cycle of what keeps a slice from issuing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocked {
    /// It issued.
    No,
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
}

impl Awaited {
    fn set(&mut self, decoded: &Decoded) {
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

    /// The unit that is to write one of these registers.
    fn unit(&self, registers: u64) -> Unit {
        [Unit::Lsu, Unit::Fpu, Unit::Sfu]
            .into_iter()
            .find(|&unit| self.by_unit[unit as usize] & registers != 0)
            .unwrap_or(Unit::Alu)
    }
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
    /// Registers that the staged instruction reads or writes.
    touches: Vec<u64>,
    awaited: Vec<Awaited>,
    arbiter: Cyclic,
    issued: Queue<Id>,
    /// Reads that the oldest issued instruction still has to make.
    reads: u8,
    reading: Option<(Id, bool)>,
    read: Option<Id>,
    operands: Queue<Id>,
    pub(super) dispatch: [Queue<Id>; UNITS],
    alu: Alu,
    fpu: Fpu,
    /// Results of the units that the slices share; of loads, whether it is the last part.
    pub(super) loaded: Queue<(Id, bool)>,
    pub(super) controlled: Queue<Id>,
    /// What is written back in the next cycle, and whether it is the last of its instruction.
    pub(super) commit: Option<(Id, bool)>,
    /// The warp and register that are written in this cycle.
    pub(super) written: Option<(u8, u8)>,
}

impl Slice {
    pub(super) fn new(config: &TimingConfig, warps: usize) -> Slice {
        Slice {
            buffers: (0..warps)
                .map(|_| Deep::new(config.instruction_buffer.max(1) as usize))
                .collect(),
            staged: vec![None; warps],
            present: 0,
            buffered: 0,
            settled: 0,
            touches: vec![0; warps],
            awaited: vec![Awaited::default(); warps],
            arbiter: Cyclic::default(),
            issued: Queue::new(2),
            reads: 0,
            reading: None,
            read: None,
            operands: Queue::new(2),
            dispatch: std::array::from_fn(|_| Queue::new(2)),
            alu: Alu::new(config),
            fpu: Fpu::new(config),
            loaded: Queue::new(2),
            controlled: Queue::new(2),
            commit: None,
            written: None,
        }
    }

    /// Moves its own units on. Answers a branch that was decided.
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
        let &id = self.operands.front(now)?;
        self.dispatch[uops[id].decoded.unit as usize]
            .accepts(now)
            .then_some(id)
    }

    /// Sends it there.
    pub(super) fn send(&mut self, now: u64, id: Id, uops: &Uops) {
        self.operands.pop(now);
        self.dispatch[uops[id].decoded.unit as usize].push(now, id);
    }

    /// Reads operands. Answers whether an operand had to wait for another of its bank.
    pub(super) fn collect(&mut self, now: u64, uops: &Uops) -> bool {
        if let Some(id) = self.read
            && self.operands.offer(now, id)
        {
            self.read = None;
        }
        if self.read.is_none()
            && let Some((id, last)) = self.reading.take()
            && last
        {
            self.read = Some(id);
        }
        if self.reading.is_some() {
            return false;
        }
        let Some(&id) = self.issued.front(now) else {
            return false;
        };
        if self.reads == 0 {
            self.reads = uops[id].decoded.reads;
        }
        self.reads -= 1;
        self.reading = Some((id, self.reads == 0));
        if self.reads == 0 {
            self.issued.pop(now);
        }
        self.reads != 0
    }

    /// Whether nothing moved in this cycle, and nothing but what is behind can make it.
    pub(super) fn is_still(&self, now: u64) -> bool {
        // What was read waits for room; what reads waits for that; what was issued waits for that.
        let reads = self.read.is_none() && self.reading.is_some()
            || self.reading.is_none() && !self.issued.is_empty();
        self.commit.is_none()
            && self.alu.is_empty()
            && self.fpu.is_empty()
            && self.loaded.is_empty()
            && self.controlled.is_empty()
            && !reads
            && (self.read.is_none() || !self.operands.accepts(now))
            && !self.issued.moved(now)
            && !self.operands.moved(now)
            && !self.dispatch.iter().any(|queue| queue.moved(now))
            && !self.buffers.iter().any(|queue| queue.moved(now))
            && self.is_blocked(now)
    }

    /// Finds out whether a warp's staged instruction waits for a result.
    fn look_at(&mut self, warp: usize) {
        let settled = self.touches[warp] & self.awaited[warp].registers == 0;
        self.settled = self.settled & !(1 << warp) | u32::from(settled) << warp;
    }

    /// Whether no warp can issue or move up, but for a lack of room.
    fn is_blocked(&self, now: u64) -> bool {
        let ready = self.present & self.settled != 0;
        self.buffered & !self.present == 0 && (!ready || !self.issued.accepts(now))
    }

    /// Issues the next instruction whose registers are all settled, and refills from the buffers.
    pub(super) fn issue(&mut self, now: u64, uops: &Uops) -> Blocked {
        let present = self.present;
        let blocked = match self.arbiter.choose(present & self.settled) {
            Some(warp) if self.issued.accepts(now) => {
                self.arbiter.served(warp, self.staged.len());
                self.present &= !(1 << warp);
                if let Some(id) = self.staged[warp].take() {
                    let decoded = &uops[id].decoded;
                    self.awaited[warp].set(decoded);
                    self.issued.push(now, id);
                }
                Blocked::No
            }
            Some(warp) => self.staged[warp].map_or(Blocked::Empty, Blocked::Behind),
            None if present == 0 => Blocked::Empty,
            None => {
                let warp = present.trailing_zeros() as usize;
                let (awaited, touches) = (&self.awaited[warp], self.touches[warp]);
                let unit = awaited.unit(touches);
                let control = awaited.control & touches != 0;
                self.staged[warp].map_or(Blocked::Empty, |id| Blocked::Operand {
                    id,
                    unit,
                    control,
                })
            }
        };
        for warp in lanes_of(self.buffered & !self.present) {
            let warp = warp as usize;
            if let Some(id) = self.buffers[warp].pop(now) {
                let decoded = &uops[id].decoded;
                let [a, b, c] = decoded.rs;
                // Register 0 is never awaited.
                self.touches[warp] = 1 << a | 1 << b | 1 << c | 1 << decoded.rd;
                self.staged[warp] = Some(id);
                self.present |= 1 << warp;
                self.look_at(warp);
                self.buffered &= !(u32::from(self.buffers[warp].is_empty()) << warp);
            }
        }
        blocked
    }

    /// The result that was written in this cycle is no longer awaited.
    #[inline]
    pub(super) fn settle(&mut self) {
        if let Some((warp, register)) = self.written.take()
            && register != 0
        {
            self.awaited[usize::from(warp)].clear(register);
            self.look_at(usize::from(warp));
        }
    }
}
