//! What a core records on request.

use super::{Blocked, Core, Entry, Fetch, Id, Program, Stalls, Table, Unit};
use crate::registers::lanes_of;
use crate::timing::RESET;
use crate::timing::issue::Obstacle;
use crate::timing::record::{Dispatched, Recorder, RegisterValues, WarpState};
use vortex_isa::RegFile;

/// Values that an instruction has read, to be noted with what it writes.
pub(super) struct Before {
    operands: Vec<RegisterValues>,
    destination: Option<(RegFile, u8)>,
}

impl Core {
    /// Has it take notes.
    pub(in crate::timing) fn record(&mut self, recorder: Recorder) {
        for slice in &mut self.slices {
            slice.keep_writers();
        }
        self.recorder = Some(Box::new(recorder));
    }

    /// Its notes.
    pub(in crate::timing) fn recorded(&mut self) -> Option<Recorder> {
        self.recorder.take().map(|recorder| *recorder)
    }

    /// What an instruction reads before it is executed, if anybody wants to know.
    pub(super) fn note_operands<P: Program>(&mut self, id: Id, program: &mut P) -> Option<Before> {
        if !self.recorder.as_mut()?.wants_values(id) {
            return None;
        }
        let warp = usize::from(self.uops[id].warp);
        let pc = program.pc(self.id, warp);
        let inst = program.inst(pc)?;
        let values = |(file, number)| self.values(program, warp, file, number);
        Some(Before {
            operands: inst.sources().map(values).collect(),
            destination: inst.destination(),
        })
    }

    fn values<P: Program>(
        &self,
        program: &mut P,
        warp: usize,
        file: RegFile,
        number: u8,
    ) -> RegisterValues {
        RegisterValues {
            file,
            number,
            lanes: program.register(self.id, warp, file, number),
        }
    }

    /// An instruction was executed.
    pub(super) fn note_executed<P: Program>(
        &mut self,
        id: Id,
        lanes: u32,
        request: Option<u16>,
        before: Option<Before>,
        program: &mut P,
    ) {
        let warp = usize::from(self.uops[id].warp);
        let (operands, destination) = match before {
            Some(before) => {
                let values = |(file, number)| self.values(program, warp, file, number);
                (before.operands, before.destination.map(values))
            }
            None => Default::default(),
        };
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let only = |mut values: RegisterValues| {
            for (lane, value) in (0u32..).zip(values.lanes.iter_mut()) {
                *value = value.filter(|_| lanes >> lane & 1 != 0);
            }
            values
        };
        recorder.values(
            id,
            lanes,
            operands.into_iter().map(only).collect(),
            destination.map(only),
        );
        recorder.executed(&Dispatched {
            id,
            entry: self.uops[id].entry,
            warp,
            decoded: &self.uops[id].decoded,
            lanes,
            access: request.map(|number| (number, &self.addresses, self.lsu.shape_of(number))),
        });
    }

    /// A slice has issued, or not.
    pub(super) fn note_issued(&mut self, slice: usize, blocked: Blocked) {
        if let (Some(recorder), Blocked::Issued(id)) = (&mut self.recorder, blocked) {
            recorder.issued(id);
            self.slices[slice].note_writer(&self.uops[id], id);
        }
    }

    /// A slice waits for an instruction that is being fetched.
    pub(super) fn note_fetching(&mut self, slice: usize, entry: Entry, cycles: u64) {
        let mut warps = (slice..self.warps.len()).step_by(self.slices.len());
        let warp = warps.find(|&warp| self.warps[warp].fetch == Fetch::Fetching);
        if let (Some(recorder), Some(warp)) = (&mut self.recorder, warp) {
            recorder.fetching(warp, entry, cycles);
        }
    }

    /// A slice has not, for some cycles and a cause.
    pub(super) fn note_awaited(
        &mut self,
        slice: usize,
        blocked: Blocked,
        entry: Entry,
        cause: fn(&mut Stalls) -> &mut u64,
        cycles: u64,
    ) {
        let awaited = self.awaited_by(slice, blocked).unwrap_or(entry);
        if let Some(recorder) = &mut self.recorder {
            recorder.awaited(awaited, cause, cycles);
        }
    }

    /// Of the instruction that keeps a slice from issuing, the one that it waits for.
    fn awaited_by(&self, slice: usize, blocked: Blocked) -> Option<Entry> {
        let recorder = self.recorder.as_ref()?;
        let now = recorder.now + RESET;
        match blocked {
            Blocked::Behind(id) => self.held_up_by(slice, id, now),
            Blocked::Operand { id, unit, .. } => {
                let writer = self.slices[slice].writer(usize::from(self.uops[id].index), unit)?;
                let other = match unit {
                    _ if !recorder.is_dispatched(writer) => self.held_up_by(slice, writer, now),
                    Unit::Lsu if recorder.is_taken(writer) => {
                        let ahead = self.lsu.ahead_of(self.uops[writer].request, now);
                        ahead.and_then(|other| recorder.of_access(other))
                    }
                    Unit::Lsu => self.holder(slice, unit, now),
                    _ if self.slices[slice].keeps_out(now, writer, unit) => {
                        self.holder(slice, unit, now)
                    }
                    _ => None,
                };
                other.or(Some(self.uops[writer].entry))
            }
            Blocked::Issued(_) | Blocked::Empty => None,
        }
    }

    /// Of an instruction that has not gone to its unit, the one that keeps it from that.
    fn held_up_by(&self, slice: usize, id: Id, now: u64) -> Option<Entry> {
        match self.slices[slice].obstacle(now, id, &self.uops) {
            Obstacle::Unit(unit) => self.holder(slice, unit, now),
            Obstacle::Reading(id) => Some(self.uops[id].entry),
        }
    }

    /// The instruction that keeps a unit from taking more.
    fn holder(&self, slice: usize, unit: Unit, now: u64) -> Option<Entry> {
        let recorder = self.recorder.as_ref()?;
        let of = |id: Id| self.uops[id].entry;
        let waiting = || self.slices[slice].holder(now, unit).map(of);
        match unit {
            Unit::Lsu => {
                let inside = self.lsu.holder(now);
                let inside = inside.and_then(|number| recorder.of_access(number));
                let at_door = || self.lsu_input.front(now).copied().map(of);
                inside.or_else(at_door).or_else(waiting)
            }
            Unit::Sfu => self.sfu.holder(now).map(of).or_else(waiting),
            Unit::Alu | Unit::Fpu => waiting(),
        }
    }

    /// Notes what its warps do, as they have for some cycles up to this one.
    pub(super) fn observe(&mut self, cycles: u64, table: &mut Table) {
        let Some(mut recorder) = self.recorder.take_if(|recorder| recorder.profiles()) else {
            return;
        };
        let now = recorder.now + RESET;
        let mut seen = 0u32;
        for blocked in self.blocked() {
            let &Blocked::Issued(id) = blocked else {
                continue;
            };
            let uop = &self.uops[id];
            let warp = usize::from(uop.warp);
            recorder.was(warp, WarpState::Issued, uop.entry, cycles);
            seen |= 1 << warp;
        }
        for (number, slice) in self.slices.iter().enumerate() {
            for (index, state, id) in slice.states(now) {
                let warp = index * self.slices.len() + number;
                if seen >> warp & 1 == 0 {
                    recorder.was(warp, state, self.uops[id].entry, cycles);
                    seen |= 1 << warp;
                }
            }
        }
        for warp in lanes_of(self.live & !seen) {
            let warp = warp as usize;
            let state = &self.warps[warp];
            let (what, pc) = match state.fetch {
                Fetch::Ready => (WarpState::Fetch, state.pc),
                Fetch::Fetching => (WarpState::Fetch, state.fetched),
                Fetch::Held => (WarpState::Control, state.fetched),
                Fetch::Waiting => (WarpState::Barrier, state.fetched),
                Fetch::Inactive => continue,
            };
            recorder.was(warp, what, table.entry(pc), cycles);
        }
        self.recorder = Some(recorder);
    }
}
