//! What the warps of a slice wait for, and which instruction causes it: for profiles.

use super::{Id, Slice, Unit, Uops};
use crate::registers::lanes_of;
use crate::timing::record::WarpState;
use crate::timing::uop::Uop;

/// What keeps an instruction from being issued although its operands are there.
#[derive(Clone, Copy, Debug)]
pub(in crate::timing) enum Obstacle {
    /// A unit has no room.
    Unit(Unit),
    /// Another instruction, whose operands are being read.
    Reading(Id),
}

impl Slice {
    /// Has it remember which instructions write what is awaited.
    pub(in crate::timing) fn keep_writers(&mut self) {
        self.writers = vec![[0; 64]; self.staged.len()];
    }

    /// An instruction was issued.
    pub(in crate::timing) fn note_writer(&mut self, uop: &Uop, id: Id) {
        if let Some(writers) = self.writers.get_mut(usize::from(uop.index)) {
            writers[usize::from(uop.decoded.rd)] = id;
        }
    }

    /// The instruction that is to write a register that the staged instruction of a warp waits for.
    pub(in crate::timing) fn writer(&self, warp: usize, unit: Unit) -> Option<Id> {
        let (touches, ..) = self.touches[warp];
        let awaited = self.awaited[warp].by_unit[unit as usize] & touches;
        let register = (awaited != 0).then(|| awaited.trailing_zeros())?;
        let writers = self.writers.get(warp)?;
        writers.get(register as usize).copied()
    }

    /// What keeps an instruction of a warp from being issued.
    pub(in crate::timing) fn obstacle(&self, now: u64, id: Id, uops: &Uops) -> Obstacle {
        let unit = uops[id].decoded.unit;
        if self
            .credits
            .as_ref()
            .is_some_and(|credits| credits.is_spent(unit))
        {
            return Obstacle::Unit(unit);
        }
        match self.collectors.front(now) {
            Some(&first) => {
                let unit = uops[first].decoded.unit;
                match self.dispatch[unit as usize].accepts(now) {
                    true => Obstacle::Reading(first),
                    false => Obstacle::Unit(unit),
                }
            }
            None => Obstacle::Reading(self.issued.front(now).copied().unwrap_or(id)),
        }
    }

    /// Whether a unit of its own has no room for an instruction that waits before it.
    pub(in crate::timing) fn keeps_out(&self, now: u64, id: Id, unit: Unit) -> bool {
        let full = match unit {
            Unit::Alu => self.alu.is_dividing(),
            Unit::Fpu => self.fpu.is_full(now),
            Unit::Lsu | Unit::Sfu => false,
        };
        full && self.dispatch[unit as usize].contains(id)
    }

    /// What keeps its own units from taking more.
    pub(in crate::timing) fn holder(&self, now: u64, unit: Unit) -> Option<Id> {
        let inside = match unit {
            Unit::Alu => self.alu.holder(),
            Unit::Fpu => self.fpu.holder(now),
            Unit::Lsu | Unit::Sfu => None,
        };
        inside.or_else(|| self.dispatch[unit as usize].front(now).copied())
    }

    /// The instructions of its warps that are next to be issued, each with what it waits for.
    pub(in crate::timing) fn states(
        &self,
        now: u64,
    ) -> impl Iterator<Item = (usize, WarpState, Id)> {
        let ready = self.requests();
        let accepts = self.issued.accepts(now);
        lanes_of(self.present).filter_map(move |warp| {
            let index = warp as usize;
            let id = self.staged[index]?;
            let state = if self.settled >> warp & 1 == 0 {
                let (registers, ..) = self.touches[index];
                match self.awaited[index].unit(registers) {
                    Unit::Alu => WarpState::Alu,
                    Unit::Fpu => WarpState::Fpu,
                    Unit::Lsu => WarpState::Memory,
                    Unit::Sfu => WarpState::Sfu,
                }
            } else if accepts && ready >> warp & 1 != 0 {
                WarpState::NotChosen
            } else {
                WarpState::Busy
            };
            Some((index, state, id))
        })
    }
}
