//! Where the lanes of a warp are: those that are off wait somewhere, or have nothing left to do.

use super::{Stepper, WarpId};
use crate::registers::{LANES, SINK, lane_mut, lanes_of};
use crate::run::Run;
use crate::warp::State;
use vortex_isa::Opcode;

/// What a lane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneState {
    /// It executes what its warp executes.
    Active,
    /// It is off until the warp reaches this address.
    Parked(u32),
    /// It is off for good, or its warp has not started, or has ended.
    Off,
}

/// Of the lanes of a warp, the addresses at which they wait; 0 of those that do not.
type Places = [u32; LANES];

/// Where the lanes are that are off.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    warps: Vec<Places>,
}

/// A warp before an instruction that may change which lanes are on.
#[derive(Clone, Copy)]
pub(super) struct Before {
    opcode: Opcode,
    pc: u32,
    mask: u32,
}

impl Parked {
    pub(super) fn new(warps: usize) -> Parked {
        Parked {
            warps: vec![[0; LANES]; warps],
        }
    }

    /// A warp is about to execute an instruction.
    pub(super) fn look(&self, run: &mut Run<'_>, core: usize, warp: usize) -> Option<Before> {
        let (pc, mask) = {
            let warp = &run.cores[core].warps[warp];
            (warp.pc, warp.mask())
        };
        let opcode = run.op(pc)?.opcode?;
        let changes = matches!(
            opcode,
            Opcode::Split | Opcode::Join | Opcode::Pred | Opcode::Tmc
        );
        changes.then_some(Before { opcode, pc, mask })
    }

    /// It has.
    pub(super) fn note(&mut self, run: &Run<'_>, core: usize, warp: usize, before: Option<Before>) {
        let Some(Before { opcode, pc, mask }) = before else {
            return;
        };
        let places = &mut self.warps[core * run.config.warps as usize + warp];
        let warp = &run.cores[core].warps[warp];
        if warp.state == State::Idle {
            *places = [0; LANES];
            return;
        }
        let place = match opcode {
            // The other side begins there.
            Opcode::Split => warp.splits.last().map_or(0, |split| split.pc),
            // They have come to it, and wait for the other side.
            Opcode::Join => pc,
            Opcode::Pred => pc.wrapping_add(4),
            _ => 0,
        };
        for n in lanes_of(warp.mask()) {
            places[n as usize] = 0;
        }
        for n in lanes_of(mask & !warp.mask()) {
            places[n as usize] = place;
        }
    }
}

impl Stepper<'_> {
    /// What a lane of a warp does. One that there is not is off.
    #[must_use]
    pub fn lane(&self, id: WarpId, lane: u32) -> LaneState {
        let index = id.core as usize * self.run.config.warps as usize + id.warp as usize;
        let places = self.parked.warps.get(index);
        match places.and_then(|places| places.get(lane as usize)) {
            _ if lanes_of(self.active(id)).any(|active| active == lane) => LaneState::Active,
            Some(&place) if place != 0 && self.is_running(id) => LaneState::Parked(place),
            _ => LaneState::Off,
        }
    }

    /// What a lane holds in a register: of 0 to 31 the integer registers, of 32 to 63 the float registers.
    #[must_use]
    pub fn register(&self, id: WarpId, lane: u32, number: u8) -> Option<u32> {
        let warp = self.warp(id)?;
        let is_there = number < SINK && (lane as usize) < LANES;
        is_there.then(|| warp.held(number, lane))
    }

    /// What a warp reads from the CSR `mscratch`; none of a warp that there is not.
    #[must_use]
    pub fn mscratch(&self, id: WarpId) -> Option<u32> {
        let core = self.run.cores.get(id.core as usize)?;
        let warp = core.warps.get(id.warp as usize)?;
        Some(match self.run.config.hardware().hands_out_groups {
            true => warp.scratch,
            false => core.state.mscratch,
        })
    }

    /// Gives a lane's register another value.
    pub(super) fn put_register(&mut self, id: WarpId, lane: u32, number: u8, value: u32) {
        let is_there = (1..SINK).contains(&number) && (lane as usize) < LANES;
        if is_there && let Some(warp) = self.warp_mut(id) {
            warp.define_lane(number, lane);
            *lane_mut(warp.registers.row_mut(number), lane) = value;
        }
    }

    /// What a lane holds in a place, such as a register; none if there is no such lane.
    #[must_use]
    pub fn held(&self, id: WarpId, lane: u32, place: crate::debug::WordLocation) -> Option<u32> {
        let warp = self.warp(id)?;
        let is_there = lane < self.run.config.threads;
        is_there.then(|| place.word(warp, self.run.memory, lane))?
    }

    /// The group that a warp was handed last, by its place in the grid, and the warp's number in it; zeros if it was
    /// handed none.
    #[must_use]
    pub fn handed(&self, id: WarpId) -> Option<([u32; 3], u32)> {
        let group = &self.warp(id)?.group;
        Some((group.at, group.rank))
    }
}
